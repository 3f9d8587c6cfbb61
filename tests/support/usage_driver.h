/*
 * Control of the driver whose process lists and samples are what a test says. Its functions are found by nvp_symbol().
 */
#ifndef NVP_TESTS_SUPPORT_USAGE_DRIVER_H
#define NVP_TESTS_SUPPORT_USAGE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

struct usage_process {
    unsigned int pid, gpu_instance, compute_instance;
    unsigned long long memory;
};

struct usage_sample {
    unsigned int pid;
    unsigned long long at_us;
    unsigned int sm, memory, encoder, decoder, jpeg, ofa;
};

/** What the driver tells from now on. Arrays are not copied. */
struct usage {
    const struct usage_process *compute, *graphics;
    unsigned int compute_count, graphics_count;
    const struct usage_sample *samples;
    unsigned int sample_count;
    int info_answer;      /* of the call that tells JPEG and OFA, too; 0: samples */
    int plain_answer;     /* of the one that does not */
    bool ever_larger;     /* lists never fit, whatever the room */
    unsigned int surplus; /* told in addition to what was written */
    bool counts_silently; /* INSUFFICIENT_SIZE leaves the count alone */
};

/** How often each was called, and with which time stamp the last time. */
struct usage_calls {
    unsigned int lists, info, plain;
    unsigned long long since_us;
};

typedef void usage_set_fn(const struct usage *usage);
EXPORT usage_set_fn usage_set;
/** The counts since the last time. */
typedef struct usage_calls usage_take_calls_fn(void);
EXPORT usage_take_calls_fn usage_take_calls;

#endif
