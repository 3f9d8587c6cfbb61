/*
 * The only place where the driver is entered and left. Every call of an NVML function goes through this macro.
 */
#ifndef NVP_LIFECYCLE_GUARDED_H
#define NVP_LIFECYCLE_GUARDED_H

#include "lifecycle/guard.h"

#define NVP__INSIDE(entered, inside, otherwise)                                                                                  \
    do {                                                                                                                         \
        struct nvp__slot *nvp__inside = entered;                                                                                 \
        if (NVP__LIKELY(nvp__inside != NULL)) {                                                                                  \
            inside;                                                                                                              \
            nvp__guard_leave(nvp__inside);                                                                                       \
        } else {                                                                                                                 \
            otherwise;                                                                                                           \
        }                                                                                                                        \
    } while (0)

/**
 * Runs `inside` (a statement) within the in-flight guard, or `refused` (a statement) with the reason in the variable
 * `nvp__refusal`. The first must not jump out.
 */
#define NVP__GUARDED(inside, refused)                                                                                            \
    do {                                                                                                                         \
        nvp_status nvp__refusal;                                                                                                 \
        NVP__INSIDE(nvp__guard_enter(&nvp__refusal), inside, refused);                                                           \
    } while (0)

/** The same for a call that has nothing to mind: see nvp__gate.word. Else `otherwise` is run, which is to go through NVP__GUARDED(). */
#define NVP__GUARDED_PLAINLY(inside, otherwise) NVP__INSIDE(nvp__guard_enter_plainly(), inside, otherwise)

#endif
