/*
 * The number that a linker gives to what it has made: the same file touched or copied keeps it, another build has another one.
 */
#ifndef NVP_DRIVER_BUILD_ID_H
#define NVP_DRIVER_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

#define NVP__BUILD_ID_MAX 64

struct nvp__build_id {
    size_t size; /* 0: the file has none, or cannot be read */
    unsigned char bytes[NVP__BUILD_ID_MAX];
};

/** Reads that of the library at `path`; believes nothing that the file says. */
void nvp__build_id_read(const char *path, struct nvp__build_id *id);

/** True when both are known and alike. */
bool nvp__build_id_same(const struct nvp__build_id *one, const struct nvp__build_id *other);

#endif
