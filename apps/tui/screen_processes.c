/*
 * The table of processes alone.
 */
#include "app.h"
#include "list.h"

void tui_draw_processes(tui_app *app, tui_area area)
{
    tui_list_draw(app, area);
}
