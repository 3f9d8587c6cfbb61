/*
 * Memory that is freed all at once: what belongs to one object and never outlives it. One thread at a time.
 */
#ifndef NVP_BASE_ARENA_H
#define NVP_BASE_ARENA_H

#include <stddef.h>

struct nvp__arena {
    struct nvp__arena_block *blocks;
    size_t expected; /* how much the first block is to hold; 0: nothing is known */
    size_t used;     /* bytes that were given out */
};

/** Before the first use: about so many bytes will be needed, as nvp__arena.used said of another one. Any number is right. */
static inline void nvp__arena_expect(struct nvp__arena *arena, size_t bytes)
{
    arena->expected = bytes;
}

/** Zeroed memory for `count` objects of `size` bytes, aligned for any type; NULL when memory ran out. Never NULL for 0 bytes. */
void *nvp__arena_new(struct nvp__arena *arena, size_t count, size_t size);

/** A copy of `length` bytes of text with a NUL behind them; NULL when memory ran out. */
char *nvp__arena_text(struct nvp__arena *arena, const char *text, size_t length);

/** Frees everything; the arena can be used again. */
void nvp__arena_clear(struct nvp__arena *arena);

#endif
