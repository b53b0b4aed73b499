/* top_screen.c: the head of the screen: the program, its resources and the verdict. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include "reader/reader.h"
#include "report/sparkline.h"
#include "report/units.h"
#include "views/list_view.h"

#include <math.h>
#include <ncurses.h>
#include <string.h>

#define WIDEST 512
#define CHART_LINES 4 /* on a tall screen */

/* ---- putting text ---------------------------------------------------------------------------- */

static attr_t attributes(enum top_style style)
{
    static const attr_t plain[TOP_STYLES] = {[TOP_DIM] = A_DIM,   [TOP_STRONG] = A_BOLD,
                                             [TOP_HOT] = A_BOLD,  [TOP_HEAD] = A_BOLD | A_UNDERLINE,
                                             [TOP_WARM] = A_BOLD, [TOP_GOOD] = A_BOLD};
    attr_t set = plain[style];
    if (style >= TOP_GOOD && style <= TOP_HOT && COLOR_PAIRS > TOP_STYLES)
        set = (attr_t)COLOR_PAIR((int)style) | (style == TOP_HOT ? A_BOLD : 0);
    return set;
}

int top_put(int y, int x, int width, enum top_style style, const char *text, int ascii)
{
    struct pit__text cut = {0};
    if (width <= 0)
        return 0;
    size_t took = pit__text_add_cut(&cut, text, (size_t)width, ascii);
    attr_on(attributes(style), NULL);
    mvaddstr(y, x, pit__text_string(&cut));
    attr_off(attributes(style), NULL);
    pit__text_free(&cut);
    return (int)took;
}

void top_put_right(int y, int right, int width, enum top_style style, const char *text, int ascii)
{
    int wide = (int)pit__text_width(text);
    top_put(y, right - (wide < width ? wide : width), width, style, text, ascii);
}

/* ---- the first two lines --------------------------------------------------------------------- */

static enum top_style state_style(const pit_run *run)
{
    return run->state == PIT_RUN_LIVE ? TOP_GOOD : pit__has_died(run) ? TOP_HOT : TOP_COOL;
}

static void add_fact(struct pit__text *text, const pit_run *run, const char *key)
{
    const char *value = pit_run_fact(run, key);
    if (value && *value) {
        pit__text_puts(text, text->length ? " " : "");
        pit__text_add_visible(text, value);
    }
}

static void draw_title(const struct top_runs *runs, const struct top_choice *choice,
                       const struct top_look *look)
{
    const pit_run *run = pit_watch_run(runs->list[choice->run]->watch);
    struct pit__text name = {0}, more = {0}, right = {0};
    char time[PIT__UNIT_BYTES];
    add_fact(&name, run, "program");
    add_fact(&more, run, "interpreter");
    add_fact(&more, run, "arguments");
    if (runs->count > 1)
        pit__text_printf(&right, "%zu/%zu  ", choice->run + 1, runs->count);
    if (pit_run_fact(run, "rank") && COLS >= 60)
        pit__text_printf(&right, "rank %s  ", pit_run_fact(run, "rank"));
    if (COLS >= 60)
        pit__text_printf(&right, "pid %u  ", run->pid);
    if (choice->is_paused)
        pit__text_puts(&right, "PAUSED  ");
    int state_at = COLS - 1;
    pit__unit_duration(time, run->duration_ns, look->ascii);
    state_at -= (int)pit__text_width(time);
    top_put(0, state_at, COLS, TOP_STRONG, time, look->ascii);
    state_at -= (int)strlen(pit__list_state(run)) + 1;
    top_put(0, state_at, COLS, state_style(run), pit__list_state(run), look->ascii);
    int before = state_at - (int)pit__text_width(pit__text_string(&right));
    top_put(0, before, COLS, choice->is_paused ? TOP_WARM : TOP_DIM, pit__text_string(&right),
            look->ascii);
    int took = 1 + top_put(0, 1, before - 3, TOP_STRONG, pit__text_string(&name), look->ascii);
    top_put(0, took + 1, before - took - 3, TOP_PLAIN, pit__text_string(&more), look->ascii);
    pit__text_free(&name);
    pit__text_free(&more);
    pit__text_free(&right);
}

/* Draw "word figure" if it fits; returns the next free column. */
static int put_figure(int y, int x, const char *word, const char *figure, enum top_style style,
                      const struct top_look *look)
{
    int wide = (int)(pit__text_width(word) + pit__text_width(figure)) + 1;
    if (x + wide > COLS)
        return x;
    x += top_put(y, x, COLS, TOP_DIM, word, look->ascii) + 1;
    return x + top_put(y, x, COLS, style, figure, look->ascii) + 3;
}

