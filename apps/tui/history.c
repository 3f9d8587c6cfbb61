/*
 * A snapshot writes one place further into every ring, also of a device or process that it does not have: rings stay in step, so that
 * graphs side by side show the same time.
 */
#include <math.h>
#include <stdlib.h>

#include "history.h"

struct device_ring {
    unsigned int gpu;
    int mig;
    bool is_seen;
    float (*values)[TUI_HISTORY_DEVICE_LENGTH]; /* by series */
};

struct process_ring {
    tui_process_key key;
    uint64_t watched_at;
    float (*values)[TUI_HISTORY_PROCESS_LENGTH];
};

struct tui_history {
    struct device_ring *devices;
    size_t device_count;
    struct process_ring processes[TUI_HISTORY_PROCESSES];
    size_t process_count;
    uint64_t added;   /* snapshots so far */
    uint64_t watches; /* a clock for watched_at */
};

tui_history *tui_history_new(void)
{
    return calloc(1, sizeof(tui_history));
}

void tui_history_free(tui_history *history)
{
    if (history == NULL) {
        return;
    }
    for (size_t i = 0; i < history->device_count; i++) {
        free(history->devices[i].values);
    }
    for (size_t i = 0; i < history->process_count; i++) {
        free(history->processes[i].values);
    }
    free(history->devices);
    free(history);
}

void tui_history_forget(tui_history *history)
{
    for (size_t i = 0; i < history->device_count; i++) {
        free(history->devices[i].values);
    }
    history->device_count = 0;
    history->added = 0;
}

static struct device_ring *find_device(const tui_history *history, unsigned int gpu, int mig)
{
    for (size_t i = 0; i < history->device_count; i++) {
        if (history->devices[i].gpu == gpu && history->devices[i].mig == mig) {
            return &history->devices[i];
        }
    }
    return NULL;
}

/* MIG devices come and go; as many rings stay as there ever were at one time. */
static struct device_ring *new_device(tui_history *history, unsigned int gpu, int mig)
{
    struct device_ring *rings = reallocarray(history->devices, history->device_count + 1, sizeof *rings);
    if (rings == NULL) {
        return NULL;
    }
    history->devices = rings;
    float(*values)[TUI_HISTORY_DEVICE_LENGTH] = calloc(TUI_DEVICE_SERIES_COUNT, sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    for (size_t series = 0; series < TUI_DEVICE_SERIES_COUNT; series++) {
        for (size_t i = 0; i < TUI_HISTORY_DEVICE_LENGTH; i++) {
            values[series][i] = NAN;
        }
    }
    rings[history->device_count] = (struct device_ring){ gpu, mig, false, values };
    return &rings[history->device_count++];
}

static double metric(const nvp_device_sample *device, nvp_metric which, double factor)
{
    return nvp_reading_number(nvp_device_sample_get(device, which), NAN) * factor;
}

static double read_device(const nvp_device_sample *device, tui_device_series series)
{
    if (device == NULL || device->state != NVP_DEVICE_OK) {
        return NAN;
    }
    switch (series) {
    case TUI_DEVICE_GPU_PERCENT:
        return metric(device, NVP_METRIC_UTILIZATION_GPU_PERCENT, 1);
    case TUI_DEVICE_MEMORY_PERCENT:
        return metric(device, NVP_METRIC_MEMORY_USED_BYTES, 100) / metric(device, NVP_METRIC_MEMORY_TOTAL_BYTES, 1);
    case TUI_DEVICE_POWER_W:
        return metric(device, NVP_METRIC_POWER_DRAW_MW, 0.001);
    case TUI_DEVICE_TEMPERATURE_C:
        return metric(device, NVP_METRIC_TEMPERATURE_GPU_C, 1);
    case TUI_DEVICE_SM_MHZ:
        return metric(device, NVP_METRIC_CLOCKS_SM_MHZ, 1);
    case TUI_DEVICE_PCIE_RX_BYTES_PER_S:
        return metric(device, NVP_METRIC_PCIE_RX_BYTES_PER_S, 1);
    case TUI_DEVICE_PCIE_TX_BYTES_PER_S:
        return metric(device, NVP_METRIC_PCIE_TX_BYTES_PER_S, 1);
    default:
        return NAN;
    }
}

static void write_device(const tui_history *history, const struct device_ring *ring, const nvp_device_sample *device)
{
    size_t place = history->added % TUI_HISTORY_DEVICE_LENGTH;
    for (size_t series = 0; series < TUI_DEVICE_SERIES_COUNT; series++) {
        ring->values[series][place] = (float)read_device(device, (tui_device_series)series);
    }
}

static void add_devices(tui_history *history, const nvp_snapshot *snapshot)
{
    for (size_t i = 0; i < history->device_count; i++) {
        history->devices[i].is_seen = false;
    }
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        struct device_ring *ring = find_device(history, device->index, device->mig_index);
        ring = ring != NULL ? ring : new_device(history, device->index, device->mig_index);
        if (ring != NULL) {
            write_device(history, ring, device);
            ring->is_seen = true;
        }
    }
    for (size_t i = 0; i < history->device_count; i++) {
        if (!history->devices[i].is_seen) {
            write_device(history, &history->devices[i], NULL);
        }
    }
}

