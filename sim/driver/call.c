/*
 * The long path of a call: scenarios with a driver lock, and faults.
 */
#include "driver/call.h"

#include "driver/latency.h"
#include "driver/live.h"

#include <pthread.h>

/* As in a real driver, nothing frees this lock in a child that was forked while another thread held it. */
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

void nvpsim__call_look(void)
{
    nvpsim__journal_look();
}

/* A call that is wrong in itself (not initialised, no such device) is answered before any fault. */
nvmlReturn_t nvpsim__call_attend(nvpsim_call *call, int function, int device, nvmlReturn_t so_far)
{
    unsigned attention = atomic_load_explicit(&nvpsim__attention, memory_order_relaxed);
    if (attention & NVPSIM_ATTEND_LOCK) {
        pthread_mutex_lock(&driver_lock);
        call->holds_driver_lock = true;
    }
    if (so_far == NVML_SUCCESS && (attention & NVPSIM_ATTEND_LATENCY)) {
        nvpsim__latency_of_function(function);
    }
    if (so_far == NVML_SUCCESS && (attention & NVPSIM_ATTEND_FAULTS)) {
        return (nvmlReturn_t)nvpsim__fault_act(function, device);
    }
    return so_far;
}

void nvpsim__call_unlock(nvpsim_call *call)
{
    call->holds_driver_lock = false;
    pthread_mutex_unlock(&driver_lock);
}
