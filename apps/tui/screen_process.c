/*
 * One process: what it is, its history, what it uses on each GPU, its parents, its environment. One that has ended keeps what was last
 * known of it.
 */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "columns.h"
#include "detail.h"
#include "environment.h"
#include "format.h"

static bool is_of_detail(const tui_app *app, const nvp_process *process)
{
    tui_process_key key = tui_process_key_of(process);
    return key.pid == app->detail.pid && key.start_time_us == app->detail.start_time_us;
}

static const nvp_process *find(const tui_app *app, const nvp_snapshot *snapshot)
{
    const nvp_process *process, *found = NULL;
    for (size_t i = 0; snapshot != NULL && (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        tui_process_key key = tui_process_key_of(process);
        if (tui_process_key_equal(&key, &app->detail)) {
            return process;
        }
        found = found == NULL && is_of_detail(app, process) ? process : found;
    }
    return found;
}

/* The process in the newest snapshot, or in the last one that had it. */
static const nvp_process *find_or_remember(tui_app *app, bool *has_ended)
{
    const nvp_process *process = find(app, app->snapshot);
    *has_ended = process == NULL;
    if (process != NULL && app->detail_snapshot != app->snapshot) {
        nvp_snapshot_free(app->detail_snapshot);
        app->detail_snapshot = nvp_snapshot_retain(app->snapshot);
    }
    return process != NULL ? process : find(app, app->detail_snapshot);
}

static const char *text_of(const nvp_process *process, nvp_process_field field)
{
    return nvp_reading_text(nvp_process_get(process, field), NULL);
}

/* A text and, where there is none, why. */
static void draw_text(tui_scroll *scroll, const char *label, const nvp_process *process, nvp_process_field field)
{
    const nvp_reading *reading = nvp_process_get(process, field);
    const char *text = nvp_reading_text(reading, NULL);
    char absent[64];
    snprintf(absent, sizeof absent, "N/A: %s", nvp_reason_text(reading == NULL ? NVP_REASON_NO_DATA : reading->reason));
    tui_detail_text(scroll, label, text == NULL ? TUI_DIM : TUI_PLAIN, text == NULL ? absent : text);
}

/* Only where it is in one. */
static void draw_place(tui_scroll *scroll, const nvp_process *process)
{
    char job[24];
    uint64_t slurm_job = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_SLURM_JOB), 0);
    if (text_of(process, NVP_PROCESS_CONTAINER_ID) != NULL) {
        draw_text(scroll, "container", process, NVP_PROCESS_CONTAINER_ID);
    }
    if (text_of(process, NVP_PROCESS_POD_UID) != NULL) {
        draw_text(scroll, "pod", process, NVP_PROCESS_POD_UID);
    }
    if (slurm_job != 0) {
        snprintf(job, sizeof job, "%llu", (unsigned long long)slurm_job);
        tui_detail_value(scroll, "Slurm job", TUI_PLAIN, job);
    }
}

static double number(const nvp_process *process, nvp_process_field field)
{
    return nvp_reading_number(nvp_process_get(process, field), NAN);
}

static void draw_start(tui_scroll *scroll, const nvp_process *process)
{
    char text[64] = "N/A", span[24];
    struct tm local;
    time_t seconds = (time_t)(nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_START_TIME_US), 0) / 1000000);
    if (seconds > 0 && localtime_r(&seconds, &local) != NULL) {
        size_t length = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
        tui_format_span(number(process, NVP_PROCESS_RUNNING_TIME_S), span, sizeof span);
        snprintf(text + length, sizeof text - length, ", %s ago", span);
    }
    tui_detail_value(scroll, "started", TUI_PLAIN, text);
}

static void draw_host(tui_scroll *scroll, const nvp_process *process)
{
    char text[64], memory[16], share[16];
    tui_format_number(number(process, NVP_PROCESS_CPU_PERCENT), 1, "% of a core", text, sizeof text);
    tui_detail_value(scroll, "CPU", TUI_PLAIN, text);
    tui_format_bytes(number(process, NVP_PROCESS_HOST_MEMORY_BYTES), memory, sizeof memory);
    tui_format_number(number(process, NVP_PROCESS_HOST_MEMORY_PERCENT), 1, "%", share, sizeof share);
    bool has_share = !isnan(number(process, NVP_PROCESS_HOST_MEMORY_PERCENT));
    snprintf(text, sizeof text, "%s%s%s%s", memory, has_share ? ", " : "", has_share ? share : "",
             has_share ? " of the machine's" : "");
    tui_detail_value(scroll, "memory", TUI_PLAIN, text);
}

