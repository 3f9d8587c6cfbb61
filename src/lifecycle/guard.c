/*
 * Slots of threads, the choice between membarrier and fences, and waiting for queries under way.
 */
#include "lifecycle/guard.h"

#include "base/clock.h"
#include "base/log.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/settings.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLL_FIRST_NS INT64_C(20000)
#define POLL_LAST_NS INT64_C(500000)

struct nvp__gate nvp__gate;
__thread struct nvp__slot *nvp__self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct nvp__slot *) slots; /* grows only; written under slots_lock */
static struct nvp__slot *free_slots;      /* under slots_lock */
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its destructor gives the slot of an ending thread back */
static bool key_made;

static int membarrier(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

void nvp__gate_change(unsigned int mask, unsigned int bits)
{
    unsigned int word = atomic_load(&nvp__gate.word);
    while (!atomic_compare_exchange_weak(&nvp__gate.word, &word, (word & ~mask) | bits)) {
    }
}

void nvp__guard_set_up(void)
{
    bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
    bool fenced = !registered || nvp__settings()->fenced;
    nvp__gate_change(NVP__GATE_FENCED, fenced ? NVP__GATE_FENCED : 0);
#ifdef MADV_WIPEONFORK
    if (sysconf(_SC_PAGESIZE) == NVP__PAGE_BYTES) {
        madvise(&nvp__gate, sizeof(nvp__gate), MADV_WIPEONFORK); /* on failure only a raw clone() goes unnoticed */
    }
#endif
    nvp__log(NVP_LOG_DEBUG, "lifecycle", "in-flight guard: %s", fenced ? "fenced" : "membarrier");
}

static void give_slot_back(void *slot)
{
    struct nvp__slot *mine = slot;
    nvp__self = NULL;
    pthread_mutex_lock(&slots_lock);
    mine->next_free = free_slots;
    free_slots = mine;
    pthread_mutex_unlock(&slots_lock);
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, give_slot_back) == 0;
}

static struct nvp__slot *take_slot(void)
{
    struct nvp__slot *slot = free_slots;
    if (slot != NULL) {
        free_slots = slot->next_free;
        return slot;
    }
    slot = aligned_alloc(NVP__CACHE_LINE, sizeof(*slot));
    if (slot != NULL) {
        memset(slot, 0, sizeof(*slot));
        slot->next = atomic_load_explicit(&slots, memory_order_relaxed);
        atomic_store_explicit(&slots, slot, memory_order_release);
    }
    return slot;
}

struct nvp__slot *nvp__guard_slot(void)
{
    if (nvp__self != NULL) {
        return nvp__self;
    }
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&slots_lock);
    struct nvp__slot *slot = take_slot();
    pthread_mutex_unlock(&slots_lock);
    if (slot == NULL) {
        return NULL;
    }
    if (!key_made || pthread_setspecific(key, slot) != 0) {
        give_slot_back(slot);
        return NULL;
    }
    nvp__self = slot;
    return slot;
}

bool nvp__guard_inside(void)
{
    return nvp__self != NULL && (nvp__self->in_session_call || atomic_load_explicit(&nvp__self->depth, memory_order_relaxed) > 0);
}

unsigned int nvp__guard_others_inside(void)
{
    unsigned int inside = 0;
    struct nvp__slot *slot = atomic_load_explicit(&slots, memory_order_acquire);
    for (; slot != NULL; slot = slot->next) {
        inside += slot != nvp__self && atomic_load_explicit(&slot->depth, memory_order_seq_cst) > 0;
    }
    return inside;
}

bool nvp__guard_drain(int64_t timeout_ns)
{
    int64_t deadline_ns = nvp__clock_ns() + timeout_ns;
    int64_t pause_ns = POLL_FIRST_NS;
    if ((atomic_load(&nvp__gate.word) & NVP__GATE_FENCED) == 0) {
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    }
    while (nvp__guard_others_inside() > 0) {
        if (nvp__clock_ns() >= deadline_ns) {
            return false;
        }
        struct timespec pause = nvp__timespec_of(pause_ns);
        nanosleep(&pause, NULL);
        pause_ns = pause_ns * 2 < POLL_LAST_NS ? pause_ns * 2 : POLL_LAST_NS;
    }
    return true;
}

struct nvp__slot *nvp__guard_enter_slowly(nvp_status *refusal)
{
    *refusal = nvp__lifecycle_set_up();
    struct nvp__slot *slot = *refusal == NVP_SUCCESS ? nvp__guard_slot() : NULL;
    if (slot == NULL) {
        *refusal = *refusal != NVP_SUCCESS ? *refusal : NVP_ERROR_NO_MEMORY;
        return NULL;
    }
    for (;;) {
        unsigned int depth = atomic_load_explicit(&slot->depth, memory_order_relaxed);
        atomic_store_explicit(&slot->depth, depth + 1, memory_order_seq_cst);
        unsigned int state = atomic_load_explicit(&nvp__gate.word, memory_order_seq_cst) & NVP__GATE_STATE;
        /* a query inside a query is part of what the closing side waits for: it must not wait for that side */
        bool nested = depth > 0 && state != NVP_STATE_FORKED;
        if (state == NVP_STATE_OPEN || nested) {
            return slot;
        }
        atomic_store_explicit(&slot->depth, depth, memory_order_release);
        *refusal = nvp__lifecycle_open_lazily();
        if (*refusal != NVP_SUCCESS) {
            return NULL;
        }
    }
}

bool nvp__guard_fork_was_quiet(void)
{
    for (struct nvp__slot *slot = atomic_load(&slots); slot != NULL; slot = slot->next) {
        if (slot->in_session_call || atomic_load(&slot->depth) > 0) {
            return false;
        }
    }
    return true;
}

void nvp__guard_fork_prepare(void)
{
    pthread_mutex_lock(&slots_lock);
}

void nvp__guard_fork_parent(void)
{
    pthread_mutex_unlock(&slots_lock);
}

void nvp__guard_fork_child(void)
{
    pthread_mutex_init(&slots_lock, NULL);
    free_slots = NULL;
    for (struct nvp__slot *slot = atomic_load(&slots); slot != NULL; slot = slot->next) {
        if (slot != nvp__self) {
            atomic_store(&slot->depth, 0);
            slot->in_session_call = false;
            slot->next_free = free_slots;
            free_slots = slot;
        }
    }
}
