/*
 * What GPUs are called, for one that cannot be asked any more: a GPU that hangs or is lost keeps its name on the screen.
 */
#ifndef TUI_NAMES_H
#define TUI_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

typedef struct tui_name {
    unsigned int index;
    int mig_index;
    char text[96];
} tui_name;

typedef struct tui_names {
    tui_name *list;
    size_t count;
    uint64_t generation; /**< of the driver that said so; another one may number GPUs anew */
} tui_names;

/** Takes the names of a snapshot. */
void tui_names_learn(tui_names *names, const nvp_snapshot *snapshot);

/** What a device is called, now or when it was asked last; "GPU" when that is not known. It lives until the next learning. */
const char *tui_names_of(const tui_names *names, const nvp_device_sample *device);

void tui_names_free(tui_names *names);

#endif
