/*
 * A real libnvidia-ml.so.1 on a machine without a driver, through nvpulse. Each case begins in a cold process; run.py names the library
 * in NVPULSE_NVML_PATH and tells in TEST_... what it must have. What the library answers by itself is in raw.c.
 */
#include "../process/cases.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#define QUERIES 100
#define OPENERS 16
#define CHILDREN 4
#define ATTEMPTS 5

/* What run.py knows of the library and gave in the environment. */
static const char *expected(const char *variable)
{
    const char *text = getenv(variable);
    CHECK(text != NULL);
    return text;
}

static void init_fails(void)
{
    CHECK_STATUS(nvp_init(), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK(nvp_get_state() == NVP_STATE_COLD && nvp_init_count() == 0 && nvp_generation() == 0);
}

static void query_says_no_driver(void)
{
    nvp_value value = NVP_VALUE_INIT;
    CHECK_STATUS(nvp_query("nvmlDeviceGetCount_v2", NULL, 0, NULL, &value), NVP_SUCCESS);
    CHECK(value.kind == NVP_KIND_NA && value.reason == NVP_REASON_NO_DRIVER);
    CHECK_STATUS(value.status, NVML_ERROR_DRIVER_NOT_LOADED);
    nvp_value_clear(&value);
}

static void queries_say_no_driver(unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        query_says_no_driver();
    }
}

/* Prints what the table of all libraries shows. */
static void found_and_probed(void)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    size_t fallbacks = 0;
    watch_log("driver init");
    CHECK_STATUS(nvp_driver_find(), NVP_SUCCESS);
    CHECK_STATUS(nvp_driver_get_info(&info), NVP_SUCCESS);
    CHECK(info.loaded && !info.simulated && info.simulation == NULL);
    CHECK(strcmp(info.origin, "NVPULSE_NVML_PATH") == 0 && strstr(info.path, expected("TEST_FILE")) != NULL);
    CHECK(nvp_driver_candidate_count() == 1);
    CHECK(info.function_count == strtoul(expected("TEST_FUNCTIONS"), NULL, 10));
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_fallback *fallback = nvp_function_fallback(nvp_function_at(i));
        if (fallback != NULL) {
            bool adapted = strcmp(fallback->wanted, fallback->served_by) == 0; /* the library's own, by an adapter */
            CHECK(nvp_symbol(fallback->served_by) != NULL && (adapted || nvp_symbol(fallback->wanted) == NULL));
            fallbacks++;
        }
    }
    CHECK(watched_lines() == 0 && nvp_get_state() == NVP_STATE_COLD);
    printf("functions %zu\nfallbacks %zu\n", info.function_count, fallbacks);
}

/* run.py makes the back-off an hour: whatever asks the driver anew does so on purpose. */
static void init_fails_and_is_remembered(void)
{
    watch_log("driver init");
    queries_say_no_driver(QUERIES);
    CHECK(watched_lines() == 1);
    init_fails();
    CHECK(watched_lines() == 2);
    queries_say_no_driver(QUERIES);
    CHECK(watched_lines() == 2);
    CHECK_STATUS(nvp_init_with_flags(NVML_INIT_FLAG_NO_GPUS),
                 nvp_symbol("nvmlInitWithFlags") != NULL ? NVML_ERROR_DRIVER_NOT_LOADED : NVML_ERROR_FUNCTION_NOT_FOUND);
    CHECK(watched_lines() == 3 && nvp_init_count() == 0);
    printf("init %s\n", nvp_status_name(nvp_init()));
}

