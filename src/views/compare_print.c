/* compare_print.c: a comparison as text, Markdown and CSV: the answer first, then every figure. */
#include "compare/compare.h"

#include "report/style.h"
#include "report/table.h"
#include "report/text.h"
#include "report/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct page {
    FILE *out;
    const pit_comparisons *all;
    struct pit__look look;
    int markdown;
};

/* ---- for people ------------------------------------------------------------------------------ */

enum { WHERE, SIDE, A, B, CHANGE, INTERVAL, VERDICT, SPEEDUP, MEAN, P90, P99, COLUMNS };

/* Figures are never cut; the reason of a verdict is cut first. */
#define FIGURE(title_, key_, align_, drop_, optional_)                                             \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__TEXT, .align = align_,                          \
        .min_width = 3 * PIT__UNIT_BYTES, .drop = drop_, .optional = optional_                     \
    }

static const struct pit__column columns[COLUMNS] = {
    [WHERE] = {.title = "where", .key = "where", .kind = PIT__TEXT, .min_width = 16},
    [SIDE] = {.title = "side", .key = "side", .kind = PIT__TEXT, .optional = 1},
    [A] = FIGURE("A", "a", PIT__ALIGN_RIGHT, 0, 0),
    [B] = FIGURE("B", "b", PIT__ALIGN_RIGHT, 0, 0),
    [CHANGE] = FIGURE("change", "change", PIT__ALIGN_RIGHT, 0, 0),
    [INTERVAL] = FIGURE("interval", "interval", PIT__ALIGN_LEFT, 1, 0),
    [VERDICT] = {.title = "verdict", .key = "verdict", .kind = PIT__TEXT, .min_width = 10},
    [SPEEDUP] = FIGURE("speed-up", "speedup", PIT__ALIGN_RIGHT, 2, 1),
    [MEAN] = FIGURE("mean", "mean", PIT__ALIGN_RIGHT, 3, 1),
    [P90] = FIGURE("p90", "p90", PIT__ALIGN_RIGHT, 4, 1),
    [P99] = FIGURE("p99", "p99", PIT__ALIGN_RIGHT, 5, 1),
};

static const char *figure(const pit_comparison *c, double value, int ascii, char *out)
{
    if (c->is_rate)
        return pit__unit_rate(out, value);
    if (c->is_energy)
        return pit__unit_energy(out, value);
    return c->is_memory ? pit__unit_bytes(out, value) : pit__unit_duration(out, value * 1e9, ascii);
}

/* With a star if this figure alone differs, and by at least the relevant effect. */
static struct pit__cell beside_cell(const pit_change *beside, double effect, char *out)
{
    if (isnan(beside->change))
        return pit__cell_empty();
    int differs = (beside->low > 0 || beside->high < 0) && fabs(beside->change) >= effect;
    pit__signed_percent(beside->change, out);
    strcat(out, differs ? " %*" : " %");
    return pit__cell_text(out);
}

static enum pit__style style_of(const pit_comparison *c)
{
    return c->verdict == PIT_SLOWER ? PIT__HOT : c->verdict == PIT_FASTER ? PIT__STRONG : PIT__DIM;
}

static void add_item(const struct page *page, struct pit__table *table, const pit_comparison *c)
{
    enum { ROOM = 3 * PIT__UNIT_BYTES };
    char text[COLUMNS][ROOM], low[PIT__UNIT_BYTES], high[PIT__UNIT_BYTES], verdict[192];
    int ascii = page->look.ascii;
    struct pit__cell cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = pit__cell_empty();
    cells[WHERE] = pit__cell_text(c->what);
    if (c->is_memory && !c->is_whole)
        cells[WHERE].after = " (memory)";
    if (page->all->side_count > 2)
        cells[SIDE] = pit__cell_text(pit__side_letter(c->side, text[SIDE]));
    cells[A] = pit__cell_text(figure(c, c->a, ascii, text[A]));
    cells[B] = pit__cell_text(figure(c, c->b, ascii, text[B]));
    pit__signed_percent(c->change, text[CHANGE]);
    if (!isnan(c->change))
        strcat(text[CHANGE], " %");
    cells[CHANGE] = pit__cell_text(text[CHANGE]);
    if (!isnan(c->low)) {
        snprintf(text[INTERVAL], ROOM, "[%s, %s]", pit__signed_percent(c->low, low),
                 pit__signed_percent(c->high, high));
        cells[INTERVAL] = pit__cell_text(text[INTERVAL]);
    }
    int with_reason = c->verdict == PIT_NO_VERDICT && *c->reason;
    snprintf(verdict, sizeof verdict, "%s%s%s%s", pit__verdict_word(c),
             c->verdict == PIT_SAME && c->is_real ? ", but differs" : "", with_reason ? ": " : "",
             with_reason ? c->reason : "");
    cells[VERDICT] = pit__cell_text(verdict);
    cells[VERDICT].style = style_of(c);
    if (!c->is_memory && c->b > 0) {
        pit__print_double(text[SPEEDUP], ROOM, "%.2fx", c->is_rate ? c->b / c->a : c->a / c->b);
        cells[SPEEDUP] = pit__cell_text(text[SPEEDUP]);
    }
    cells[MEAN] = beside_cell(&c->mean, page->all->effect, text[MEAN]);
    cells[P90] = beside_cell(&c->p90, page->all->effect, text[P90]);
    cells[P99] = beside_cell(&c->p99, page->all->effect, text[P99]);
    pit__table_row(table, cells);
}

