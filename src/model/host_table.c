/*
 * The processes that the host remembers, by pid: a look at ten thousand of them takes ten times as long as one at a thousand.
 */
#include "model/host.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u

/* Pids follow one another: the multiplication (by 2^32 over the golden ratio) scatters them. */
static size_t slot_of(const struct nvp__host *host, unsigned int pid)
{
    return (size_t)(pid * UINT32_C(2654435769)) & (host->slot_count - 1);
}

/* The slot of a pid, or the empty one where it would stand. */
static uint32_t *find_slot(const struct nvp__host *host, unsigned int pid)
{
    size_t at = slot_of(host, pid);
    while (host->slots[at] != 0 && host->processes[host->slots[at] - 1].pid != pid) {
        at = (at + 1) & (host->slot_count - 1);
    }
    return &host->slots[at];
}

static void fill_slots(struct nvp__host *host)
{
    memset(host->slots, 0, host->slot_count * sizeof *host->slots);
    for (size_t i = 0; i < host->process_count; i++) {
        *find_slot(host, host->processes[i].pid) = (uint32_t)i + 1;
    }
}

static bool grow(struct nvp__host *host)
{
    size_t capacity = host->process_capacity == 0 ? FIRST_CAPACITY : host->process_capacity * 2;
    struct nvp__host_process *processes = reallocarray(host->processes, capacity, sizeof *processes);
    if (processes == NULL) {
        return false;
    }
    host->processes = processes;
    uint32_t *slots = reallocarray(host->slots, capacity * 2, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    host->slots = slots;
    host->slot_count = capacity * 2;
    host->process_capacity = capacity;
    fill_slots(host);
    return true;
}

struct nvp__host_process *nvp__host_table_get(struct nvp__host *host, unsigned int pid)
{
    uint32_t place = host->slot_count > 0 ? *find_slot(host, pid) : 0;
    if (place != 0) {
        return &host->processes[place - 1];
    }
    if (host->process_count == host->process_capacity && !grow(host)) {
        return NULL;
    }
    struct nvp__host_process *process = &host->processes[host->process_count++];
    *process = (struct nvp__host_process){ .pid = pid };
    *find_slot(host, pid) = (uint32_t)host->process_count;
    return process;
}

void nvp__host_table_sweep(struct nvp__host *host)
{
    size_t kept = 0;
    for (size_t i = 0; i < host->process_count; i++) {
        if (host->processes[i].look == host->look) {
            host->processes[kept++] = host->processes[i];
        } else {
            free(host->processes[i].identity.texts);
        }
    }
    if (kept < host->process_count) {
        host->process_count = kept;
        fill_slots(host);
    }
}

void nvp__host_table_free(struct nvp__host *host)
{
    for (size_t i = 0; i < host->process_count; i++) {
        free(host->processes[i].identity.texts);
    }
    free(host->processes);
    free(host->slots);
}
