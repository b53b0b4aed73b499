/* compare_judge.c: the verdict on one figure of two sides, and the figures next to it. */
#include "compare.h"

#include "analysis/blocks.h"
#include "analysis/order_stats.h"
#include "analysis/verdict.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS 100 /* blocks of a series: as many as the exact test supports */
#define FIRST_LOOK 10   /* suggested runs per side if their spread is unknown */

int pit__compare_options(const pit_compare_options *options, pit_compare_options *filled)
{
    *filled = options ? *options : (pit_compare_options){0};
    if (filled->level == 0)
        filled->level = 0.05;
    if (filled->effect == 0)
        filled->effect = PIT__SMALLEST_EFFECT;
    int good = filled->level > 0 && filled->level < 1 && filled->effect > 0 && filled->effect < 1e6;
    for (size_t i = 0; good && i < filled->gate_count; i++)
        good = filled->gates && pit_gate_check(filled->gates[i]) == 0;
    return good ? 0 : PIT_BAD_ARGUMENT;
}

const char *pit__signed_percent(double share, char *out)
{
    if (!isfinite(share))
        return strcpy(out, "n/a");
    double percent = share * 100;
    /* never -0.0 */
    if (fabs(percent) < 0.05)
        percent = 0;
    pit__print_double(out, PIT__UNIT_BYTES, fabs(percent) < 1e6 ? "%+.1f" : "%+.3g", percent);
    return percent == 0 ? strcpy(out, "0.0") : out;
}

int pit__is_by_pairs(const pit_comparison *comparison)
{
    return comparison->decided_by == PIT_BY_LOWEST_THIRD || comparison->decided_by == PIT_BY_MEAN;
}

static void give_reason(const struct pit__judgement *j, double level, pit_comparison *c)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    const char *unit = c->is_series ? "blocks" : "runs";
    switch (j->doubt) {
    case PIT__TOO_FEW:
        if (c->a_runs < 5 || c->b_runs < 5)
            snprintf(c->reason, sizeof c->reason, "fewer than 5 %s a side", unit);
        else
            snprintf(c->reason, sizeof c->reason, "too few %s for a level of %g", unit, level);
        break;
    case PIT__TOO_WIDE:
        snprintf(c->reason, sizeof c->reason, "%s",
                 j->is_too_noisy ? PIT__TOO_NOISY : "the interval is too wide");
        break;
    case PIT__SHAPE_CHANGED:
        snprintf(c->reason, sizeof c->reason, "the shape changed: %s %s %%, %s %s %%",
                 pit__is_by_pairs(c) ? "lowest third" : "p10",
                 pit__signed_percent(j->by_late ? j->other : j->change, a),
                 pit__is_by_pairs(c) ? "mean" : "median",
                 pit__signed_percent(j->by_late ? j->change : j->other, b));
        break;
    case PIT__NO_FIGURES:
        snprintf(c->reason, sizeof c->reason, "a figure is 0 or missing");
        break;
    default:
        c->reason[0] = 0;
    }
}

static enum pit_decided_by decided_by(const struct pit__judgement *j, int by_pairs)
{
    if (by_pairs)
        return j->by_late ? PIT_BY_MEAN : PIT_BY_LOWEST_THIRD;
    return isnan(j->other) ? PIT_BY_FIGURE : j->by_late ? PIT_BY_MEDIAN : PIT_BY_P10;
}

static void take_judgement(const struct pit__judgement *j, double level, int by_pairs,
                           pit_comparison *c)
{
    static const enum pit_verdict verdicts[] = {PIT_NO_VERDICT, PIT_FASTER, PIT_SLOWER, PIT_SAME};
    c->verdict = verdicts[j->call];
    c->change = j->change;
    c->low = j->low;
    c->high = j->high;
    /* two tests share the level: the smaller p-value is doubled */
    c->p = isnan(j->other_p) ? j->p : fmin(1, 2 * fmin(j->p, j->other_p));
    c->decided_by = decided_by(j, by_pairs);
    c->other = j->other;
    c->other_low = j->other_low;
    c->other_high = j->other_high;
    c->is_real = j->is_real;
    c->more_runs = j->more_runs;
    c->is_too_noisy = j->is_too_noisy && !c->is_series;
    size_t least = c->a_runs < c->b_runs ? c->a_runs : c->b_runs;
    if (j->doubt == PIT__TOO_FEW && least + c->more_runs < FIRST_LOOK)
        c->more_runs = FIRST_LOOK - least;
    /* more data of the same process would not help */
    if (c->is_series || j->doubt == PIT__NO_FIGURES)
        c->more_runs = 0;
    give_reason(j, level, c);
}

/* ---- further figures ------------------------------------------------------------------- */

