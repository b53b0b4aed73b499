/* top_overview.c: all watched runs, one line each: which rank is behind, which has died, and what each
 * spends most time on now. Shown on the screen after a key, and in a snapshot before the runs. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include "reader/reader.h"
#include "report/table.h"
#include "report/text.h"
#include "report/units.h"
#include "views/list_view.h"

#include <math.h>
#include <ncurses.h>
#include <string.h>

enum { NAME, STATE, TIME, CPU, RSS, RATE, MOST, FIELDS };

#define FIELD_BYTES 160

/* The fields of a run's line, as texts. */
struct line {
    char texts[FIELDS][FIELD_BYTES];
};

/* "rank 3  r3.pit" */
static void name_run(const struct top_run *top, const pit_run *run, char *text)
{
    const char *rank = pit_run_fact(run, "rank"), *slash = strrchr(top->path, '/');
    struct pit__text name = {0};
    if (rank && *rank)
        pit__text_printf(&name, "rank %s  ", rank);
    pit__text_add_visible(&name, slash ? slash + 1 : top->path);
    snprintf(text, FIELD_BYTES, "%s", pit__text_string(&name));
    pit__text_free(&name);
}

/* The span with the most self time: in the last interval, or in the run if it has ended. */
static void name_most(const struct pit__live *live, int is_live, char *text)
{
    const struct pit__live_node *most = NULL;
    double highest = 0, all = is_live ? live->now_in_spans_ns : live->in_spans_ns;
    char share[PIT__UNIT_BYTES];
    for (size_t i = 0; i < live->count; i++) {
        double own = is_live ? live->nodes[i].now_self_ns : live->nodes[i].self_ns;
        if (own > highest) { /* false for NaN */
            highest = own;
            most = &live->nodes[i];
        }
    }
    if (!most || !(all > 0)) {
        snprintf(text, FIELD_BYTES, "n/a");
        return;
    }
    struct pit__text name = {0};
    pit__text_add_visible(&name, *most->name ? most->name : "\"\"");
    snprintf(text, FIELD_BYTES, "%s %.100s", pit__unit_percent(share, highest / all),
             pit__text_string(&name));
    pit__text_free(&name);
}

static void compose(const struct top_run *top, int ascii, struct line *line)
{
    const pit_run *run = pit_watch_run(top->watch);
    const struct pit__live *live = &top->live;
    int is_live = run->state == PIT_RUN_LIVE && !*top->problem;
    double rate = isnan(live->rate) ? (double)live->spans / (run->duration_ns / 1e9) : live->rate;
    char unit[PIT__UNIT_BYTES];
    name_run(top, run, line->texts[NAME]);
    snprintf(line->texts[STATE], FIELD_BYTES, "%s", *top->problem ? "lost" : pit__list_state(run));
    snprintf(line->texts[TIME], FIELD_BYTES, "%s",
             pit__unit_duration(unit, run->duration_ns, ascii));
    snprintf(line->texts[CPU], FIELD_BYTES, "%s",
             is_live ? pit__unit_percent(unit, live->cores) : "");
    snprintf(line->texts[RSS], FIELD_BYTES, "%s",
             pit__unit_bytes_words(unit, pit__live_newest(run, "rss_bytes")));
    snprintf(line->texts[RATE], FIELD_BYTES, "%s", pit__unit_rate(unit, rate));
    name_most(live, is_live, line->texts[MOST]);
}

/* ---- on the screen --------------------------------------------------------------------------- */

static const struct field {
    const char *title;
    int width; /* including a blank before it; 0: the rest of the line */
    int from;  /* shown from this screen width on */
    int is_right;
} fields[FIELDS] = {
    [NAME] = {"run", 0, 0, 0},       [STATE] = {"state", 6, 0, 0}, [TIME] = {"time", 10, 0, 1},
    [CPU] = {"CPU", 8, 64, 1},       [RSS] = {"RSS", 9, 50, 1},    [RATE] = {"spans/s", 8, 36, 1},
    [MOST] = {"most now", 0, 80, 0},
};

#define NAME_MOST 60
#define MOST_LEAST 20 /* columns that the last field keeps, even with long names */

static int longest_name(const struct top_runs *runs)
{
    char name[FIELD_BYTES];
    size_t longest = 0;
    for (size_t r = 0; r < runs->count; r++) {
        name_run(runs->list[r], pit_watch_run(runs->list[r]->watch), name);
        size_t wide = pit__text_width(name);
        longest = wide > longest ? wide : longest;
    }
    return longest < NAME_MOST ? (int)longest + 2 : NAME_MOST;
}

