/* sweep_view.c: the same work under several settings, the fastest first; the first line is the
 * answer. Settings are compared by the time of one call. */
#include "model/sweep_gather.h"
#include "view_forms.h"

#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RULE 60

enum { VALUE, SECONDS, RATIO, RATE, COUNT, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [VALUE] = {.title = "Value",
               .key = "value",
               .kind = PIT__TEXT,
               .fixed = {.width = 20, .title_width = 20}},
    [SECONDS] =
        {.title = "Time (s)",
         .key = "seconds",
         .kind = PIT__NUMBER,
         .fixed = {.width = 12, .decimals = 3, .before = " ", .title_width = 12, .same = 1}},
    [RATIO] = {.title = "Of best",
               .key = "ratio",
               .kind = PIT__NUMBER,
               .fixed = {.width = 9,
                         .decimals = 2,
                         .before = " ",
                         .suffix = "x",
                         .title_width = 9,
                         .same = 1}},
    [RATE] = {.title = "Items/s",
              .key = "items_per_s",
              .kind = PIT__NUMBER,
              .optional = 1,
              .fixed = {.width = 9, .decimals = 1, .before = " ", .title_width = 9, .same = 1}},
    [COUNT] = {.title = "Count",
               .key = "count",
               .kind = PIT__COUNT,
               .fixed = {.width = 5, .before = " ", .title_width = 5, .same = 1}},
};

struct sweep {
    const pit_row **ranked;
    size_t count;
    size_t skip;           /* length of the parameter name in each name */
    struct pit__text name; /* of the parameter */
};

/* Do all names have the same prefix and end in a number? Then the prefix is the parameter. */
static void find_parameter(const struct pit__view_call *call, struct sweep *sweep)
{
    const pit_data *data = call->data;
    const char *number, *first = data->rows[0].name ? data->rows[0].name : "";
    size_t prefix = pit__sweep_prefix(first, &number);
    for (size_t i = 0; i < data->row_count && prefix > 0; i++) {
        const char *name = data->rows[i].name ? data->rows[i].name : "";
        if (pit__sweep_prefix(name, &number) != prefix || memcmp(name, first, prefix) != 0)
            prefix = 0;
    }
    sweep->skip = prefix > 0 ? prefix + 1 : 0;
    if (*call->title)
        pit__text_puts(&sweep->name, call->title);
    else if (prefix > 0)
        pit__text_add(&sweep->name, first, prefix);
    else
        pit__text_puts(&sweep->name, "setting");
    for (size_t i = 0; i < sweep->name.length; i++)
        if (sweep->name.data[i] == '_')
            sweep->name.data[i] = ' ';
}

static const char *value_of(const struct sweep *sweep, const pit_row *row)
{
    return row->name ? row->name + sweep->skip : "";
}

static struct pit__table *make_table(const struct sweep *sweep)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    double best = pit__row_mean(sweep->ranked[0]);
    for (size_t i = 0; table && i < sweep->count; i++) {
        const pit_row *row = sweep->ranked[i];
        double mean = row->seconds > 0 ? pit__row_mean(row) : NAN;
        struct pit__cell cells[COLUMNS];
        cells[VALUE] = pit__cell_name(value_of(sweep, row));
        cells[SECONDS] = pit__cell_real(mean);
        cells[RATIO] = pit__cell_real(mean / best);
        cells[RATE] = pit__cell_empty();
        if (row->items > 0)
            cells[RATE] = pit__cell_real(row->items / row->seconds);
        cells[COUNT] = pit__cell_whole(pit__row_count(row));
        pit__table_row(table, cells);
    }
    return table;
}

/* The lead of the best over the next, as a share of the best; NaN without a next one. */
static double margin_of(const struct sweep *sweep)
{
    if (sweep->count < 2 || !(sweep->ranked[1]->seconds > 0))
        return NAN;
    return pit__row_mean(sweep->ranked[1]) / pit__row_mean(sweep->ranked[0]) - 1;
}

enum apart { UNKNOWN, OVERLAP, APART };

