/*
 * From the table of processes to one process, or to one GPU.
 */
#include <stdlib.h>

#include "app.h"

/* What the system says of the process, once: it is not asked again while it is shown. */
static void ask_system(tui_app *app, bool is_foreign)
{
    const tui_process_key *key = &app->detail;
    free(app->environment);
    app->environment = NULL;
    app->environment_length = app->parent_count = 0;
    app->environment_absent = "is not one of this system";
    if (tui_is_recording(app)) {
        app->environment_absent = "is one of a recording";
        return;
    }
    if (is_foreign || key->start_time_us == 0) {
        return;
    }
    tui_os_result result = tui_os_environment(key->pid, key->start_time_us, &app->environment, &app->environment_length);
    app->environment_absent = tui_os_text(result);
    app->parent_count = tui_os_parents(key->pid, key->start_time_us, app->parents, TUI_PARENTS_MAX);
}

unsigned int tui_action_detail(tui_app *app, const tui_event *event)
{
    (void)event;
    const tui_row *row = tui_processes_selected(&app->processes);
    if (app->digits >= 0 || row == NULL) {
        app->device = app->gpu >= 0 ? (unsigned int)app->gpu : app->device;
        return TUI_DRAW | tui_go(app, TUI_SCREEN_DEVICE);
    }
    app->detail = row->key;
    nvp_snapshot_free(app->detail_snapshot);
    app->detail_snapshot = nvp_snapshot_retain(app->snapshot);
    ask_system(app, nvp_reading_uint(nvp_process_get(row->process, NVP_PROCESS_FOREIGN), 1) != 0);
    tui_history_watch(app->history, &app->detail);
    return TUI_DRAW | tui_go(app, TUI_SCREEN_PROCESS);
}
