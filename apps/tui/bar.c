/*
 * The track shows how long the whole is; a value above 0 always shows something, and one that is not known shows nothing: no track that
 * looks like 0.
 */
#include <math.h>

#include "bar.h"

tui_style tui_bar_style(double percent)
{
    return percent >= 90 ? TUI_BAD : percent >= 60 ? TUI_WARN : TUI_GOOD;
}

void tui_bar_draw(tui_canvas *canvas, int row, int column, int width, double percent, tui_style style)
{
    if (isnan(percent)) {
        tui_canvas_fill(canvas, row, column, width, TUI_PLAIN, L' ');
        return;
    }
    double share = percent < 0 ? 0 : percent > 100 ? 100 : percent;
    int eighths = (int)(share * width * 8 / 100 + 0.5);
    if (share > 0 && eighths == 0) {
        eighths = 1;
    }
    int whole = eighths / 8, part = eighths % 8;
    tui_canvas_fill(canvas, row, column, whole, style, canvas->is_ascii ? L'|' : L'\x2588');
    if (part > 0 && whole < width) {
        tui_canvas_put_character(canvas, row, column + whole, style, canvas->is_ascii ? L'|' : (wchar_t)(L'\x2590' - part));
        whole++;
    }
    tui_canvas_fill(canvas, row, column + whole, width - whole, TUI_TRACK, canvas->is_ascii ? L'.' : L'\x2500');
}
