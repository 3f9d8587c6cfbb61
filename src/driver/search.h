/*
 * Where libnvidia-ml.so.1 may be, in the order of trying, and the checks that a file must pass.
 */
#ifndef NVP_DRIVER_SEARCH_H
#define NVP_DRIVER_SEARCH_H

#include <nvpulse/driver.h>

#include <stdbool.h>
#include <stddef.h>

#define NVP__CANDIDATES_MAX 32

/** How libraries are loaded: flags of dlopen(3). Set before the first search, by the shim alone. */
extern int nvp__search_flags;

/** What a search found. */
struct nvp__search {
    nvp_candidate candidates[NVP__CANDIDATES_MAX];
    size_t count;
    void *handle;        /* of the one in use, or NULL */
    const char *path;    /* its file, symbolic links resolved; interned */
    const char *origin;  /* static */
    bool passed_shim;    /* the shim of nvpulse was among the candidates */
    bool broken;         /* something was there that cannot be used */
    const char *failure; /* why the first such thing cannot be used; interned */
};

/**
 * Tries the candidates until one opens. All text in the result is static or interned.
 *
 * @param replaced NULL; or the file of a library that is loaded and has been replaced on disk. The dynamic loader then must not
 *                 answer with what it has loaded under that name, so each path is spelled in a way that it has not seen.
 */
void nvp__search(struct nvp__search *search, const char *replaced);

#endif
