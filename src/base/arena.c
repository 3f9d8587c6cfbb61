/*
 * A block of the size that is expected, then blocks that double in size, the newest first; a request that does not fit gets a block of its own size at least.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK 4096u
#define LARGEST_BLOCK (1024u * 1024u)

struct nvp__arena_block {
    struct nvp__arena_block *next;
    size_t size, used;
    max_align_t data[];
};

static size_t next_size(const struct nvp__arena *arena)
{
    if (arena->blocks != NULL) {
        return arena->blocks->size < LARGEST_BLOCK / 2 ? arena->blocks->size * 2 : LARGEST_BLOCK;
    }
    size_t spare = arena->expected / 8;
    return arena->expected < FIRST_BLOCK || arena->expected > SIZE_MAX - spare ? FIRST_BLOCK : arena->expected + spare;
}

static struct nvp__arena_block *add_block(struct nvp__arena *arena, size_t needed)
{
    size_t size = next_size(arena);
    size = size < needed ? needed : size;
    if (size > SIZE_MAX - sizeof(struct nvp__arena_block)) {
        return NULL;
    }
    struct nvp__arena_block *block = calloc(1, sizeof *block + size);
    if (block != NULL) {
        block->size = size;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

void *nvp__arena_new(struct nvp__arena *arena, size_t count, size_t size)
{
    size_t needed;
    if (__builtin_mul_overflow(count, size, &needed) || needed > SIZE_MAX - sizeof(max_align_t)) {
        return NULL;
    }
    needed = (needed + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct nvp__arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < needed) {
        block = add_block(arena, needed);
    }
    if (block == NULL) {
        return NULL;
    }
    char *memory = (char *)block->data + block->used;
    block->used += needed;
    arena->used += needed;
    return memory;
}

char *nvp__arena_text(struct nvp__arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? nvp__arena_new(arena, length + 1, 1) : NULL;
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

void nvp__arena_clear(struct nvp__arena *arena)
{
    while (arena->blocks != NULL) {
        struct nvp__arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    arena->expected = arena->used = 0;
}
