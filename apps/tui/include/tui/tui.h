/*
 * The interactive viewer as the command sees it: what was asked for on the command line, and how it ended.
 * The viewer prints no message itself: it hands them over, so that the command says them in its own way.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <nvpulse/status.h>

typedef enum tui_when { TUI_AUTO, TUI_ALWAYS, TUI_NEVER } tui_when;

enum { TUI_REQUEST_ALERTS_MAX = 16 };

/** What was asked for. All zero is a good request. */
typedef struct tui_request {
    uint64_t interval_ms;                       /**< time between refreshes; 0: as the settings say */
    const char *gpus;                           /**< indexes or UUIDs of the GPUs to show, joined by commas; NULL: all */
    const char *user;                           /**< show only processes of this user, a name or a number; NULL: of all */
    const char *file;                           /**< a recording to show instead of this machine; NULL: none */
    const char *theme;                          /**< name of a theme; NULL: as the settings say */
    const char *alerts[TUI_REQUEST_ALERTS_MAX]; /**< conditions beside those of the settings */
    size_t alert_count;
    bool rings; /**< a bell when an alert begins */
    tui_when color;
    bool is_readonly;           /**< never send a signal */
    bool is_ascii;              /**< draw with ASCII alone */
    bool is_once;               /**< print one screen as text and end */
    unsigned int exit_limit_ms; /**< how long leaving may take, a driver that hangs included */
    void (*tell)(
        const char *message); /**< gets a line for the user who has left, when the terminal is restored; NULL: nobody does */
} tui_request;

/** How it ended. */
typedef enum tui_end {
    TUI_END_LEFT = 0,    /**< the user left */
    TUI_END_NO_TERMINAL, /**< standard input or output is no terminal that can be drawn on */
    TUI_END_NO_DRIVER,   /**< the first sample failed: see status */
    TUI_END_BAD_REQUEST, /**< an option names what is not there */
    TUI_END_FAILED       /**< the system refused something that is needed */
} tui_end;

typedef struct tui_result {
    tui_end end;
    nvp_status status; /**< NO_DRIVER: why */
    char message[256]; /**< one line for the user; "" for none */
} tui_result;

/** The names of the themes, ended by NULL. */
extern const char *const tui_theme_names[];

/**
 * Runs the viewer until the user leaves; with is_once prints one screen to `out`. Opens NVML in a thread of its own.
 *
 * Once the terminal is restored the process has `exit_limit_ms` to end: when a driver that hangs keeps it from that, it is ended
 * with _exit(), so nothing that matters may be left to do for the caller.
 */
void tui_run(const tui_request *request, FILE *out, tui_result *result);

#endif
