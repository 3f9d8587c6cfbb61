/*
 * The places of the call counts, and the sums over them.
 */
#include "driver/counter.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PLACES = 128 };

static nvpsim_counter places[PLACES + 1] = { [PLACES] = { .is_shared = true } };
static _Atomic uint64_t baseline[NVPSIM_FUNCTION_COUNT]; /* sums at the last reset */
static pthread_key_t ending_key;
static atomic_bool has_ending_key; /* other threads may still come in while the process ends */

__thread nvpsim_counter *nvpsim__counter_own __attribute__((tls_model("initial-exec")));

static void thread_ends(void *counter)
{
    nvpsim_counter *place = counter;
    nvpsim__counter_own = NULL;
    atomic_store_explicit(&place->is_taken, false, memory_order_release);
}

__attribute__((constructor)) static void counter_start(void)
{
    has_ending_key = pthread_key_create(&ending_key, thread_ends) == 0;
}

__attribute__((destructor)) static void counter_stop(void)
{
    if (has_ending_key) {
        pthread_key_delete(ending_key);
    }
    has_ending_key = false;
}

nvpsim_counter *nvpsim__counter_take(void)
{
    nvpsim_counter *place = &places[PLACES];
    for (int i = 0; i < PLACES && has_ending_key; i++) {
        bool is_taken = false;
        if (!atomic_load_explicit(&places[i].is_taken, memory_order_relaxed) &&
            atomic_compare_exchange_strong_explicit(&places[i].is_taken, &is_taken, true, memory_order_acquire,
                                                    memory_order_relaxed)) {
            place = &places[i];
            break;
        }
    }
    if (!place->is_shared && pthread_setspecific(ending_key, place) != 0) {
        atomic_store_explicit(&place->is_taken, false, memory_order_release);
        place = &places[PLACES];
    }
    nvpsim__counter_own = place;
    return place;
}

void nvpsim__counter_enter_shared(nvpsim_counter *counter, int function)
{
    atomic_fetch_add_explicit(&counter->calls[function], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter->depth, 1, memory_order_relaxed);
}

void nvpsim__counter_leave_shared(nvpsim_counter *counter)
{
    atomic_fetch_sub_explicit(&counter->depth, 1, memory_order_release);
}

static uint64_t total_of(int function)
{
    uint64_t total = 0;
    for (int i = 0; i <= PLACES; i++) {
        total += atomic_load_explicit(&places[i].calls[function], memory_order_relaxed);
    }
    return total;
}

uint64_t nvpsim__counter_sum(int function)
{
    if (function >= 0) {
        return total_of(function) - atomic_load_explicit(&baseline[function], memory_order_relaxed);
    }
    uint64_t sum = 0;
    for (int i = 0; i < NVPSIM_FUNCTION_COUNT; i++) {
        sum += total_of(i) - atomic_load_explicit(&baseline[i], memory_order_relaxed);
    }
    return sum;
}

void nvpsim__counter_reset(void)
{
    for (int i = 0; i < NVPSIM_FUNCTION_COUNT; i++) {
        atomic_store_explicit(&baseline[i], total_of(i), memory_order_relaxed);
    }
}

unsigned nvpsim__counter_in_flight(void)
{
    unsigned sum = 0;
    for (int i = 0; i <= PLACES; i++) {
        sum += atomic_load_explicit(&places[i].depth, memory_order_acquire);
    }
    return sum;
}

void nvpsim__counter_forked(void)
{
    for (int i = 0; i <= PLACES; i++) {
        atomic_store_explicit(&places[i].depth, 0, memory_order_relaxed);
        atomic_store_explicit(&places[i].is_taken, &places[i] == nvpsim__counter_own, memory_order_relaxed);
    }
}
