/*
 * The viewer's state, which screens and actions share, and what they may ask of it. One in the process.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/snapshot.h>

#include <tui/tui.h>

#include "alerts.h"
#include "canvas.h"
#include "filter.h"
#include "graph.h"
#include "history.h"
#include "keeper.h"
#include "keys.h"
#include "names.h"
#include "os.h"
#include "overlay.h"
#include "processes.h"
#include "settings.h"
#include "source.h"
#include "terminal.h"

typedef struct tui_app tui_app;

enum { TUI_PARENTS_MAX = 12 };

typedef enum tui_screen_id {
#define SCREEN(id, title, draw, where, scope, is_in_tabs) TUI_SCREEN_##id,
#include "screens.def"
#undef SCREEN
    TUI_SCREEN_COUNT
} tui_screen_id;

/** A screen; see screens.def. */
typedef struct tui_screen {
    const char *title;
    void (*draw)(tui_app *app, tui_area area); /**< draws into an area that may be of any size, 0 included */
    unsigned int where;
    tui_scope scope;
    bool is_in_tabs;
} tui_screen;

extern const tui_screen tui_screens[TUI_SCREEN_COUNT];

#define SCREEN(id, title, draw, where, scope, is_in_tabs) void tui_draw_##draw(tui_app *app, tui_area area);
#include "screens.def"
#undef SCREEN

/** Whom a signal goes to. */
typedef struct tui_targets {
    tui_process_key *keys;
    size_t count, refused;
    uint64_t refused_pid;     /**< one of those that get none */
    char name[160], user[64]; /**< of the first */
    int number;               /**< the signal */
} tui_targets;

void tui_targets_free(tui_targets *targets);

struct tui_app {
    const tui_request *request;
    tui_result *result;
    tui_settings settings;
    tui_keeper *keeper;     /**< of changed settings */
    tui_terminal *terminal; /**< NULL when one screen is printed as text */
    tui_source *source;
    tui_canvas canvas;
    tui_history *history;
    tui_alerts alerts;
    tui_names names;

    nvp_snapshot *snapshot; /**< what is shown; NULL before the first one */
    nvp_status status;      /**< why the newest sample failed; NVP_SUCCESS when it did not */
    int64_t overdue_ms;     /**< for how long the source has owed a sample */
    bool is_paused;
    tui_position position; /**< of a recording, as last drawn */

    tui_screen_id screen, back; /**< `back`: where Esc leads to */
    tui_processes processes;
    int gpu;    /**< the GPU that was chosen; -1: none */
    int digits; /**< the number that digits in a row have made so far; -1: the last key was none */
    char user[64], search[TUI_PROMPT_MAX], filter_text[TUI_PROMPT_MAX];
    tui_filter *filter;
    tui_targets targets;
    tui_process_key detail;         /**< the process of the screens about one */
    nvp_snapshot *detail_snapshot;  /**< the last one that had it; NULL: none */
    char *environment;              /**< of that process, each variable ended by NUL; NULL when it could not be read */
    const char *environment_absent; /**< why not, as tui_os_text() says it */
    size_t environment_length;
    tui_os_parent parents[TUI_PARENTS_MAX]; /**< of that process, the nearest first */
    size_t parent_count;
    unsigned int device; /**< the GPU of the screen of one GPU */
    tui_graph_kind graph;
    int scroll;            /**< of TEXT screens: lines above the top; drawing clamps it */
    int setup_row;         /**< the cursor of the setup */
    int page;              /**< lines of a page of the screen, as last drawn */
    tui_area list_area;    /**< where the rows of processes were drawn, for the mouse; no rows: nowhere */
    tui_area heading_area; /**< the same of their heading */
    tui_area footer_area;  /**< the same of the line of keys */
    tui_area gpus_area;    /**< the same of the GPUs of the overview */
    tui_area setup_area;   /**< the same of the setup */
    int gpus_density;      /**< in which form the GPUs were drawn, a tui_density */
    tui_overlay overlay;
    char overlay_label[TUI_MENU_LABEL_MAX]; /**< of the item of a menu that was taken last */
    char message[256];                      /**< a line for the user until the next key */
    tui_style message_style;
    bool has_ended;
};

/** Says something in the message line until the next key. */
void tui_say(tui_app *app, tui_style style, const char *format, ...) NVP_PRINTF(3, 4);

/** Goes to another screen. Flags of actions. */
unsigned int tui_go(tui_app *app, tui_screen_id screen);

/** Shows a snapshot, which it takes over with all of `taken`: into history and alerts. Flags of actions. */
unsigned int tui_take_snapshot(tui_app *app, tui_taken *taken);

/** A click into the setup: goes to a line, or changes the one on which the cursor stands. Flags of actions. */
unsigned int tui_setup_click(tui_app *app, int row);

/** Whether a recording is shown: its processes are not those of now. */
bool tui_is_recording(const tui_app *app);

/** Makes the rows of processes anew. */
void tui_rebuild(tui_app *app);

/** Takes an event; flags of actions. */
unsigned int tui_dispatch(tui_app *app, const tui_event *event);

/** Draws everything onto the canvas and says where the cursor stands. */
void tui_draw(tui_app *app, int *cursor_row, int *cursor_column);

/** The loop: until the user leaves, the terminal goes, or a signal ends it. */
void tui_loop(tui_app *app);

#endif
