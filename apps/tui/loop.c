/*
 * One loop: take what has arrived (a signal, a sample, keys), act, draw if something has changed, wait. Nothing ticks: between samples
 * the process sleeps.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <nvpulse/nvml.h>

#include "app.h"
#include "signals.h"

/** What one round of the loop works with. */
struct round {
    int signals;
    unsigned int flags;
};

static void take_sample(tui_app *app, struct round *round)
{
    tui_taken taken = { .status = NVP_SUCCESS };
    if (!app->source->class->take(app->source, &taken)) {
        bool has_grown = tui_is_recording(app) && app->source->class->position(app->source).count != app->position.count;
        bool knows_driver = app->snapshot == NULL; /* whether it is simulated is known before the first sample */
        round->flags |= has_grown || knows_driver ? TUI_DRAW : 0u;
        return;
    }
    round->flags |= TUI_DRAW;
    app->status = taken.snapshot != NULL ? NVP_SUCCESS : taken.status;
    bool may_come = taken.status == NVML_ERROR_GPU_NOT_FOUND || taken.status == NVP_ERROR_TIMED_OUT;
    if (taken.snapshot == NULL && app->snapshot == NULL && !may_come) {
        app->result->end = TUI_END_NO_DRIVER; /* it never worked: the command explains what to do */
        app->result->status = taken.status;
        app->has_ended = true;
    }
    if (taken.snapshot != NULL) {
        round->flags |= tui_take_snapshot(app, &taken);
    }
}

/* Stops as the shell expects it, and takes the terminal again afterwards. */
static void stop(tui_app *app, struct round *round)
{
    tui_terminal_pause(app->terminal);
    tui_signals_stop();
    tui_terminal_resume(app->terminal);
    round->flags |= TUI_DRAW;
}

static void take_signal(tui_app *app, struct round *round)
{
    struct signalfd_siginfo info;
    while (read(round->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        switch (info.ssi_signo) {
        case SIGTSTP:
            stop(app, round);
            break;
        case SIGCONT: /* something else may have written meanwhile */
            tui_terminal_invalidate(app->terminal);
            round->flags |= TUI_DRAW;
            break;
        case SIGWINCH:
            round->flags |= TUI_DRAW;
            break;
        default:
            app->has_ended = true;
        }
    }
}

static void take_keys(tui_app *app, struct round *round)
{
    tui_event event;
    while (!app->has_ended && tui_terminal_event(app->terminal, &event)) {
        if ((round->flags & TUI_REBUILD) !=
            0) { /* a key means the rows that the key before it has led to, however fast they come */
            tui_rebuild(app);
            round->flags = (round->flags & ~(unsigned int)TUI_REBUILD) | TUI_DRAW;
        }
        round->flags |= tui_dispatch(app, &event);
        app->has_ended = app->has_ended || (round->flags & TUI_QUIT) != 0;
    }
}

static void apply(tui_app *app, struct round *round)
{
    if ((round->flags & TUI_SAVE) != 0) {
        tui_keeper_keep(app->keeper, &app->settings);
    }
    if ((round->flags & TUI_RATE) != 0) {
        tui_scope scope = tui_screens[app->screen].scope;
        app->source->class->set(app->source, app->settings.interval_ms, app->is_paused, scope);
    }
    if ((round->flags & TUI_REBUILD) != 0) {
        tui_rebuild(app);
    }
    if ((round->flags & TUI_BELL) != 0) {
        tui_terminal_bell(app->terminal);
    }
    if ((round->flags & (TUI_DRAW | TUI_REBUILD)) != 0) {
        int rows, columns, cursor_row, cursor_column;
        tui_terminal_size(app->terminal, &rows, &columns);
        if (tui_canvas_resize(&app->canvas, rows, columns)) {
            tui_draw(app, &cursor_row, &cursor_column);
            tui_terminal_show(app->terminal, &app->canvas, cursor_row, cursor_column);
        }
    }
    round->flags = 0;
}

void tui_loop(tui_app *app)
{
    struct round round = { tui_signals_open(), TUI_DRAW };
    struct pollfd watched[] = {
        { .fd = STDIN_FILENO, .events = POLLIN },
        { .fd = round.signals, .events = POLLIN },
        { .fd = app->source->fd, .events = POLLIN },
    };
    while (!app->has_ended) {
        int wait_ms;
        int64_t overdue = app->source->class->overdue_ms(app->source, &wait_ms);
        round.flags |= overdue != app->overdue_ms ? TUI_DRAW : 0;
        app->overdue_ms = overdue;
        apply(app, &round);
        int ready = poll(watched, sizeof watched / sizeof *watched, wait_ms);
        if (ready < 0 && errno != EINTR) {
            break;
        }
        if (ready > 0 && watched[1].revents != 0) {
            take_signal(app, &round);
        }
        take_sample(app, &round);
        if (ready > 0 && watched[0].revents != 0) {
            take_keys(app, &round);
            app->has_ended = app->has_ended || (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
        }
    }
    if (round.signals >= 0) {
        close(round.signals);
    }
}
