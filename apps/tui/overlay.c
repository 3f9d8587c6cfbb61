/*
 * An overlay is copied into the viewer's state when it opens; its callbacks find all they need there.
 */
#include <stdlib.h>
#include <string.h>

#include <text/text.h>

#include "app.h"
#include "text.h"

void tui_overlay_close(tui_app *app)
{
    free(app->overlay.items);
    app->overlay = (tui_overlay){ 0 };
}

void tui_overlay_open(tui_app *app, const tui_overlay *overlay)
{
    tui_overlay_close(app);
    app->overlay = *overlay;
}

bool tui_menu_add(tui_menu_item **items, size_t *count, int value, const char *label)
{
    tui_menu_item *grown = reallocarray(*items, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    grown[*count].value = value;
    snprintf(grown[*count].label, sizeof grown[*count].label, "%s", label);
    *count += 1;
    return true;
}

static unsigned int accept(tui_app *app, int value)
{
    unsigned int (*accepted)(struct tui_app *, int) = app->overlay.accepted;
    if (app->overlay.kind != TUI_OVERLAY_PROMPT) { /* what was typed is read by the callback */
        tui_overlay_close(app);
        return TUI_DRAW | (accepted != NULL ? accepted(app, value) : 0);
    }
    unsigned int flags = accepted != NULL ? accepted(app, value) : 0;
    if (app->overlay.note[0] == '\0') {
        tui_overlay_close(app);
    }
    return TUI_DRAW | flags;
}

static unsigned int cancel(tui_app *app)
{
    unsigned int (*cancelled)(struct tui_app *) = app->overlay.cancelled;
    tui_overlay_close(app);
    return TUI_DRAW | (cancelled != NULL ? cancelled(app) : 0);
}

static unsigned int type(tui_app *app, int key)
{
    tui_overlay *overlay = &app->overlay;
    if (key == TUI_KEY_BACKSPACE) {
        tui_text_chop(overlay->text);
    } else if (key == TUI_KEY_CTRL('U')) {
        overlay->text[0] = '\0';
    } else if (key < ' ' || key >= TUI_KEY_SPECIAL || !tui_text_append(overlay->text, sizeof overlay->text, (wchar_t)key)) {
        return 0;
    }
    return TUI_DRAW | (overlay->changed != NULL ? overlay->changed(app) : 0);
}

static unsigned int in_prompt(tui_app *app, int key)
{
    switch (key) {
    case TUI_KEY_ENTER:
        return accept(app, 0);
    case TUI_KEY_ESCAPE:
    case TUI_KEY_CTRL('C'):
        return cancel(app);
    default:
        return type(app, key);
    }
}

/* The place that a key moves the selection of a menu to. */
static size_t moved(const tui_overlay *overlay, int key)
{
    size_t last = overlay->item_count - 1, page = overlay->rows > 1 ? (size_t)overlay->rows - 1 : 1, now = overlay->selected;
    switch (key) {
    case TUI_KEY_UP:
    case TUI_KEY_WHEEL_UP:
        return now > 0 ? now - 1 : 0;
    case TUI_KEY_DOWN:
    case TUI_KEY_WHEEL_DOWN:
        return now < last ? now + 1 : last;
    case TUI_KEY_PAGE_UP:
        return now > page ? now - page : 0;
    case TUI_KEY_PAGE_DOWN:
        return now + page < last ? now + page : last;
    case TUI_KEY_HOME:
        return 0;
    case TUI_KEY_END:
        return last;
    default:
        break;
    }
    for (size_t i = 1; key > ' ' && key < 0x80 && i <= overlay->item_count; i++) { /* the next that begins with a letter */
        size_t place = (now + i) % overlay->item_count;
        char label[2] = { overlay->items[place].label[0], '\0' }, typed[2] = { (char)key, '\0' };
        if (tui_text_contains(label, typed)) {
            return place;
        }
    }
    return now;
}

static unsigned int take_item(tui_app *app, size_t place)
{
    const tui_menu_item *item = &app->overlay.items[place];
    snprintf(app->overlay_label, sizeof app->overlay_label, "%s", item->label);
    return accept(app, item->value);
}

static unsigned int in_menu(tui_app *app, const tui_event *event)
{
    tui_overlay *overlay = &app->overlay;
    if (event->key == TUI_KEY_ENTER) {
        return take_item(app, overlay->selected);
    }
    if (event->key == TUI_KEY_ESCAPE || event->key == TUI_KEY_CTRL('C')) {
        return cancel(app);
    }
    if (event->key == TUI_KEY_CLICK) {
        int place = event->row - overlay->row;
        bool is_inside = event->column < overlay->columns && place >= 0 && place < overlay->rows &&
                         (size_t)place + overlay->top < overlay->item_count;
        return is_inside ? take_item(app, overlay->top + (size_t)place) : cancel(app);
    }
    overlay->selected = moved(overlay, event->key);
    return TUI_DRAW;
}

static unsigned int in_question(tui_app *app, int key)
{
    if (key == 'y' || key == 'Y') {
        return accept(app, 1);
    }
    return key == TUI_KEY_UNKNOWN || key == TUI_KEY_CLICK ? 0 : cancel(app);
}

/* It leaves from everywhere; but what can be typed is text where text is typed. */
static bool quits(const tui_app *app, int key)
{
    bool is_text = app->overlay.kind == TUI_OVERLAY_PROMPT && key < TUI_KEY_SPECIAL;
    return !is_text && tui_keys_find(TUI_IN_ALL, key) == tui_action_quit;
}

unsigned int tui_overlay_event(tui_app *app, const tui_event *event)
{
    if (quits(app, event->key)) {
        return TUI_QUIT;
    }
    switch (app->overlay.kind) {
    case TUI_OVERLAY_PROMPT:
        return in_prompt(app, event->key);
    case TUI_OVERLAY_MENU:
        return in_menu(app, event);
    case TUI_OVERLAY_QUESTION:
        return in_question(app, event->key);
    default:
        return 0;
    }
}

/* The last line of the screen. */
static int draw_line(tui_app *app, tui_style style)
{
    int row = app->canvas.rows - 1, columns = app->canvas.columns;
    tui_canvas_fill(&app->canvas, row, 0, columns, style, L' ');
    int used = tui_canvas_put(&app->canvas, row, 0, columns, style, app->overlay.title);
    const char *text = app->overlay.text;
    int width = tui_text_width(text);
    while (width > columns - used - 1 && *text != '\0') { /* the end is where one types */
        width -= text_character_width((uint32_t)tui_text_next(&text));
    }
    return used + tui_canvas_put(&app->canvas, row, used, columns - used, style, text);
}

static void draw_note(tui_app *app)
{
    int row = app->canvas.rows - 2;
    if (app->overlay.note[0] != '\0') {
        tui_canvas_fill(&app->canvas, row, 0, app->canvas.columns, TUI_ALERT, L' ');
        tui_canvas_put(&app->canvas, row, 0, app->canvas.columns, TUI_ALERT, app->overlay.note);
    }
}

static void draw_menu(tui_app *app)
{
    tui_overlay *overlay = &app->overlay;
    tui_canvas *canvas = &app->canvas;
    int room = canvas->rows - 2, width = tui_text_width(overlay->title);
    for (size_t i = 0; i < overlay->item_count; i++) {
        int needed = tui_text_width(overlay->items[i].label);
        width = needed > width ? needed : width;
    }
    width += 2;
    overlay->rows = (size_t)(room > 1 ? room : 1) < overlay->item_count ? (room > 1 ? room : 1) : (int)overlay->item_count;
    overlay->row = canvas->rows > 1 ? 1 : 0;
    overlay->columns = width;
    if (overlay->selected < overlay->top) {
        overlay->top = overlay->selected;
    } else if (overlay->selected >= overlay->top + (size_t)overlay->rows) {
        overlay->top = overlay->selected - (size_t)overlay->rows + 1;
    }
    tui_canvas_fill(canvas, overlay->row - 1, 0, width, TUI_HEADING, L' ');
    tui_canvas_put(canvas, overlay->row - 1, 1, width - 1, TUI_HEADING, overlay->title);
    for (int i = 0; i < overlay->rows; i++) {
        size_t place = overlay->top + (size_t)i;
        tui_style style = place == overlay->selected ? TUI_MENU_SELECTED : TUI_MENU;
        tui_canvas_fill(canvas, overlay->row + i, 0, width, style, L' ');
        tui_canvas_put(canvas, overlay->row + i, 1, width - 1, style, overlay->items[place].label);
    }
}

void tui_overlay_draw(tui_app *app, int *cursor_row, int *cursor_column)
{
    *cursor_row = -1;
    *cursor_column = 0;
    switch (app->overlay.kind) {
    case TUI_OVERLAY_PROMPT:
        *cursor_column = draw_line(app, TUI_PROMPT);
        *cursor_row = app->canvas.rows - 1;
        draw_note(app);
        break;
    case TUI_OVERLAY_QUESTION:
        draw_line(app, TUI_ALERT);
        break;
    case TUI_OVERLAY_MENU:
        draw_menu(app);
        break;
    default:
        break;
    }
}
