/*
 * Memory for records on their way from one layout to another: the stack's while they are few, else the heap's.
 */
#ifndef NVP_COMPAT_ROOM_H
#define NVP_COMPAT_ROOM_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** `own` when `size` bytes fit into it, else allocated; NULL when out of memory. */
static inline void *nvp__room_get(void *own, size_t own_size, size_t size)
{
    return size <= own_size ? own : malloc(size);
}

/** Gives back what nvp__room_get() gave. */
static inline void nvp__room_put(void *own, void *memory)
{
    if (memory != own) {
        free(memory);
    }
}

/*
 * For some hundred bytes: where gcc knows the size it puts a string instruction in the place of the call, which takes longer to get
 * going than a driver call takes.
 */

static inline void nvp__room_copy(void *to, const void *from, size_t size)
{
    __asm__("" : "+r"(size));
    memcpy(to, from, size);
}

static inline void nvp__room_fill(void *at, int byte, size_t size)
{
    __asm__("" : "+r"(size));
    memset(at, byte, size);
}

#endif