static double median_of(const double *values, size_t count)
{
    double *sorted = malloc((count + 1) * sizeof *sorted), middle = NAN;
    if (sorted && count > 0) {
        memcpy(sorted, values, count * sizeof *sorted);
        pit__sort(sorted, count);
        middle = pit__sorted_quantile(sorted, count, 0.5);
    }
    free(sorted);
    return middle;
}

static int beside(const double *a, size_t a_count, const double *b, size_t b_count, double level,
                  pit_change *to)
{
    *to = (pit_change){NAN, NAN, NAN};
    if (!a || !b || a_count == 0 || b_count == 0)
        return 0;
    struct pit__sides sides = {.a_early = a, .b_early = b, .a_count = a_count, .b_count = b_count};
    struct pit__judgement j;
    if (pit__judge(&sides, level, PIT__SMALLEST_EFFECT, &j) != 0)
        return PIT_NO_MEMORY;
    *to = (pit_change){j.change, j.low, j.high};
    return 0;
}

/* Both sides are zero, or the difference is within the error of the figures. */
static int is_below_error(const pit_figures *a, const pit_figures *b, pit_comparison *c)
{
    double most = 0;
    for (size_t i = 0; i < a->count; i++)
        most = fmax(most, a->values[i]);
    for (size_t i = 0; i < b->count; i++)
        most = fmax(most, b->values[i]);
    int is_nothing = a->is_memory && most == 0 && a->count > 0 && b->count > 0;
    int is_covered = a->error + b->error > 0 && fabs(c->b - c->a) <= a->error + b->error;
    if ((!is_nothing && !is_covered) || a->count < 5 || b->count < 5)
        return 0;
    c->verdict = PIT_SAME;
    c->is_real = 0;
    if (is_nothing)
        c->change = c->low = c->high = 0;
    snprintf(c->reason, sizeof c->reason, "the difference is within the measuring error");
    c->more_runs = 0;
    c->is_too_noisy = 0;
    return 1;
}

/* ---- series ---------------------------------------------------------------------------------- */

static int judge_series(const pit_figures *a, const pit_figures *b, double level, double effect,
                        pit_comparison *c)
{
    size_t length;
    if (pit__block_length(a->values, a->count, b->values, b->count, MOST_BLOCKS, &length) != 0)
        return PIT_NO_MEMORY;
    size_t n = a->count / length, m = b->count / length;
    double *blocks = malloc((2 * (n + m) + 1) * sizeof *blocks);
    if (!blocks)
        return PIT_NO_MEMORY;
    double *a_late = blocks + n, *b_early = a_late + n, *b_late = b_early + m;
    int is_single = length == 1; /* p10 and median of one call are the same figure */
    struct pit__sides sides = {
        blocks, is_single ? NULL : a_late, b_early, is_single ? NULL : b_late, n, m};
    struct pit__judgement j;
    int code = PIT_NO_MEMORY;
    if (pit__block_figures(a->values, a->count, length, blocks, a_late) == 0 &&
        pit__block_figures(b->values, b->count, length, b_early, b_late) == 0 &&
        pit__judge(&sides, level, effect, &j) == 0) {
        c->a_runs = n;
        c->b_runs = m;
        c->is_series = 1;
        c->a = isnan(j.a) ? median_of(a->values, a->count) : j.a;
        c->b = isnan(j.b) ? median_of(b->values, b->count) : j.b;
        take_judgement(&j, level, 0, c);
        code = 0;
    }
    free(blocks);
    return code;
}

/* The iterations of one run without its warm-up. */
static int without_warmup(const pit_figures *run, pit_figures *series)
{
    pit_call_times calls;
    int code = pit_find_call_times(run->iterations, run->iteration_count, &calls);
    size_t warmup = code == 0 ? calls.warmup : 0;
    *series = (pit_figures){
        .values = run->iterations + warmup, .count = run->iteration_count - warmup, .is_series = 1};
    return code == PIT_NO_MEMORY ? code : 0;
}

/* One run per side: judged by its iterations. This is not a verdict, because two processes of
 * the same binary differ by more than the spread of their iterations. */
static int judge_one_run(const pit_figures *a, const pit_figures *b,
                         const pit_compare_options *options, pit_comparison *c)
{
    pit_figures from, to;
    int code = without_warmup(a, &from);
    if (!code)
        code = without_warmup(b, &to);
    if (!code)
        code = judge_series(&from, &to, options->level, options->effect, c);
    c->is_indicative = 1;
    return code;
}

/* A single process compared with runs counts as one run. */
static int as_run(const pit_figures *series, pit_call_times *calls, pit_figures *run)
{
    int code = pit_find_call_times(series->values, series->count, calls);
    *run = *series;
    run->is_series = 0;
    run->count = code == 0;
    run->values = &calls->p10;
    run->medians = &calls->median;
    return code == PIT_NO_MEMORY ? code : 0;
}

/* The machine was in two states: their difference cannot be separated from a difference of the
 * sides. */