static void write_process(const tui_history *history, const struct process_ring *ring, const nvp_process *process)
{
    static const nvp_process_field fields[TUI_PROCESS_SERIES_COUNT] = {
        [TUI_PROCESS_SM_PERCENT] = NVP_PROCESS_SM_PERCENT,
        [TUI_PROCESS_GPU_MEMORY_BYTES] = NVP_PROCESS_GPU_MEMORY_BYTES,
        [TUI_PROCESS_CPU_PERCENT] = NVP_PROCESS_CPU_PERCENT,
        [TUI_PROCESS_HOST_MEMORY_BYTES] = NVP_PROCESS_HOST_MEMORY_BYTES,
    };
    size_t place = history->added % TUI_HISTORY_PROCESS_LENGTH;
    for (size_t series = 0; series < TUI_PROCESS_SERIES_COUNT; series++) {
        const nvp_reading *reading = process == NULL ? NULL : nvp_process_get(process, fields[series]);
        ring->values[series][place] = (float)nvp_reading_number(reading, NAN);
    }
}

static void add_processes(tui_history *history, const nvp_snapshot *snapshot)
{
    for (size_t i = 0; i < history->process_count; i++) {
        write_process(history, &history->processes[i], NULL);
    }
    const nvp_process *process;
    for (size_t i = 0; history->process_count > 0 && (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        tui_process_key key = tui_process_key_of(process);
        for (size_t ring = 0; ring < history->process_count; ring++) {
            if (tui_process_key_equal(&key, &history->processes[ring].key)) {
                write_process(history, &history->processes[ring], process);
            }
        }
    }
}

void tui_history_add(tui_history *history, const nvp_snapshot *snapshot)
{
    history->added++;
    add_devices(history, snapshot);
    add_processes(history, snapshot);
}

static struct process_ring *find_process(const tui_history *history, const tui_process_key *key)
{
    for (size_t i = 0; i < history->process_count; i++) {
        if (tui_process_key_equal(&history->processes[i].key, key)) {
            return (struct process_ring *)&history->processes[i];
        }
    }
    return NULL;
}

static struct process_ring *room_for_process(tui_history *history)
{
    if (history->process_count < TUI_HISTORY_PROCESSES) {
        struct process_ring *ring = &history->processes[history->process_count];
        ring->values = calloc(TUI_PROCESS_SERIES_COUNT, sizeof *ring->values);
        history->process_count += ring->values != NULL;
        return ring->values != NULL ? ring : NULL;
    }
    struct process_ring *oldest = &history->processes[0];
    for (size_t i = 1; i < history->process_count; i++) {
        if (history->processes[i].watched_at < oldest->watched_at) {
            oldest = &history->processes[i];
        }
    }
    return oldest;
}

void tui_history_watch(tui_history *history, const tui_process_key *key)
{
    struct process_ring *ring = find_process(history, key);
    if (ring == NULL && (ring = room_for_process(history)) != NULL) {
        ring->key = *key;
        for (size_t series = 0; series < TUI_PROCESS_SERIES_COUNT; series++) {
            for (size_t i = 0; i < TUI_HISTORY_PROCESS_LENGTH; i++) {
                ring->values[series][i] = NAN;
            }
        }
    }
    if (ring != NULL) {
        ring->watched_at = ++history->watches;
    }
}

static tui_series series_of(const tui_history *history, const float *values, size_t length)
{
    size_t count = history->added < length ? (size_t)history->added : length;
    return (tui_series){ values, length, (size_t)(history->added % length), count };
}

tui_series tui_history_device(const tui_history *history, unsigned int gpu, int mig, tui_device_series series)
{
    const struct device_ring *ring = find_device(history, gpu, mig);
    if (ring == NULL) {
        return (tui_series){ 0 };
    }
    return series_of(history, ring->values[series], TUI_HISTORY_DEVICE_LENGTH);
}

tui_series tui_history_process(const tui_history *history, const tui_process_key *key, tui_process_series series)
{
    const struct process_ring *ring = find_process(history, key);
    if (ring == NULL) {
        return (tui_series){ 0 };
    }
    return series_of(history, ring->values[series], TUI_HISTORY_PROCESS_LENGTH);
}
