/*
 * Events: posted by a test, or of the scenario when their time has come; who registered gets them, once.
 */
#include "sim.h"

#include <pthread.h>
#include <time.h>

static nvmlEventSet_t set_for(unsigned device, unsigned long long types)
{
    nvmlEventSet_t set = NULL;
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(sim_device(device), types, set));
    return set;
}

/* The first form is in every driver. */
static nvmlReturn_t wait_ms(nvmlEventSet_t set, unsigned timeout_ms, nvp_EventData_v1_t *event)
{
    return CALL(nvmlEventSetWait)(set, (nvmlEventData_t *)(void *)event, timeout_ms);
}

static void test_events__reach_who_registered(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    nvmlEventSet_t xids = set_for(2, nvmlEventTypeXidCriticalError), ecc = set_for(2, nvmlEventTypeDoubleBitEccError);
    nvp_EventData_v1_t event;
    assert_int_equal(CALL(nvpsim_post_event)(2, nvmlEventTypeXidCriticalError, 31), 1);
    assert_int_equal(CALL(nvpsim_post_event)(3, nvmlEventTypeXidCriticalError, 32), 0);
    assert_int_equal(CALL(nvpsim_post_event)(8, nvmlEventTypeXidCriticalError, 32), -1);
    assert_int_equal(CALL(nvpsim_post_event)(2, 3, 32), -1);
    ANSWERS(wait_ms(ecc, 1, &event), NVML_ERROR_TIMEOUT);
    SUCCEEDS(wait_ms(xids, 1, &event));
    assert_ptr_equal(event.device, sim_device(2));
    assert_int_equal(event.reserved, 31);
    ANSWERS(wait_ms(xids, 1, &event), NVML_ERROR_TIMEOUT);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_init();
    ANSWERS(wait_ms(xids, 1, &event), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_events__of_the_scenario_come_when_it_is_time(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\nclock: stepped\n"
                      "events: [{at_ms: 5000, device: 1, data: 79}, {at_ms: 1000, device: 1, data: 13}]\n");
    sim_init();
    nvmlEventSet_t set = set_for(1, nvmlEventTypeXidCriticalError);
    nvp_EventData_v1_t event;
    ANSWERS(wait_ms(set, 1, &event), NVML_ERROR_TIMEOUT);
    sim_step_ms(1000);
    SUCCEEDS(wait_ms(set, 1, &event));
    assert_int_equal(event.reserved, 13);
    ANSWERS(wait_ms(set, 1, &event), NVML_ERROR_TIMEOUT);
    sim_step_ms(9000);
    SUCCEEDS(wait_ms(set, 1, &event));
    assert_int_equal(event.reserved, 79);
    ANSWERS(wait_ms(set_for(1, nvmlEventTypeXidCriticalError), 1, &event), NVML_ERROR_TIMEOUT); /* what was before is over */
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void *post_soon(void *argument)
{
    struct timespec soon = { 0, 30 * 1000 * 1000 };
    nanosleep(&soon, NULL);
    ((nvpsim_post_event_fn *)argument)(0, nvmlEventTypeXidCriticalError, 48);
    return NULL;
}

static void test_events__wake_who_waits(void **state)
{
    (void)state;
    pthread_t thread;
    nvp_EventData_v1_t event;
    sim_load_profile("h100x8");
    sim_init();
    nvmlEventSet_t set = set_for(0, nvmlEventTypeXidCriticalError);
    assert_int_equal(pthread_create(&thread, NULL, post_soon, sim_need("nvpsim_post_event")), 0);
    SUCCEEDS(wait_ms(set, 60000, &event));
    assert_int_equal(event.reserved, 48);
    pthread_join(thread, NULL);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_events__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(reach_who_registered),
        CASE(of_the_scenario_come_when_it_is_time),
        CASE(wake_who_waits),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
