/*
 * The in-flight guard: who is inside the driver at this moment, at the price of two plain stores.
 *
 * Entering stores the thread's own depth and then reads the gate. The rare side (close, fork, exit) changes the gate, makes
 * every running thread of the process pass a memory barrier (membarrier), and then reads all depths. Either the entering
 * thread sees the changed gate, or the rare side sees its depth. Without membarrier both sides use sequentially consistent
 * accesses instead. Entering and leaving are used in one place only: lifecycle/guarded.h.
 */
#ifndef NVP_LIFECYCLE_GUARD_H
#define NVP_LIFECYCLE_GUARD_H

#include "base/compiler.h"

#include <nvpulse/lifecycle.h>

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define NVP__PAGE_BYTES 4096

/** One thread's part of the guard; its own cache line. Recycled, never freed. */
struct nvp__slot {
    alignas(NVP__CACHE_LINE) atomic_uint depth; /* written by its thread only; 0 outside of queries */
    bool in_session_call;                       /* its thread is inside the driver's init or shutdown; its thread only */
    struct nvp__slot *next;                     /* all slots; set once before publication */
    struct nvp__slot *next_free;                /* under the slots' lock */
};

/**
 * The gate alone fills a page that the kernel wipes in a forked child, even one that bypasses the fork handlers: a child finds
 * COLD and owner 0 there.
 */
struct nvp__gate {
    alignas(NVP__PAGE_BYTES) atomic_uint word; /* see below */
    atomic_int owner;                          /* pid that set the gate up; 0: not yet, or in an unnoticed child */
    char rest[NVP__PAGE_BYTES - 2 * sizeof(atomic_int)];
};

/** What the gate's word is made of. It is NVP_STATE_OPEN, fenced or not, when a call has nothing to mind besides being made. */
enum {
    NVP__GATE_STATE = 0xff,    /* mask: nvp_state */
    NVP__GATE_FENCED = 0x100,  /* entering needs sequential consistency; chosen once */
    NVP__GATE_HANDLES = 0x200, /* NVML was opened again: handles of the program may be of an earlier session */
    NVP__GATE_SUCCESS = 0x400  /* somebody waits for the next success, to know that not everything fails */
};

extern NVP__HIDDEN struct nvp__gate nvp__gate;
extern NVP__HIDDEN __thread struct nvp__slot *nvp__self __attribute__((tls_model("initial-exec")));

/** Everything but the common case of nvp__guard_enter(): first use in a thread, opening, waiting, refusing. */
struct nvp__slot *nvp__guard_enter_slowly(nvp_status *refusal);

/**
 * Enters the driver. Gives the thread's slot when NVML is open (it is opened if needed), to be passed to nvp__guard_leave();
 * NULL when the query must not be made, the reason in `refusal`. Nests.
 */
static NVP__INLINE struct nvp__slot *nvp__guard_enter(nvp_status *refusal)
{
    struct nvp__slot *slot = nvp__self;
    if (NVP__LIKELY(slot != NULL)) {
        unsigned int depth = atomic_load_explicit(&slot->depth, memory_order_relaxed);
        unsigned int word = atomic_load_explicit(&nvp__gate.word, memory_order_relaxed);
        if (NVP__UNLIKELY((word & NVP__GATE_FENCED) != 0)) {
            atomic_store_explicit(&slot->depth, depth + 1, memory_order_seq_cst);
            word = atomic_load_explicit(&nvp__gate.word, memory_order_seq_cst);
        } else {
            atomic_store_explicit(&slot->depth, depth + 1, memory_order_relaxed);
            NVP__COMPILER_BARRIER();
            word = atomic_load_explicit(&nvp__gate.word, memory_order_acquire);
        }
        if (NVP__LIKELY((word & NVP__GATE_STATE) == NVP_STATE_OPEN)) {
            return slot;
        }
        atomic_store_explicit(&slot->depth, depth, memory_order_release);
    }
    return nvp__guard_enter_slowly(refusal);
}

/**
 * The same for a call that is only to be made, with nothing to mind, by a thread that is not inside yet. NULL: nvp__guard_enter() is to
 * be asked. Depths are constants here, so that a call need not wait for what the call before it has stored.
 */
static NVP__INLINE struct nvp__slot *nvp__guard_enter_plainly(void)
{
    struct nvp__slot *slot = nvp__self;
    if (NVP__UNLIKELY(slot == NULL) || NVP__UNLIKELY(atomic_load_explicit(&slot->depth, memory_order_relaxed) != 0)) {
        return NULL;
    }
    atomic_store_explicit(&slot->depth, 1, memory_order_relaxed);
    NVP__COMPILER_BARRIER();
    unsigned int word = atomic_load_explicit(&nvp__gate.word, memory_order_acquire);
    if (NVP__LIKELY(word == NVP_STATE_OPEN)) {
        return slot;
    }
    if (word == (NVP_STATE_OPEN | NVP__GATE_FENCED)) {
        atomic_store_explicit(&slot->depth, 1, memory_order_seq_cst);
        if (NVP__LIKELY(atomic_load_explicit(&nvp__gate.word, memory_order_seq_cst) == word)) {
            return slot;
        }
    }
    atomic_store_explicit(&slot->depth, 0, memory_order_release);
    return NULL;
}

/** Leaves the driver. */
static NVP__INLINE void nvp__guard_leave(struct nvp__slot *slot)
{
    unsigned int depth = atomic_load_explicit(&slot->depth, memory_order_relaxed);
    atomic_store_explicit(&slot->depth, depth - 1, memory_order_release);
}

/** Replaces the bits of `mask` in the gate's word. The state changes under the lifecycle's mutex only. */
void nvp__gate_change(unsigned int mask, unsigned int bits);

/** Chooses the kind of guard, and has the gate's page wiped in children. Called once before the first use, and in each child. */
void nvp__guard_set_up(void);

/** The calling thread's slot, made or recycled if it has none; NULL without memory. Given back when the thread ends. */
struct nvp__slot *nvp__guard_slot(void);

/** True when the calling thread is inside a query or inside the driver's init or shutdown. */
bool nvp__guard_inside(void);

/**
 * After a change of the gate: waits until no other thread is inside a query that began before it.
 * False when `timeout_ns` ran out first. The calling thread's own depth is not counted.
 */
bool nvp__guard_drain(int64_t timeout_ns);

/** The number of threads, the calling one excepted, that are inside a query now. */
unsigned int nvp__guard_others_inside(void);

/** In a child that no fork handler has seen: true when no thread was inside the driver at the moment of the fork. */
bool nvp__guard_fork_was_quiet(void);

/** Around fork(): the slots' lock; in the child the slots of all other threads become free. */
void nvp__guard_fork_prepare(void);
void nvp__guard_fork_parent(void);
void nvp__guard_fork_child(void);

#endif
