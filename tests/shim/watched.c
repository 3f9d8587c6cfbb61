/*
 * The shim with a deadline, NVPULSE_DEADLINE_MS: `watched CASE` runs one case. The simulated driver behind it hangs when it is told to.
 */
#include "client.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvpulse/sim.h>

/* Far longer than a call takes, far shorter than any test. */
#define DEADLINE_MS 400
#define HANGING 3u

static void add_fault(const char *function, int device, int hang, uint64_t latency_ns)
{
    nvpsim_add_fault_fn *add;
    void *symbol = dlsym(behind, "nvpsim_add_fault");
    memcpy(&add, &symbol, sizeof symbol);
    const nvpsim_fault fault = {
        .struct_size = sizeof fault, .function = function, .device = device, .hang = hang, .latency_ns = latency_ns
    };
    CHECK(add(&fault) == 0);
}

static void clear_faults(void)
{
    nvpsim_clear_faults_fn *clear;
    void *symbol = dlsym(behind, "nvpsim_clear_faults");
    memcpy(&clear, &symbol, sizeof symbol);
    clear();
}

static unsigned int in_flight(void)
{
    nvpsim_in_flight_fn *count;
    void *symbol = dlsym(behind, "nvpsim_in_flight");
    memcpy(&count, &symbol, sizeof symbol);
    return count();
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static nvmlReturn_t power_of(uint64_t device, unsigned int *power_mw)
{
    return call("nvmlDeviceGetPowerUsage", device, POINTER(power_mw));
}

/* A device with a call that does not return. */
static uint64_t hang(void)
{
    init();
    uint64_t device = device_of(library, HANGING);
    unsigned int power_mw = 4711;
    add_fault("nvmlDeviceGetPowerUsage", HANGING, 1, 0);
    int64_t begun = now_ms();
    CHECK(power_of(device, &power_mw) == NVML_ERROR_TIMEOUT);
    CHECK(now_ms() - begun >= DEADLINE_MS - 50 && power_mw == 4711);
    return device;
}

/* The helper thread comes back some time after the fault is cleared. */
static void recover(uint64_t device)
{
    unsigned int power_mw = 0;
    nvmlReturn_t answer = NVML_ERROR_TIMEOUT;
    clear_faults();
    for (int64_t begun = now_ms(); answer == NVML_ERROR_TIMEOUT && now_ms() - begun < 60000;) {
        answer = power_of(device, &power_mw);
        usleep(1000);
    }
    CHECK(answer == NVML_SUCCESS && power_mw > 0);
}

static void late_call_answers_timeout_and_leaves_outputs_alone(void)
{
    recover(hang());
}

static void stuck_device_is_refused_at_once_and_one_thread_is_stuck(void)
{
    uint64_t device = hang();
    unsigned int number = 4711;
    for (int i = 0; i < 20; i++) {
        int64_t begun = now_ms();
        CHECK(power_of(device, &number) == NVML_ERROR_TIMEOUT);
        CHECK(call("nvmlDeviceGetIndex", device, POINTER(&number)) == NVML_ERROR_TIMEOUT);
        CHECK(now_ms() - begun < DEADLINE_MS && number == 4711);
    }
    CHECK(in_flight() == 1);
    recover(device);
    CHECK(in_flight() == 0);
    CHECK(call("nvmlDeviceGetIndex", device, POINTER(&number)) == NVML_SUCCESS && number == HANGING);
}

static void other_devices_go_on(void)
{
    uint64_t device = hang();
    unsigned int number = 0;
    char version[80] = "";
    for (unsigned int i = 0; i < 8; i++) {
        CHECK(i == HANGING || power_of(device_of(library, i), &number) == NVML_SUCCESS);
    }
    CHECK(call("nvmlSystemGetDriverVersion", POINTER(version), sizeof version) == NVML_SUCCESS && version[0] != '\0');
    any_fn *common = find(library, "nvmlDeviceGetTopologyCommonAncestor");
    CHECK(common(device_of(library, 0), device_of(library, 1), POINTER(&number), 0, 0, 0) == NVML_SUCCESS);
    CHECK(common(device_of(library, 0), device, POINTER(&number), 0, 0, 0) == NVML_ERROR_TIMEOUT);
    recover(device);
}

static void *ask(void *argument)
{
    unsigned int power_mw = 4711;
    CHECK(power_of(POINTER(argument), &power_mw) == NVML_ERROR_TIMEOUT && power_mw == 4711);
    return NULL;
}

static void many_threads_wait_no_longer_than_one(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    init();
    uint64_t device = device_of(library, HANGING);
    add_fault("nvmlDeviceGetPowerUsage", HANGING, 1, 0);
    int64_t begun = now_ms();
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, ask, (void *)(uintptr_t)device) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(now_ms() - begun < (THREADS - 1) * DEADLINE_MS && in_flight() == 1);
    recover(device);
}

