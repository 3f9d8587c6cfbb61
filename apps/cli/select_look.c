/*
 * Looking at the devices: a snapshot of what matters, and each device of it that CUDA would show, judged.
 */
#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "select.h"

nvp_status select_snapshot(bool wake, nvp_snapshot **snapshot)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_metric *metrics = calloc(select_metric_count + cli_pick_metric_count, sizeof *metrics);
    if (metrics == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(metrics, select_metrics, select_metric_count * sizeof *metrics);
    memcpy(metrics + select_metric_count, cli_pick_metrics, cli_pick_metric_count * sizeof *metrics);
    options.metrics = metrics;
    options.metric_count = select_metric_count + cli_pick_metric_count;
    options.flags = wake ? (unsigned int)NVP_SNAPSHOT_WAKE : 0;
    nvp_status status = nvp_snapshot_take(&options, snapshot);
    free(metrics);
    return status;
}

/* Whether a visible device is of the kind that is asked for. Those that the environment names are, of either kind. */
static bool is_wanted(const select_rules *rules, const nvp_device_sample *device, bool is_named)
{
    return rules->mig ? device->mig_index >= 0 : is_named || device->mig_index < 0;
}

bool select_look(const select_rules *rules, const nvp_snapshot *snapshot, const char *visible, select_candidates *candidates)
{
    size_t count = nvp_snapshot_device_count(snapshot), *places = calloc(count + 1, sizeof *places);
    candidates->items = calloc(count + 1, sizeof *candidates->items);
    bool done = places != NULL && candidates->items != NULL;
    size_t visible_count = done ? select_visible(snapshot, visible, places) : 0;
    for (size_t i = 0; i < visible_count; i++) {
        if (is_wanted(rules, nvp_snapshot_device(snapshot, places[i]), visible != NULL)) {
            select_candidate *candidate = &candidates->items[candidates->count++];
            select_judge(rules, snapshot, places[i], candidate);
            candidates->good += candidate->meets;
        }
    }
    free(places);
    if (done) {
        select_sort(candidates->items, candidates->count);
    }
    return done;
}
