/*
 * Actions on single processes: a signal, the environment. Whom a signal goes to is settled when the menu opens, by pid and start time;
 * what the table shows meanwhile does not matter.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "os.h"

static const struct {
    const char *name;
    int number;
} signals[] = {
    { "SIGTERM", SIGTERM }, { "SIGINT", SIGINT },   { "SIGHUP", SIGHUP },   { "SIGQUIT", SIGQUIT }, { "SIGKILL", SIGKILL },
    { "SIGSTOP", SIGSTOP }, { "SIGCONT", SIGCONT }, { "SIGUSR1", SIGUSR1 }, { "SIGUSR2", SIGUSR2 }, { "SIGABRT", SIGABRT },
};

static const char *name_of_signal(int number)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == number) {
            return signals[i].name;
        }
    }
    return "a signal";
}

static bool is_foreign(const nvp_process *process)
{
    return nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 1) != 0;
}

/* Adds a process once, however many GPUs it is on. */
static void add_target(tui_targets *targets, const tui_row *row)
{
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->keys[i].pid == row->key.pid && targets->keys[i].start_time_us == row->key.start_time_us) {
            return;
        }
    }
    if (is_foreign(row->process) || row->key.start_time_us == 0) {
        targets->refused++;
        targets->refused_pid = row->key.pid;
        return;
    }
    tui_process_key *keys = reallocarray(targets->keys, targets->count + 1, sizeof *keys);
    if (keys == NULL) {
        return;
    }
    targets->keys = keys;
    if (targets->count == 0) {
        const char *command = tui_column_text(TUI_COLUMN_command, row->process);
        snprintf(targets->name, sizeof targets->name, "%s", command != NULL ? command : "N/A");
        snprintf(targets->user, sizeof targets->user, "%s",
                 nvp_reading_text(nvp_process_get(row->process, NVP_PROCESS_USER), "N/A"));
    }
    keys[targets->count++] = row->key;
}

static void collect_targets(tui_app *app)
{
    tui_targets_free(&app->targets);
    for (size_t i = 0; i < app->processes.count && app->processes.tag_count > 0; i++) {
        if (app->processes.rows[i].is_tagged) {
            add_target(&app->targets, &app->processes.rows[i]);
        }
    }
    const tui_row *row = tui_processes_selected(&app->processes);
    if (app->targets.count == 0 && app->targets.refused == 0 && row != NULL) {
        add_target(&app->targets, row);
    }
}

void tui_targets_free(tui_targets *targets)
{
    free(targets->keys);
    *targets = (tui_targets){ 0 };
}

static unsigned int send(tui_app *app, int yes)
{
    (void)yes;
    const tui_targets *targets = &app->targets;
    size_t sent = 0;
    tui_os_result failure = TUI_OS_DONE;
    uint64_t failed_pid = 0;
    for (size_t i = 0; i < targets->count; i++) {
        tui_os_result result = tui_os_signal(targets->keys[i].pid, targets->keys[i].start_time_us, targets->number);
        sent += result == TUI_OS_DONE;
        failed_pid = result != TUI_OS_DONE ? targets->keys[i].pid : failed_pid;
        failure = result != TUI_OS_DONE ? result : failure;
    }
    const char *name = name_of_signal(targets->number);
    if (failure != TUI_OS_DONE) {
        tui_say(app, TUI_ALERT, "%s sent to %zu of %zu; process %llu %s", name, sent, targets->count,
                (unsigned long long)failed_pid, tui_os_text(failure));
    } else {
        tui_say(app, TUI_NOTICE, "%s sent to %zu %s", name, sent, sent == 1 ? "process" : "processes");
    }
    tui_targets_free(&app->targets);
    tui_processes_untag_all(&app->processes);
    app->source->class->refresh(app->source);
    return TUI_DRAW | TUI_REBUILD;
}

static unsigned int forget(tui_app *app)
{
    tui_targets_free(&app->targets);
    return TUI_DRAW;
}

static unsigned int ask(tui_app *app, int number)
{
    tui_targets *targets = &app->targets;
    tui_overlay question = { .kind = TUI_OVERLAY_QUESTION, .accepted = send, .cancelled = forget };
    targets->number = number;
    unsigned long long pid = targets->keys[0].pid;
    if (targets->count == 1) {
        snprintf(question.title, sizeof question.title, "Send %s to %llu (%s), %.120s? y/N ", name_of_signal(number), pid,
                 targets->user, targets->name);
    } else {
        snprintf(question.title, sizeof question.title, "Send %s to %zu processes, %llu (%s) %.100s the first? y/N ",
                 name_of_signal(number), targets->count, pid, targets->user, targets->name);
    }
    tui_overlay_open(app, &question);
    return TUI_DRAW;
}

unsigned int tui_action_kill(tui_app *app, const tui_event *event)
{
    (void)event;
    if (app->request->is_readonly) {
        tui_say(app, TUI_NOTICE, "signals are switched off (--readonly)");
        return TUI_DRAW;
    }
    if (tui_is_recording(app)) {
        tui_say(app, TUI_NOTICE, "processes of a recording get no signal");
        return TUI_DRAW;
    }
    collect_targets(app);
    const tui_targets *targets = &app->targets;
    if (targets->refused > 0) {
        tui_say(app, TUI_NOTICE, "no signal for process %llu: not of this system, or it has ended",
                (unsigned long long)targets->refused_pid);
    }
    if (targets->count == 0) {
        return TUI_DRAW;
    }
    tui_overlay menu = { .kind = TUI_OVERLAY_MENU, .title = "Send signal", .accepted = ask, .cancelled = forget };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        char label[TUI_MENU_LABEL_MAX];
        snprintf(label, sizeof label, "%2d %s", signals[i].number, signals[i].name);
        tui_menu_add(&menu.items, &menu.item_count, signals[i].number, label);
    }
    if (menu.item_count > 0) {
        tui_overlay_open(app, &menu);
    }
    return TUI_DRAW;
}

unsigned int tui_action_environment(tui_app *app, const tui_event *event)
{
    (void)event;
    const tui_row *row = tui_processes_selected(&app->processes);
    if (row == NULL) {
        return 0;
    }
    if (tui_is_recording(app)) {
        tui_say(app, TUI_NOTICE, "a recording has no environments");
        return TUI_DRAW;
    }
    char *text = NULL;
    size_t length = 0;
    tui_os_result result = is_foreign(row->process) || row->key.start_time_us == 0
                               ? TUI_OS_FAILED
                               : tui_os_environment(row->key.pid, row->key.start_time_us, &text, &length);
    if (result != TUI_OS_DONE) {
        tui_say(app, TUI_NOTICE, "no environment: process %llu %s", (unsigned long long)row->key.pid,
                result == TUI_OS_FAILED ? "is not one of this system" : tui_os_text(result));
        return TUI_DRAW;
    }
    free(app->environment);
    app->environment = text;
    app->environment_length = length;
    app->detail = row->key;
    return TUI_DRAW | tui_go(app, TUI_SCREEN_ENVIRONMENT);
}