static void refuse(const pit_figures *a, const pit_figures *b, pit_comparison *c)
{
    c->a = median_of(a->medians ? a->medians : a->values, a->count);
    c->b = median_of(b->medians ? b->medians : b->values, b->count);
    c->a_runs = a->count;
    c->b_runs = b->count;
    c->verdict = PIT_NO_VERDICT;
    c->change = c->a > 0 && c->b > 0 ? c->b / c->a - 1 : NAN;
    c->low = c->high = c->p = c->other = c->other_low = c->other_high = NAN;
    c->is_series = 1;
    snprintf(c->reason, sizeof c->reason, "%s", PIT__ONE_AFTER_OTHER);
}

/* Whole runs as units. They are paired only if every round gave both sides a figure: then figure
 * i of both sides is from round i. */
static int judge_runs(const pit_figures *a, const pit_figures *b,
                      const pit_compare_options *options, pit_comparison *c)
{
    int has_late = a->medians && b->medians;
    int by_pairs = options->pairs > 0 && !a->medians && !b->medians && !a->session &&
                   a->count == options->pairs && b->count == options->pairs &&
                   pit__enough_pairs(options->pairs, options->level);
    struct pit__sides sides = {a->values, has_late ? a->medians : NULL,
                               b->values, has_late ? b->medians : NULL,
                               a->count,  b->count};
    struct pit__judgement j;
    int code = by_pairs ? pit__judge_pairs(a->values, b->values, a->count, options->level,
                                           options->effect, &j)
                        : pit__judge(&sides, options->level, options->effect, &j);
    if (code != 0)
        return PIT_NO_MEMORY;
    c->a_runs = a->count;
    c->b_runs = b->count;
    c->is_series = c->is_in_turn = a->session != 0;
    int is_single = a->count == 1 && b->count == 1; /* exact comparison */
    c->a = isnan(j.a) || is_single ? median_of(a->values, a->count) : j.a;
    c->b = isnan(j.b) || is_single ? median_of(b->values, b->count) : j.b;
    take_judgement(&j, options->level, by_pairs, c);
    is_below_error(a, b, c);
    return 0;
}

int pit__compare_figures(const pit_figures *a, const pit_figures *b,
                         const pit_compare_options *options, pit_comparison *c)
{
    double level = options->level;
    c->mean = c->p90 = c->p99 = (pit_change){NAN, NAN, NAN};
    if (a->session != b->session || a->session == PIT_NOT_COMPARABLE) {
        refuse(a, b, c);
        return 0;
    }
    pit_figures one;
    pit_call_times calls;
    if (a->is_series != b->is_series) {
        if (as_run(a->is_series ? a : b, &calls, &one) != 0)
            return PIT_NO_MEMORY;
        if (a->is_series)
            a = &one;
        else
            b = &one;
    }
    c->a_total = a->total;
    c->b_total = b->total;
    if (a->is_series)
        return judge_series(a, b, level, options->effect, c);
    if (a->count == 1 && b->count == 1 && a->iterations && b->iterations)
        return judge_one_run(a, b, options, c);
    int code = judge_runs(a, b, options, c);
    if (!code)
        code = beside(a->mean, a->count, b->mean, b->count, level, &c->mean);
    if (!code)
        code = beside(a->p90, a->count, b->p90, b->count, level, &c->p90);
    if (!code)
        code = beside(a->p99, a->count, b->p99, b->count, level, &c->p99);
    return code;
}

/* ---- plain arrays ---------------------------------------------------------------------------- */

static int compare_plain(const pit_figures *a, const pit_figures *b,
                         const pit_compare_options *options, pit_comparison *comparison)
{
    pit_compare_options filled;
    if (!comparison || (a->count && !a->values) || (b->count && !b->values) ||
        pit__compare_options(options, &filled) != 0)
        return PIT_BAD_ARGUMENT;
    *comparison = (pit_comparison){.what = "", .side = 1};
    return pit__compare_figures(a, b, &filled, comparison);
}

PIT_API int pit_compare_arrays(const double *a_values, const double *a_medians, size_t a_count,
                               const double *b_values, const double *b_medians, size_t b_count,
                               const pit_compare_options *options, pit_comparison *comparison)
{
    pit_figures a = {.values = a_values, .medians = a_medians, .count = a_count};
    pit_figures b = {.values = b_values, .medians = b_medians, .count = b_count};
    return compare_plain(&a, &b, options, comparison);
}

PIT_API int pit_compare_series(const double *a_calls, size_t a_count, const double *b_calls,
                               size_t b_count, const pit_compare_options *options,
                               pit_comparison *comparison)
{
    pit_figures a = {.values = a_calls, .count = a_count, .is_series = 1};
    pit_figures b = {.values = b_calls, .count = b_count, .is_series = 1};
    return compare_plain(&a, &b, options, comparison);
}
