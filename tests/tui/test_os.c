/*
 * Signals and environments of processes of this system: only the process that was meant is reached, not another one with its pid.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "os.h"

#define SECOND_US 1000000u

/* A number from a file of /proc, behind `before`, or the field of that place when `before` is NULL. */
static unsigned long long read_number(const char *path, const char *before, int field)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *place = before != NULL ? strstr(text, before) : strrchr(text, ')');
    assert_non_null(place);
    for (int i = 2; before == NULL && i < field; i++) {
        place = strchr(place + 1, ' ');
    }
    return strtoull(place + (before != NULL ? strlen(before) : 1), NULL, 10);
}

static uint64_t start_time_us(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    unsigned long long boot_s = read_number("/proc/stat", "\nbtime ", 0), ticks = read_number(path, NULL, 22);
    return boot_s * SECOND_US + ticks * SECOND_US / (unsigned long long)sysconf(_SC_CLK_TCK);
}

static pid_t begin_child(void)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    return child;
}

static void test_os__signal_goes_to_the_process_that_was_meant(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = begin_child();
    uint64_t start = start_time_us(child);
    assert_int_equal(tui_os_signal((uint64_t)child, start + 10 * SECOND_US, SIGKILL), TUI_OS_GONE); /* another one had this pid */
    assert_int_equal(tui_os_signal((uint64_t)child, start - 10 * SECOND_US, SIGKILL), TUI_OS_GONE);
    assert_int_equal(tui_os_signal((uint64_t)child, start + SECOND_US / 2, SIGKILL), TUI_OS_GONE);
    assert_int_equal(tui_os_signal((uint64_t)child, 0, SIGKILL), TUI_OS_GONE); /* not known */
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    assert_int_equal(tui_os_signal((uint64_t)child, start, SIGTERM), TUI_OS_DONE);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_int_equal(tui_os_signal((uint64_t)child, start, SIGTERM), TUI_OS_GONE);
}

static void test_os__no_signal_for_all_or_for_init(void **state)
{
    (void)state;
    const uint64_t pids[] = { 0, 1, (uint64_t)-1, UINT64_C(1) << 32 };
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
        assert_int_equal(tui_os_signal(pids[i], 1, SIGCONT), TUI_OS_FAILED);
    }
}

static void test_os__environment_is_of_the_process_that_was_meant(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    uint64_t own = (uint64_t)getpid(), start = start_time_us(getpid());
    assert_int_equal(tui_os_environment(own, start + 10 * SECOND_US, &text, &length), TUI_OS_GONE);
    assert_null(text);
    assert_int_equal(tui_os_environment(own, start, &text, &length), TUI_OS_DONE);
    assert_true(length > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_os__signal_goes_to_the_process_that_was_meant),
        cmocka_unit_test(test_os__no_signal_for_all_or_for_init),
        cmocka_unit_test(test_os__environment_is_of_the_process_that_was_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