static void add_rss(const pit_run *run, char *text, size_t size, enum top_style *style)
{
    char rss[PIT__UNIT_BYTES], most[PIT__UNIT_BYTES], share[PIT__UNIT_BYTES];
    uint64_t limit = pit__live_limit(run);
    *style = TOP_STRONG;
    double used = pit__live_newest(run, "rss_bytes");
    if (isnan(used)) {
        snprintf(text, size, "n/a");
        return;
    }
    pit__unit_bytes_words(rss, used);
    if (limit == PIT_UNKNOWN || limit == 0) {
        snprintf(text, size, "%s", rss);
        return;
    }
    *style = used > 0.9 * (double)limit ? TOP_HOT : used > 0.75 * (double)limit ? TOP_WARM : *style;
    pit__unit_bytes_words(most, (double)limit);
    pit__unit_percent(share, used / (double)limit);
    if (COLS >= 80)
        snprintf(text, size, "%s of %s (%s)", rss, most, share);
    else
        snprintf(text, size, "%s", rss);
}

static void draw_figures(const struct top_run *top, const struct top_choice *choice,
                         const struct top_look *look, int y)
{
    const pit_run *run = pit_watch_run(top->watch);
    char text[3 * PIT__UNIT_BYTES + 20];
    enum top_style style = TOP_STRONG;
    double rate =
        isnan(top->live.rate) ? (double)top->live.spans / (run->duration_ns / 1e9) : top->live.rate;
    int x = 1;
    if (choice->thread < run->thread_count) { /* first: the spans below belong to this thread */
        struct pit__text name = {0};
        pit__text_printf(&name, "%zu of %zu ", choice->thread + 1, run->thread_count);
        pit__text_add_visible(&name, run->threads[choice->thread].name);
        x = put_figure(y, x, "thread", pit__text_string(&name), TOP_COOL, look);
        pit__text_free(&name);
    }
    if (run->state == PIT_RUN_LIVE) {
        pit__unit_percent_words(text, top->live.cores);
        x = put_figure(y, x, "CPU", text, style, look);
    }
    add_rss(run, text, sizeof text, &style);
    x = put_figure(y, x, "RSS", text, style, look);
    pit__unit_rate(text, rate);
    strcat(text, "/s");
    x = put_figure(y, x, "spans", text, TOP_STRONG, look);
    pit__unit_count(text, top->live.spans);
    if (COLS >= 100)
        x = put_figure(y, x, "in all", text, TOP_STRONG, look);
    if (choice->thread >= run->thread_count) {
        pit__unit_count(text, top->live.busy_threads);
        x = put_figure(y, x, "threads", text, TOP_STRONG, look);
    }
    if (run->state == PIT_RUN_LIVE && top->live.waited > PIT__LIVE_WAITED_MUCH) {
        pit__unit_percent_words(text, top->live.waited);
        put_figure(y, x, "no processor", text, TOP_WARM, look);
    }
}

/* ---- memory along the run -------------------------------------------------------------------- */

/* Width of a chart with this many columns next to it. */
static size_t chart_columns(int beside)
{
    int columns = COLS - beside;
    return (size_t)(columns < 1 ? 1 : columns > WIDEST ? WIDEST : columns);
}

static void draw_spark(const pit_run *run, const struct top_look *look, int y)
{
    double bytes[WIDEST];
    char peak[PIT__UNIT_BYTES], label[PIT__UNIT_BYTES + 8];
    struct pit__text bars = {0};
    size_t columns = chart_columns(22);
    double most = pit__live_rss(run, bytes, columns);
    top_put(y, 1, COLS, TOP_DIM, "RSS", look->ascii);
    if (isnan(most)) {
        top_put(y, 5, COLS - 6, TOP_DIM, "n/a: no reading of the sampler", look->ascii);
        return;
    }
    pit__sparkline(&bars, bytes, columns, columns, 0, most, look->ascii);
    snprintf(label, sizeof label, "peak %s", pit__unit_bytes_words(peak, most));
    top_put(y, 5, COLS - 22, TOP_COOL, pit__text_string(&bars), look->ascii);
    top_put_right(y, COLS - 1, 15, TOP_DIM, label, look->ascii);
    pit__text_free(&bars);
}

