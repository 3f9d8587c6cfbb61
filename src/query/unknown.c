/*
 * The table of missing functions: 1024 names, filled without a lock, never emptied.
 */
#include "query/unknown.h"

#include "base/intern.h"
#include "base/log.h"

#include <nvpulse/query.h>

#include <stdatomic.h>

/* Filled from the front; interned, so that equal names are one pointer. */
static _Atomic(const char *) names[NVP_UNKNOWN_FUNCTIONS_MAX];

void nvp__unknown_note(const char *name)
{
    const char *kept = nvp__intern(name);
    for (size_t i = 0; i < NVP_UNKNOWN_FUNCTIONS_MAX; i++) {
        const char *expected = NULL;
        if (atomic_compare_exchange_strong(&names[i], &expected, kept)) {
            nvp__log(NVP_LOG_WARNING, "query",
                     "%s is missing in this NVML library: compare the versions of the driver and of this program "
                     "(reported once)",
                     kept);
            return;
        }
        if (expected == kept) {
            return;
        }
    }
}

size_t nvp_unknown_function_count(void)
{
    size_t count = 0;
    while (count < NVP_UNKNOWN_FUNCTIONS_MAX && atomic_load(&names[count]) != NULL) {
        count++;
    }
    return count;
}

const char *nvp_unknown_function_name(size_t index)
{
    return index < NVP_UNKNOWN_FUNCTIONS_MAX ? atomic_load(&names[index]) : NULL;
}
