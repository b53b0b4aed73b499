/* ranks_view.c: the ranks of a job: efficiency, one line per rank, and which rank makes the
 * others wait. */
#include "report_view.h"
#include "view_forms.h"

#include "model/advice_case.h"
#include "model/fields.h"
#include "model/ranks.h"
#include "report/style.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALL_SHOWN 12 /* up to this many ranks all are shown */
#define SLOWEST 10   /* of more ranks, this many slowest and the fastest are shown */
#define MISSING_NAMED 8
#define LABEL_COLUMNS 12
#define SAID_DELAYED 0.05 /* of the time without a processor, from which on it is said */

/* ---- lines of words ------------------------------------------------------------------------------- */

/* As pit__prose_labelled, for a longer label. */
static void print_labelled(struct pit__prose *prose, const char *label, struct pit__text *words,
                           enum pit__style style)
{
    fprintf(prose->out, "%-*s", LABEL_COLUMNS, label);
    pit__prose_words(prose, words, LABEL_COLUMNS, style);
}

static void print_efficiency(struct pit__prose *prose, const pit_ranks *ranks)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES], c[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    if (isnan(ranks->efficiency) || !ranks->wait_in)
        pit__text_puts(&words, "n/a: no communication of the job is known");
    else
        pit__text_printf(&words, "%s = balance %s %s communication %s",
                         pit__unit_percent_words(a, ranks->efficiency),
                         pit__unit_percent_words(b, ranks->balance), prose->look.ascii ? "x" : "×",
                         pit__unit_percent_words(c, ranks->communication));
    print_labelled(prose, "efficiency", &words, PIT__PLAIN);
}