/* Was every call of the best faster than any of the next? Unknown with one call of each. */
static enum apart apart_of(const struct sweep *sweep)
{
    const pit_row *best = sweep->ranked[0], *next = sweep->ranked[1];
    if (pit__row_count(best) < 2 || pit__row_count(next) < 2)
        return UNKNOWN;
    return best->max_seconds < next->min_seconds ? APART : OVERLAP;
}

/* 21.6 % ahead of 64; … */
static void print_margin(const struct pit__view_call *call, const struct sweep *sweep)
{
    static const char *const words[] = {[UNKNOWN] = "; too few times: race to be sure",
                                        [OVERLAP] = "; their times overlap: race to be sure",
                                        [APART] = "; all its times were longer"};
    double margin = margin_of(sweep);
    char share[PIT__UNIT_BYTES], before[PIT__UNIT_BYTES + 16];
    if (!isfinite(margin))
        return;
    snprintf(before, sizeof before, "%s ahead of ", pit__unit_percent_words(share, margin));
    pit__prose_named(call->prose, before, value_of(sweep, sweep->ranked[1]), words[apart_of(sweep)],
                     RULE);
}

static void add_extras(struct pit__json *json, const void *arg)
{
    static const char *const words[] = {[UNKNOWN] = NULL, [OVERLAP] = "overlap", [APART] = "apart"};
    const struct sweep *sweep = arg;
    pit__json_string(json, "parameter", pit__text_string(&sweep->name));
    pit__json_flat_object(json, "optimal");
    pit__json_string(json, "value", value_of(sweep, sweep->ranked[0]));
    pit__json_double(json, "seconds", pit__row_mean(sweep->ranked[0]));
    pit__json_double(json, "margin", margin_of(sweep));
    pit__json_string(json, "times", sweep->count > 1 ? words[apart_of(sweep)] : NULL);
    pit__json_object_end(json);
}

/* Optimal batch size: 32 (1.234s) */
static void add_answer(const struct sweep *sweep, struct pit__text *text)
{
    char seconds[PIT__UNIT_BYTES];
    pit__print_double(seconds, sizeof seconds, "%.3f", pit__row_mean(sweep->ranked[0]));
    pit__text_printf(text, "Optimal %s: %s (%ss)", pit__text_string(&sweep->name),
                     value_of(sweep, sweep->ranked[0]), seconds);
}

static int print_text(const struct pit__view_call *call, const struct sweep *sweep,
                      const char *answer)
{
    struct pit__table *table = make_table(sweep);
    if (!table)
        return PIT_NO_MEMORY;
    pit__prose_named(call->prose, "", answer, "", 0);
    print_margin(call, sweep);
    pit__print_rule(call->out, '-', RULE);
    pit__table_head_fixed(table, call->out, RULE, 0, &call->look);
    pit__table_print_fixed(table, call->out, RULE, 0, &call->look);
    pit__print_rule(call->out, '-', RULE);
    return pit__table_done(table);
}

static int print_sweep(const struct pit__view_call *call, struct sweep *sweep)
{
    struct pit__text answer = {0};
    if (!(sweep->ranked[0]->seconds > 0))
        return pit__print_nothing(call, "no setting has a time");
    find_parameter(call, sweep);
    add_answer(sweep, &answer);
    int code = sweep->name.failed || answer.failed ? PIT_NO_MEMORY : 0;
    if (!code && call->options->form == PIT_TEXT) {
        code = print_text(call, sweep, pit__text_string(&answer));
    } else if (!code) {
        struct pit__table *table = make_table(sweep);
        code = table ? pit__view_form(call, table, pit__text_string(&answer), add_extras, sweep)
                     : PIT_NO_MEMORY;
    }
    pit__text_free(&answer);
    return code;
}

static int print(const struct pit__view_call *call)
{
    if (call->data->row_count == 0)
        return pit__print_nothing(call, "no times were recorded");
    struct sweep sweep = {.ranked = pit__rows_ranked(call->data, 1),
                          .count = call->data->row_count};
    int code = sweep.ranked ? print_sweep(call, &sweep) : PIT_NO_MEMORY;
    pit__text_free(&sweep.name);
    free(sweep.ranked);
    return code;
}

const struct pit__view pit__sweep_view = {
    .told = {.name = "sweep",
             .help = "which of several settings is best?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option)},
    .gather = pit__gather_sweep,
    .print = print,
};
