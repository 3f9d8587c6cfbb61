/*
 * The rules and the waiting. A call that hangs sleeps until all rules are cleared.
 */
#include "driver/fault.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/function.h"
#include "driver/latency.h"
#include "driver/live.h"
#include "driver/session.h"

#define LOOK_EVERY_NS 50000000 /* at the control file, while a call hangs */

_Atomic unsigned nvpsim__attention;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t cleared = PTHREAD_COND_INITIALIZER;
static uint64_t clear_count;
static nvpsim_rule rules[NVPSIM_FAULTS_MAX];
static size_t rule_count;

bool nvpsim__fault_add(const nvpsim_rule *rule)
{
    pthread_mutex_lock(&lock);
    bool has_room = rule_count < NVPSIM_FAULTS_MAX;
    if (has_room) {
        rules[rule_count] = *rule;
        rule_count++; /* last: a child that is forked here has the rule whole or not at all */
        atomic_fetch_or_explicit(&nvpsim__attention, NVPSIM_ATTEND_FAULTS, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
    return has_room;
}

bool nvpsim__fault_add_spec(const nvpsim_fault_spec *spec)
{
    return nvpsim__fault_add(&(nvpsim_rule){ .function = spec->function,
                                             .device = spec->device,
                                             .error = (int)spec->error.value,
                                             .latency_ns = spec->latency_ms.value * NVPSIM_NS_PER_MS,
                                             .hang = spec->hang.value != 0,
                                             .from_ns = spec->from_ms.value * NVPSIM_NS_PER_MS,
                                             .until_ns = spec->until_ms.value * NVPSIM_NS_PER_MS,
                                             .after_calls = spec->after_calls.value,
                                             .times = spec->times.value });
}

void nvpsim__fault_clear(void)
{
    pthread_mutex_lock(&lock);
    rule_count = 0;
    clear_count++;
    atomic_fetch_and_explicit(&nvpsim__attention, ~(unsigned)NVPSIM_ATTEND_FAULTS, memory_order_relaxed);
    pthread_cond_broadcast(&cleared);
    pthread_mutex_unlock(&lock);
}

static bool rule_hits(nvpsim_rule *rule, int function, int device)
{
    bool matches = rule->function >= 0 ? rule->function == function : function != NVPSIM_FN_nvmlErrorString;
    if (!matches || (rule->device >= 0 && rule->device != device)) {
        return false;
    }
    uint64_t now_ns = rule->from_ns > 0 || rule->until_ns > 0 ? nvpsim__clock_ns(&nvpsim__world->clock) : 0;
    if (now_ns < rule->from_ns || (rule->until_ns > 0 && now_ns >= rule->until_ns)) {
        return false;
    }
    uint64_t before = rule->seen++;
    return before >= rule->after_calls && (rule->times == 0 || before - rule->after_calls < rule->times);
}

/* Who hangs makes no calls that could look at the control file. */
static void wait_until_cleared(uint64_t since)
{
    pthread_mutex_lock(&lock);
    while (clear_count == since) {
        if (!nvpsim__journal_is_open()) {
            pthread_cond_wait(&cleared, &lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_EVERY_NS;
        until.tv_sec += until.tv_nsec / (long)NVPSIM_NS_PER_S;
        until.tv_nsec %= (long)NVPSIM_NS_PER_S;
        pthread_cond_timedwait(&cleared, &lock, &until);
        pthread_mutex_unlock(&lock);
        nvpsim__journal_look();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

int nvpsim__fault_act(int function, int device)
{
    int error = 0;
    bool hang = false;
    uint64_t latency_ns = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < rule_count; i++) {
        if (!rule_hits(&rules[i], function, device)) {
            continue;
        }
        latency_ns += rules[i].latency_ns;
        hang = hang || rules[i].hang;
        error = error ? error : rules[i].error;
    }
    uint64_t before = clear_count;
    pthread_mutex_unlock(&lock);
    if (latency_ns > 0) {
        nvpsim__spend(latency_ns);
    }
    if (hang) {
        wait_until_cleared(before);
    }
    return error;
}

void nvpsim__fault_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cleared = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
