/*
 * One status for everything: 0 is success, a positive value is NVML's own nvmlReturn_t, a negative
 * value is nvpulse's own. Names, texts and advice come from one table (docs/reference/errors.md).
 */
#ifndef NVPULSE_STATUS_H
#define NVPULSE_STATUS_H

#include <nvpulse/base.h>

NVP_BEGIN_DECLS

/** Result of every fallible call: 0, an nvmlReturn_t (positive), or one of NVP_ERROR_... (negative). */
typedef int nvp_status;

enum {
    NVP_SUCCESS = 0,
    NVP_ERROR_NO_MEMORY = -1,        /**< an allocation failed */
    NVP_ERROR_BAD_ARGUMENT = -2,     /**< wrong argument: NULL, wrong count or kind, out of range */
    NVP_ERROR_SHUTTING_DOWN = -3,    /**< the process is ending; no new query is begun */
    NVP_ERROR_TIMED_OUT = -4,        /**< a bounded wait inside nvpulse ran out */
    NVP_ERROR_FORKED = -5,           /**< forked while a query could not be awaited: NVML is unusable in this child */
    NVP_ERROR_UNKNOWN_FUNCTION = -6, /**< no function of this name is known to nvpulse */
    NVP_ERROR_NOT_BY_NAME = -7,      /**< the function exists but its shape does not allow a call by name */
    NVP_ERROR_LIBRARY_BROKEN = -8,   /**< a library was found, but none that can be loaded and used */
    NVP_ERROR_BUSY = -9,             /**< called from inside a query, where this cannot be done */
    NVP_ERROR_SENTINEL = -10,        /**< success, but the number means "not available" (all bits set) */
    NVP_ERROR_NO_SUCH_FIELD = -11,   /**< a struct or list has no such field or item */
    NVP_ERROR_NO_DATA = -12,         /**< nothing has been read or measured yet */
    NVP_ERROR_BAD_DATA = -13,        /**< a text or file is not what it should be */
    NVP_ERROR_NOT_BUILT = -14,       /**< the library was built without this part */
    NVP_ERROR_ASLEEP = -15           /**< the device is suspended and was not woken */
};

/** Why a value is N/A. Several statuses can share a reason; the status itself is kept beside it. */
typedef enum nvp_reason {
    NVP_REASON_NONE = 0,         /**< it is not N/A */
    NVP_REASON_NOT_SUPPORTED,    /**< this device or driver does not offer it */
    NVP_REASON_NO_PERMISSION,    /**< the caller may not read it */
    NVP_REASON_FUNCTION_MISSING, /**< this driver has no such function */
    NVP_REASON_NO_LIBRARY,       /**< libnvidia-ml.so.1 was not found */
    NVP_REASON_BROKEN_LIBRARY,   /**< it was found and cannot be used */
    NVP_REASON_NO_DRIVER,        /**< the kernel driver is not loaded, or no GPU answers */
    NVP_REASON_VERSION_MISMATCH, /**< the library and the kernel driver differ, or a struct version is refused */
    NVP_REASON_UNINITIALIZED,    /**< NVML says that it is not initialised */
    NVP_REASON_GPU_LOST,         /**< the GPU fell off the bus or cannot be reached */
    NVP_REASON_RESET_REQUIRED,   /**< the GPU must be reset first */
    NVP_REASON_TIMED_OUT,        /**< the driver or a wait took too long */
    NVP_REASON_SENTINEL,         /**< the driver answered with a number that means "not available" */
    NVP_REASON_NO_DATA,          /**< nothing has been measured yet, or nothing was found */
    NVP_REASON_BUSY,             /**< used by another client, or not in the right state */
    NVP_REASON_BAD_ARGUMENT,     /**< an argument was refused */
    NVP_REASON_NO_MEMORY,        /**< out of memory */
    NVP_REASON_SHUTTING_DOWN,    /**< the process is ending */
    NVP_REASON_FORKED,           /**< forked in the middle of a query */
    NVP_REASON_ASLEEP,           /**< the device is suspended and was not woken */
    NVP_REASON_UNKNOWN           /**< anything else; see the status */
} nvp_reason;

/**
 * The name of a status, such as "NVML_ERROR_NOT_SUPPORTED" or "NVP_ERROR_TIMED_OUT".
 * Never NULL: an unknown number gives "NVML_ERROR_UNKNOWN_CODE" or "NVP_ERROR_UNKNOWN_CODE".
 * Static memory; safe from any thread, in a signal handler, after fork; does not touch NVML.
 */
NVP_API const char *nvp_status_name(nvp_status status);

/** A short text, such as "Not Supported"; for NVML's codes NVML's own. Otherwise as nvp_status_name(). */
NVP_API const char *nvp_status_text(nvp_status status);

/** One sentence of advice on what to do. Never NULL; may be empty. Otherwise as nvp_status_name(). */
NVP_API const char *nvp_status_advice(nvp_status status);

/** The reason that a status stands for: NVP_REASON_NONE for success. Otherwise as nvp_status_name(). */
NVP_API nvp_reason nvp_status_reason(nvp_status status);

/** A reason in a few words for people, such as "not supported". Otherwise as nvp_status_name(). */
NVP_API const char *nvp_reason_text(nvp_reason reason);

/** A reason as a stable word for programs, such as "not_supported". Otherwise as nvp_status_name(). */
NVP_API const char *nvp_reason_word(nvp_reason reason);

NVP_END_DECLS

#endif
