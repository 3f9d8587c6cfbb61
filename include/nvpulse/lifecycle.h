/*
 * When NVML is open: lazily, counted, drained at exit, reset after fork.
 * No program has to call anything here: the first query opens NVML and the end of the process closes it.
 *
 * Environment, read once at first use:
 *   NVPULSE_EXIT_TIMEOUT_MS  how long exit waits for queries under way (default 120000)
 *   NVPULSE_FORK_TIMEOUT_MS  how long fork() waits for queries under way (default 5000)
 *   NVPULSE_RETRY_MS         first back-off after a failed open (default 1000; doubles up to 32 times that)
 *   NVPULSE_GUARD=fenced     use a full fence in the in-flight guard even where membarrier(2) works
 */
#ifndef NVPULSE_LIFECYCLE_H
#define NVPULSE_LIFECYCLE_H

#include <stdint.h>

#include <nvpulse/status.h>

NVP_BEGIN_DECLS

/** Where NVML stands in this process. */
typedef enum nvp_state {
    NVP_STATE_COLD = 0,  /**< not open; the next query opens it */
    NVP_STATE_OPENING,   /**< a thread is opening it */
    NVP_STATE_OPEN,      /**< in use */
    NVP_STATE_QUIESCING, /**< a fork waits for the queries under way; new ones wait */
    NVP_STATE_CLOSING,   /**< the last shutdown waits for the queries under way */
    NVP_STATE_FINAL,     /**< the process is ending: queries answer NVP_ERROR_SHUTTING_DOWN */
    NVP_STATE_FORKED     /**< a child that was forked in the middle of a query: queries answer NVP_ERROR_FORKED */
} nvp_state;

/**
 * Opens NVML and counts one user. Optional: queries open it by themselves.
 *
 * Returns NVP_SUCCESS; NVML's own error (for example NVML_ERROR_DRIVER_NOT_LOADED, NVML_ERROR_LIBRARY_NOT_FOUND);
 * NVP_ERROR_LIBRARY_BROKEN; NVP_ERROR_TIMED_OUT when another thread has been opening it for too long;
 * NVP_ERROR_SHUTTING_DOWN; NVP_ERROR_FORKED; NVP_ERROR_BUSY when called from inside a query; NVP_ERROR_NO_MEMORY.
 * A failed call leaves no count. Always asks the driver anew: the back-off of lazy opening does not apply.
 * May block in the driver. Safe from any thread. The driver's own call: nvmlInitWithFlags, nvmlInit_v2 or nvmlInit.
 */
NVP_API nvp_status nvp_init(void);

/**
 * As nvp_init(), with NVML's init flags (NVML_INIT_FLAG_NO_GPUS, NVML_INIT_FLAG_NO_ATTACH).
 * Flags are kept on a stack: the driver's own init is called only when the flags on top change. On a driver
 * without nvmlInitWithFlags any flag but 0 gives NVML_ERROR_FUNCTION_NOT_FOUND.
 */
NVP_API nvp_status nvp_init_with_flags(unsigned int flags);

/**
 * Takes one count back. The last one waits for queries under way and shuts NVML down; a later query opens it again.
 * Opening by a query counts once, and the first shutdown without an init of its own takes that count.
 *
 * Returns NVP_SUCCESS; NVML_ERROR_UNINITIALIZED without a count; NVP_ERROR_TIMED_OUT when queries did not end within
 * NVPULSE_EXIT_TIMEOUT_MS (the count is given back, NVML stays open); NVP_ERROR_BUSY when called from inside a query; NVP_ERROR_SHUTTING_DOWN;
 * NVP_ERROR_FORKED; or what the driver's nvmlShutdown answers (NVML counts as closed all the same).
 * May block in the driver. Safe from any thread.
 */
NVP_API nvp_status nvp_shutdown(void);

/** The number of counts: inits without their shutdown, and one for lazy opening. Safe from any thread. */
NVP_API unsigned int nvp_init_count(void);

/** Where NVML stands. A snapshot: another thread can change it at once. Safe from any thread. */
NVP_API nvp_state nvp_get_state(void);

/** The name of a state in lower case, such as "open". Static memory. */
NVP_API const char *nvp_state_name(nvp_state state);

/**
 * A number that grows with every open, 0 before the first: at the first query, after a shutdown, and when a session of the driver has
 * died (an upgrade, a reset, a lost GPU) and NVML was opened again by itself. Device handles stay good across generations: each
 * call finds the device anew by its UUID, and answers NVML_ERROR_GPU_IS_LOST when it is gone. Other handles (event sets,
 * instances, samples) belong to their generation and are refused in a later one with NVML_ERROR_INVALID_ARGUMENT.
 * Safe from any thread.
 */
NVP_API uint64_t nvp_generation(void);

/** A scope in which NVML is held open; see NVP_SCOPED. */
typedef struct nvp_scope {
    nvp_status status; /**< what the init of this scope answered */
} nvp_scope;

/** Begins a scope: nvp_init(), its answer kept in the scope. Pair with nvp_scope_end(), or use NVP_SCOPED. */
NVP_API nvp_scope nvp_scope_begin(void);

/** Ends a scope: shuts down if its init succeeded; a failing shutdown is ignored. Safe to call twice. NULL is allowed. */
NVP_API void nvp_scope_end(nvp_scope *scope);

/**
 * Holds NVML open until the end of the enclosing C block, however it is left (but not by longjmp or exit):
 *
 *     NVP_SCOPED(session);
 *     if (session.status != NVP_SUCCESS) { ... }
 */
#define NVP_SCOPED(name) __attribute__((cleanup(nvp_scope_end))) nvp_scope name = nvp_scope_begin()

NVP_END_DECLS

#endif