/* Print one line, as text or Markdown. */
static void say(const struct page *page, const char *before, const char *line,
                enum pit__style style)
{
    struct pit__text visible = {0}, cut = {0};
    if (page->markdown) {
        fputs(before, page->out);
        pit__print_markdown_text(page->out, line);
        fputs(strcmp(before, "**") == 0 ? "**\n" : "\n", page->out);
        return;
    }
    pit__text_add_visible(&visible, line);
    const char *text = pit__text_string(&visible);
    if (page->look.width > 0) {
        pit__text_add_cut(&cut, text, (size_t)page->look.width, page->look.ascii);
        text = pit__text_string(&cut);
    }
    fprintf(page->out, "%s%s%s\n", pit__style_on(style, page->look.colour), text,
            pit__style_off(style, page->look.colour));
    pit__text_free(&visible);
    pit__text_free(&cut);
}

static void say_text(const struct page *page, const char *before, struct pit__text *text,
                     enum pit__style style)
{
    say(page, before, pit__text_string(text), style);
    pit__text_free(text);
}

/* Notes below the headline. */
static void say_rest(const struct page *page)
{
    size_t faster = 0, slower = 0, less[2] = {0}, more[2] = {0}, none = 0; /* memory, energy */
    for (size_t i = 0; i < page->all->count; i++) {
        const pit_comparison *c = &page->all->items[i];
        faster += c->verdict == PIT_FASTER && !c->is_memory;
        slower += c->verdict == PIT_SLOWER && !c->is_memory;
        less[c->is_energy != 0] += c->verdict == PIT_FASTER && c->is_memory;
        more[c->is_energy != 0] += c->verdict == PIT_SLOWER && c->is_memory;
        none += c->verdict == PIT_NO_VERDICT;
        if (c->is_memory && c->is_whole && (c->verdict == PIT_FASTER || c->verdict == PIT_SLOWER)) {
            char letter[24], change[PIT__UNIT_BYTES];
            struct pit__text text = {0};
            pit__signed_percent(fabs(c->change), change);
            pit__text_printf(&text, "%s takes %s %% %s %s", pit__side_letter(c->side, letter),
                             *change == '+' ? change + 1 : change, pit__verdict_word(c),
                             pit__kind_word(c));
            say_text(page, page->markdown ? "\n" : "", &text, PIT__PLAIN);
        }
    }
    if (page->all->count > 1) {
        struct pit__text text = {0};
        pit__text_printf(&text, "%zu compared: %zu faster, %zu slower", page->all->count, faster,
                         slower);
        for (size_t i = 0; i < 2; i++) {
            const char *kind = i == 0 ? "memory" : "energy";
            if (less[i])
                pit__text_printf(&text, ", %zu with less %s", less[i], kind);
            if (more[i])
                pit__text_printf(&text, ", %zu with more %s", more[i], kind);
        }
        pit__text_printf(&text, ", %zu without a verdict", none);
        say_text(page, page->markdown ? "\n" : "", &text, PIT__DIM);
    }
    if (page->all->indicative) {
        struct pit__text text = {0};
        pit__text_printf(
            &text, "indicative: one run a side; on one binary about %d of 10 are wrong alarms",
            PIT__INDICATIVE_WRONG);
        say_text(page, page->markdown ? "\n" : "", &text, PIT__WARM);
        say(page, page->markdown ? "\n" : "",
            "for a verdict, run both in turn ten times or more: `pitwall race` does that",
            PIT__DIM);
    } else if (page->all->interleaved == 2) {
        say(page, page->markdown ? "\n" : "", "interleaved: found by their start times", PIT__DIM);
    }
    if (page->all->advisory && !page->all->indicative)
        say(page, page->markdown ? "\n" : "",
            "advisory: not interleaved: the difference includes changes of the machine", PIT__WARM);
}

