/*
 * Reads styles.def three times: for the dark theme, the light one, and for terminals without colours.
 */
#include <string.h>

#include <curses.h>

#include <tui/tui.h>

#include "theme.h"

const char *const tui_theme_names[] = { "dark", "light", "mono", NULL };

#define LOOK(foreground, background) foreground, background

/* Two rows for each theme: with 8 colours and with 256. */
static const short colors_of[2][2][TUI_STYLE_COUNT][2] = {
    [TUI_THEME_DARK] = { {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) { dark_8 },
#include "styles.def"
#undef STYLE
                         },
                         {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) { dark_256 },
#include "styles.def"
#undef STYLE
                         } },
    [TUI_THEME_LIGHT] = { {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) { light_8 },
#include "styles.def"
#undef STYLE
                          },
                          {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) { light_256 },
#include "styles.def"
#undef STYLE
                          } },
};

static const attr_t mono[TUI_STYLE_COUNT] = {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) mono,
#include "styles.def"
#undef STYLE
};

tui_look tui_theme_look(tui_theme theme, tui_style style, int colors)
{
    if (colors < 8 || theme == TUI_THEME_MONO) {
        return (tui_look){ -1, -1, mono[style] };
    }
    const short *pair = colors_of[theme][colors >= 256][style];
    /* Colours say what reversing says without them; what is bold or underlined stays so. */
    return (tui_look){ pair[0], pair[1], mono[style] & ~A_REVERSE };
}

int tui_theme_find(const char *name)
{
    for (int i = 0; tui_theme_names[i] != NULL; i++) {
        if (strcmp(tui_theme_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
