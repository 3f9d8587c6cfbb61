/*
 * A driver that is upgraded, reset or gone for a while under a running program: NVML is opened again, handles go on to work.
 * The library is a copy of a simulated driver in a folder of the case's own, replaced while it is in use.
 */
#include "cases.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

static char folder[] = "reopen-XXXXXX";
static char library[PATH_MAX];

static void remove_folder(void)
{
    unlink(library);
    rmdir(folder);
}

/* Puts a copy of that file where the library is: another file under the same name, as a package manager does. */
static void install(const char *from)
{
    char fresh[PATH_MAX + 8];
    struct stat info;
    snprintf(fresh, sizeof(fresh), "%s.new", library);
    int in = open(from, O_RDONLY);
    int out = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0755);
    CHECK(in >= 0 && out >= 0 && fstat(in, &info) == 0);
    for (off_t left = info.st_size; left > 0;) {
        ssize_t sent = sendfile(out, in, NULL, (size_t)left);
        CHECK(sent > 0);
        left -= sent;
    }
    close(in);
    close(out);
    CHECK(rename(fresh, library) == 0);
}

static void begin_with(const char *driver)
{
    setenv("NVPULSE_RETRY_MS", "1", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK(mkdtemp(folder) != NULL);
    CHECK(realpath(folder, library) != NULL);
    strncat(library, "/libnvidia-ml.so.1", sizeof(library) - strlen(library) - 1);
    atexit(remove_folder);
    install(getenv(driver));
    setenv("NVPULSE_NVML_PATH", library, 1);
}

static void check_driver(const char *version)
{
    char text[80];
    CHECK_STATUS(nvmlSystemGetDriverVersion(text, sizeof(text)), NVML_SUCCESS);
    if (strcmp(text, version) != 0) {
        fprintf(stderr, "driver %s, not %s\n", text, version);
        _exit(1);
    }
}

static void uuid_of(nvmlDevice_t device, char *uuid)
{
    CHECK_STATUS(nvmlDeviceGetUUID(device, uuid, 80), NVML_SUCCESS);
}

#define DEVICES 8

static nvmlDevice_t devices[DEVICES];
static char uuids[DEVICES][80];

static void take_devices(void)
{
    for (unsigned int i = 0; i < DEVICES; i++) {
        CHECK_STATUS(nvmlDeviceGetHandleByIndex(i, &devices[i]), NVML_SUCCESS);
        uuid_of(devices[i], uuids[i]);
    }
}

/* Handles of before, and those that are given out now, mean the same GPUs as ever. */
static void check_devices(void)
{
    for (unsigned int i = 0; i < DEVICES; i++) {
        char uuid[80];
        unsigned int index = 99;
        nvmlDevice_t again = NULL;
        uuid_of(devices[i], uuid);
        CHECK(strcmp(uuid, uuids[i]) == 0);
        CHECK_STATUS(nvmlDeviceGetIndex(devices[i], &index), NVML_SUCCESS);
        CHECK(index == i);
        CHECK_STATUS(nvmlDeviceGetHandleByIndex(i, &again), NVML_SUCCESS);
        CHECK(again == devices[i]);
    }
}

static void upgraded_driver_is_loaded_and_handles_go_on(void)
{
    begin_with("TEST_SIM_470");
    check_driver("470.256.02");
    take_devices();
    uint64_t generation = nvp_generation();
    install(getenv("TEST_SIM_550"));
    control_fail(NULL, NVML_ERROR_LIB_RM_VERSION_MISMATCH); /* what the old library answers when the new module is in */
    query_ok(devices[3]);
    check_driver("550.163.01");
    CHECK(nvp_generation() == generation + 1);
    CHECK(nvp_init_count() == 1);
    check_devices();
}

static atomic_int replaced_lines;

static void count_replaced(nvp_log_level level, const char *message, void *context)
{
    (void)level;
    (void)context;
    atomic_fetch_add(&replaced_lines, strstr(message, "was replaced") != NULL);
}

/* The same file with a new date is what is loaded; a copy in its place is another one, and is said to be once. */
static void touched_library_is_not_a_replaced_one(void)
{
    begin_with("TEST_SIM_550");
    nvp_log_set(NVP_LOG_WARNING, count_replaced, NULL);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    for (int i = 1; i <= 3; i++) {
        struct timespec times[2] = { { .tv_sec = 1000 * i }, { .tv_sec = 1000 * i } };
        CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
        CHECK(utimensat(AT_FDCWD, library, times, 0) == 0);
        CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    }
    CHECK(atomic_load(&replaced_lines) == 0);
    install(getenv("TEST_SIM_550"));
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
        CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    }
    CHECK(atomic_load(&replaced_lines) == 1);
    check_driver("550.163.01");
}

