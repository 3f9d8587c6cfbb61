/*
 * How values were: a ring for each device and for the processes that are looked at. One place, filled once for each snapshot.
 * Memory does not grow with time: rings are of one length, and there are at most so many for processes.
 */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

#include "processes.h"

enum { TUI_HISTORY_DEVICE_LENGTH = 512, TUI_HISTORY_PROCESS_LENGTH = 256, TUI_HISTORY_PROCESSES = 64 };

/** What is kept of a device. */
typedef enum tui_device_series {
    TUI_DEVICE_GPU_PERCENT,
    TUI_DEVICE_MEMORY_PERCENT, /**< used of total */
    TUI_DEVICE_POWER_W,
    TUI_DEVICE_TEMPERATURE_C,
    TUI_DEVICE_SM_MHZ,
    TUI_DEVICE_PCIE_RX_BYTES_PER_S,
    TUI_DEVICE_PCIE_TX_BYTES_PER_S,
    TUI_DEVICE_SERIES_COUNT
} tui_device_series;

/** What is kept of a process. */
typedef enum tui_process_series {
    TUI_PROCESS_SM_PERCENT,
    TUI_PROCESS_GPU_MEMORY_BYTES,
    TUI_PROCESS_CPU_PERCENT,
    TUI_PROCESS_HOST_MEMORY_BYTES,
    TUI_PROCESS_SERIES_COUNT
} tui_process_series;

/** A look into a ring. `at` 0 is the newest; NaN where nothing was known. */
typedef struct tui_series {
    const float *values;
    size_t length, newest, count;
} tui_series;

typedef struct tui_history tui_history;

tui_history *tui_history_new(void);
void tui_history_free(tui_history *history);

/** Begins anew; the processes whose history is kept stay the same. */
void tui_history_forget(tui_history *history);

/** Adds a snapshot. What memory is missing for is left out. */
void tui_history_add(tui_history *history, const nvp_snapshot *snapshot);

/** Keeps the history of this process from now on; the process that was asked for longest ago makes room. */
void tui_history_watch(tui_history *history, const tui_process_key *key);

/** A series of a device (mig -1: the GPU) or a process; of count 0 when there is none. Good until the next snapshot is added. */
tui_series tui_history_device(const tui_history *history, unsigned int gpu, int mig, tui_device_series series);
tui_series tui_history_process(const tui_history *history, const tui_process_key *key, tui_process_series series);

/** Value `at` of a series, 0 being the newest; NaN past its end. */
static inline double tui_series_at(const tui_series *series, size_t at)
{
    if (at >= series->count) {
        return (double)NAN;
    }
    return (double)series->values[series->newest >= at ? series->newest - at : series->newest + series->length - at];
}

#endif
