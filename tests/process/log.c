/*
 * The log: level, sink, file and colours. Each case writes to a stderr of its own and reads it back.
 */
#include "cases.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char captured[65536];

/* Sends stderr to a file from here on. */
static int capture_stderr(void)
{
    int file = open(".", O_TMPFILE | O_RDWR, 0600);
    CHECK(file >= 0);
    CHECK(dup2(file, STDERR_FILENO) == STDERR_FILENO);
    return file;
}

static const char *read_captured(int file)
{
    ssize_t length = pread(file, captured, sizeof(captured) - 1, 0);
    CHECK(length >= 0);
    captured[length] = '\0';
    return captured;
}

static void fail_once(void)
{
    setenv("NVPULSE_NVML_PATH", "/no/such/folder/libnvidia-ml.so.1", 1);
    CHECK_STATUS(nvp_init(), NVP_ERROR_LIBRARY_BROKEN);
}

static void errors_go_to_stderr_with_advice(void)
{
    unsetenv("LOGLEVEL");
    int file = capture_stderr();
    fail_once();
    const char *text = read_captured(file);
    CHECK(strstr(text, "[ERROR]") != NULL && strstr(text, "HINT: ") != NULL && strstr(text, "NVPULSE_NVML_PATH") != NULL);
    CHECK(strstr(text, "[DEBUG]") == NULL && strstr(text, "\033[") == NULL);
    CHECK(nvp_log_get_level() == NVP_LOG_WARNING);
}

static void critical_level_is_silent_about_errors(void)
{
    setenv("LOGLEVEL", "CRITICAL", 1);
    int file = capture_stderr();
    fail_once();
    CHECK(strcmp(read_captured(file), "") == 0);
}

static void unknown_level_keeps_the_default(void)
{
    setenv("LOGLEVEL", "LOUD", 1);
    CHECK(nvp_log_get_level() == NVP_LOG_WARNING);
}

static void level_is_read_in_any_case(void)
{
    setenv("LOGLEVEL", "info", 1);
    CHECK(nvp_log_get_level() == NVP_LOG_INFO);
}

static void debug_tells_the_decisions_and_writes_a_file(void)
{
    char folder[] = "log-XXXXXX";
    CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    setenv("LOGLEVEL", "DEBUG", 1);
    int file = capture_stderr();
    query_ok(first_device());
    const char *text = read_captured(file);
    CHECK(strstr(text, "driver: using ") != NULL);
    CHECK(strstr(text, "not exported: nvmlDeviceGetMarginTemperature") != NULL);
    CHECK(strstr(text, "driver init with flags 0") != NULL);
    int log = open("nvpulse.log", O_RDONLY);
    CHECK(log >= 0);
    CHECK(strstr(read_captured(log), "driver: using ") != NULL);
    CHECK(unlink("nvpulse.log") == 0 && chdir("..") == 0 && rmdir(folder) == 0);
}

static void sink_gets_lines_instead_of_stderr(void)
{
    int file = capture_stderr();
    watch_log("HINT: ");
    fail_once();
    CHECK(watched_lines() == 1);
    CHECK(strcmp(read_captured(file), "") == 0);
}

static void off_is_off(void)
{
    int file = capture_stderr();
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    fail_once();
    CHECK(strcmp(read_captured(file), "") == 0);
}

/* Gives this process a terminal as stderr; returns the other end. */
static int stderr_to_terminal(void)
{
    int other = posix_openpt(O_RDWR | O_NOCTTY);
    CHECK(other >= 0 && grantpt(other) == 0 && unlockpt(other) == 0);
    int terminal = open(ptsname(other), O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0 && dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
    return other;
}

static const char *read_terminal(int other)
{
    ssize_t length = read(other, captured, sizeof(captured) - 1);
    CHECK(length > 0);
    captured[length] = '\0';
    return captured;
}

static void hints_are_coloured_on_a_terminal(void)
{
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    int other = stderr_to_terminal();
    fail_once();
    CHECK(strstr(read_terminal(other), "\033[") != NULL);
}

static void no_color_is_obeyed_on_a_terminal(void)
{
    setenv("NO_COLOR", "1", 1);
    setenv("TERM", "xterm", 1);
    int other = stderr_to_terminal();
    fail_once();
    CHECK(strstr(read_terminal(other), "\033[") == NULL);
}

static void dumb_terminal_gets_no_colours(void)
{
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    int other = stderr_to_terminal();
    fail_once();
    CHECK(strstr(read_terminal(other), "\033[") == NULL);
}

const struct test_case test_cases[] = {
    { "errors_go_to_stderr_with_advice", errors_go_to_stderr_with_advice },
    { "critical_level_is_silent_about_errors", critical_level_is_silent_about_errors },
    { "unknown_level_keeps_the_default", unknown_level_keeps_the_default },
    { "level_is_read_in_any_case", level_is_read_in_any_case },
    { "debug_tells_the_decisions_and_writes_a_file", debug_tells_the_decisions_and_writes_a_file },
    { "sink_gets_lines_instead_of_stderr", sink_gets_lines_instead_of_stderr },
    { "off_is_off", off_is_off },
    { "hints_are_coloured_on_a_terminal", hints_are_coloured_on_a_terminal },
    { "no_color_is_obeyed_on_a_terminal", no_color_is_obeyed_on_a_terminal },
    { "dumb_terminal_gets_no_colours", dumb_terminal_gets_no_colours },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
