/* top_help.c: the list of keys. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include <ncurses.h>

static const struct {
    const char *keys, *what;
} lines[] = {
    {"q", "quit"},
    {"s S", "sort: run now rate mean name"},
    {"/", "filter by name; Esc: all"},
    {"Space", "fold; also left and right"},
    {"- +", "fold, unfold all"},
    {"t T a", "next thread, previous, all"},
    {"Tab n N", "next run or rank, previous"},
    {"o", "all runs, a line each"},
    {"p", "pause, continue"},
    {"arrows", "mark; also j k PgUp PgDn"},
    {"Ctrl-L", "redraw the screen"},
    {"", ""},
    {"now run", "share of the time in spans: of the last interval, of the run"},
    {"mean", "of the last interval; if none ended in it, of the run"},
    {"duration", "the mean along the whole run, the highest bar is the slowest"},
    {"bold", "a span that is open now"},
};

void top_draw_help(const struct top_look *look)
{
    int count = (int)(sizeof lines / sizeof lines[0]);
    top_put(0, 1, COLS - 2, TOP_STRONG, "pitwall top", look->ascii);
    for (int i = 0; i < count && i + 2 < LINES; i++) {
        top_put(i + 1, 1, 10, TOP_WARM, lines[i].keys, look->ascii);
        top_put(i + 1, 11, COLS - 12, TOP_PLAIN, lines[i].what, look->ascii);
    }
    top_put(LINES - 1, 1, COLS - 2, TOP_DIM, "press any key to return", look->ascii);
}
