/*
 * A text writer. Over a caller's buffer it is bounded: it never overruns, always terminates, and counts what the whole text needs,
 * as snprintf does. Over memory of its own it grows. JSON text goes through here too.
 */
#ifndef NVP_BASE_OUT_H
#define NVP_BASE_OUT_H

#include <nvpulse/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvp__out {
    char *buffer;
    size_t size;
    size_t length; /* of the whole text, written or not */
    bool grows;    /* the buffer is the writer's own */
};

/** A writer over `size` bytes; `buffer` may be NULL when `size` is 0. */
struct nvp__out nvp__out_over(char *buffer, size_t size);

/** A writer that grows from `size` bytes on; without memory it goes on as a bounded one. End with nvp__out_take(). */
struct nvp__out nvp__out_growing(size_t size);

/** The text of a growing writer, which the caller frees; NULL, with nothing to free, when memory ran out on the way. */
char *nvp__out_take(struct nvp__out *out);

void nvp__out_bytes(struct nvp__out *out, const char *text, size_t length);
void nvp__out_text(struct nvp__out *out, const char *text);
void nvp__out_format(struct nvp__out *out, const char *format, ...) NVP_PRINTF(2, 3);
/** A number in decimal digits. */
void nvp__out_uint(struct nvp__out *out, uint64_t number);
/** Lower-case hexadecimal digits of `length` bytes. */
void nvp__out_hex(struct nvp__out *out, const unsigned char *bytes, size_t length);
/** A JSON string with quotes; `text` must be valid UTF-8. */
void nvp__out_json_text(struct nvp__out *out, const char *text);
/** A JSON number with all its digits, or null for a number that JSON cannot hold. */
void nvp__out_json_real(struct nvp__out *out, double number);

#endif
