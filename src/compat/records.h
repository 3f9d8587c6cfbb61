/*
 * The records of a process list, of which one name has had three sizes: 16 bytes, 24 and (535.43 to 535.86) 32. How far apart they
 * are is read from what a driver wrote into memory that was filled before. Knows bytes only; calls nothing.
 */
#ifndef NVP_COMPAT_RECORDS_H
#define NVP_COMPAT_RECORDS_H

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <stdbool.h>
#include <stddef.h>

/** Bytes of memory for each record while its size is not known: twice the largest known. */
#define NVP__RECORD_ROOM 64

/** Fills memory with a byte that no record ends in. */
void nvp__records_fill(void *memory, size_t size);

/**
 * The distance of the `count` records that a driver wrote into filled memory of `size` bytes, of which it believed that it holds
 * `room` records. `expected` is what its header says, and the answer when the bytes say nothing. `proved` becomes true when at least
 * one record leaves no other reading, and at least two where it is not the expected one.
 */
size_t nvp__records_distance(const void *memory, size_t size, unsigned int count, unsigned int room, size_t expected,
                             bool *proved);

/** Reads record `index`; what it is too short for is not available. False for a row that cannot be: pid 0, all ones, too large. */
bool nvp__records_read(const void *memory, size_t distance, unsigned int index, nvmlProcessDetail_v1_t *process);

#endif
