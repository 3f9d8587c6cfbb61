/*
 * What each adapter adds to the call behind it, both guarded. The driver does nothing, so that all that is measured is the way there
 * and back; it is built several times, each time without other functions.
 */
#include "measure.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 15
#define CALLS 20000u
#define LIMIT_NS 10.0
#define SLOWEST 8
#define UUID "GPU-00112233-4455-6677-8899-aabbccddeeff"

static struct room {
    _Alignas(16) unsigned char bytes[1 << 16];
} out;
static unsigned int count;
static nvmlUUID_t uuid_text = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII, .value.str = UUID };
static nvmlUUID_t uuid_bytes = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_BINARY };
static nvmlVgpuInstancesUtilizationInfo_t vgpu_samples = { .vgpuUtilArray = (void *)out.bytes };
static nvmlVgpuProcessesUtilizationInfo_t vgpu_process_samples = { .vgpuProcUtilArray = (void *)out.bytes };
static nvmlProcessesUtilizationInfo_t process_samples = { .procUtilArray = (void *)out.bytes };

static void *with_word(void *at, unsigned int word)
{
    memcpy(at, &word, sizeof(word));
    return at;
}

static unsigned int *with_count(unsigned int number)
{
    count = number;
    return &count;
}

/* The names that stand in adapters.def. */
#define DEVICE ((nvmlDevice_t)(void *)out.bytes)
#define OUT ((void *)out.bytes)
#define WORD(word) with_word(out.bytes, word)
#define COUNT(number) with_count(number)
#define UUID_TEXT &uuid_text
#define UUID_BYTES &uuid_bytes
#define SAMPLES(word, of) (set_samples_of_##of(), with_word(&(of), word))

static void set_samples_of_vgpu_samples(void)
{
    vgpu_samples.vgpuInstanceCount = 1;
}

static void set_samples_of_vgpu_process_samples(void)
{
    vgpu_process_samples.vgpuProcessCount = 1;
}

static void set_samples_of_process_samples(void)
{
    process_samples.processSamplesCount = 1;
}

#define JOIN_NAMES(one, other) one##other
#define JOIN(one, other) JOIN_NAMES(one, other)

#define SERVED(times, wanted, its_arguments, served_by, arguments)                                                               \
    static void JOIN(adapted_, __LINE__)(void *unused, unsigned int calls)                                                       \
    {                                                                                                                            \
        (void)unused;                                                                                                            \
        for (unsigned int i = 0; i < calls; i++) {                                                                               \
            nvp_##wanted its_arguments;                                                                                          \
        }                                                                                                                        \
    }                                                                                                                            \
    static void JOIN(own_, __LINE__)(void *unused, unsigned int calls)                                                           \
    {                                                                                                                            \
        (void)unused;                                                                                                            \
        for (unsigned int i = 0; i < calls * (times); i++) {                                                                     \
            nvp_##served_by arguments;                                                                                           \
        }                                                                                                                        \
    }
#include "adapters.def"
#undef SERVED

static const struct served {
    const char *wanted, *served_by;
    loop_fn *adapted, *own;
} rows[] = {
#define SERVED(times, wanted, its_arguments, served_by, arguments)                                                               \
    { #wanted, #served_by, JOIN(adapted_, __LINE__), JOIN(own_, __LINE__) },
#include "adapters.def"
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static double *added_ns; /* for each row; less than zero where no driver has shown it yet */

/* The rows that hold on one of the drivers. */
static void measure_served(void *driver)
{
    setenv("NVPULSE_NVML_PATH", driver, 1);
    if (nvp_init() != NVP_SUCCESS) {
        exit(1);
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const nvp_fallback *fallback = nvp_function_fallback(nvp_function_find(rows[i].wanted));
        if (fallback != NULL && strcmp(fallback->served_by, rows[i].served_by) == 0) {
            loop_fn *const subjects[] = { rows[i].own, rows[i].adapted };
            double ns[2];
            measure_in_turn(subjects, NULL, 2, ROUNDS, CALLS, ns);
            added_ns[i] = ns[1] > ns[0] ? ns[1] - ns[0] : 0;
        }
    }
}

static int slower_first(const void *one, const void *other)
{
    double a = added_ns[*(const size_t *)one];
    double b = added_ns[*(const size_t *)other];
    return (a < b) - (a > b);
}

static size_t order[ROW_COUNT];

/* Measures all rows; returns how many there are, the slowest first in `order`. */
static size_t measure_on(const char *drivers)
{
    char driver[PATH_MAX];
    struct dirent **entries;
    size_t measured = 0;
    int number = scandir(drivers, &entries, NULL, alphasort);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        added_ns[i] = -1;
        order[i] = i;
    }
    for (int i = 0; i < number; i++) {
        int length = snprintf(driver, sizeof(driver), "%s/%s/libnvidia-ml.so.1", drivers, entries[i]->d_name);
        if (length > 0 && (size_t)length < sizeof(driver) && access(driver, R_OK) == 0) {
            in_child(measure_served, driver);
        }
        free(entries[i]);
    }
    if (number >= 0) {
        free(entries);
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        measured += added_ns[i] >= 0;
    }
    qsort(order, ROW_COUNT, sizeof(order[0]), slower_first);
    return measured;
}

static double slowest_of(const char *part_of_name)
{
    double most_ns = 0;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        most_ns = strstr(rows[i].wanted, part_of_name) != NULL && added_ns[i] > most_ns ? added_ns[i] : most_ns;
    }
    return most_ns;
}

void bench_adapters(const char *drivers, bool all)
{
    char text[200];
    report_heading(all ? "What adapters add to the call behind them" : "What adapters add to the call behind them, the slowest");
    added_ns = shared_memory(ROW_COUNT * sizeof(*added_ns));
    setenv("EMPTY_DRIVER_FEATURES", "3", 1);
    measure_on(drivers);
    double most_features_ns = slowest_of("GridLicensable");
    setenv("EMPTY_DRIVER_FEATURES", "1", 1);
    size_t measured = measure_on(drivers);
    report_limit("adapters that no driver here calls for", (double)(ROW_COUNT - measured), 0, "");
    for (size_t i = 0; i < measured && i < (all ? ROW_COUNT : SLOWEST); i++) {
        const struct served *row = &rows[order[i]];
        snprintf(text, sizeof(text), "%s by %s", row->wanted + strlen("nvml"), row->served_by + strlen("nvml"));
        report_limit(text, added_ns[order[i]], LIMIT_NS, "ns");
    }
    report_limit("GridLicensableFeatures, the slowest with three features", most_features_ns, LIMIT_NS, "ns");
}
