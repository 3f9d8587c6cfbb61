/*
 * The library in use and its resolved functions, published for readers without a lock.
 * What was published is never freed: readers may hold it for ever.
 */
#include "driver/library.h"

#include "base/compiler.h"
#include "base/intern.h"
#include "base/log.h"
#include "driver/build_id.h"
#include "driver/search.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>
#include <nvpulse/sim.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A search with its outcome. Immutable once published, but for what only nvp__driver_load() looks at. */
struct library {
    struct nvp__search search;
    struct stat file;              /* of search.path when it was loaded, or last seen to be what is loaded */
    struct nvp__build_id build_id; /* at the same time */
    const char *simulation;        /* the simulator's description, or NULL */
    size_t function_count;
    struct library *previous; /* what was published before: readers may hold it still */
};

_Atomic(nvp__any_function) nvp__exported[NVP_FN_COUNT];
_Atomic(nvp__any_function) nvp__dispatch[NVP_FN_COUNT];

static _Atomic(struct library *) current; /* the last search, successful or not */

static const char *const function_names[NVP_FN_COUNT] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    [NVP_FN_##name] = #name,
#define NVP_FUNCTION_SESSION NVP_FUNCTION
#define NVP_FUNCTION_TEXT NVP_FUNCTION
#include "abi/functions.def"
};

/* ISO C has no cast from an object pointer to a function pointer; POSIX promises that the representation serves. */
static nvp__any_function as_function(void *symbol)
{
    nvp__any_function function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static size_t resolve(void *handle)
{
    size_t found = 0;
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        void *symbol = dlsym(handle, function_names[i]);
        atomic_store_explicit(&nvp__exported[i], as_function(symbol), memory_order_relaxed);
        atomic_store_explicit(&nvp__dispatch[i], as_function(symbol), memory_order_relaxed);
        found += symbol != NULL;
        if (symbol == NULL) {
            nvp__log(NVP_LOG_DEBUG, "driver", "not exported: %s", function_names[i]);
        }
    }
    nvp__compat_bind();
    nvp__log(NVP_LOG_DEBUG, "driver", "%zu of %d functions exported", found, (int)NVP_FN_COUNT);
    return found;
}

static const char *simulation_of(void *handle)
{
    nvpsim_description_fn *describe = (nvpsim_description_fn *)as_function(dlsym(handle, NVPSIM_MARKER_SYMBOL));
    return describe != NULL ? nvp__intern(describe()) : NULL;
}

/* The loader keeps the text of the last look-up that failed, for each thread; it is freed by the second time that it is asked for. */
static void forget_failed_lookups(void)
{
    if (dlerror() != NULL) {
        dlerror();
    }
}

static bool same_search(const struct nvp__search *one, const struct nvp__search *other)
{
    if (one->count != other->count || one->handle != other->handle || one->broken != other->broken) {
        return false;
    }
    for (size_t i = 0; i < one->count; i++) { /* texts are interned: equal texts are one pointer */
        const nvp_candidate *a = &one->candidates[i];
        const nvp_candidate *b = &other->candidates[i];
        if (a->path != b->path || a->origin != b->origin || a->reason != b->reason) {
            return false;
        }
    }
    return true;
}

static nvp_status outcome(const struct library *library)
{
    if (library->search.handle != NULL) {
        return NVP_SUCCESS;
    }
    return library->search.broken ? NVP_ERROR_LIBRARY_BROKEN : (nvp_status)NVML_ERROR_LIBRARY_NOT_FOUND;
}

static void remember_file(struct library *library)
{
    if (stat(library->search.path, &library->file) != 0) { /* it counts as replaced at the next open */
        memset(&library->file, 0, sizeof(library->file));
    }
    nvp__build_id_read(library->search.path, &library->build_id);
}

/*
 * True when another file stands where the loaded one did. One that is gone leaves us with what we have; one that was only touched is
 * told by its build id.
 */
static bool is_replaced(struct library *library)
{
    struct stat now;
    struct nvp__build_id build_id;
    const struct stat *then = &library->file;
    if (stat(library->search.path, &now) != 0) {
        return false;
    }
    if (now.st_dev != then->st_dev || now.st_ino != then->st_ino || now.st_size != then->st_size) {
        return true;
    }
    if (now.st_mtim.tv_sec == then->st_mtim.tv_sec && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec) {
        return false;
    }
    nvp__build_id_read(library->search.path, &build_id);
    if (!nvp__build_id_same(&build_id, &library->build_id)) {
        return true;
    }
    library->file = now;
    return false;
}

nvp_status nvp__driver_load(void)
{
    static const char *replaced; /* the file of the last library that was replaced; written by one thread at a time */
    struct library *known = atomic_load(&current);
    if (known != NULL && known->search.handle != NULL) {
        if (!is_replaced(known)) {
            return NVP_SUCCESS;
        }
        replaced = known->search.path;
        nvp__log(NVP_LOG_WARNING, "driver", "%s was replaced; loading what is there now", replaced);
    }
    struct library *library = calloc(1, sizeof(*library));
    if (library == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    nvp__search(&library->search, replaced);
    if (known != NULL && same_search(&known->search, &library->search)) {
        free(library); /* the same library, or the same failure, again: keep what is published */
        if (known->search.handle != NULL) {
            remember_file(known); /* it is not to count as replaced for ever */
        }
        return outcome(known);
    }
    if (library->search.handle != NULL) {
        remember_file(library);
        library->function_count = resolve(library->search.handle);
        library->simulation = simulation_of(library->search.handle);
        forget_failed_lookups();
    }
    library->previous = known;
    atomic_store(&current, library);
    return outcome(library);
}

void *nvp__driver_symbol(const char *name)
{
    struct library *library = atomic_load(&current);
    return library != NULL && library->search.handle != NULL ? dlsym(library->search.handle, name) : NULL;
}

const char *nvp__driver_failure(void)
{
    struct library *library = atomic_load(&current);
    return library != NULL && library->search.failure != NULL ? library->search.failure : "";
}

nvp_status nvp_driver_get_info(nvp_driver_info *info)
{
    if (info == NULL || info->struct_size != sizeof(*info)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    *info = (nvp_driver_info)NVP_DRIVER_INFO_INIT;
    struct library *library = atomic_load(&current);
    if (library != NULL && library->search.handle != NULL) {
        info->loaded = true;
        info->simulated = library->simulation != NULL;
        info->path = library->search.path;
        info->origin = library->search.origin;
        info->simulation = library->simulation;
        info->function_count = library->function_count;
    }
    return NVP_SUCCESS;
}

size_t nvp_driver_candidate_count(void)
{
    struct library *library = atomic_load(&current);
    return library != NULL ? library->search.count : 0;
}

nvp_status nvp_driver_get_candidate(size_t index, nvp_candidate *candidate)
{
    struct library *library = atomic_load(&current);
    if (candidate == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (library == NULL || index >= library->search.count) {
        return NVP_ERROR_NO_SUCH_FIELD;
    }
    *candidate = library->search.candidates[index];
    return NVP_SUCCESS;
}
