/*
 * Which libnvidia-ml.so.1 this process uses, why, and what it exports.
 * Looking here never calls NVML and never opens a library by itself, except nvp_driver_find() and nvp_symbol(). Safe after fork, too.
 */
#ifndef NVPULSE_DRIVER_H
#define NVPULSE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/status.h>

NVP_BEGIN_DECLS

/**
 * The marker by which the shim is known: `const char *nvpshim_description(void)` in a libnvidia-ml.so.1 gives one line such as
 * "nvpulse shim 0.1.0". The search passes over such a library.
 */
#define NVP_SHIM_MARKER_SYMBOL "nvpshim_description"

/** One place that was looked at. Text is owned by the library and lives until the process ends. */
typedef struct nvp_candidate {
    const char *path;   /**< as it was given to the dynamic loader */
    const char *origin; /**< why it was tried: "NVPULSE_NVML_PATH", "default", "WSL", "NixOS", "distribution", ... */
    const char *reason; /**< why it was passed over; NULL for the one in use */
} nvp_candidate;

/** What is known of the library in use. Start with NVP_DRIVER_INFO_INIT. */
typedef struct nvp_driver_info {
    size_t struct_size;     /**< sizeof(nvp_driver_info) */
    bool loaded;            /**< a library is in use */
    bool simulated;         /**< it is the nvpulse simulator, found by its marker symbol */
    const char *path;       /**< its file with symbolic links resolved, or NULL; lives until the process ends */
    const char *origin;     /**< as in nvp_candidate; NULL when none is loaded */
    const char *simulation; /**< the simulator's own description, or NULL */
    size_t function_count;  /**< how many of the functions in nvpulse's table it exports */
} nvp_driver_info;

#define NVP_DRIVER_INFO_INIT { sizeof(nvp_driver_info), false, false, NULL, NULL, NULL, 0 }

/**
 * Fills what is known of the library in use; `loaded` is false before the first open.
 * Returns NVP_SUCCESS, or NVP_ERROR_BAD_ARGUMENT for NULL or an unknown struct_size. Safe from any thread.
 */
NVP_API nvp_status nvp_driver_get_info(nvp_driver_info *info);

/**
 * Finds and loads the library without initialising it: no driver call is made.
 * Returns NVP_SUCCESS, NVML_ERROR_LIBRARY_NOT_FOUND or NVP_ERROR_LIBRARY_BROKEN. Safe from any thread.
 */
NVP_API nvp_status nvp_driver_find(void);

/** The number of candidates of the last search. Safe from any thread. */
NVP_API size_t nvp_driver_candidate_count(void);

/** Candidate `index` of the last search, in the order of trying. NVP_ERROR_NO_SUCH_FIELD past the end. Safe from any thread. */
NVP_API nvp_status nvp_driver_get_candidate(size_t index, nvp_candidate *candidate);

/**
 * The address of any symbol of the library in use (opened if needed), for functions newer than nvpulse's table.
 *
 * NULL when no library can be used or it has no such symbol. A call through the address is raw: nothing is guarded, and NVML
 * must be initialised by nvp_init(). The address stays valid until the process ends. Safe from any thread.
 */
NVP_API void *nvp_symbol(const char *name);

/**
 * The shim that programs get in this environment when they look for libnvidia-ml.so.1: because it is preloaded, or because it is the first
 * library of that name in LD_LIBRARY_PATH and ld.so.conf. Its file with symbolic links resolved, which lives until the process ends; NULL when
 * they get another library or none. Loads nothing. Safe from any thread.
 */
NVP_API const char *nvp_driver_shim(void);

NVP_END_DECLS

#endif
