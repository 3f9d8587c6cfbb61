/*
 * fork(): the child begins anew, never inherits a held driver lock, never runs the parent's shutdown, never hangs.
 */
#include "cases.h"

#include <nvpulse/snapshot.h>

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define FORKS 50
#define CHILD_LIMIT_S 20 /* a child that hangs is ended by SIGALRM and fails the case */

static nvmlDevice_t device;
static atomic_bool stop;

static void *query_power(void *argument)
{
    (void)argument;
    unsigned int power_mw;
    nvmlDeviceGetPowerUsage(device, &power_mw);
    return NULL;
}

static void *query_until_stopped(void *argument)
{
    while (!atomic_load(&stop)) {
        query_power(argument);
    }
    return NULL;
}

/* In a child: its queries work, in a session of its own. */
static void child_works(void)
{
    alarm(CHILD_LIMIT_S);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    CHECK(nvp_init_count() == 0);
    uint64_t inits = control_init_calls();
    query_ok(first_device());
    CHECK(control_init_calls() == inits + 1);
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
}

static void child_begins_anew(void)
{
    query_ok(first_device());
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    uint64_t generation = nvp_generation();
    pid_t child = fork();
    if (child == 0) {
        child_works();
        CHECK(nvp_generation() > generation);
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    CHECK(nvp_init_count() == 2);
    query_ok(first_device());
}

static uint64_t shutdowns_before;

static void check_no_shutdown(void)
{
    CHECK(control_calls("nvmlShutdown") == shutdowns_before);
}

/* The exit of a child that never queried must not end the parent's session. */
static void child_never_runs_the_shutdown_of_its_parent(void)
{
    atexit(check_no_shutdown);
    query_ok(first_device());
    pid_t child = fork();
    if (child == 0) {
        exit(0); /* through all exit handlers */
    }
    CHECK(await_child(child) == 0);
    shutdowns_before = 1; /* of the parent itself, at its exit */
}

static void child_shuts_down_its_own_session(void)
{
    query_ok(first_device());
    pid_t child = fork();
    if (child == 0) {
        shutdowns_before = 1;
        child_works();
        CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
        check_no_shutdown();
        _exit(0);
    }
    CHECK(await_child(child) == 0);
}

static void fork_of_a_cold_process(void)
{
    pid_t child = fork();
    if (child == 0) {
        child_works();
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    query_ok(first_device());
}

static void grandchildren_work_too(void)
{
    query_ok(first_device());
    pid_t child = fork();
    if (child == 0) {
        child_works();
        pid_t grandchild = fork();
        if (grandchild == 0) {
            child_works();
            _exit(0);
        }
        _exit(await_child(grandchild));
    }
    CHECK(await_child(child) == 0);
}

/* The simulated driver holds a lock during each call; fork must find a moment without it. */
static void children_forked_under_load_can_query(void)
{
    pthread_t threads[4];
    device = first_device();
    for (size_t i = 0; i < 4; i++) {
        threads[i] = start(query_until_stopped, NULL);
    }
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            child_works();
            _exit(0);
        }
        CHECK(await_child(child) == 0);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void fork_waits_for_a_query_under_way(void)
{
    device = first_device();
    control_slow("nvmlDeviceGetPowerUsage", 100);
    pthread_t thread = start(query_power, NULL);
    control_await_in_flight(1);
    pid_t child = fork();
    if (child == 0) {
        control_clear_faults();
        child_works();
        _exit(0);
    }
    CHECK(control_in_flight() == 0);
    CHECK(await_child(child) == 0);
    pthread_join(thread, NULL);
}

static void child_of_a_fork_under_a_hanging_query_answers_an_error(void)
{
    setenv("NVPULSE_FORK_TIMEOUT_MS", "100", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    device = first_device();
    control_hang("nvmlDeviceGetPowerUsage");
    pthread_t thread = start(query_power, NULL);
    control_await_in_flight(1);
    pid_t child = fork();
    if (child == 0) {
        unsigned int count;
        nvp_value value = NVP_VALUE_INIT;
        nvp_snapshot *snapshot = NULL;
        alarm(CHILD_LIMIT_S);
        CHECK(nvp_get_state() == NVP_STATE_FORKED);
        CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
        CHECK_STATUS(nvp_query("nvmlDeviceGetCount_v2", NULL, 0, NULL, &value), NVP_SUCCESS);
        CHECK(value.reason == NVP_REASON_FORKED && value.status == NVP_ERROR_FORKED);
        CHECK_STATUS(nvp_init(), NVP_ERROR_FORKED);
        CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_ERROR_FORKED);
        CHECK_STATUS(nvp_shutdown(), NVP_ERROR_FORKED);
        exit(0); /* the exit handlers must not hang either */
    }
    CHECK(await_child(child) == 0);
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
    control_clear_faults();
    pthread_join(thread, NULL);
    query_ok(device);
}

static void *hang_in_init(void *argument)
{
    (void)argument;
    nvp_init();
    return NULL;
}

static void fork_under_a_hanging_init_is_bounded(void)
{
    setenv("NVPULSE_FORK_TIMEOUT_MS", "100", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_hang("nvmlInitWithFlags");
    pthread_t thread = start(hang_in_init, NULL);
    control_await_in_flight(1);
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        CHECK_STATUS(nvp_init(), NVP_ERROR_FORKED);
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    control_clear_faults();
    pthread_join(thread, NULL);
    query_ok(first_device());
}

static void *wait_for_ever(void *set)
{
    nvmlEventData_t event;
    nvmlEventSetWait_v2(set, &event, UINT32_MAX);
    return NULL;
}

static void fork_does_not_wait_for_an_event(void)
{
    nvmlEventSet_t set = NULL;
    device = first_device();
    CHECK_STATUS(nvmlEventSetCreate(&set), NVML_SUCCESS);
    CHECK_STATUS(nvmlDeviceRegisterEvents(device, nvmlEventTypeXidCriticalError, set), NVML_SUCCESS);
    pthread_detach(start(wait_for_ever, set));
    control_await_in_flight(1);
    pid_t child = fork();
    if (child == 0) {
        query_ok(device); /* not the error of a fork in the middle of a query */
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    CHECK(control_calls("nvmlEventSetWait_v2") >= 1);
}

static pid_t forked_in_handler;

static void fork_in_handler(int number)
{
    (void)number;
    forked_in_handler = fork();
    if (forked_in_handler == 0) {
        unsigned int count;
        alarm(CHILD_LIMIT_S);
        _exit(nvmlDeviceGetCount(&count) == NVML_ERROR_UNINITIALIZED && nvp_get_state() == NVP_STATE_FORKED ? 0 : 1);
    }
}

static void *signal_main(void *main_thread)
{
    control_await_in_flight(1);
    pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
    usleep(1000);
    control_clear_faults();
    return NULL;
}

/* A driver forks from inside its init, to run a helper: neither side may hang. Here a signal handler does it. */
static void fork_from_inside_the_driver_does_not_hang(void)
{
    static pthread_t self;
    self = pthread_self();
    signal(SIGUSR1, fork_in_handler);
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_hang("nvmlInitWithFlags");
    pthread_t thread = start(signal_main, &self);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    pthread_join(thread, NULL);
    CHECK(await_child(forked_in_handler) == 0);
    query_ok(first_device());
}

static pid_t raw_fork(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* A fork that runs no handlers is noticed by the page that the kernel wipes. */
static void raw_clone_is_noticed(void)
{
    query_ok(first_device());
    uint64_t inits = control_init_calls();
    pid_t child = raw_fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        query_ok(first_device());
        CHECK(control_init_calls() == inits + 1);
        CHECK(nvp_init_count() == 1);
        _exit(0);
    }
    CHECK(await_child(child) == 0);
}

static void raw_clone_under_a_hanging_query_answers_an_error(void)
{
    device = first_device();
    control_hang("nvmlDeviceGetPowerUsage");
    pthread_t thread = start(query_power, NULL);
    control_await_in_flight(1);
    pid_t child = raw_fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        CHECK_STATUS(nvp_init(), NVP_ERROR_FORKED);
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    control_clear_faults();
    pthread_join(thread, NULL);
}

static void *fork_repeatedly(void *argument)
{
    (void)argument;
    for (int i = 0; i < FORKS / 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            child_works();
            _exit(0);
        }
        CHECK(await_child(child) == 0);
    }
    return NULL;
}

static void two_threads_can_fork_at_once(void)
{
    device = first_device();
    pthread_t load = start(query_until_stopped, NULL);
    pthread_t one = start(fork_repeatedly, NULL);
    pthread_t other = start(fork_repeatedly, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    atomic_store(&stop, true);
    pthread_join(load, NULL);
}

static void *read_minor_until_stopped(void *argument)
{
    unsigned int minor;
    while (!atomic_load(&stop)) {
        CHECK_STATUS(nvmlDeviceGetMinorNumber(argument, &minor), NVML_SUCCESS);
    }
    return NULL;
}

/* The driver has fork handlers of its own, which take the lock that its calls take. Runs on the odd driver. */
static void fork_handlers_of_the_driver_do_not_get_in_the_way(void)
{
    setenv("NVPULSE_NVML_PATH", getenv("TEST_ODD_DRIVER"), 1);
    device = first_device();
    pthread_t threads[2] = { start(read_minor_until_stopped, device), start(read_minor_until_stopped, device) };
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            unsigned int minor = 0;
            alarm(CHILD_LIMIT_S);
            CHECK(nvp_get_state() == NVP_STATE_COLD);
            CHECK_STATUS(nvmlDeviceGetMinorNumber(first_device(), &minor), NVML_SUCCESS);
            _exit(minor == 3 ? 0 : 1);
        }
        CHECK(await_child(child) == 0);
    }
    atomic_store(&stop, true);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

const struct test_case test_cases[] = {
    { "child_begins_anew", child_begins_anew },
    { "child_never_runs_the_shutdown_of_its_parent", child_never_runs_the_shutdown_of_its_parent },
    { "child_shuts_down_its_own_session", child_shuts_down_its_own_session },
    { "fork_of_a_cold_process", fork_of_a_cold_process },
    { "grandchildren_work_too", grandchildren_work_too },
    { "fork_does_not_wait_for_an_event", fork_does_not_wait_for_an_event },
    { "children_forked_under_load_can_query", children_forked_under_load_can_query },
    { "fork_waits_for_a_query_under_way", fork_waits_for_a_query_under_way },
    { "child_of_a_fork_under_a_hanging_query_answers_an_error", child_of_a_fork_under_a_hanging_query_answers_an_error },
    { "fork_under_a_hanging_init_is_bounded", fork_under_a_hanging_init_is_bounded },
    { "fork_from_inside_the_driver_does_not_hang", fork_from_inside_the_driver_does_not_hang },
    { "raw_clone_is_noticed", raw_clone_is_noticed },
    { "raw_clone_under_a_hanging_query_answers_an_error", raw_clone_under_a_hanging_query_answers_an_error },
    { "two_threads_can_fork_at_once", two_threads_can_fork_at_once },
    { "fork_handlers_of_the_driver_do_not_get_in_the_way", fork_handlers_of_the_driver_do_not_get_in_the_way },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