static void slow_call_in_time_has_its_answer(void)
{
    unsigned int power_mw = 0;
    init();
    add_fault("nvmlDeviceGetPowerUsage", HANGING, 0, 20000000);
    CHECK(power_of(device_of(library, HANGING), &power_mw) == NVML_SUCCESS && power_mw > 0);
}

static void init_that_is_late_is_taken_back(void)
{
    unsigned int count = 0;
    add_fault("nvmlInit_v2", -1, 1, 0);
    add_fault("nvmlInitWithFlags", -1, 1, 0);
    CHECK(call("nvmlInit_v2", 0, 0) == NVML_ERROR_TIMEOUT);
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_ERROR_UNINITIALIZED);
    clear_faults();
    nvmlReturn_t answer = NVML_ERROR_TIMEOUT;
    for (int64_t begun = now_ms(); answer == NVML_ERROR_TIMEOUT && now_ms() - begun < 60000; usleep(1000)) {
        answer = call("nvmlInit_v2", 0, 0);
    }
    CHECK(answer == NVML_SUCCESS);
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_SUCCESS && count == 8);
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_ERROR_UNINITIALIZED);
    nvpsim_call_count_fn *calls;
    void *symbol = dlsym(behind, "nvpsim_call_count");
    memcpy(&calls, &symbol, sizeof symbol);
    CHECK(calls("nvmlShutdown") == 2);
}

static void shutdown_waits_no_longer_than_the_deadline(void)
{
    uint64_t device = hang();
    int64_t begun = now_ms();
    CHECK(call("nvmlShutdown", 0, 0) == NVML_ERROR_TIMEOUT);
    CHECK(now_ms() - begun < 10 * DEADLINE_MS);
    recover(device);
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
}

/* The test's own time-out would end it. */
static void exit_with_a_stuck_call(void)
{
    int64_t begun = now_ms();
    pid_t child = fork();
    if (child == 0) {
        hang();
        exit(7);
    }
    CHECK(await_child(child) == 7);
    CHECK(now_ms() - begun < 30000);
}

static void child_begins_anew(void)
{
    unsigned int power_mw = 0;
    init();
    uint64_t device = device_of(library, HANGING);
    CHECK(power_of(device, &power_mw) == NVML_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        CHECK(power_of(device, &power_mw) == NVML_SUCCESS && power_mw > 0);
        add_fault("nvmlDeviceGetPowerUsage", HANGING, 1, 0);
        CHECK(power_of(device, &power_mw) == NVML_ERROR_TIMEOUT);
        recover(device);
        exit(0);
    }
    CHECK(await_child(child) == 0);
    CHECK(power_of(device, &power_mw) == NVML_SUCCESS);
}

/* The child lacks the thread that is stuck; the driver's locks may be held for ever, so it is told that NVML is not there. */
static void child_of_a_process_with_a_stuck_call(void)
{
    uint64_t device = hang();
    pid_t child = fork();
    if (child == 0) {
        unsigned int power_mw = 0;
        CHECK(power_of(device, &power_mw) == NVML_ERROR_UNINITIALIZED);
        exit(0);
    }
    CHECK(await_child(child) == 0);
    recover(device);
}

static void wait_for_an_event_has_its_own_time(void)
{
    nvmlEventSet_t set = NULL;
    nvmlEventData_t data;
    init();
    CHECK(call("nvmlEventSetCreate", POINTER(&set), 0) == NVML_SUCCESS);
    CHECK(find(library, "nvmlDeviceRegisterEvents")(device_of(library, 0), nvmlEventTypeXidCriticalError, POINTER(set), 0, 0,
                                                    0) == NVML_SUCCESS);
    int64_t begun = now_ms();
    CHECK(find(library, "nvmlEventSetWait_v2")(POINTER(set), POINTER(&data), 2 * DEADLINE_MS, 0, 0, 0) == NVML_ERROR_TIMEOUT);
    CHECK(now_ms() - begun >= 2 * DEADLINE_MS);
    CHECK(call("nvmlEventSetFree", POINTER(set), 0) == NVML_SUCCESS);
}

