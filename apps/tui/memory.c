/*
 * A page that is touched for the first time interrupts the process: 0.2 us on bare metal, 15 us were measured on a virtual machine, and
 * the first picture touches some hundred: curses keeps three screens, the driver's thread reads and keeps what a driver says. So they
 * are asked for in one call. One heap serves all threads: one for each, as the C library does it, would begin with untouched pages
 * again and grow by one page at a time.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"

#if defined(__GLIBC__) && defined(MADV_POPULATE_WRITE)

/** Of eight GPUs on a screen of 160 columns and 50 rows; more comes as it is needed. */
#define FIRST_BYTES ((size_t)2048 * 1024)

/** What the heap keeps and grows by. */
#define KEPT_BYTES (2 * (int)FIRST_BYTES)
#define GROWTH_BYTES (256 * 1024)

void tui_memory_prepare(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TOP_PAD, GROWTH_BYTES);
    void *first = malloc(FIRST_BYTES);
    if (first != NULL) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)first / page * page;
        madvise((void *)begin, FIRST_BYTES, MADV_POPULATE_WRITE); /* before Linux 5.14 there is no such advice */
        free(first);                                              /* it is what is given out next */
    }
}

#else

void tui_memory_prepare(void)
{
}

#endif
