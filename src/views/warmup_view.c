/* warmup_view.c: the first of several calls compared with the others; for a run also the
 * detected end of warm-up, and the course of the calls. */
#include "view_forms.h"

#include "report/units.h"

#include <math.h>

#define RULE 40
#define LABEL_WIDTH 20

enum { FIRST, STEADY, OVERHEAD, OVERHEAD_PCT, COUNT, ENDS_AT, LEVEL, COURSE, COLUMNS };

#define SECONDS(title_, key_)                                                                      \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER                                          \
    }

static const struct pit__column columns[COLUMNS] = {
    [FIRST] = SECONDS("First epoch", "first_epoch_time"),
    [STEADY] = SECONDS("Steady state", "avg_steady_state_time"),
    [OVERHEAD] = SECONDS("Warmup overhead", "warmup_overhead"),
    [OVERHEAD_PCT] = {.title = "%", .key = "warmup_overhead_pct", .kind = PIT__NUMBER},
    [COUNT] = {.title = "Count", .key = "count", .kind = PIT__COUNT},
    [ENDS_AT] = {.title = "Ends at", .key = "ends_at", .kind = PIT__COUNT},
    [LEVEL] = SECONDS("Steady level", "steady_level"),
    [COURSE] = {.title = "Course", .key = "course", .kind = PIT__TEXT},
};

static int print_form(const struct pit__view_call *call, const pit_warmup *warmup)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    if (!table)
        return PIT_NO_MEMORY;
    struct pit__cell cells[COLUMNS];
    cells[FIRST] = pit__cell_real(warmup->first);
    cells[STEADY] = pit__cell_real(warmup->steady);
    cells[OVERHEAD] = pit__cell_real(warmup->overhead);
    cells[OVERHEAD_PCT] = pit__cell_real(warmup->overhead_pct);
    cells[COUNT] = pit__cell_whole(call->data->series_count);
    cells[ENDS_AT] = pit__cell_whole(warmup->ends_at);
    cells[LEVEL] = pit__cell_real(warmup->steady_level);
    cells[COURSE] = pit__cell_text(pit_course_name(warmup->course));
    pit__table_row(table, cells);
    struct pit__text heading = {0};
    pit__text_printf(&heading, "%s - Warmup Analysis", call->title);
    int code = pit__view_form(call, table, pit__text_string(&heading), NULL, NULL);
    pit__text_free(&heading);
    return code;
}

static void print_seconds(const struct pit__view_call *call, const char *label, double seconds)
{
    char figure[PIT__UNIT_BYTES];
    pit__print_double(figure, sizeof figure, "%8.3f", seconds);
    fprintf(call->out, "  %-*s%ss", LABEL_WIDTH, label, figure);
}

/* Only for a run: the layout for plain data is fixed. */
static void print_found(const struct pit__view_call *call, const pit_warmup *warmup)
{
    char a[PIT__UNIT_BYTES];
    size_t count = call->data->series_count;
    fprintf(call->out, "  course of %s calls: %s", pit__unit_count(a, count),
            pit_course_name(warmup->course));
    if (warmup->ends_at > 0)
        fprintf(call->out, "; warm-up ends after the first %s",
                pit__unit_count(a, warmup->ends_at));
    if (!isnan(warmup->steady_level))
        fprintf(call->out, "; steady level %s",
                pit__unit_duration(a, warmup->steady_level * 1e9, call->look.ascii));
    putc('\n', call->out);
}

static int print(const struct pit__view_call *call)
{
    pit_warmup warmup;
    char percent[PIT__UNIT_BYTES];
    int code = pit_find_warmup(call->data->series, call->data->series_count, &warmup);
    if (code == PIT_NOTHING)
        return pit__print_nothing(call, "warm-up needs two calls or more: there are fewer");
    if (code || call->options->form != PIT_TEXT)
        return code ? code : print_form(call, &warmup);
    pit__prose_named(call->prose, "", call->title, " - Warmup Analysis:", 0);
    pit__print_rule(call->out, '-', RULE);
    print_seconds(call, "First epoch:", warmup.first);
    putc('\n', call->out);
    print_seconds(call, "Steady state:", warmup.steady);
    putc('\n', call->out);
    print_seconds(call, "Warmup overhead:", warmup.overhead);
    pit__print_double(percent, sizeof percent, "%5.1f", warmup.overhead_pct);
    if (isnan(warmup.overhead_pct))
        fputs(" (  n/a)\n", call->out);
    else
        fprintf(call->out, " (%s%%)\n", percent);
    pit__print_rule(call->out, '-', RULE);
    if (call->gathered)
        print_found(call, &warmup);
    return 0;
}

const struct pit__view pit__warmup_view = {
    .told = {.name = "warmup",
             .help = "how much slower is the start, and when is warm-up over?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option)},
    .gather = pit__gather_series,
    .print = print,
};