static void shutdown_answers_uninitialised(void)
{
    CHECK_STATUS(nvp_shutdown(), NVML_ERROR_UNINITIALIZED);
    init_fails();
    CHECK_STATUS(nvp_shutdown(), NVML_ERROR_UNINITIALIZED);
    queries_say_no_driver(1);
    CHECK_STATUS(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    printf("shutdown %s\n", nvp_status_name(nvp_shutdown()));
}

static nvp_arg argument_for(const nvp_parameter *parameter)
{
    static nvmlFieldValue_t field = { .fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION };
    if (parameter->is_handle) {
        return nvp_arg_handle(&field); /* no handle is ever valid here, and none may reach the library */
    }
    if (parameter->is_text) {
        return nvp_arg_text("GPU-00000000");
    }
    if (strncmp(parameter->ctype, "nvmlFieldValue_t", strlen("nvmlFieldValue_t")) == 0) {
        return nvp_arg_data(&field, sizeof(field));
    }
    return parameter->is_struct ? nvp_arg_default() : nvp_arg_uint(0);
}

static void query_one(const nvp_function *function)
{
    nvp_arg arguments[8];
    size_t count = 0;
    nvp_value value = NVP_VALUE_INIT;
    for (size_t i = 0; i < function->parameter_count; i++) {
        nvp_parameter parameter;
        CHECK_STATUS(nvp_function_parameter(function, i, &parameter), NVP_SUCCESS);
        if (parameter.supplied) {
            CHECK(count < sizeof(arguments) / sizeof(arguments[0]));
            arguments[count++] = argument_for(&parameter);
        }
    }
    nvp_status status = nvp_query(function->name, arguments, count, NULL, &value);
    if (!function->by_name) {
        CHECK_STATUS(status, NVP_ERROR_NOT_BY_NAME);
    } else if (strcmp(function->name, "nvmlErrorString") == 0) {
        CHECK(status == NVP_SUCCESS && strcmp(nvp_value_text(&value), "Success") == 0);
    } else {
        bool ends = strcmp(function->name, "nvmlShutdown") == 0;
        CHECK_STATUS(status, NVP_SUCCESS);
        CHECK_STATUS(value.status, ends ? NVML_ERROR_UNINITIALIZED : NVML_ERROR_DRIVER_NOT_LOADED);
        CHECK(value.kind == NVP_KIND_NA && value.reason == (ends ? NVP_REASON_UNINITIALIZED : NVP_REASON_NO_DRIVER));
    }
    nvp_value_clear(&value);
}

static void every_query_says_why(void)
{
    for (size_t i = 0; i < nvp_function_count(); i++) {
        query_one(nvp_function_at(i));
    }
    CHECK(nvp_get_state() == NVP_STATE_COLD && nvp_init_count() == 0);
}

static void same_names_answer_the_error(void)
{
    unsigned int number = 7;
    char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "untouched";
    nvmlDevice_t device = NULL;
    nvmlMemory_v2_t memory = { .version = nvmlMemory_v2, .total = 7 };
    CHECK_STATUS(nvmlInit(), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlDeviceGetCount(&number), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlSystemGetDriverVersion(text, sizeof(text)), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlSystemGetNVMLVersion(text, sizeof(text)), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlDeviceGetHandleByIndex(0, &device), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlDeviceGetMemoryInfo_v2(device, &memory), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvmlDeviceGetTemperatureV(device, NULL), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK(number == 7 && device == NULL && memory.total == 7 && strcmp(text, "untouched") == 0);
    CHECK(strcmp(nvmlErrorString(NVML_ERROR_DRIVER_NOT_LOADED), "Driver Not Loaded") == 0);
}

static void child_asks(void)
{
    watch_log("driver init");
    queries_say_no_driver(QUERIES);
    CHECK(watched_lines() == 1); /* a context of its own, and a memory of its own for the failure */
    init_fails();
    exit(0);
}

static void forked_children_query(void)
{
    pid_t children[CHILDREN];
    queries_say_no_driver(1);
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            child_asks();
        }
    }
    queries_say_no_driver(QUERIES);
    for (int i = 0; i < CHILDREN; i++) {
        CHECK(await_child(children[i]) == 0);
    }
    init_fails();
}

static void *query_at_once(void *argument)
{
    pthread_barrier_wait(argument);
    query_says_no_driver();
    return NULL;
}

static void first_queries_of_many_threads_ask_once(void)
{
    pthread_barrier_t barrier;
    pthread_t threads[OPENERS];
    watch_log("driver init");
    CHECK(pthread_barrier_init(&barrier, NULL, OPENERS) == 0);
    for (int i = 0; i < OPENERS; i++) {
        threads[i] = start(query_at_once, &barrier);
    }
    for (int i = 0; i < OPENERS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    CHECK(watched_lines() == 1);
}

static unsigned int entries_of(const char *folder)
{
    unsigned int count = 0;
    DIR *directory = opendir(folder);
    CHECK(directory != NULL);
    while (readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

static void attempts_leave_nothing_behind(void)
{
    init_fails();
    unsigned int files = entries_of("/proc/self/fd");
    for (int i = 0; i < ATTEMPTS; i++) {
        init_fails();
    }
    CHECK(entries_of("/proc/self/fd") == files);
    CHECK(entries_of("/proc/self/task") == 2 + 1); /* ".", ".." and this thread */
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

/* Text in a buffer of the program comes out once: run.py counts. A driver that forks a helper by exit() would write it twice. */
static void output_comes_once(void)
{
    printf("once\n");
    queries_say_no_driver(1);
}

const struct test_case test_cases[] = {
    { "found_and_probed", found_and_probed },
    { "init_fails_and_is_remembered", init_fails_and_is_remembered },
    { "shutdown_answers_uninitialised", shutdown_answers_uninitialised },
    { "every_query_says_why", every_query_says_why },
    { "same_names_answer_the_error", same_names_answer_the_error },
    { "forked_children_query", forked_children_query },
    { "first_queries_of_many_threads_ask_once", first_queries_of_many_threads_ask_once },
    { "attempts_leave_nothing_behind", attempts_leave_nothing_behind },
    { "output_comes_once", output_comes_once },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
