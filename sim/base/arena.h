/*
 * Memory of a scenario: many small pieces that live and die together.
 * Not thread-safe: one thread fills an arena, then it is only read.
 */
#ifndef NVPSIM_BASE_ARENA_H
#define NVPSIM_BASE_ARENA_H

#include <stddef.h>

typedef struct nvpsim_arena {
    struct nvpsim_arena_block *blocks;
} nvpsim_arena;

/** `count` zeroed objects of `size` bytes, aligned for any type; NULL when memory or the size arithmetic runs out. */
void *nvpsim__arena_take(nvpsim_arena *arena, size_t count, size_t size);

/** A copy of `length` bytes of text with a final zero; NULL when out of memory. */
char *nvpsim__arena_text(nvpsim_arena *arena, const char *text, size_t length);

/** Frees every piece; the arena can be used again. */
void nvpsim__arena_free(nvpsim_arena *arena);

#endif
