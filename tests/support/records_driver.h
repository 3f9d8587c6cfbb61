/*
 * Control of the driver with odd records. Its functions are found by masked_function().
 */
#ifndef NVP_TESTS_SUPPORT_RECORDS_DRIVER_H
#define NVP_TESTS_SUPPORT_RECORDS_DRIVER_H

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/** How records are written. */
enum records_manner {
    RECORDS_PLAINLY,
    RECORDS_CLEARED_FIRST, /* the whole buffer is set to zero before */
    RECORDS_WITHOUT_TAIL,  /* the last eight bytes of each record are left alone */
    RECORDS_COUNTED_WRONG  /* the count is larger than the room */
};

/** Bytes of a record in version 1, 2 or 3 of the calls. */
EXPORT void records_set(unsigned int version, size_t size);
EXPORT void records_write(int manner);
/** Where the last call was told to write. */
EXPORT const void *records_last_buffer(void);

#endif
