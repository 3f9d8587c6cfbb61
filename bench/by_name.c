/*
 * What a call by name costs above a raw call, and the typed macro.
 */
#include "measure.h"

#define ROUNDS 25
#define CALLS 100000u

typedef nvmlReturn_t power_fn(nvmlDevice_t device, unsigned int *power_mw);

static power_fn *raw_power;
static volatile unsigned int sink;

static void raw(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        unsigned int power_mw = 0;
        raw_power(device, &power_mw);
        sink = power_mw;
    }
}

static void by_name(void *device, unsigned int calls)
{
    nvp_value value = NVP_VALUE_INIT;
    for (unsigned int i = 0; i < calls; i++) {
        nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
        sink = (unsigned int)value.as.uint_value;
    }
}

static void typed(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        sink = NVP_QUERY_OR(0u, nvmlDeviceGetPowerUsage, (nvmlDevice_t)device);
    }
}

void bench_by_name(void)
{
    static loop_fn *const subjects[] = { raw, by_name, typed };
    double ns[3];
    nvmlDevice_t device;
    nvmlDeviceGetHandleByIndex(0, &device);
    raw_power = (power_fn *)bench_symbol("nvmlDeviceGetPowerUsage");
    measure_in_turn(subjects, device, 3, ROUNDS, CALLS, ns);
    report_heading("Calls by name (nvmlDeviceGetPowerUsage)");
    report_row("raw call", ns[0], "ns");
    report_limit("by name adds", ns[1] - ns[0], 150.0, "ns");
    report_row("typed macro adds", ns[2] - ns[0], "ns");
}
