/* scaling_view.c: how a cost grows with a size: the public figures, and their printing. */
#include "pitwall_bench.h"

#include "analysis/scaling.h"
#include "report/chart.h"
#include "report/json_writer.h"
#include "report/style.h"
#include "report/table.h"
#include "report/text.h"
#include "report/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH_SIZES 8
#define DECADES 2

_Static_assert(sizeof(struct pit__scaling) <= sizeof((pit_scaling){.own = {0}}.own), "room");

struct point {
    double size, cost;
};

static int by_size(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? 1 : -1;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* One point per size, with its lowest cost, ascending. Returns their number; 0 if a figure is
 * not above 0. */
static size_t least_of_each(const double *sizes, const double *costs, size_t count, double *to)
{
    struct point *points = malloc((count + 1) * sizeof *points);
    size_t kept = 0;
    for (size_t i = 0; points && i < count; i++) {
        if (!(sizes[i] > 0 && costs[i] > 0 && isfinite(sizes[i]) && isfinite(costs[i]))) {
            free(points);
            return 0;
        }
        points[i] = (struct point){sizes[i], costs[i]};
    }
    if (!points)
        return 0;
    qsort(points, count, sizeof *points, by_size);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || points[i].size != points[i - 1].size) {
            to[kept] = points[i].size;
            to[count + kept++] = points[i].cost;
        }
    free(points);
    return kept;
}

static void name_class(const struct pit__scaling *s, enum pit__class c, char *out, size_t room)
{
    if (c == PIT__O_POWER)
        snprintf(out, room, "n^%.2f", s->fits[c].power);
    else if (c == PIT__O_2_N)
        snprintf(out, room, "%.2f^n", s->fits[c].power);
    else
        snprintf(out, room, "%s", pit__class_name(c));
    pit__fix_decimal_sign(out);
}

static void describe(const struct pit__scaling *s, double range, pit_scaling *out)
{
    const struct pit__fit *fit = &s->fits[s->found];
    name_class(s, s->found, out->name, sizeof out->name);
    out->constant = fit->a;
    out->factor = pit__scaling_factor(s, s->found);
    out->error = fit->rms;
    out->tail = s->tail;
    out->tail_low = s->tail_low;
    out->tail_high = s->tail_high;
    out->low_confidence = s->low_confidence;
    for (int c = 0; c < PIT__CLASSES; c++)
        if (s->possible[c] && c != (int)s->found) {
            char name[24];
            size_t used = strlen(out->also);
            name_class(s, (enum pit__class)c, name, sizeof name);
            snprintf(out->also + used, sizeof out->also - used, "%s%s", used ? ", " : "", name);
        }
    if (s->count < ENOUGH_SIZES)
        snprintf(out->warning, sizeof out->warning, "only %zu sizes: take at least %d", s->count,
                 ENOUGH_SIZES);
    else if (range < 100)
        snprintf(out->warning, sizeof out->warning,
                 "the sizes span less than %d decades: take a wider range", DECADES);
    memcpy(out->own, s, sizeof *s);
}

PIT_API int pit_find_scaling(const double *sizes, const double *costs, size_t count,
                             pit_scaling *scaling)
{
    if (!scaling || (count && (!sizes || !costs)))
        return PIT_BAD_ARGUMENT;
    memset(scaling, 0, sizeof *scaling);
    double *points = malloc((2 * count + 1) * sizeof *points);
    if (!points)
        return PIT_NO_MEMORY;
    size_t kept = least_of_each(sizes, costs, count, points);
    struct pit__scaling found;
    int code = kept == 0 && count > 0 ? PIT_BAD_ARGUMENT : 0;
    if (code == 0) {
        int result = pit__scaling_fit(points, points + count, kept, &found);
        code = result == -2 ? PIT_NOTHING : result ? PIT_NO_MEMORY : 0;
    }
    if (code == 0)
        describe(&found, points[kept - 1] / points[0], scaling);
    free(points);
    return code;
}

static struct pit__scaling inside(const pit_scaling *scaling)
{
    struct pit__scaling s;
    memcpy(&s, scaling->own, sizeof s);
    return s;
}

