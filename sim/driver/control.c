/*
 * The control API of <nvpulse/sim.h>: clock, faults, call counts, scenarios.
 */
#include <nvpulse/sim.h>

#include <stdio.h>
#include <string.h>

#include "driver/counter.h"
#include "driver/events.h"
#include "driver/fault.h"
#include "driver/session.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT nvpsim_description_fn nvpsim_description;
EXPORT nvpsim_call_count_fn nvpsim_call_count;
EXPORT nvpsim_reset_call_counts_fn nvpsim_reset_call_counts;
EXPORT nvpsim_in_flight_fn nvpsim_in_flight;
EXPORT nvpsim_step_clock_fn nvpsim_step_clock;
EXPORT nvpsim_clock_ns_fn nvpsim_clock_ns;
EXPORT nvpsim_add_fault_fn nvpsim_add_fault;
EXPORT nvpsim_clear_faults_fn nvpsim_clear_faults;
EXPORT nvpsim_post_event_fn nvpsim_post_event;
EXPORT nvpsim_check_scenario_fn nvpsim_check_scenario;
EXPORT nvpsim_check_recording_fn nvpsim_check_recording;
EXPORT nvpsim_unused_keys_fn nvpsim_unused_keys;
EXPORT nvpsim_profile_name_fn nvpsim_profile_name;
EXPORT nvpsim_profile_summary_fn nvpsim_profile_summary;
EXPORT nvpsim_profile_text_fn nvpsim_profile_text;

const char *nvpsim_description(void)
{
    return nvpsim__world_description();
}

uint64_t nvpsim_call_count(const char *function)
{
    int number = function ? nvpsim__function_find(function) : -1;
    return function && number < 0 ? 0 : nvpsim__counter_sum(number);
}

void nvpsim_reset_call_counts(void)
{
    nvpsim__counter_reset();
}

unsigned int nvpsim_in_flight(void)
{
    return nvpsim__counter_in_flight();
}

int nvpsim_step_clock(uint64_t step_ns)
{
    if (!nvpsim__world_need() || !nvpsim__world->clock.stepped) {
        return -1;
    }
    atomic_fetch_add_explicit(&nvpsim__world->clock.stepped_ns, step_ns, memory_order_relaxed);
    nvpsim__event_sets_wake();
    return 0;
}

uint64_t nvpsim_clock_ns(void)
{
    return nvpsim__world_need() ? nvpsim__clock_ns(&nvpsim__world->clock) : 0;
}

int nvpsim_add_fault(const nvpsim_fault *fault)
{
    if (!fault || fault->struct_size != sizeof *fault) {
        return -1;
    }
    int function = fault->function ? nvpsim__function_find(fault->function) : -1;
    if (fault->function && function < 0) {
        return -1;
    }
    nvpsim__world_need(); /* so that its own faults stand before this one */
    nvpsim_rule rule = { .function = function,
                         .device = fault->device,
                         .error = fault->error,
                         .latency_ns = fault->latency_ns,
                         .hang = fault->hang != 0,
                         .after_calls = fault->after_calls,
                         .times = fault->times };
    return nvpsim__fault_add(&rule) ? 0 : -1;
}

void nvpsim_clear_faults(void)
{
    nvpsim__world_need(); /* else its faults would come later */
    nvpsim__fault_clear();
}

int nvpsim_post_event(unsigned int device, uint64_t type, uint64_t data)
{
    if (!nvpsim__world_need() || device >= nvpsim__world_count(nvpsim__world) || type == 0 || (type & (type - 1)) != 0) {
        return -1;
    }
    return nvpsim__event_post(nvpsim__world_device(nvpsim__world, device), type, data);
}

int nvpsim_check_scenario(const char *path, char *message, size_t size)
{
    char problem[NVPSIM_MESSAGE_SIZE] = "no scenario file is named";
    nvpsim_scenario *scenario = path ? nvpsim__scenario_read_file(path, problem) : NULL;
    nvpsim_world *world = scenario ? nvpsim__world_make(scenario, true, problem) : NULL;
    if (world) {
        char unused[NVPSIM_MESSAGE_SIZE / 2];
        nvpsim__scenario_unused(scenario, unused, sizeof unused);
        problem[0] = '\0';
        if (unused[0]) {
            snprintf(problem, sizeof problem, "%.400s: known, not used: %s", scenario->source, unused);
        }
        nvpsim__world_free(world);
    } else {
        nvpsim__scenario_free(scenario);
    }
    if (message && size > 0) {
        snprintf(message, size, "%s", problem);
    }
    return world ? 0 : -1;
}

int nvpsim_check_recording(const char *path, char *message, size_t size)
{
    char problem[NVPSIM_MESSAGE_SIZE] = "no recording is named";
    nvpsim_scenario *scenario = path ? nvpsim__scenario_read_recording(path, &(nvpsim_replay){ 1, false }, problem) : NULL;
    bool ok = scenario != NULL;
    nvpsim__scenario_free(scenario);
    if (message && size > 0) {
        snprintf(message, size, "%s", ok ? "" : problem);
    }
    return ok ? 0 : -1;
}

const char *nvpsim_unused_keys(void)
{
    return nvpsim__world_need() ? nvpsim__world_unused() : "";
}

const char *nvpsim_profile_name(size_t index)
{
    const nvpsim_profile *profile = nvpsim__profile_at(index);
    return profile ? profile->name : NULL;
}

const char *nvpsim_profile_summary(size_t index)
{
    const nvpsim_profile *profile = nvpsim__profile_at(index);
    return profile ? profile->summary : NULL;
}

const char *nvpsim_profile_text(size_t index, size_t *size)
{
    const nvpsim_profile *profile = nvpsim__profile_at(index);
    if (size) {
        *size = profile ? profile->size : 0;
    }
    return profile ? (const char *)profile->text : NULL;
}
