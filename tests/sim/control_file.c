/*
 * Live control through a control file: other processes, late ones, those that wait, and files that cannot be trusted.
 */
#include "sim.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char problem[1024];
static const char *control_path; /* NULL: the process's own simulation */
static const char *program;      /* this one */

/* CTL("set", "name=x"): 0 or -1, the message in `problem`. */
#define CTL(...) control((const char *const[]){ __VA_ARGS__, NULL })

static int control(const char *const *words)
{
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    problem[0] = '\0';
    return CALL(nvpsim_control)(control_path, count, words, problem, sizeof problem);
}

#define REFUSED(text, ...)                                                                                                       \
    do {                                                                                                                         \
        assert_int_equal(CTL(__VA_ARGS__), -1);                                                                                  \
        if (!strstr(problem, text))                                                                                              \
            fail_msg("'%s' is not in '%s'", text, problem);                                                                      \
    } while (0)

static unsigned load_of(unsigned index)
{
    nvmlUtilization_t utilization;
    SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(index), &utilization));
    return utilization.gpu;
}

static unsigned count_of(void)
{
    unsigned count = 999;
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    return count;
}

static unsigned processes_of(unsigned index, unsigned *pid)
{
    nvmlProcessInfo_v1_t infos[64];
    unsigned count = 64;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(index), &count, infos));
    *pid = count > 0 ? infos[count - 1].pid : 0;
    return count;
}

/* A folder for control files, and a file made in it by the library, as a child that is gone would leave it. */
static char folder[64], file_path[96];

