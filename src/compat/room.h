/*
 * Memory for records on their way from one layout to another: the stack's while they are few, else the heap's.
 */
#ifndef NVP_COMPAT_ROOM_H
#define NVP_COMPAT_ROOM_H

#include <stddef.h>
#include <stdlib.h>

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

#endif