/* One line of a chart: for each column the part above `low`, in eighths of a line. */
static void add_bars(struct pit__text *text, const double *bytes, size_t columns, double most,
                     int line, int lines, int ascii)
{
    static const char *const blocks[] = {" ",
                                         "\xe2\x96\x81",
                                         "\xe2\x96\x82",
                                         "\xe2\x96\x83",
                                         "\xe2\x96\x84",
                                         "\xe2\x96\x85",
                                         "\xe2\x96\x86",
                                         "\xe2\x96\x87",
                                         "\xe2\x96\x88"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
    for (size_t i = 0; i < columns; i++) {
        double height = isnan(bytes[i]) ? 0 : bytes[i] / most * lines - (lines - 1 - line);
        int eighths = height <= 0 ? 0 : height >= 1 ? 8 : (int)(height * 8 + 0.5);
        pit__text_puts(text, ascii ? plain[eighths] : blocks[eighths]);
    }
}

static void draw_chart(const pit_run *run, const struct top_look *look, int y)
{
    double bytes[WIDEST];
    char peak[PIT__UNIT_BYTES];
    size_t columns = chart_columns(14);
    double most = pit__live_rss(run, bytes, columns);
    if (isnan(most)) {
        draw_spark(run, look, y);
        return;
    }
    for (int line = 0; line < CHART_LINES; line++) {
        struct pit__text bars = {0};
        add_bars(&bars, bytes, columns, most, line, CHART_LINES, look->ascii);
        top_put(y + line, 12, COLS - 13, TOP_COOL, pit__text_string(&bars), look->ascii);
        pit__text_free(&bars);
    }
    top_put_right(y + 1, 11, 10, TOP_DIM, "RSS", look->ascii);
    top_put_right(y, 11, 10, TOP_DIM, pit__unit_bytes_words(peak, most), look->ascii);
    top_put_right(y + CHART_LINES - 1, 11, 10, TOP_DIM, "0", look->ascii);
}

/* ---- verdict and foot ------------------------------------------------------------------------- */

static void draw_verdict(const struct top_run *top, const struct top_look *look, int y)
{
    const char *text = *top->problem ? top->problem : top->verdict ? top->verdict : "looking …";
    enum top_style style = *top->problem || top->severity == 2 ? TOP_HOT
                           : top->severity == 1                ? TOP_WARM
                           : top->severity == 0                ? TOP_COOL
                                                               : TOP_DIM;
    top_put(y, 1, COLS - 2, style, text, look->ascii);
}

/* Where in the code the selected span spends its time; the line stays empty if that is unknown. */
static void draw_place(const struct top_run *top, struct top_choice *choice,
                       const struct top_look *look, int y)
{
    char words[200], share[PIT__UNIT_BYTES], path[200];
    struct pit__text line = {0};
    pit_tree_place place;
    if (!top->rows.count)
        return;
    uint32_t node = top->rows.rows[top_marked_row(top, choice)].node;
    if (!pit__live_hottest(&top->live, node, &place))
        return;
    pit__live_path(&top->live, node, path, sizeof path);
    pit__text_printf(&line, "%s of ", pit__unit_percent_words(share, place.share));
    pit__text_add_visible(&line, path);
    pit__text_puts(&line, " is at ");
    pit__text_add_visible(&line, pit_place_text(&place, words, sizeof words));
    top_put(y, 1, COLS - 2, TOP_DIM, pit__text_string(&line), look->ascii);
    pit__text_free(&line);
}

static int put_hint(int x, const char *key, const char *word, const struct top_look *look)
{
    int wide = (int)(pit__text_width(key) + pit__text_width(word)) + 1;
    if (x + wide > COLS)
        return x;
    x += top_put(LINES - 1, x, COLS, TOP_STRONG, key, look->ascii) + 1;
    return x + top_put(LINES - 1, x, COLS, TOP_DIM, word, look->ascii) + 2;
}

static void draw_foot(const struct top_runs *runs, const struct top_choice *choice,
                      const struct top_look *look)
{
    struct pit__text words = {0};
    if (choice->notice.length > 0) {
        top_put(LINES - 1, 1, COLS - 2, TOP_WARM, pit__text_string(&choice->notice), look->ascii);
        return;
    }
    if (choice->is_typing || *choice->filter) {
        pit__text_puts(&words, "/");
        pit__text_add_visible(&words, choice->filter);
        pit__text_puts(&words, choice->is_typing ? "_" : "   Esc shows all");
        top_put(LINES - 1, 1, COLS - 2, TOP_WARM, pit__text_string(&words), look->ascii);
        pit__text_free(&words);
        return;
    }
    int x = put_hint(1, "q", "quit", look);
    x = put_hint(x, "?", "help", look);
    if (runs->count > 1) {
        x = put_hint(x, "Tab", "next run", look);
        x = put_hint(x, "o", "all runs", look);
    }
    pit__text_printf(&words, "sort: %s", pit__live_sort_name(choice->sort));
    x = put_hint(x, "s", pit__text_string(&words), look);
    x = put_hint(x, "/", "filter", look);
    x = put_hint(x, "Space", "fold", look);
    x = put_hint(x, "p", "pause", look);
    put_hint(x, "t", "thread", look);
    pit__text_free(&words);
}

void top_draw(struct top_runs *runs, struct top_choice *choice, const struct top_look *look)
{
    int y = 2;
    erase();
    if (choice->is_help || choice->is_overview) {
        if (choice->is_help)
            top_draw_help(look);
        else
            top_draw_overview(runs, choice, look);
        refresh();
        return;
    }
    struct top_run *top = runs->list[choice->run];
    const pit_run *run = pit_watch_run(top->watch);
    draw_title(runs, choice, look);
    draw_figures(top, choice, look, 1);
    if (LINES >= 40) {
        draw_chart(run, look, y);
        y += CHART_LINES;
    } else if (LINES >= 14) {
        draw_spark(run, look, y++);
    }
    if (LINES >= 8)
        draw_verdict(top, look, y++);
    if (LINES >= 20) /* an empty line, if there is room */
        draw_place(top, choice, look, y++);
    top_draw_table(top, choice, look, y, LINES - 1 - y);
    draw_foot(runs, choice, look);
    refresh();
}