static void say_gates(const struct page *page)
{
    static const char *const words[] = {"passed", "FAILED", "no verdict"};
    if (page->all->gate_count > 0)
        fputs("\n", page->out);
    for (size_t i = 0; i < page->all->gate_count; i++) {
        const pit_gate *gate = &page->all->gates[i];
        struct pit__text text = {0};
        pit__text_printf(&text, "gate %s: %s: %s", gate->spec, words[gate->state], gate->why);
        say_text(page, "- ", &text, gate->state == PIT_GATE_FAILED ? PIT__HOT : PIT__PLAIN);
    }
}

static void say_sides(const struct page *page)
{
    const pit_comparisons *all = page->all;
    fputs("\n", page->out);
    for (size_t i = 0; i < all->side_count; i++) {
        size_t side = all->side_count > 2 ? all->ranking[i] : i;
        char letter[24];
        struct pit__text text = {0};
        if (all->side_count > 2)
            pit__text_printf(&text, "%zu. ", i + 1);
        pit__text_printf(&text, "%s = %s, %zu run%s", pit__side_letter(side, letter),
                         all->names[side], all->runs[side], all->runs[side] == 1 ? "" : "s");
        if (all->side_count > 2 && side > 0) {
            pit__text_puts(&text, ": ");
            pit__side_headline(all, side, &text);
        }
        say_text(page, "- ", &text, PIT__PLAIN);
    }
}

static int print_table(const struct page *page)
{
    fputs("\n", page->out);
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < page->all->count; i++)
        add_item(page, table, &page->all->items[i]);
    int code = page->all->count == 0 ? 0
               : page->markdown      ? pit__table_markdown(table, page->out, &page->look)
                                     : pit__table_print(table, page->out, &page->look);
    pit__table_free(table);
    return code ? PIT_NO_MEMORY : 0;
}

static void say_lone(const struct page *page)
{
    if (page->all->unmatched_count > 0)
        fputs("\n", page->out);
    for (size_t i = 0; i < page->all->unmatched_count; i++) {
        const pit_unmatched *lone = &page->all->unmatched[i];
        char has[24], has_not[24];
        struct pit__text text = {0};
        pit__text_printf(&text, "only in %s, not in %s: %s%s", pit__side_letter(lone->side, has),
                         pit__side_letter(lone->missing, has_not), lone->what,
                         lone->is_memory ? " (memory)" : "");
        say_text(page, "- ", &text, PIT__DIM);
    }
}

static int has_beside(const pit_comparisons *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (!isnan(all->items[i].mean.change))
            return 1;
    return 0;
}

/* Explain the columns A, B and change, which use one estimator, and the other columns. */
static void say_estimators(const struct page *page)
{
    static const char *const words[] = {
        [PIT_BY_FIGURE] = "one figure per run",
        [PIT_BY_P10] = "p10 of the iterations",
        [PIT_BY_MEDIAN] = "median of the iterations",
        [PIT_BY_LOWEST_THIRD] = "mean of the lowest third of the runs",
        [PIT_BY_MEAN] = "mean of all runs",
    };
    struct pit__text text = {0};
    int seen[PIT_BY_MEAN + 1] = {0};
    for (size_t i = 0; i < page->all->count; i++)
        if (!isnan(page->all->items[i].change))
            seen[page->all->items[i].decided_by] = 1;
    for (int by = 0; by <= PIT_BY_MEAN; by++)
        if (seen[by])
            pit__text_printf(&text, "%s%s", text.length ? "; " : "A, B, change: ", words[by]);
    if (text.length == 0)
        return;
    fputs("\n", page->out);
    say_text(page, "", &text, PIT__DIM);
    if (has_beside(page->all))
        say(page, page->markdown ? "\n" : "",
            "mean, p90, p99: their change, no part of the verdict; * differs by itself", PIT__DIM);
}

static int print_page(const struct page *page)
{
    say(page, "**", page->all->headline, PIT__STRONG);
    say_rest(page);
    say_gates(page);
    say_sides(page);
    int code = print_table(page);
    say_lone(page);
    if (!code)
        say_estimators(page);
    return code;
}

