/*
 * The only place where the driver is entered and left. Every call of an NVML function goes through this macro.
 */
#ifndef NVP_LIFECYCLE_GUARDED_H
#define NVP_LIFECYCLE_GUARDED_H

#include "lifecycle/guard.h"

/**
 * Runs `inside` (a statement) within the in-flight guard, or `refused` (a statement) with the reason in the variable
 * `nvp__refusal`. The first must not jump out.
 */
#define NVP__GUARDED(inside, refused)                                                                                            \
    do {                                                                                                                         \
        nvp_status nvp__refusal = NVP_SUCCESS;                                                                                   \
        struct nvp__slot *nvp__inside = nvp__guard_enter(&nvp__refusal);                                                         \
        if (NVP__LIKELY(nvp__inside != NULL)) {                                                                                  \
            inside;                                                                                                              \
            nvp__guard_leave(nvp__inside);                                                                                       \
        } else {                                                                                                                 \
            refused;                                                                                                             \
        }                                                                                                                        \
    } while (0)

#endif
