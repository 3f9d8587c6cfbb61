/*
 * What the environment says about waiting and retrying; read once, see <nvpulse/lifecycle.h> for the names.
 */
#ifndef NVP_LIFECYCLE_SETTINGS_H
#define NVP_LIFECYCLE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct nvp__settings {
    int64_t exit_timeout_ns;
    int64_t fork_timeout_ns;
    int64_t retry_ns;     /* first back-off */
    int64_t retry_max_ns; /* last back-off */
    bool fenced;          /* NVPULSE_GUARD=fenced */
};

/** The settings; the first call reads the environment. Safe from any thread. */
const struct nvp__settings *nvp__settings(void);

/** Lets nothing wait longer than that at exit, shutdown and fork. To be called before any other thread can look. */
void nvp__settings_limit(int64_t timeout_ns);

#endif
