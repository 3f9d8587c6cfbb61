/*
 * Control of the simulated driver from a test.
 */
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void any_fn(void);

static any_fn *find(const char *name)
{
    void *symbol = nvp_symbol(name);
    any_fn *function;
    if (symbol == NULL) {
        fprintf(stderr, "test: %s is not exported: this test needs the simulated driver\n", name);
        abort();
    }
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

uint64_t control_calls(const char *function)
{
    return ((nvpsim_call_count_fn *)find("nvpsim_call_count"))(function);
}

uint64_t control_init_calls(void)
{
    return control_calls("nvmlInit") + control_calls("nvmlInit_v2") + control_calls("nvmlInitWithFlags");
}

void control_reset_calls(void)
{
    ((nvpsim_reset_call_counts_fn *)find("nvpsim_reset_call_counts"))();
}

unsigned int control_in_flight(void)
{
    return ((nvpsim_in_flight_fn *)find("nvpsim_in_flight"))();
}

void control_await_in_flight(unsigned int count)
{
    while (control_in_flight() != count) {
        struct timespec pause = { .tv_nsec = 200000 };
        nanosleep(&pause, NULL);
    }
}

void control_add_fault(const nvpsim_fault *fault)
{
    if (((nvpsim_add_fault_fn *)find("nvpsim_add_fault"))(fault) != 0) {
        fprintf(stderr, "test: the simulator refused a fault of %s\n",
                fault->function != NULL ? fault->function : "every function");
        abort();
    }
}

void control_fail(const char *function, int error)
{
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .function = function, .device = -1, .error = error });
}

void control_hang(const char *function)
{
    control_hang_device(-1, function);
}

void control_hang_device(int device, const char *function)
{
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .function = function, .device = device, .hang = 1 });
}

void control_slow(const char *function, uint64_t latency_ms)
{
    control_add_fault(&(nvpsim_fault){
        .struct_size = sizeof(nvpsim_fault), .function = function, .device = -1, .latency_ns = latency_ms * 1000000 });
}

void control_clear_faults(void)
{
    ((nvpsim_clear_faults_fn *)find("nvpsim_clear_faults"))();
}
