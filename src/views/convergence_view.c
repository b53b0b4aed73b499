/* convergence_view.c: when each of several curves reached a threshold, side by side. */
#include "view_forms.h"

#include "report/units.h"

#include <math.h>

#define DEFAULT_THRESHOLD 0.01

enum { NAME, EPOCHS, TIME, STAYED, BEST, BEST_EPOCH, LAST, COUNT, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "curve", .key = "name", .kind = PIT__TEXT, .min_width = 12},
    [EPOCHS] = {.title = "epochs", .key = "epochs_to_converge", .kind = PIT__COUNT},
    [TIME] = {.title = "time (s)", .key = "time_to_converge", .kind = PIT__NUMBER},
    [STAYED] = {.title = "stayed", .key = "stayed", .kind = PIT__TEXT},
    [BEST] = {.title = "best", .key = "best", .kind = PIT__NUMBER},
    [BEST_EPOCH] = {.title = "at epoch", .key = "best_epoch", .kind = PIT__COUNT, .drop = 1},
    [LAST] = {.title = "last", .key = "last", .kind = PIT__NUMBER, .drop = 2},
    [COUNT] = {.title = "epochs in all", .key = "epochs", .kind = PIT__COUNT, .drop = 3},
};

static struct pit__cell whole_or_none(int is, uint64_t whole)
{
    return is ? pit__cell_whole(whole) : pit__cell_real(NAN);
}

static void add_curve(struct pit__table *table, const pit_curve *curve, double threshold,
                      const pit_report_options *options)
{
    pit_convergence found;
    struct pit__cell cells[COLUMNS];
    if (pit_find_convergence(curve, threshold, options->maximise, options->smooth, &found))
        found = (pit_convergence){.seconds = NAN, .best = NAN, .last = NAN};
    cells[NAME] = pit__cell_text(curve->name ? curve->name : "");
    cells[EPOCHS] = whole_or_none(found.reached, found.epochs);
    cells[TIME] = pit__cell_real(found.reached ? found.seconds : NAN);
    cells[STAYED] =
        found.reached ? pit__cell_text(found.stayed ? "yes" : "no") : pit__cell_real(NAN);
    cells[BEST] = pit__cell_real(found.best);
    cells[BEST_EPOCH] = whole_or_none(found.best_epoch > 0, found.best_epoch);
    cells[LAST] = pit__cell_real(found.last);
    cells[COUNT] = pit__cell_whole(curve->count);
    pit__table_row(table, cells);
}

static void add_heading(struct pit__text *heading, const struct pit__view_call *call,
                        double threshold)
{
    char figure[PIT__UNIT_BYTES];
    const char *value = call->options->value ? call->options->value : call->title;
    pit__text_puts(heading, "Convergence");
    if (*value) {
        pit__text_puts(heading, " of ");
        pit__text_add_visible(heading, value);
    }
    pit__text_printf(heading, ": %s or %s", pit__unit_number(figure, threshold),
                     call->options->maximise ? "above" : "below");
    if (call->options->smooth > 1)
        pit__text_printf(heading, ", as the mean of %llu",
                         (unsigned long long)call->options->smooth);
}

static int print(const struct pit__view_call *call)
{
    double threshold = call->options->threshold != 0 ? call->options->threshold : DEFAULT_THRESHOLD;
    if (call->data->curve_count == 0)
        return pit__print_nothing(call, "no value was recorded");
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < call->data->curve_count; i++)
        add_curve(table, &call->data->curves[i], threshold, call->options);
    struct pit__text heading = {0};
    int code;
    add_heading(&heading, call, threshold);
    if (call->options->form == PIT_TEXT) {
        fprintf(call->out, "%s\n\n", pit__text_string(&heading));
        pit__table_print(table, call->out, &call->look);
        code = pit__table_done(table);
    } else {
        code = pit__view_form(call, table, pit__text_string(&heading), NULL, NULL);
    }
    if (heading.failed)
        code = PIT_NO_MEMORY;
    pit__text_free(&heading);
    return code;
}

static const pit_option value_option = {.name = "value",
                                        .kind = PIT_OPTION_TEXT,
                                        .default_text = "the first",
                                        .help = "the value to watch",
                                        PIT__STORED(value)};

static const pit_option threshold_option = {.name = "threshold",
                                            .kind = PIT_OPTION_NUMBER,
                                            .default_text = "0.01",
                                            .help = "the value to reach",
                                            PIT__STORED(threshold)};

static const pit_option maximise_option = {.name = "maximise",
                                           .kind = PIT_OPTION_FLAG,
                                           .default_text = "downwards",
                                           .help = "higher values are better",
                                           .also = "maximize",
                                           PIT__STORED(maximise)};

static const pit_option smooth_option = {.name = "smooth",
                                         .kind = PIT_OPTION_COUNT,
                                         .default_text = "the values themselves",
                                         .help = "use the mean of N values",
                                         PIT__STORED(smooth)};

const struct pit__view pit__convergence_view = {
    .told = {.name = "convergence",
             .help = "when did the loss reach the threshold, and did it stay?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &value_option,
                                     &threshold_option, &maximise_option, &smooth_option)},
    .gather = pit__gather_curves,
    .print = print,
};