static void session_that_the_driver_has_forgotten_is_opened_again(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault),
                                       .function = "nvmlDeviceGetPowerUsage",
                                       .device = -1,
                                       .error = NVML_ERROR_UNINITIALIZED,
                                       .times = 1 });
    query_ok(devices[5]);
    CHECK(nvp_generation() == 2);
    CHECK(control_calls("nvmlShutdown") == 1);
    check_devices();
}

static void by_name_calls_are_made_once_more_too(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault),
                                       .function = "nvmlDeviceGetName",
                                       .device = -1,
                                       .error = NVML_ERROR_DRIVER_NOT_LOADED,
                                       .times = 1 });
    nvp_value value = NVP_VALUE_INIT;
    CHECK_STATUS(nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(devices[0])), NULL, &value), NVP_SUCCESS);
    CHECK(value.kind == NVP_KIND_TEXT);
    nvp_value_clear(&value);
    nvp_field field = NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0);
    CHECK_STATUS(nvp_query_fields(devices[7], &field, 1), NVP_SUCCESS);
    CHECK(nvp_check(&field.value, NVP_KIND_NUMBER));
}

static void driver_that_stays_away_is_backed_off_and_comes_back(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    control_fail(NULL, NVML_ERROR_DRIVER_NOT_LOADED);
    unsigned int power_mw;
    CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[0], &power_mw), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    control_clear_faults();
    while (nvmlDeviceGetPowerUsage(devices[0], &power_mw) != NVML_SUCCESS) {
        usleep(500);
    }
    check_devices();
}

static void back_off_bounds_the_re_opens(void)
{
    begin_with("TEST_SIM_550");
    setenv("NVPULSE_RETRY_MS", "3600000", 1);
    take_devices();
    control_fail("nvmlDeviceGetPowerUsage", NVML_ERROR_UNINITIALIZED);
    for (int i = 0; i < 1000; i++) {
        unsigned int power_mw;
        CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[0], &power_mw), NVML_ERROR_UNINITIALIZED);
    }
    CHECK(nvp_generation() == 2);
}

static void unknown_error_of_one_function_is_no_reason(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    control_fail("nvmlDeviceGetPowerUsage", NVML_ERROR_UNKNOWN);
    for (int i = 0; i < 20; i++) {
        unsigned int power_mw;
        unsigned int temperature_c;
        CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[0], &power_mw), NVML_ERROR_UNKNOWN);
        CHECK_STATUS(nvmlDeviceGetTemperature(devices[0], NVML_TEMPERATURE_GPU, &temperature_c), NVML_SUCCESS);
        usleep(300);
    }
    CHECK(nvp_generation() == 1);
}

static void unknown_error_for_ever_is_a_reason(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    nvpsim_clear_faults_fn *clear = (nvpsim_clear_faults_fn *)(uintptr_t)nvp_symbol("nvpsim_clear_faults");
    control_fail("nvmlDeviceGetPowerUsage", NVML_ERROR_UNKNOWN);
    control_fail("nvmlDeviceGetTemperature", NVML_ERROR_UNKNOWN);
    unsigned int power_mw;
    while (nvp_generation() == 1) {
        nvmlDeviceGetPowerUsage(devices[0], &power_mw);
        usleep(500);
    }
    clear();
    query_ok(devices[0]);
}

static void lost_gpu_that_comes_back_is_seen_again(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .device = 2, .error = NVML_ERROR_GPU_IS_LOST });
    unsigned int power_mw;
    CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[2], &power_mw), NVML_ERROR_GPU_IS_LOST);
    CHECK(nvp_generation() == 1); /* the first time is not a reason yet */
    while (nvp_generation() == 1) {
        nvmlDeviceGetPowerUsage(devices[2], &power_mw);
        query_ok(devices[1]); /* the others go on */
        usleep(500);
    }
    query_ok(devices[1]);
    control_clear_faults();
    while (nvmlDeviceGetPowerUsage(devices[2], &power_mw) != NVML_SUCCESS) {
        usleep(500);
    }
    check_devices();
}