static void file_make(const char *profile)
{
    snprintf(folder, sizeof folder, "/tmp/nvpsim-control-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file_path, sizeof file_path, "%s/control", folder);
    setenv("NVPULSE_SIM_CONTROL", file_path, 1);
    sim_load_profile(profile);
    assert_int_equal(CALL(nvpsim_control_create)(file_path, problem, sizeof problem), 0);
}

static int file_remove(void **state)
{
    sim_unload(state);
    unsetenv("NVPULSE_SIM_CONTROL");
    unlink(file_path);
    rmdir(folder);
    return 0;
}

/*
 * A command by another process, which has nothing but the name of the file; its exit status. A program of its own: in a child that is forked
 * while another thread allocates, AddressSanitizer's allocator would stay locked.
 */
static int by_other(const char *const *words)
{
    const char *command[16] = { program, sim_path, file_path };
    size_t count = 3;
    pid_t child;
    int status;
    while (*words && count < 15) {
        command[count++] = *words++;
    }
    assert_int_equal(posix_spawn(&child, program, NULL, NULL, (char *const *)(uintptr_t)command, environ), 0);
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

/* What the other process does: its arguments are the library, the control file, and the words. */
static int be_other(char **arguments)
{
    sim_arguments(2, arguments);
    unsetenv("NVPULSE_SIM_CONTROL");
    unsetenv("NVPULSE_SIM_CLOCK");
    sim_load_profile("rtx4090x2"); /* in the environment; not what the file is about */
    control_path = arguments[2];
    int result = control((const char *const *)(uintptr_t)(arguments + 3));
    sim_unload(NULL);
    return result == 0 ? 0 : 1;
}

#define OTHER(...) by_other((const char *const[]){ __VA_ARGS__, NULL })

static void test_control_file__another_process_changes_this_one(void **state)
{
    (void)state;
    file_make("h100x8");
    sim_init();
    assert_int_equal(OTHER("set", "devices[7].utilization.gpu=61"), 0);
    assert_int_equal(load_of(7), 61);
    assert_int_not_equal(OTHER("set", "devices[8].utilization.gpu=61"), 0);
    assert_int_equal(OTHER("device", "lose", "2"), 0);
    ANSWERS(CALL(nvmlDeviceGetHandleByIndex_v2)(2, &(nvmlDevice_t){ NULL }), NVML_ERROR_GPU_IS_LOST);
    assert_int_equal(OTHER("clock", "step", "3s"), 0);
    count_of();
    assert_int_equal(CALL(nvpsim_clock_ns)(), 3000000000);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control_file__who_starts_later_stands_where_the_others_stand(void **state)
{
    (void)state;
    unsigned pid, again;
    file_make("h100x8");
    assert_int_equal(OTHER("set", "devices[7].utilization.gpu=61"), 0);
    assert_int_equal(OTHER("process", "add", "device=6", "name=late"), 0);
    sim_init();
    assert_int_equal(load_of(7), 61);
    unsigned count = processes_of(6, &pid);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
    sim_load_profile("h100x8");
    sim_init();
    assert_int_equal(processes_of(6, &again), count);
    assert_int_equal(again, pid);
    SUCCEEDS(CALL(nvmlShutdown)());
}

typedef struct waiting {
    nvmlEventSet_t set;
    nvmlEventData_t event;
    nvmlReturn_t result;
    uint64_t ns;
} waiting;

static uint64_t real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *wait_for_event(void *argument)
{
    waiting *own = argument;
    own->result = CALL(nvmlEventSetWait)(own->set, &own->event, 20000);
    own->ns = real_ns();
    return NULL;
}

static void test_control_file__who_waits_for_an_event_hears_of_it(void **state)
{
    (void)state;
    pthread_t thread;
    waiting own = { 0 };
    file_make("h100x8");
    sim_init();
    SUCCEEDS(CALL(nvmlEventSetCreate)(&own.set));
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(sim_device(1), nvmlEventTypeXidCriticalError, own.set));
    assert_int_equal(pthread_create(&thread, NULL, wait_for_event, &own), 0);
    assert_int_equal(OTHER("event", "xid", "1", "48"), 0);
    uint64_t posted_ns = real_ns();
    assert_int_equal(pthread_join(thread, NULL), 0);
    SUCCEEDS(own.result);
    assert_int_equal(own.event.eventData, 48);
    assert_true(own.ns < posted_ns + 1000000000u);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void *read_power(void *argument)
{
    unsigned power;
    *(nvmlReturn_t *)argument = CALL(nvmlDeviceGetPowerUsage)(sim_device(1), &power);
    return NULL;
}

static void test_control_file__a_call_that_hangs_is_let_go(void **state)
{
    (void)state;
    pthread_t thread;
    nvmlReturn_t result = (nvmlReturn_t)-1;
    file_make("h100x8");
    sim_init();
    assert_int_equal(OTHER("fault", "add", "function=nvmlDeviceGetPowerUsage", "hang=true"), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_power, &result), 0);
    while (CALL(nvpsim_in_flight)() == 0)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(OTHER("fault", "clear"), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    SUCCEEDS(result);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Init answers UNKNOWN, and the line on stderr says why. */
static void refuses_the_file(const char *why)
{
    REFUSED(why, "set", "utilization.gpu=1");
    ANSWERS(CALL(nvmlInit_v2)(), NVML_ERROR_UNKNOWN);
    sim_unload(NULL);
    sim_load_profile("h100x8");
}

static void test_control_file__a_file_that_cannot_be_trusted_is_refused(void **state)
{
    (void)state;
    char other[128];
    file_make("h100x8");
    control_path = NULL;
    assert_int_equal(chmod(file_path, 0622), 0);
    refuses_the_file("can be written by others");
    assert_int_equal(chmod(file_path, 0600), 0);
    snprintf(other, sizeof other, "%s.other", file_path);
    assert_int_equal(rename(file_path, other), 0);
    refuses_the_file("No such file");
    assert_int_equal(symlink(other, file_path), 0);
    refuses_the_file("is a symbolic link");
    assert_int_equal(CALL(nvpsim_control_create)(file_path, problem, sizeof problem), -1);
    unlink(file_path);
    assert_int_equal(mkfifo(file_path, 0600), 0);
    refuses_the_file("is no regular file");
    unlink(file_path);
    assert_int_equal(rename(other, file_path), 0);
    sim_init();
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control_file__a_file_in_use_is_not_taken_over(void **state)
{
    (void)state;
    int status;
    file_make("h100x8");
    pid_t child = fork();
    if (child == 0) {
        _exit(CALL(nvpsim_control_create)(file_path, problem, sizeof problem) == -1 && strstr(problem, "which runs") ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    unlink(file_path);
    int file = open(file_path, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "precious\n", 9), 9);
    close(file);
    assert_int_equal(CALL(nvpsim_control_create)(file_path, problem, sizeof problem), -1);
    assert_non_null(strstr(problem, "exists and is something else"));
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_control_file__##name, file_remove)
    const struct CMUnitTest tests[] = {
        CASE(another_process_changes_this_one),         CASE(who_starts_later_stands_where_the_others_stand),
        CASE(who_waits_for_an_event_hears_of_it),       CASE(a_call_that_hangs_is_let_go),
        CASE(a_file_that_cannot_be_trusted_is_refused), CASE(a_file_in_use_is_not_taken_over),
    };
    program = arguments[0];
    if (count > 3) {
        return be_other(arguments);
    }
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