PIT_API double pit_scaling_predict(const pit_scaling *scaling, double size, double *low,
                                   double *high)
{
    struct pit__scaling s = inside(scaling);
    double a, b, cost = s.count ? pit__scaling_predict(&s, size, &a, &b) : NAN;
    if (!s.count)
        a = b = NAN;
    if (low)
        *low = a;
    if (high)
        *high = b;
    return cost;
}

/* ---- printing ------------------------------------------------------------------------------ */

static const struct pit__column columns[] = {
    {.title = "size", .key = "size", .kind = PIT__NUMBER},
    {.title = "measured", .key = "cost_ns", .kind = PIT__DURATION},
    {.title = "fit", .key = "fit_ns", .kind = PIT__DURATION},
    {.title = "error", .key = "error", .kind = PIT__PERCENT},
};
static const struct pit__column byte_columns[] = {
    {.title = "size", .key = "size", .kind = PIT__NUMBER},
    {.title = "measured", .key = "cost_bytes", .kind = PIT__BYTES},
    {.title = "fit", .key = "fit_bytes", .kind = PIT__BYTES},
    {.title = "error", .key = "error", .kind = PIT__PERCENT},
};

/* Seconds go into tables as nanoseconds; bytes as they are. */
static double scale_of(const char *unit)
{
    return strcmp(unit, "bytes") == 0 ? 1 : 1e9;
}

static struct pit__table *make_table(const pit_scaling *scaling, const double *sizes,
                                     const double *costs, size_t count, const char *unit)
{
    double to = scale_of(unit);
    struct pit__table *table = pit__table_new(to == 1 ? byte_columns : columns, 4);
    for (size_t i = 0; table && i < count; i++) {
        double fit = pit_scaling_predict(scaling, sizes[i], NULL, NULL);
        struct pit__cell cells[4] = {pit__cell_number(sizes[i]), pit__cell_real(costs[i] * to),
                                     pit__cell_real(fit * to),
                                     pit__cell_real(fabs(fit / costs[i] - 1))};
        pit__table_row(table, cells);
    }
    return table;
}

static void cost_words(char *out, double cost, const char *unit, int ascii)
{
    if (strcmp(unit, "bytes") == 0)
        pit__unit_bytes(out, cost);
    else
        pit__unit_duration(out, cost * 1e9, ascii);
}

static void print_words(FILE *out, const pit_scaling *s, const char *unit, int ascii)
{
    char constant[PIT__UNIT_BYTES], factor[PIT__UNIT_BYTES], error[PIT__UNIT_BYTES];
    cost_words(constant, s->constant, unit, ascii);
    cost_words(factor, s->factor, unit, ascii);
    pit__unit_percent_words(error, s->error);
    fprintf(out, "%s grows as %s", strcmp(unit, "bytes") == 0 ? "memory" : "time", s->name);
    if (strcmp(s->name, "1") == 0)
        fprintf(out, ": it does not grow (%s, error %s)\n", constant, error);
    else if (s->factor >= 1e-12)
        fprintf(out, ": %s + %s * %s (error %s)\n", constant, factor, s->name, error);
    else { /* the factor of a steep curve is far below any unit */
        pit__print_double(factor, sizeof factor, "%.3g", s->factor);
        fprintf(out, ": %s + %s %s * %s (error %s)\n", constant, factor, unit, s->name, error);
    }
    if (*s->also)
        fprintf(out, "nearly as good: %s\n", s->also);
    if (isfinite(s->tail)) {
        char tail[24], low[24], high[24];
        pit__print_double(tail, sizeof tail, "%.2f", s->tail);
        pit__print_double(low, sizeof low, "%.2f", s->tail_low);
        pit__print_double(high, sizeof high, "%.2f", s->tail_high);
        fprintf(out, "slope at the larger sizes: %s [%s, %s]\n", tail, low, high);
    }
    if (s->low_confidence)
        fputs("low confidence: the costs lie over 10 % off every curve\n", out);
    if (*s->warning)
        fprintf(out, "%s\n", s->warning);
}

/* State of printing: the lowest cost of each size. */
struct print {
    FILE *out;
    const pit_scaling *scaling;
    double *sizes, *costs;
    size_t count;
    const double *predict;
    size_t predict_count;
    const char *unit;
    const pit_report_options *options;
};

