/*
 * Which function serves which, decided once when a library is loaded and by what it exports, never by its version.
 * The rows are in fallbacks.def; adapters turn one call into another and live in the other files of this folder.
 */
#include "compat/adapters.h"

#include "abi/table.h"
#include "base/compiler.h"
#include "base/log.h"
#include "driver/library.h"

#include <stddef.h>

struct row {
    enum nvp__function_index wanted;
    enum nvp__function_index served_by;
    nvp__any_function adapter; /* NULL: the other function is called as it is */
    nvp_fallback public;
};

static const struct row rows[] = {
#define NVP_FALLBACK_ALIAS(wanted, served_by, lost) { NVP_FN_##wanted, NVP_FN_##served_by, NULL, { #wanted, #served_by, lost } },
#define NVP_FALLBACK_ADAPTER(wanted, served_by, adapter, lost)                                                                   \
    { NVP_FN_##wanted, NVP_FN_##served_by, (nvp__any_function)nvp__compat_##adapter, { #wanted, #served_by, lost } },
#include "compat/fallbacks.def"
};

/* The row in force for each function, written by nvp__compat_bind() as nvp__dispatch is. */
static _Atomic(const struct row *) in_force[NVP_FN_COUNT];

void nvp__compat_bind(void)
{
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        atomic_store_explicit(&in_force[i], NULL, memory_order_relaxed);
    }
    for (size_t i = 0; i < NVP__COUNT_OF(rows); i++) {
        const struct row *row = &rows[i];
        bool missing = nvp__exported_at(row->wanted) == NULL && atomic_load_explicit(&in_force[row->wanted], memory_order_relaxed) == NULL;
        nvp__any_function other = nvp__exported_at(row->served_by);
        if (missing && other != NULL) {
            atomic_store_explicit(&nvp__dispatch[row->wanted], row->adapter != NULL ? row->adapter : other, memory_order_relaxed);
            atomic_store_explicit(&in_force[row->wanted], row, memory_order_relaxed);
            nvp__log(NVP_LOG_DEBUG, "compat", "%s is served by %s; lost: %s", row->public.wanted, row->public.served_by, row->public.lost);
        }
    }
}

const nvp_fallback *nvp_function_fallback(const nvp_function *function)
{
    const struct nvp__function *known = function != NULL ? nvp__function_row(function->name) : NULL;
    if (known == NULL) {
        return NULL;
    }
    const struct row *row = atomic_load_explicit(&in_force[nvp__function_index(known)], memory_order_relaxed);
    return row != NULL ? &row->public : NULL;
}
