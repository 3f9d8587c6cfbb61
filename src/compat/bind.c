/*
 * Which function serves which, decided when a library is loaded and by what it exports, never by its version.
 * The rows are in fallbacks.def; adapters turn one call into another and live in the other files of this folder.
 */
#include "compat/adapters.h"

#include "abi/table.h"
#include "base/compiler.h"
#include "base/log.h"
#include "compat/driver.h"

#include <stddef.h>

enum how {
    AS_IT_IS, /* the other function, called as it is */
    SESSION,  /* init: src/lifecycle calls the other */
    ADAPTED,  /* the other function, called by an adapter */
    ITSELF    /* the function that is wanted, called by an adapter */
};

struct row {
    enum how how;
    enum nvp__function_index wanted;
    enum nvp__function_index served_by;
    enum nvp__function_index lacking; /* must not be exported; NVP_FN_COUNT: no such condition */
    bool watched;                     /* ITSELF: whether the function differs will be seen by what it answers */
    nvp__any_function adapter;
    nvp_fallback public;
};

#define ADAPTER(name) ((nvp__any_function)nvp__compat_##name)

static const struct row rows[] = {
#define NVP_FALLBACK_ALIAS(wanted, served_by, lost)                                                                              \
    { AS_IT_IS, NVP_FN_##wanted, NVP_FN_##served_by, NVP_FN_COUNT, false, NULL, { #wanted, #served_by, lost } },
#define NVP_FALLBACK_SESSION(wanted, served_by, lost)                                                                            \
    { SESSION, NVP_FN_##wanted, NVP_FN_##served_by, NVP_FN_COUNT, false, NULL, { #wanted, #served_by, lost } },
#define NVP_FALLBACK_ADAPTER(wanted, served_by, adapter, lost)                                                                   \
    { ADAPTED, NVP_FN_##wanted, NVP_FN_##served_by, NVP_FN_COUNT, false, ADAPTER(adapter), { #wanted, #served_by, lost } },
#define NVP_FALLBACK_ITSELF(wanted, adapter, having, lacking, lost)                                                              \
    { ITSELF,                                                                                                                    \
      NVP_FN_##wanted,                                                                                                           \
      having != NVP_FN_COUNT ? having : NVP_FN_##wanted,                                                                         \
      lacking,                                                                                                                   \
      having == NVP_FN_COUNT,                                                                                                    \
      ADAPTER(adapter),                                                                                                          \
      { #wanted, #wanted, lost } },
#include "compat/fallbacks.def"
};

/* All three are written by nvp__compat_bind() as nvp__dispatch is, and later by adapters, which run inside the guard. */
static _Atomic(const struct row *) bound[NVP_FN_COUNT];    /* the row whose adapter is called, or that replaces the function */
static _Atomic(const struct row *) in_force[NVP_FN_COUNT]; /* the same, once it is certain that it changes something */
static _Atomic unsigned int evidence_of[NVP_FN_COUNT];

static bool is_exported(enum nvp__function_index index)
{
    return index != NVP_FN_COUNT && nvp__exported_at(index) != NULL;
}

static void put_in_force(const struct row *row)
{
    atomic_store_explicit(&in_force[row->wanted], row, memory_order_relaxed);
    nvp__log(NVP_LOG_DEBUG, "compat", "%s is served by %s; lost: %s", row->public.wanted,
             row->how == ITSELF ? "an adapter of itself" : row->public.served_by, row->public.lost);
}

static void bind(const struct row *row)
{
    bool serves = is_exported(row->served_by) && !is_exported(row->lacking) && is_exported(row->wanted) == (row->how == ITSELF);
    if (!serves || atomic_load_explicit(&bound[row->wanted], memory_order_relaxed) != NULL) {
        return;
    }
    atomic_store_explicit(&bound[row->wanted], row, memory_order_relaxed);
    if (row->how != SESSION) {
        nvp__any_function function = row->how == AS_IT_IS ? nvp__exported_at(row->served_by) : row->adapter;
        atomic_store_explicit(&nvp__dispatch[row->wanted], function, memory_order_relaxed);
    }
    if (!row->watched) {
        put_in_force(row);
    }
}

void nvp__compat_bind(void)
{
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        atomic_store_explicit(&bound[i], NULL, memory_order_relaxed);
        atomic_store_explicit(&in_force[i], NULL, memory_order_relaxed);
        atomic_store_explicit(&evidence_of[i], 0, memory_order_relaxed);
    }
    for (size_t i = 0; i < NVP__COUNT_OF(rows); i++) {
        bind(&rows[i]);
    }
}

unsigned int nvp__compat_evidence(enum nvp__function_index index)
{
    return atomic_load_explicit(&evidence_of[index], memory_order_relaxed);
}

void nvp__compat_found_plain(enum nvp__function_index index, unsigned int evidence)
{
    atomic_store_explicit(&evidence_of[index], evidence, memory_order_relaxed);
    atomic_store_explicit(&nvp__dispatch[index], nvp__exported_at(index), memory_order_relaxed);
}

void nvp__compat_found_different(enum nvp__function_index index, unsigned int evidence)
{
    const struct row *row = atomic_load_explicit(&bound[index], memory_order_relaxed);
    unsigned int before = atomic_fetch_or_explicit(&evidence_of[index], evidence, memory_order_relaxed);
    if (before != (before | evidence) && row != NULL) {
        put_in_force(row);
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