static void print_json(const struct print *p, struct pit__table *table)
{
    const pit_scaling *s = p->scaling;
    struct pit__json json;
    pit__json_init(&json, p->out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "class", s->name);
    pit__json_string(&json, "unit", p->unit);
    pit__json_double(&json, "constant", s->constant);
    pit__json_double(&json, "factor", s->factor);
    pit__json_double(&json, "relative_error", s->error);
    pit__json_string(&json, "also", s->also);
    pit__json_double(&json, "tail_slope", s->tail);
    pit__json_double(&json, "tail_slope_low", s->tail_low);
    pit__json_double(&json, "tail_slope_high", s->tail_high);
    pit__json_bool(&json, "low_confidence", s->low_confidence);
    pit__json_string(&json, "warning", *s->warning ? s->warning : NULL);
    pit__table_json(table, &json, "points");
    pit__json_array(&json, "predictions");
    for (size_t i = 0; i < p->predict_count; i++) {
        double low, high, cost = pit_scaling_predict(s, p->predict[i], &low, &high);
        pit__json_flat_object(&json, NULL);
        pit__json_double(&json, "size", p->predict[i]);
        pit__json_double(&json, "cost", cost);
        pit__json_double(&json, "low", low);
        pit__json_double(&json, "high", high);
        pit__json_object_end(&json);
    }
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
}

static void print_predictions(const struct print *p)
{
    for (size_t i = 0; i < p->predict_count; i++) {
        char size[PIT__UNIT_BYTES], at[PIT__UNIT_BYTES], from[PIT__UNIT_BYTES], to[PIT__UNIT_BYTES];
        double low, high, cost = pit_scaling_predict(p->scaling, p->predict[i], &low, &high);
        cost_words(at, cost, p->unit, p->options->ascii);
        cost_words(from, low, p->unit, p->options->ascii);
        cost_words(to, high, p->unit, p->options->ascii);
        fprintf(p->out, "at %s: about %s [%s, %s]\n", pit__unit_number(size, p->predict[i]), at,
                from, to);
    }
}

static void print_chart(const struct print *p)
{
    double *fits = malloc((p->count + 1) * sizeof *fits);
    for (size_t i = 0; fits && i < p->count; i++)
        fits[i] = pit_scaling_predict(p->scaling, p->sizes[i], NULL, NULL);
    if (fits)
        pit__chart_print(p->out, p->sizes, p->costs, fits, p->count, p->options->width,
                         p->options->ascii);
    free(fits);
}

static int print_form(const struct print *p, struct pit__table *table)
{
    struct pit__look look = {
        .width = p->options->width, .colour = p->options->colour, .ascii = p->options->ascii};
    int code = 0;
    if (p->options->form == PIT_JSON) {
        print_json(p, table);
    } else if (p->options->form == PIT_CSV) {
        code = pit__table_csv(table, p->out);
    } else {
        print_words(p->out, p->scaling, p->unit, p->options->ascii);
        print_predictions(p);
        fputc('\n', p->out);
        if (p->options->form == PIT_TEXT)
            print_chart(p);
        code = p->options->form == PIT_MARKDOWN ? pit__table_markdown(table, p->out, &look)
                                                : pit__table_print(table, p->out, &look);
    }
    if (code)
        return PIT_NO_MEMORY;
    return fflush(p->out) != 0 || ferror(p->out) ? PIT_CANNOT_WRITE : 0;
}

PIT_API int pit_scaling_print(FILE *out, const pit_scaling *scaling, const double *sizes,
                              const double *costs, size_t count, const double *predict,
                              size_t predict_count, const char *unit,
                              const pit_report_options *options)
{
    static const pit_report_options defaults;
    if (!out || !scaling || !sizes || !costs || (predict_count && !predict))
        return PIT_BAD_ARGUMENT;
    double *points = malloc((2 * count + 1) * sizeof *points);
    if (!points)
        return PIT_NO_MEMORY;
    struct print p = {.out = out,
                      .scaling = scaling,
                      .sizes = points,
                      .costs = points + count,
                      .count = least_of_each(sizes, costs, count, points),
                      .predict = predict,
                      .predict_count = predict_count,
                      .unit = unit ? unit : "seconds",
                      .options = options ? options : &defaults};
    struct pit__table *table = make_table(scaling, p.sizes, p.costs, p.count, p.unit);
    errno = 0;
    int code = table ? print_form(&p, table) : PIT_NO_MEMORY;
    int saved = errno;
    pit__table_free(table);
    free(points);
    errno = saved;
    return code;
}
