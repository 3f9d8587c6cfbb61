/*
 * GPUs above, processes below. GPUs get up to half of the lines, or more when there are few processes.
 */
#include "app.h"
#include "gpus.h"
#include "list.h"

#define LIST_ROWS_MIN 5

void tui_draw_overview(tui_app *app, tui_area area)
{
    int used = 0, wanted = (int)(app->processes.count < 1000 ? app->processes.count : 1000) + 1;
    int room = area.rows * 3 / 5;
    if (area.rows - wanted > room) {
        room = area.rows - wanted;
    }
    if (room > area.rows - LIST_ROWS_MIN) {
        room = area.rows > 2 * LIST_ROWS_MIN ? area.rows - LIST_ROWS_MIN : area.rows / 2;
    }
    tui_density density = tui_gpus_fit(app, room, area.columns, &used);
    tui_gpus_draw(app, (tui_area){ area.row, area.column, used, area.columns }, density);
    tui_list_draw(app, (tui_area){ area.row + used, area.column, area.rows - used, area.columns });
}