/* The position and width of each field; width 0: not shown. */
static void lay_out(const struct top_runs *runs, int *at, int *wide)
{
    int used = 2, x = 1, has_most = COLS >= fields[MOST].from, longest = longest_name(runs);
    for (int i = 0; i < FIELDS; i++)
        used += COLS >= fields[i].from ? fields[i].width : 0;
    int left = COLS - used, most = has_most ? left - MOST_LEAST : left;
    for (int i = 0; i < FIELDS; i++) {
        wide[i] = i == NAME                ? (longest < most ? longest : most)
                  : i == MOST              ? (has_most ? left - wide[NAME] - 1 : 0)
                  : COLS >= fields[i].from ? fields[i].width
                                           : 0;
        at[i] = x + (i == MOST ? 2 : 0);
        x += wide[i];
    }
}

static void put_field(int y, int i, const int *at, const int *wide, const char *text,
                      enum top_style style, int ascii)
{
    if (fields[i].is_right)
        top_put_right(y, at[i] + wide[i], wide[i] - 1, style, text, ascii);
    else
        top_put(y, at[i], wide[i] - (i != MOST), style, text, ascii);
}

static enum top_style style_of(const struct top_run *top, int field)
{
    const pit_run *run = pit_watch_run(top->watch);
    if (field != STATE)
        return TOP_PLAIN;
    return *top->problem || pit__has_died(run) ? TOP_HOT
           : run->state == PIT_RUN_LIVE        ? TOP_GOOD
                                               : TOP_COOL;
}

/* Below the runs: the ranks of the job by their work, as many as fit. */
static void draw_ranks(struct top_runs *runs, const struct top_look *look, int y, int end)
{
    const char *text = top_ranks_text(runs, look, COLS - 2);
    for (enum top_style style = TOP_STRONG; text && *text && y < end; style = TOP_PLAIN, y++) {
        char line[FIELD_BYTES * 2];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1),
                 text);
        top_put(y, 1, COLS - 2, style, line, look->ascii);
        text += length + (text[length] == '\n');
    }
}

void top_draw_overview(struct top_runs *runs, const struct top_choice *choice,
                       const struct top_look *look)
{
    int at[FIELDS] = {0}, wide[FIELDS] = {0}, page = LINES > 3 ? LINES - 3 : 1;
    char title[60];
    snprintf(title, sizeof title, "%zu run%s", runs->count, runs->count == 1 ? "" : "s");
    lay_out(runs, at, wide);
    top_put(0, 1, COLS - 2, TOP_STRONG, title, look->ascii);
    mvhline(1, 0, ' ' | A_UNDERLINE, COLS);
    for (int i = 0; i < FIELDS; i++)
        put_field(1, i, at, wide, fields[i].title, TOP_HEAD, look->ascii);
    size_t first = choice->run >= (size_t)page ? choice->run - (size_t)page + 1 : 0;
    for (size_t r = first; r < runs->count && r - first < (size_t)page; r++) {
        struct line line = {0};
        int y = 2 + (int)(r - first);
        compose(runs->list[r], look->ascii, &line);
        for (int i = 0; i < FIELDS; i++)
            put_field(y, i, at, wide, line.texts[i], style_of(runs->list[r], i), look->ascii);
        if (r == choice->run)
            mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
    }
    draw_ranks(runs, look, 3 + (int)(runs->count - first), LINES - 1);
    int is_told = choice->notice.length > 0;
    top_put(LINES - 1, 1, COLS - 2, is_told ? TOP_WARM : TOP_DIM,
            is_told ? pit__text_string(&choice->notice)
                    : "Enter show it  arrows mark  o back  q quit",
            look->ascii);
}

/* ---- in a snapshot --------------------------------------------------------------------------- */

static const struct pit__column columns[FIELDS] = {
    [NAME] = {.title = "run", .kind = PIT__TEXT, .min_width = 12},
    [STATE] = {.title = "state", .kind = PIT__TEXT},
    [TIME] = {.title = "time", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT},
    [CPU] = {.title = "CPU", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT, .drop = 2},
    [RSS] = {.title = "RSS", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT, .drop = 3},
    [RATE] = {.title = "spans/s", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT},
    [MOST] = {.title = "most now", .kind = PIT__TEXT, .drop = 1},
};

int top_print_overview(const struct top_runs *runs, const struct top_look *look)
{
    struct pit__table *table = pit__table_new(columns, FIELDS);
    struct pit__look how = {output_width(), 0, look->colour, look->ascii};
    for (size_t r = 0; table && r < runs->count; r++) {
        struct line line = {0};
        struct pit__cell cells[FIELDS];
        compose(runs->list[r], look->ascii, &line);
        for (int i = 0; i < FIELDS; i++)
            cells[i] = pit__cell_text(line.texts[i]);
        pit__table_row(table, cells);
    }
    int failed = !table || pit__table_print(table, stdout, &how) != 0;
    pit__table_free(table);
    return failed ? PIT_NO_MEMORY : 0;
}
