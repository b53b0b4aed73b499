/* top_table.c: the tree on the screen, one row per node. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include "model/live_fields.h"
#include "report/sparkline.h"
#include "report/units.h"

#include <math.h>
#include <ncurses.h>
#include <string.h>

#define COURSE_MOST 96
#define NAME_MOST 56 /* on a wide screen: figures far from their names are hard to read */

/* A column to the right of the name: shown on screens of at least `from` columns. */
struct column {
    const char *title;
    const char *key;    /* of the field it shows */
    const char *of_run; /* used if it is not available: the run's mean, or its amount per second */
    int width;
    int from;
    int live;  /* only while the run is live */
    int items; /* only if there are items */
};

static const struct column columns[] = {
    {"spans", "count", NULL, 10, 120, 0, 0},
    {"spans/s", "now_per_s", "count", 9, 0, 0, 0},
    {"items/s", "now_items_per_s", "items", 9, 120, 0, 1},
    {"mean", "now_mean_ns", "mean_ns", 9, 64, 0, 0},
    {"max", "max_ns", NULL, 9, 120, 0, 0},
    {"total", "total_ns", NULL, 10, 100, 0, 0},
    {"self now", "now_self_share", NULL, 9, 130, 1, 0},
    {"now", "now_share", NULL, 8, 0, 1, 0},
    {"run", "share", NULL, 8, 56, 0, 0},
};
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

struct layout {
    int shown[COLUMN_COUNT];
    int name_width, course_width, course_at;
};

static void lay_out(const struct top_run *top, struct layout *layout)
{
    int is_live = pit_watch_run(top->watch)->state == PIT_RUN_LIVE, has_items = 0, used = 1;
    for (size_t i = 0; i < top->live.count && !has_items; i++)
        has_items = top->live.nodes[i].items > 0;
    layout->course_width = COLS >= 160 ? 40 : COLS >= 100 ? 20 : COLS >= 76 ? 10 : 0;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const struct column *column = &columns[i];
        layout->shown[i] =
            COLS >= column->from && (is_live || !column->live) && (has_items || !column->items);
        used += layout->shown[i] ? column->width : 0;
    }
    int figures = used;
    if (layout->course_width)
        used += layout->course_width + 2;
    layout->name_width = COLS - used - 1;
    int spare = layout->name_width - NAME_MOST, most = COURSE_MOST - layout->course_width;
    if (layout->course_width && spare > 0) {
        layout->name_width -= spare;
        layout->course_width += spare < most ? spare : most;
    }
    layout->course_at = layout->name_width + figures + 2;
}

static void draw_titles(const struct layout *layout, const struct top_look *look, int y)
{
    mvhline(y, 0, ' ' | A_UNDERLINE, COLS);
    int right = 1 + layout->name_width;
    top_put(y, 1, layout->name_width, TOP_HEAD, "span", look->ascii);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!layout->shown[i])
            continue;
        right += columns[i].width;
        top_put_right(y, right, columns[i].width, TOP_HEAD, columns[i].title, look->ascii);
    }
    if (layout->course_width)
        top_put(y, layout->course_at, layout->course_width, TOP_HEAD, "duration", look->ascii);
}

/* Colour by self time; otherwise all parents of a hot node would be hot too. */
static enum top_style share_style(double share)
{
    return share >= 0.5 ? TOP_HOT : share >= 0.2 ? TOP_WARM : TOP_PLAIN;
}

static void draw_course(struct top_run *top, uint32_t node, const struct layout *layout,
                        const struct top_look *look, int y)
{
    double means[COURSE_MOST], most = NAN;
    struct pit__text bars = {0};
    size_t count = (size_t)layout->course_width;
    pit__live_course(&top->live, top->watch, node, means, count);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, means[i]);
    if (!isnan(most))
        pit__sparkline(&bars, means, count, count, 0, most, look->ascii);
    top_put(y, layout->course_at, layout->course_width, TOP_COOL, pit__text_string(&bars),
            look->ascii);
    pit__text_free(&bars);
}

static void draw_name(const struct top_run *top, size_t row, const struct layout *layout,
                      const struct top_look *look, int y)
{
    const struct pit__live_row *shown = &top->rows.rows[row];
    const struct pit__live_node *node = &top->live.nodes[shown->node];
    struct pit__text lines = {0}, name = {0};
    pit__live_lines(&top->rows, row, look->ascii, &lines);
    int x = 1 + top_put(y, 1, layout->name_width, TOP_DIM, pit__text_string(&lines), look->ascii);
    pit__text_add_visible(&name, *node->name ? node->name : "\"\"");
    if (shown->hidden)
        pit__text_printf(&name, " +%u", shown->hidden);
    top_put(y, x, layout->name_width - x, node->open ? TOP_STRONG : TOP_PLAIN,
            pit__text_string(&name), look->ascii);
    pit__text_free(&lines);
    pit__text_free(&name);
}

/* An amount of the whole run is shown as a rate per second. */
static void put_figure(const struct column *column, const struct pit__live_figures *figures,
                       const struct pit__live *live, char *text, int ascii)
{
    const struct pit__field *field = pit__live_field(column->key);
    struct pit__cell cell = pit__field_cell(field, figures);
    if (cell.content == PIT__NOT_AVAILABLE && column->of_run) {
        cell = pit__field_cell(pit__live_field(column->of_run), figures);
        if (cell.content == PIT__WHOLE)
            cell = pit__cell_real((double)cell.whole / (live->at_ns / 1e9));
    }
    pit__cell_figure(text, field->kind, &cell, ascii);
    if (column->items && figures->node.items == 0)
        text[0] = '\0';
}

static void draw_row(struct top_run *top, size_t row, const struct layout *layout,
                     const struct top_look *look, int y)
{
    struct pit__live_figures figures;
    char text[PIT__UNIT_BYTES];
    pit__live_figures(&top->live, top->rows.rows[row].node, NULL, 0, &figures);
    int right = 1 + layout->name_width;
    draw_name(top, row, layout, look, y);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!layout->shown[i])
            continue;
        put_figure(&columns[i], &figures, &top->live, text, look->ascii);
        right += columns[i].width;
        enum top_style style = TOP_PLAIN;
        if (strcmp(columns[i].key, "now_share") == 0)
            style = share_style(figures.now_self_share);
        else if (strcmp(columns[i].key, "share") == 0)
            style = share_style(figures.node.self_share);
        top_put_right(y, right, columns[i].width - 1, style, text, look->ascii);
    }
    if (layout->course_width)
        draw_course(top, top->rows.rows[row].node, layout, look, y);
}

void top_draw_table(struct top_run *top, struct top_choice *choice, const struct top_look *look,
                    int first_line, int lines)
{
    struct layout layout;
    lay_out(top, &layout);
    draw_titles(&layout, look, first_line);
    choice->page = lines > 1 ? (size_t)(lines - 1) : 1;
    size_t marked = top_marked_row(top, choice);
    for (size_t i = 0; i < choice->page && choice->first + i < top->rows.count; i++) {
        size_t row = choice->first + i;
        int y = first_line + 1 + (int)i;
        draw_row(top, row, &layout, look, y);
        if (row == marked && choice->node != PIT_NO_NODE)
            mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
    }
    if (top->rows.count == 0)
        top_put(first_line + 1, 1, COLS - 2, TOP_DIM,
                *choice->filter ? "no span of that name"
                : pit_watch_run(top->watch)->state == PIT_RUN_LIVE
                    ? "no spans yet: the program is importing, or has not reached its first span"
                    : "no spans",
                look->ascii);
}
