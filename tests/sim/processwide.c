/*
 * What concerns the whole process: fork, threads at work on everything at once, every function called with nothing.
 */
#include "sim.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *volatile under_way = "?"; /* the function that is being called */

static void crashed(int number)
{
    ssize_t written = write(STDERR_FILENO, under_way, strlen(under_way)) + write(STDERR_FILENO, " crashed\n", 9);
    _exit(written > 0 ? 100 + number : 1);
}

/* Runs a check in a child; its exit status, or minus the signal that ended it. A child that hangs is ended after two seconds. */
static int in_child(int (*check)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        signal(SIGSEGV, crashed);
        signal(SIGBUS, crashed);
        alarm(2);
        _exit(check());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* No assertion of cmocka here: its way out would be the parent's. */
static int use_everything(void)
{
    nvmlDevice_t device;
    unsigned power, count;
    nvpsim_fault fault = { .struct_size = sizeof fault, .device = -1, .error = 15 };
    if (((nvpsim_in_flight_fn *)sim_find("nvpsim_in_flight"))() != 0)
        return 1;
    if (((nvmlInit_v2_fn *)sim_find("nvmlInit_v2"))() != NVML_SUCCESS)
        return 2;
    if (((nvmlDeviceGetHandleByIndex_v2_fn *)sim_find("nvmlDeviceGetHandleByIndex_v2"))(0, &device) != NVML_SUCCESS)
        return 3;
    if (((nvpsim_add_fault_fn *)sim_find("nvpsim_add_fault"))(&fault) != 0)
        return 4;
    if (((nvmlDeviceGetCount_v2_fn *)sim_find("nvmlDeviceGetCount_v2"))(&count) != NVML_ERROR_GPU_IS_LOST)
        return 5;
    ((nvpsim_clear_faults_fn *)sim_find("nvpsim_clear_faults"))();
    if (((nvmlDeviceGetPowerUsage_fn *)sim_find("nvmlDeviceGetPowerUsage"))(device, &power) != NVML_SUCCESS)
        return 6;
    return ((nvmlShutdown_fn *)sim_find("nvmlShutdown"))() == NVML_SUCCESS ? 0 : 7;
}

static void *hang_in_count(void *argument)
{
    unsigned count;
    ((nvmlDeviceGetCount_v2_fn *)argument)(&count);
    return NULL;
}

static pthread_t start_hanging(void)
{
    pthread_t thread;
    nvpsim_fault fault = { .struct_size = sizeof fault, .function = "nvmlDeviceGetCount_v2", .device = -1, .hang = 1 };
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), 0);
    assert_int_equal(pthread_create(&thread, NULL, hang_in_count, sim_need("nvmlDeviceGetCount_v2")), 0);
    while (CALL(nvpsim_in_flight)() != 1)
        sched_yield();
    return thread;
}

static int use_after_clearing(void)
{
    ((nvpsim_clear_faults_fn *)sim_find("nvpsim_clear_faults"))();
    return use_everything();
}