/* "4 of 4, 1 host, torchrun, 80 steps; 4 ranks share 2 processors" */
static void print_counts(struct pit__prose *prose, const pit_ranks *ranks)
{
    char number[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    pit__text_puts(&words, pit__unit_count(number, ranks->count));
    if (ranks->world_size != PIT_UNKNOWN)
        pit__text_printf(&words, " of %s", pit__unit_count(number, ranks->world_size));
    pit__text_printf(&words, ", %zu host%s", ranks->host_count, ranks->host_count == 1 ? "" : "s");
    if (*ranks->launcher)
        pit__text_printf(&words, ", %s", ranks->launcher);
    if (*ranks->job) {
        pit__text_puts(&words, ", job ");
        pit__text_add_visible(&words, ranks->job);
    } else {
        pit__text_puts(&words, ", no job id");
    }
    if (ranks->steps != PIT_UNKNOWN && strcmp(ranks->step_unit, "run") != 0)
        pit__text_printf(&words, ", %s %s%s", pit__unit_count(number, ranks->steps),
                         ranks->step_unit, ranks->steps == 1 ? "" : "s");
    if ((double)ranks->sharing > ranks->processors)
        pit__text_printf(&words, "; %zu ranks share %.0f processor%s", ranks->sharing,
                         ranks->processors, ranks->processors > 1 ? "s" : "");
    print_labelled(prose, "ranks", &words, PIT__PLAIN);
}

static void print_missing(struct pit__prose *prose, const pit_ranks *ranks)
{
    struct pit__text words = {0};
    if (ranks->missing_count > 0) {
        for (size_t i = 0; i < ranks->missing_count && i < MISSING_NAMED; i++)
            pit__text_printf(&words, "%s%llu", i ? ", " : "",
                             (unsigned long long)ranks->missing[i]);
        if (ranks->missing_count > MISSING_NAMED)
            pit__text_printf(&words, " and %zu more", ranks->missing_count - MISSING_NAMED);
        pit__text_printf(&words, ": no run of %s was found; their work is not in the figures",
                         ranks->missing_count == 1 ? "this rank" : "these ranks");
        print_labelled(prose, "missing", &words, PIT__WARM);
    }
    if (ranks->unread > 0) {
        pit__text_printf(&words, "%zu file%s of the job cannot be read", ranks->unread,
                         ranks->unread == 1 ? "" : "s");
        print_labelled(prose, "unread", &words, PIT__WARM);
    }
    for (size_t r = 0; r < ranks->count; r++) {
        if (!ranks->ranks[r].damaged_at)
            continue;
        pit__text_printf(&words, "rank %llu from byte %llu on: its later figures are missing",
                         (unsigned long long)ranks->ranks[r].rank,
                         (unsigned long long)ranks->ranks[r].damaged_at);
        print_labelled(prose, "damaged", &words, PIT__WARM);
    }
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* "data_loading +9.73 ms, +242 %" */
static void add_over(struct pit__text *text, const pit_rank *rank, int ascii)
{
    char time[PIT__UNIT_BYTES], share[PIT__UNIT_BYTES];
    text->length = 0;
    pit__text_add_visible(text, rank->excess_in);
    pit__text_printf(text, " +%s", pit__unit_duration(time, rank->excess_ns, ascii));
    if (!isnan(rank->excess_share))
        pit__text_printf(text, ", +%s", pit__unit_percent_words(share, rank->excess_share));
}

static int has_states(const pit_ranks *ranks)
{
    for (size_t r = 0; r < ranks->count; r++)
        if (ranks->ranks[r].state != PIT_RUN_CLOSED)
            return 1;
    return 0;
}

/* As text, estimated columns have a ~, and a part is printed with its figures. */
static struct pit__table *make_table(const pit_ranks *ranks, int is_text)
{
    size_t count = pit__rank_fields.count;
    struct pit__column *columns = calloc(count, sizeof *columns);
    for (size_t i = 0; columns && i < count; i++) {
        const struct pit__field *field = pit__field_entry(&pit__rank_fields, i);
        columns[i] = pit__field_column(field);
        if (is_text && ranks->is_estimated && strcmp(field->field.key, "wait_ns") == 0)
            columns[i].title = "wait~";
        if (is_text && ranks->is_estimated && strcmp(field->field.key, "transfer_ns") == 0)
            columns[i].title = "transfer~";
        if (is_text && strcmp(field->field.key, "state") == 0 && !has_states(ranks))
            columns[i].machine = 1;
    }
    struct pit__table *table = columns ? pit__table_new_owning(columns, count) : NULL;
    if (!table)
        free(columns);
    return table;
}

static void add_row(struct pit__table *table, const pit_rank *rank, struct pit__text *over,
                    int ascii)
{
    struct pit__cell cells[PIT__RANK_FIELDS_MOST];
    for (size_t i = 0; i < pit__rank_fields.count; i++) {
        const struct pit__field *field = pit__field_entry(&pit__rank_fields, i);
        cells[i] = pit__field_cell(field, rank);
        if (!over || strcmp(field->field.key, "excess_in") != 0 || !rank->excess_in)
            continue;
        add_over(over, rank, ascii);
        cells[i].string = pit__text_string(over);
    }
    pit__table_row(table, cells);
}

/* "1,013 more, work 5.1 to 5.9 ms" */
static void print_rest(struct pit__prose *prose, const pit_ranks *ranks)
{
    char count[PIT__UNIT_BYTES], low[PIT__UNIT_BYTES], high[PIT__UNIT_BYTES];
    struct pit__text line = {0};
    if (ranks->count <= ALL_SHOWN)
        return;
    pit__text_printf(
        &line, "%s more, work %s to %s", pit__unit_count(count, ranks->count - SLOWEST - 1),
        pit__unit_duration(low, ranks->ranks[ranks->count - 2].work_ns, prose->look.ascii),
        pit__unit_duration(high, ranks->ranks[SLOWEST].work_ns, prose->look.ascii));
    pit__prose_line(prose, &line, PIT__DIM);
}

/* "~ estimated: backward less its least; … Clocks: one host, exact" */
static void print_foot(struct pit__prose *prose, const pit_ranks *ranks)
{
    struct pit__text words = {0};
    if (ranks->is_estimated)
        pit__text_printf(&words, "~ estimated: %s. ", ranks->estimated_by);
    pit__text_printf(&words, "Clocks: %s", ranks->clock_words);
    pit__prose_words(prose, &words, 0, PIT__DIM);
}

static int print_table(FILE *out, struct pit__prose *prose, const pit_ranks *ranks)
{
    struct pit__table *table = make_table(ranks, 1);
    struct pit__text over = {0};
    size_t first = ranks->count <= ALL_SHOWN ? ranks->count : SLOWEST;
    for (size_t r = 0; table && r < first; r++)
        add_row(table, &ranks->ranks[r], &over, prose->look.ascii);
    if (table && first < ranks->count)
        add_row(table, &ranks->ranks[ranks->count - 1], &over, prose->look.ascii);
    int failed = !table || over.failed || pit__table_print(table, out, &prose->look) != 0;
    pit__table_free(table);
    pit__text_free(&over);
    return failed ? PIT_NO_MEMORY : 0;
}

static int print_text(FILE *out, struct pit__prose *prose, const pit_ranks *ranks)
{
    print_efficiency(prose, ranks);
    print_counts(prose, ranks);
    print_missing(prose, ranks);
    putc('\n', out);
    int code = print_table(out, prose, ranks);
    print_rest(prose, ranks);
    print_foot(prose, ranks);
    return code;
}

/* ---- part of the report, and of its JSON ----------------------------------------------------------- */

int pit__print_ranks(const struct pit__report *report)
{
    if (!report->ranks)
        return 0;
    return print_text(report->out, report->prose, report->ranks);
}

static void write_job(struct pit__json *json, const pit_ranks *ranks)
{
    pit__json_string(json, "job", *ranks->job ? ranks->job : NULL);
    pit__json_string(json, "launcher", *ranks->launcher ? ranks->launcher : NULL);
    pit__json_uint(json, "count", ranks->count);
    if (ranks->world_size == PIT_UNKNOWN)
        pit__json_null(json, "world_size");
    else
        pit__json_uint(json, "world_size", ranks->world_size);
    pit__json_flat_array(json, "missing");
    for (size_t i = 0; i < ranks->missing_count; i++)
        pit__json_uint(json, NULL, ranks->missing[i]);
    pit__json_array_end(json);
    pit__json_uint(json, "unread", ranks->unread);
    pit__json_uint(json, "hosts", ranks->host_count);
    pit__json_string(json, "step_path", *ranks->step_path ? ranks->step_path : NULL);
    pit__json_string(json, "step_unit", ranks->step_unit);
    if (ranks->steps == PIT_UNKNOWN)
        pit__json_null(json, "steps");
    else
        pit__json_uint(json, "steps", ranks->steps);
    pit__json_milli(json, "step_ns", ranks->step_ns);
    pit__json_double(json, "efficiency", ranks->wait_in ? ranks->efficiency : NAN);
    pit__json_double(json, "balance", ranks->wait_in ? ranks->balance : NAN);
    pit__json_double(json, "communication", ranks->wait_in ? ranks->communication : NAN);
    pit__json_string(json, "wait_in", ranks->wait_in);
    pit__json_bool(json, "is_estimated", ranks->is_estimated);
    pit__json_string(json, "estimated_by", ranks->estimated_by);
    pit__json_milli(json, "clock_bound_ns", ranks->clock_bound_ns);
    pit__json_string(json, "clock", ranks->clock_words);
    pit__json_uint(json, "sharing", ranks->sharing);
    pit__json_double(json, "processors", ranks->processors);
    if (ranks->traffic)
        pit__json_traffic(json, "messages", ranks->traffic);
    else
        pit__json_null(json, "messages");
}

void pit__json_ranks(struct pit__json *json, const pit_ranks *ranks)
{
    if (!ranks) {
        pit__json_null(json, "ranks");
        return;
    }
    pit__json_object(json, "ranks");
    write_job(json, ranks);
    pit__json_array(json, "rows");
    for (size_t r = 0; r < ranks->count; r++) {
        pit__json_flat_object(json, NULL);
        pit__json_fields(json, &pit__rank_fields, &ranks->ranks[r]);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_object_end(json);
}

/* ---- the view ----------------------------------------------------------------------------------------- */

static void add_job(struct pit__json *json, const void *arg)
{
    write_job(json, arg);
}

static int print_form(const struct pit__view_call *call, const pit_ranks *ranks)
{
    struct pit__table *table = make_table(ranks, 0);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < ranks->count; r++)
        add_row(table, &ranks->ranks[r], NULL, call->look.ascii);
    return pit__view_form(call, table, "Ranks", add_job, ranks);
}

/* A rank that has no processor is late by chance: differences below that noise are not found. */
static void add_no_straggler(struct pit__text *words, const pit_ranks *ranks)
{
    char share[PIT__UNIT_BYTES];
    double delayed = pit__ranks_case(ranks)->delayed;
    pit__text_puts(words, "no straggler");
    if (delayed >= SAID_DELAYED)
        pit__text_printf(words,
                         " was found; the ranks were ready to run and had no processor for %s of "
                         "the time, which hides small differences",
                         pit__unit_percent_words(share, delayed));
}

/* The verdict on the job comes first; without one, "no straggler". */
static int print_verdict(const struct pit__view_call *call, const pit_ranks *ranks)
{
    const struct pit__gathered *runs = call->gathered;
    pit_advice *advice = pit__advise_tree(runs->runs, runs->run_count, runs->tree,
                                          pit__ranks_case(ranks), call->look.ascii);
    struct pit__text words = {0};
    if (!advice)
        return PIT_NO_MEMORY;
    int is_about_ranks = advice->count > 0 && pit__is_rank_rule(advice->findings[0].rule);
    if (is_about_ranks)
        pit__text_puts(&words, pit__advice_lead(advice));
    else
        add_no_straggler(&words, ranks);
    pit__prose_words(call->prose, &words, 0, PIT__STRONG);
    pit_advice_free(advice);
    return 0;
}

static int print(const struct pit__view_call *call)
{
    const struct pit__gathered *runs = call->gathered;
    pit_ranks *made = runs->ranks ? NULL : pit_ranks_of(runs->runs, runs->run_count);
    const pit_ranks *ranks = runs->ranks ? runs->ranks : made;
    if (!ranks)
        return pit__print_nothing(call, "no ranks: this view requires runs of two or more ranks of "
                                        "one job, such as a folder that mpirun or torchrun filled");
    int code = 0;
    if (call->options->form != PIT_TEXT) {
        code = print_form(call, ranks);
    } else {
        code = print_verdict(call, ranks);
        if (!code)
            code = print_text(call->out, call->prose, ranks);
    }
    pit_ranks_free(made);
    return code;
}

const struct pit__view pit__ranks_view = {
    .told = {.name = "ranks",
             .help = "which rank makes the others wait, and in which part?",
             .is_of_tree = 1,
             .options = PIT__OPTIONS(&pit__title_option)},
    .print = print,
    .needs_runs = 1,
};