static void draw_graphs(tui_scroll *scroll)
{
    const tui_app *app = scroll->app;
    const tui_process_key *key = &app->detail;
    const tui_history *history = app->history;
    char percent[32], memory[32];
    snprintf(percent, sizeof percent, "SM, GPU %u", key->gpu);
    snprintf(memory, sizeof memory, "Memory, GPU %u", key->gpu);
    const tui_detail_graph graphs[] = {
        { percent, tui_history_process(history, key, TUI_PROCESS_SM_PERCENT), 100, tui_detail_percent, TUI_GOOD },
        { memory, tui_history_process(history, key, TUI_PROCESS_GPU_MEMORY_BYTES), NAN, tui_detail_bytes, TUI_LABEL },
        { "CPU", tui_history_process(history, key, TUI_PROCESS_CPU_PERCENT), NAN, tui_detail_percent, TUI_WARN },
        { "Host memory", tui_history_process(history, key, TUI_PROCESS_HOST_MEMORY_BYTES), NAN, tui_detail_bytes, TUI_LABEL },
    };
    tui_detail_graphs(scroll, graphs, sizeof graphs / sizeof *graphs);
}

static void draw_gpu(tui_scroll *scroll, const nvp_process *process)
{
    tui_process_key key = tui_process_key_of(process);
    char cells[5][16], place[24], line[160];
    static const nvp_process_field percents[] = { NVP_PROCESS_SM_PERCENT, NVP_PROCESS_MEMORY_PERCENT, NVP_PROCESS_ENCODER_PERCENT,
                                                  NVP_PROCESS_DECODER_PERCENT };
    for (size_t i = 0; i < 4; i++) {
        tui_format_number(number(process, percents[i]), 0, "%", cells[i], sizeof cells[i]);
    }
    tui_format_bytes(number(process, NVP_PROCESS_GPU_MEMORY_BYTES), cells[4], sizeof cells[4]);
    if (key.mig >= 0) {
        snprintf(place, sizeof place, "%u:%d", key.gpu, key.mig);
    } else {
        snprintf(place, sizeof place, "%u", key.gpu);
    }
    snprintf(line, sizeof line, " %5s %-5s %8s %5s %5s %5s %5s", place,
             nvp_process_type_text(nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0)), cells[4], cells[0], cells[1],
             cells[2], cells[3]);
    tui_scroll_line(scroll, TUI_PLAIN, line);
}

static void draw_gpus(tui_scroll *scroll, const nvp_snapshot *snapshot)
{
    const nvp_process *process;
    tui_detail_heading(scroll, "On GPUs");
    tui_scroll_line(scroll, TUI_DIM, "   GPU TYPE    MEMORY    SM   MEM   ENC   DEC");
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        if (is_of_detail(scroll->app, process)) {
            draw_gpu(scroll, process);
        }
    }
}

static void draw_parents(tui_scroll *scroll)
{
    const tui_app *app = scroll->app;
    tui_detail_heading(scroll, "Parents");
    for (size_t i = 0; i < app->parent_count; i++) {
        char label[24];
        snprintf(label, sizeof label, "%llu", (unsigned long long)app->parents[i].pid);
        tui_detail_text(scroll, label, TUI_PLAIN, app->parents[i].command);
    }
    if (app->parent_count == 0) {
        tui_scroll_line(scroll, TUI_DIM, " not known");
    }
}

static void draw_environment(tui_scroll *scroll)
{
    const tui_app *app = scroll->app;
    tui_detail_heading(scroll, "Environment");
    if (app->environment == NULL) {
        char text[96];
        snprintf(text, sizeof text, " not shown: the process %s", app->environment_absent);
        tui_scroll_line(scroll, TUI_DIM, text);
    } else {
        tui_environment_draw(scroll);
    }
}

void tui_draw_process(tui_app *app, tui_area area)
{
    bool has_ended;
    tui_scroll scroll = tui_scroll_begin(app, area);
    const nvp_process *process = find_or_remember(app, &has_ended);
    const char *name = process == NULL ? NULL : text_of(process, NVP_PROCESS_NAME);
    char title[128];
    snprintf(title, sizeof title, "Process %llu  %.80s", (unsigned long long)app->detail.pid, name != NULL ? name : "");
    tui_scroll_line(&scroll, TUI_STRONG, title);
    if (has_ended) {
        tui_scroll_line(&scroll, TUI_NOTICE, " it is on no GPU any more; this was last known of it");
    }
    if (process != NULL) {
        draw_text(&scroll, "command", process, NVP_PROCESS_COMMAND);
        draw_text(&scroll, "user", process, NVP_PROCESS_USER);
        draw_start(&scroll, process);
        draw_host(&scroll, process);
        draw_place(&scroll, process);
        draw_graphs(&scroll);
        draw_gpus(&scroll, app->detail_snapshot);
    }
    draw_parents(&scroll);
    draw_environment(&scroll);
    tui_scroll_end(&scroll);
}