static void test_process__a_child_can_use_everything(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    assert_int_equal(in_child(use_everything), 0);
    sim_init();
    assert_int_equal(in_child(use_everything), 0);
    pthread_t thread = start_hanging();
    assert_int_equal(in_child(use_after_clearing), 0);
    CALL(nvpsim_clear_faults)();
    assert_int_equal(pthread_join(thread, NULL), 0);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static int read_power(void)
{
    unsigned power;
    nvmlDevice_t device;
    ((nvpsim_clear_faults_fn *)sim_find("nvpsim_clear_faults"))();
    ((nvmlDeviceGetHandleByIndex_v2_fn *)sim_find("nvmlDeviceGetHandleByIndex_v2"))(0, &device);
    return (int)((nvmlDeviceGetPowerUsage_fn *)sim_find("nvmlDeviceGetPowerUsage"))(device, &power);
}

static void test_process__a_driver_lock_that_is_held_at_fork_stops_the_child(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\ndriver_lock: true\n");
    sim_init();
    assert_int_equal(in_child(read_power), 0);
    pthread_t thread = start_hanging();
    assert_int_equal(in_child(read_power), -SIGALRM);
    CALL(nvpsim_clear_faults)();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(in_child(read_power), 0);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static atomic_bool changing;

static void *change_faults(void *argument)
{
    (void)argument;
    nvpsim_fault fault = { .struct_size = sizeof fault, .function = "nvmlDeviceGetSerial", .device = -1, .error = 15 };
    while (atomic_load(&changing)) {
        CALL(nvpsim_add_fault)(&fault);
        CALL(nvpsim_clear_faults)();
    }
    return NULL;
}

/* The locks of the simulator may be taken by another thread at any of these forks. */
static void test_process__forks_amid_changes_leave_no_lock_behind(void **state)
{
    (void)state;
    enum { CHANGERS = 3, FORKS = 150 };
    pthread_t threads[CHANGERS];
    sim_load_profile("h100x8");
    sim_init();
    atomic_store(&changing, true);
    for (int i = 0; i < CHANGERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, change_faults, NULL), 0);
    for (int i = 0; i < FORKS; i++)
        assert_int_equal(in_child(use_after_clearing), 0);
    atomic_store(&changing, false);
    for (int i = 0; i < CHANGERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    CALL(nvpsim_clear_faults)();
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Everything at once, for the race detector. */

enum { READERS = 4, LOOPS = 400 };

static void *read_all(void *argument)
{
    (void)argument;
    bool has_energy = sim_find("nvmlDeviceGetTotalEnergyConsumption") != NULL,
         has_fields = sim_find("nvmlDeviceGetFieldValues") != NULL;
    for (int i = 0; i < LOOPS; i++) {
        nvmlDevice_t device;
        unsigned value, count = 0;
        nvmlMemory_t memory;
        unsigned long long energy;
        nvmlFieldValue_t field = { .fieldId = NVML_FI_DEV_MEMORY_TEMP };
        if (CALL(nvmlDeviceGetHandleByIndex_v2)((unsigned)i % 8, &device) != NVML_SUCCESS)
            continue;
        CALL(nvmlDeviceGetPowerUsage)(device, &value);
        if (has_energy) {
            CALL(nvmlDeviceGetTotalEnergyConsumption)(device, &energy);
        }
        CALL(nvmlDeviceGetMemoryInfo)(device, &memory);
        if (has_fields) {
            CALL(nvmlDeviceGetFieldValues)(device, 1, &field);
        }
        CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &value);
        CALL(nvmlDeviceGetComputeRunningProcesses)(device, &count, NULL);
        CALL(nvpsim_call_count)(NULL);
        CALL(nvpsim_in_flight)();
    }
    return NULL;
}

static void *change_all(void *argument)
{
    (void)argument;
    for (int i = 0; i < LOOPS; i++) {
        nvpsim_fault fault = { .struct_size = sizeof fault, .device = i % 8, .error = 999, .times = 3 };
        nvmlDevice_t device;
        CALL(nvmlInit_v2)();
        if (CALL(nvmlDeviceGetHandleByIndex_v2)((unsigned)i % 8, &device) == NVML_SUCCESS) {
            CALL(nvmlDeviceSetPowerManagementLimit)(device, 300000 + (unsigned)i * 100);
            CALL(nvmlDeviceSetPersistenceMode)(device, NVML_FEATURE_ENABLED);
        }
        CALL(nvpsim_add_fault)(&fault);
        CALL(nvpsim_step_clock)(1000000);
        CALL(nvpsim_clear_faults)();
        CALL(nvpsim_reset_call_counts)();
        CALL(nvmlShutdown)();
    }
    return NULL;
}

static void test_process__threads_do_everything_at_once(void **state)
{
    (void)state;
    pthread_t threads[READERS + 1];
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: true\n");
    for (int i = 0; i <= READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < READERS ? read_all : change_all, NULL), 0);
    for (int i = 0; i <= READERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(CALL(nvpsim_in_flight)(), 0);
}

/* Every function, with the least that a caller could give it. */

static const struct exported {
    const char *name, *shape, *parameters;
    bool is_session;
} functions[] = {
#define NVP_FN_WRITES 0
#define NVP_FN_DEPRECATED 0
#define NVP_FN_DEVICES 0
#define NVP_FN_NO_BY_NAME 0
#define NVP_FN_SESSION 2
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    { #name, #shape, #parameters, ((flags)&NVP_FN_SESSION) != 0 },
#include "abi/functions.def"
};

typedef nvmlReturn_t any_fn(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);

static unsigned char scratch[6][256 * 1024];

/* How the pointers of a call are filled: with NULL; a device first, then NULL; a device first, then room full of zeroes. */
enum filling { NOTHING, DEVICE_ONLY, ROOM };

static void call_one(const struct exported *function, enum filling filling, nvmlDevice_t device)
{
    uintptr_t arguments[6] = { 0 };
    any_fn *call = (any_fn *)sim_find(function->name);
    if (!call)
        return;
    for (size_t i = 0; function->shape[i] && function->shape[0] != 'V'; i++) {
        if (function->shape[i] == 'P' && filling == ROOM)
            arguments[i] = (uintptr_t)scratch[i];
        if (function->shape[i] != 'P' && filling == ROOM)
            arguments[i] = 1;
    }
    if (filling != NOTHING && strncmp(function->parameters, "(nvmlDevice_t ", 14) == 0)
        arguments[0] = (uintptr_t)device;
    under_way = function->name;
    call(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static int call_all(enum filling filling, nvmlDevice_t device)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!functions[i].is_session)
            call_one(&functions[i], filling, device);
    }
    return 0;
}

static int call_all_before_init(void)
{
    return call_all(NOTHING, NULL) + call_all(ROOM, (nvmlDevice_t)scratch);
}

static int call_all_after_init(void)
{
    nvmlDevice_t device = sim_device(0);
    nvmlDevice_t slice = NULL;
    memset(scratch, 0, sizeof scratch);
    if (sim_find("nvmlDeviceGetMigDeviceHandleByIndex")) {
        CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, 0, &slice);
    }
    return call_all(NOTHING, NULL) + call_all(DEVICE_ONLY, device) + call_all(ROOM, device) +
           (slice ? call_all(DEVICE_ONLY, slice) + call_all(ROOM, slice) : 0);
}

static int call_all_after_shutdown(void)
{
    nvmlDevice_t device = sim_device(0);
    CALL(nvmlShutdown)();
    return call_all(NOTHING, NULL) + call_all(ROOM, device);
}

static void test_process__every_function_survives_empty_arguments(void **state)
{
    (void)state;
    char profile[64] = "h100x8";
    for (size_t p = 0; profile[0] != '\0'; p++) {
        sim_load_profile(profile);
        const char *next = CALL(nvpsim_profile_name)(p);
        snprintf(profile, sizeof profile, "%s", next ? next : "");
        assert_int_equal(in_child(call_all_before_init), 0);
        sim_init();
        assert_int_equal(in_child(call_all_after_init), 0);
        assert_int_equal(in_child(call_all_after_shutdown), 0);
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
}

/* NULL for a device, for a result: never a success, whatever the function. */
static void test_process__no_function_succeeds_without_its_arguments(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        any_fn *call = (any_fn *)sim_find(functions[i].name);
        if (!call || functions[i].is_session || !strchr(functions[i].shape, 'P'))
            continue;
        nvmlReturn_t result = call(0, 0, 0, 0, 0, 0);
        if (result != NVML_ERROR_INVALID_ARGUMENT && result != NVML_ERROR_NOT_SUPPORTED)
            fail_msg("%s answers %d", functions[i].name, (int)result);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_process__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(a_child_can_use_everything),
        CASE(a_driver_lock_that_is_held_at_fork_stops_the_child),
        CASE(forks_amid_changes_leave_no_lock_behind),
        CASE(threads_do_everything_at_once),
        CASE(every_function_survives_empty_arguments),
        CASE(no_function_succeeds_without_its_arguments),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