/* The answer again, where its first line has left the screen. */
static int print_for_screen(const struct page *page, int height)
{
    char *text = NULL;
    size_t bytes = 0;
    struct page first = *page;
    first.out = open_memstream(&text, &bytes);
    if (!first.out)
        return PIT_NO_MEMORY;
    int code = print_page(&first);
    if (fclose(first.out) != 0 && !code)
        code = PIT_NO_MEMORY;
    fwrite(text, 1, code ? 0 : bytes, page->out);
    if (!code && pit__fills_screen(text, bytes, height)) {
        putc('\n', page->out);
        say(page, "", page->all->headline, PIT__STRONG);
    }
    free(text);
    return code;
}

/* ---- for spreadsheets ------------------------------------------------------------------------ */

static const struct pit__column csv_columns[] = {
    {.title = "what", .key = "what", .kind = PIT__TEXT},
    {.title = "side", .key = "side", .kind = PIT__TEXT},
    {.title = "kind", .key = "kind", .kind = PIT__TEXT},
    {.title = "verdict", .key = "verdict", .kind = PIT__TEXT},
    {.title = "change", .key = "change", .kind = PIT__NUMBER},
    {.title = "low", .key = "low", .kind = PIT__NUMBER},
    {.title = "high", .key = "high", .kind = PIT__NUMBER},
    {.title = "p", .key = "p", .kind = PIT__NUMBER},
    {.title = "a", .key = "a", .kind = PIT__NUMBER},
    {.title = "b", .key = "b", .kind = PIT__NUMBER},
    {.title = "ratio", .key = "ratio", .kind = PIT__NUMBER},
    {.title = "a_runs", .key = "a_runs", .kind = PIT__COUNT},
    {.title = "b_runs", .key = "b_runs", .kind = PIT__COUNT},
    {.title = "more_runs", .key = "more_runs", .kind = PIT__COUNT},
    {.title = "mean_change", .key = "mean_change", .kind = PIT__NUMBER},
    {.title = "p90_change", .key = "p90_change", .kind = PIT__NUMBER},
    {.title = "p99_change", .key = "p99_change", .kind = PIT__NUMBER},
    {.title = "advisory", .key = "advisory", .kind = PIT__COUNT},
    {.title = "reason", .key = "reason", .kind = PIT__TEXT},
};

static int print_csv(FILE *out, const pit_comparisons *all)
{
    enum { COUNT = sizeof csv_columns / sizeof csv_columns[0] };
    struct pit__table *table = pit__table_new(csv_columns, COUNT);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < all->count; i++) {
        const pit_comparison *c = &all->items[i];
        char letter[24];
        const struct pit__cell cells[COUNT] = {
            pit__cell_text(c->what),
            pit__cell_text(pit__side_letter(c->side, letter)),
            pit__cell_text(pit__kind_word(c)),
            pit__cell_text(pit__verdict_word(c)),
            pit__cell_real(c->change),
            pit__cell_real(c->low),
            pit__cell_real(c->high),
            pit__cell_real(c->p),
            pit__cell_real(c->a),
            pit__cell_real(c->b),
            pit__cell_real(c->a > 0 ? c->b / c->a : NAN),
            pit__cell_whole(c->a_runs),
            pit__cell_whole(c->b_runs),
            pit__cell_whole(c->more_runs),
            pit__cell_real(c->mean.change),
            pit__cell_real(c->p90.change),
            pit__cell_real(c->p99.change),
            pit__cell_whole((uint64_t)all->advisory),
            pit__cell_text(c->reason),
        };
        pit__table_row(table, cells);
    }
    int code = pit__table_csv(table, out);
    pit__table_free(table);
    return code ? PIT_NO_MEMORY : 0;
}

PIT_API int pit_comparisons_print(FILE *out, const pit_comparisons *comparisons,
                                  const pit_report_options *options)
{
    static const pit_report_options defaults;
    if (!options)
        options = &defaults;
    if (!out || !comparisons || options->width < 0)
        return PIT_BAD_ARGUMENT;
    struct page page = {
        .out = out,
        .all = comparisons,
        .markdown = options->form == PIT_MARKDOWN,
        .look = {.width = options->width, .colour = options->colour, .ascii = options->ascii}};
    errno = 0;
    int code = options->form == PIT_JSON  ? pit__comparisons_json(out, comparisons)
               : options->form == PIT_CSV ? print_csv(out, comparisons)
               : page.markdown            ? print_page(&page)
                                          : print_for_screen(&page, options->height);
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = PIT_CANNOT_WRITE;
    return code;
}