/* It is about the thread that calls, so that no other can make the call: however long it takes. */
static void affinity_is_set_by_the_thread_itself(void)
{
    init();
    uint64_t device = device_of(library, 0);
    add_fault("nvmlDeviceSetCpuAffinity", 0, 0, 2 * DEADLINE_MS * UINT64_C(1000000));
    CHECK(call("nvmlDeviceSetCpuAffinity", device, 0) == find(behind, "nvmlDeviceSetCpuAffinity")(device, 0, 0, 0, 0, 0));
}

/* A struct that points at a list of the program's: both are copied there and back, and the pointer stays the program's own. */
static void list_behind_a_struct_is_filled(void)
{
    static nvmlProcessUtilizationInfo_v1_t own[32], other[32];
    nvmlProcessesUtilizationInfo_t through = { .version = nvmlProcessesUtilizationInfo_v1, .processSamplesCount = 32 };
    nvmlProcessesUtilizationInfo_t direct = through;
    through.procUtilArray = own;
    direct.procUtilArray = other;
    init();
    uint64_t device = device_of(library, 0);
    CHECK(call("nvmlDeviceGetProcessesUtilizationInfo", device, POINTER(&through)) == NVML_SUCCESS);
    CHECK(find(behind, "nvmlDeviceGetProcessesUtilizationInfo")(device, POINTER(&direct), 0, 0, 0, 0) == NVML_SUCCESS);
    CHECK(through.procUtilArray == own && through.processSamplesCount == direct.processSamplesCount);
    CHECK(through.processSamplesCount > 0 && own[0].pid != 0 && memcmp(own, other, sizeof own) == 0);
    through.processSamplesCount = 0;
    through.procUtilArray = NULL;
    CHECK(call("nvmlDeviceGetProcessesUtilizationInfo", device, POINTER(&through)) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(through.procUtilArray == NULL && through.processSamplesCount >= direct.processSamplesCount);
}

/* A stuck call may still write through a handle: who frees it would pull it from under the driver. */
static void handle_of_a_stuck_call_is_not_freed(void)
{
    nvmlEventSet_t set = NULL;
    init();
    uint64_t device = device_of(library, HANGING);
    CHECK(call("nvmlEventSetCreate", POINTER(&set), 0) == NVML_SUCCESS);
    add_fault("nvmlDeviceRegisterEvents", HANGING, 1, 0);
    CHECK(find(library, "nvmlDeviceRegisterEvents")(device, nvmlEventTypeXidCriticalError, POINTER(set), 0, 0, 0) ==
          NVML_ERROR_TIMEOUT);
    CHECK(call("nvmlEventSetFree", POINTER(set), 0) == NVML_ERROR_TIMEOUT);
    recover(device);
    CHECK(call("nvmlEventSetFree", POINTER(set), 0) == NVML_SUCCESS);
}

static const struct client_case cases[] = {
    { "late_call_answers_timeout_and_leaves_outputs_alone", late_call_answers_timeout_and_leaves_outputs_alone },
    { "stuck_device_is_refused_at_once_and_one_thread_is_stuck", stuck_device_is_refused_at_once_and_one_thread_is_stuck },
    { "other_devices_go_on", other_devices_go_on },
    { "many_threads_wait_no_longer_than_one", many_threads_wait_no_longer_than_one },
    { "slow_call_in_time_has_its_answer", slow_call_in_time_has_its_answer },
    { "init_that_is_late_is_taken_back", init_that_is_late_is_taken_back },
    { "shutdown_waits_no_longer_than_the_deadline", shutdown_waits_no_longer_than_the_deadline },
    { "exit_with_a_stuck_call", exit_with_a_stuck_call },
    { "child_begins_anew", child_begins_anew },
    { "child_of_a_process_with_a_stuck_call", child_of_a_process_with_a_stuck_call },
    { "wait_for_an_event_has_its_own_time", wait_for_an_event_has_its_own_time },
    { "affinity_is_set_by_the_thread_itself", affinity_is_set_by_the_thread_itself },
    { "list_behind_a_struct_is_filled", list_behind_a_struct_is_filled },
    { "handle_of_a_stuck_call_is_not_freed", handle_of_a_stuck_call_is_not_freed },
};

int main(int argc, char **argv)
{
    setenv("NVPULSE_DEADLINE_MS", "400", 1); /* DEADLINE_MS; before the shim is loaded */
    return client_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
