/*
 * Memory of a scenario: a list of blocks, each handed out from its start.
 * Must not shrink or move what it gave.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct nvpsim_arena_block {
    struct nvpsim_arena_block *next;
    size_t used;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
};

void *nvpsim__arena_take(nvpsim_arena *arena, size_t count, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size != 0 && count > (SIZE_MAX / 4) / size) {
        return NULL;
    }
    size_t needed = (count * size + alignment - 1) / alignment * alignment;
    struct nvpsim_arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < needed) {
        size_t capacity = needed > BLOCK_BYTES ? needed : (size_t)BLOCK_BYTES;
        block = calloc(1, sizeof *block + capacity);
        if (!block) {
            return NULL;
        }
        block->capacity = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += needed;
    return piece;
}

char *nvpsim__arena_text(nvpsim_arena *arena, const char *text, size_t length)
{
    char *copy = nvpsim__arena_take(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

void nvpsim__arena_free(nvpsim_arena *arena)
{
    struct nvpsim_arena_block *block = arena->blocks;
    arena->blocks = NULL;
    while (block) {
        struct nvpsim_arena_block *next = block->next;
        free(block);
        block = next;
    }
}