/* The new driver has other GPUs: a handle of one that is gone must not mean another. */
static void handle_of_a_gpu_that_is_gone_answers_lost(void)
{
    begin_with("TEST_SIM_470");
    take_devices();
    setenv("NVPULSE_SIM_PROFILE", "rtx4090x2", 1);
    install(getenv("TEST_SIM_550"));
    control_fail(NULL, NVML_ERROR_UNINITIALIZED);
    unsigned int count = 0;
    unsigned int power_mw = 7;
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_SUCCESS);
    CHECK(count == 2);
    CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[0], &power_mw), NVML_ERROR_GPU_IS_LOST);
    CHECK(power_mw == 7);
    query_ok(first_device());
    nvmlDevice_t wild = (nvmlDevice_t)(uintptr_t)0x1234;
    CHECK_STATUS(nvmlDeviceGetPowerUsage(wild, &power_mw), NVML_ERROR_INVALID_ARGUMENT);
}

static void handles_survive_a_shutdown_and_an_init(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    take_devices();
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    check_devices();
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    check_devices();
}

static void event_set_of_an_earlier_session_is_refused(void)
{
    nvmlEventSet_t old = NULL;
    nvmlEventSet_t fresh = NULL;
    nvmlEventData_t data;
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    if (nvmlEventSetCreate(&old) != NVML_SUCCESS) {
        puts("skipped: this simulation has no events");
        exit(SKIPPED);
    }
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK_STATUS(nvmlEventSetWait(old, &data, 0), NVML_ERROR_INVALID_ARGUMENT);
    CHECK_STATUS(nvmlEventSetCreate(&fresh), NVML_SUCCESS);
    CHECK_STATUS(nvmlEventSetWait(fresh, &data, 0), NVML_ERROR_TIMEOUT);
    CHECK_STATUS(nvmlEventSetFree(fresh), NVML_SUCCESS);
}

static atomic_bool stop;

static void *query_until_stopped(void *argument)
{
    while (!atomic_load(&stop)) {
        query_ok(argument);
    }
    return NULL;
}

static void threads_go_on_through_re_opens(void)
{
    begin_with("TEST_SIM_550");
    take_devices();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = start(query_until_stopped, devices[i]);
    }
    for (int i = 0; i < 5; i++) {
        uint64_t generation = nvp_generation();
        control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault),
                                           .function = "nvmlDeviceGetName",
                                           .device = -1,
                                           .error = NVML_ERROR_UNINITIALIZED,
                                           .times = 1 });
        char name[96];
        while (nvmlDeviceGetName(devices[0], name, sizeof(name)) != NVML_SUCCESS) {
            usleep(500);
        }
        CHECK(nvp_generation() >= generation);
        usleep(2000);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(nvp_generation() > 1);
}

static void child_can_use_the_handles_of_its_parent(void)
{
    take_devices();
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        check_devices();
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    check_devices();
}

const struct test_case test_cases[] = {
    { "upgraded_driver_is_loaded_and_handles_go_on", upgraded_driver_is_loaded_and_handles_go_on },
    { "touched_library_is_not_a_replaced_one", touched_library_is_not_a_replaced_one },
    { "session_that_the_driver_has_forgotten_is_opened_again", session_that_the_driver_has_forgotten_is_opened_again },
    { "by_name_calls_are_made_once_more_too", by_name_calls_are_made_once_more_too },
    { "driver_that_stays_away_is_backed_off_and_comes_back", driver_that_stays_away_is_backed_off_and_comes_back },
    { "back_off_bounds_the_re_opens", back_off_bounds_the_re_opens },
    { "unknown_error_of_one_function_is_no_reason", unknown_error_of_one_function_is_no_reason },
    { "unknown_error_for_ever_is_a_reason", unknown_error_for_ever_is_a_reason },
    { "lost_gpu_that_comes_back_is_seen_again", lost_gpu_that_comes_back_is_seen_again },
    { "handle_of_a_gpu_that_is_gone_answers_lost", handle_of_a_gpu_that_is_gone_answers_lost },
    { "handles_survive_a_shutdown_and_an_init", handles_survive_a_shutdown_and_an_init },
    { "event_set_of_an_earlier_session_is_refused", event_set_of_an_earlier_session_is_refused },
    { "threads_go_on_through_re_opens", threads_go_on_through_re_opens },
    { "child_can_use_the_handles_of_its_parent", child_can_use_the_handles_of_its_parent },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
