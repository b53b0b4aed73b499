/* cmd_report.c: pitwall report: where the time and memory of one or several runs went. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall report RUN... [options]\n"
    "\n"
    "Show where the time of a run went: finished, live or killed. Several runs\n"
    "(ranks, repeats) are merged by the path of their spans. A folder means all *.pit\n"
    "in it. What the run's process started, workers above all, is shown beneath it.\n"
    "\n"
    "  --view NAME       one view in place of the report; --view help lists them\n"
    "  --json            one JSON document: everything, or of a view its rows\n"
    "  --csv             a table for spreadsheets, with raw figures\n"
    "  --markdown        a table for documents\n"
    "  --flat            one row a name in place of the call tree\n"
    "  --sort KEY        total, self, count, mean, p50, p95, p99, max or name\n"
    "  --depth N         only the outer N levels of the tree\n"
    "  --min-share PCT   leave out what took less than PCT percent\n"
    "  --alone           without the workers and other processes beneath the run\n"
    "  --title TEXT      what the head of a view says; else the program or the span\n"
    "  --node PATH       the span a view is about: epoch/batch\n"
    "  --baseline NAME   speedup: compare with this one; else with the slowest\n"
    "  --datasets N      timing-summary: the average over N too\n"
    "  --step N          profiling: the step in its head; else how many there were\n"
    "  --percentiles     inference: p50, p95 and p99 too\n"
    "  --value NAME      convergence: the value that has to get there; else the first\n"
    "  --threshold X     convergence: where it has to get; else 0.01\n"
    "  --maximise        convergence: upwards\n"
    "  --smooth N        convergence: over the mean of N values\n"
    "  --width N         columns of the output; 0: as wide as it needs\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  pitwall report run.pit\n"
    "  pitwall report run.pit --view memory\n"
    "  pitwall report run.pit --view breakdown --node epoch/batch\n"
    "  pitwall report lr-*.pit --view sweep --csv\n"
    "  pitwall report pitwall-runs/ --flat --sort self --min-share 1\n"
    "  pitwall report rank-*.pit --json | jq '.summary.headline'\n"
    "\n"
    "Exit status: 0, 2 the runs have nothing that the view could show, 64 wrong\n"
    "usage, 66 a run cannot be read, 74 the output cannot be written.\n";

enum {
    VIEW = 256,
    FLAT,
    SORT,
    DEPTH,
    MIN_SHARE,
    ALONE,
    TITLE,
    NODE,
    BASELINE,
    DATASETS,
    STEP,
    PERCENTILES,
    VALUE,
    THRESHOLD,
    MAXIMISE,
    SMOOTH,
    HELP
};

static const struct option long_options[] = {
    FORM_TABLE_OPTIONS,
    FORM_LOOK_OPTIONS,
    {"view", required_argument, NULL, VIEW},
    {"title", required_argument, NULL, TITLE},
    {"node", required_argument, NULL, NODE},
    {"baseline", required_argument, NULL, BASELINE},
    {"datasets", required_argument, NULL, DATASETS},
    {"step", required_argument, NULL, STEP},
    {"percentiles", no_argument, NULL, PERCENTILES},
    {"value", required_argument, NULL, VALUE},
    {"threshold", required_argument, NULL, THRESHOLD},
    {"maximise", no_argument, NULL, MAXIMISE},
    {"maximize", no_argument, NULL, MAXIMISE},
    {"smooth", required_argument, NULL, SMOOTH},
    {"flat", no_argument, NULL, FLAT},
    {"sort", required_argument, NULL, SORT},
    {"depth", required_argument, NULL, DEPTH},
    {"min-share", required_argument, NULL, MIN_SHARE},
    {"alone", no_argument, NULL, ALONE},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

/* A whole number 0…most; 0 if the text is none. */
static int parse_int(const char *text, int most, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < 0 || number > most)
        return 0;
    *value = (int)number;
    return 1;
}

static int parse_percent(const char *text, double *share)
{
    char *end;
    double percent = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    if (end == text || *end || !(percent >= 0 && percent <= 100))
        return 0;
    *share = percent / 100;
    return 1;
}

static int parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && *number - *number == 0; /* neither inf nor nan */
}

static int is_sort_key(const char *key)
{
    static const char *const keys[] = {"total", "self", "count", "mean", "p50",
                                       "p95",   "p99",  "max",   "name"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return 1;
    return 0;
}

/* A count of 1 or more; 0 if the text is none. */
static int parse_count(const char *text, uint64_t *count)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || number == 0)
        return 0;
    *count = number;
    return 1;
}

static int is_view(const char *name)
{
    for (const char *const *views = pit_view_names(); *views; views++)
        if (strcmp(*views, name) == 0)
            return 1;
    return 0;
}

/* "tree, flat, memory": all views, in a text of the caller's. */
static const char *list_views(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const char *const *views = pit_view_names(); *views && used < size; views++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", *views);
    return text;
}

static int parse_view(const char *name, pit_report_options *options)
{
    char names[1000], why[1040];
    if (strcmp(name, "help") == 0) {
        for (const char *const *views = pit_view_names(); *views; views++)
            puts(*views);
        return -1;
    }
    if (!is_view(name)) {
        snprintf(why, sizeof why, "not one of %s", list_views(names, sizeof names));
        return fail_usage("report", "--view", name, why);
    }
    options->view = name;
    return 0;
}

/* Options of single views; 1: it is none of them. */
static int parse_view_option(int option, pit_report_options *options)
{
    switch (option) {
    case VIEW:
        return parse_view(optarg, options);
    case TITLE:
        options->title = optarg;
        return 0;
    case NODE:
        options->node = optarg;
        return 0;
    case BASELINE:
        options->baseline = optarg;
        return 0;
    case DATASETS:
        return parse_count(optarg, &options->datasets)
                   ? 0
                   : fail_usage("report", "--datasets", optarg, "not a whole number from 1");
    case STEP:
        return parse_count(optarg, &options->step)
                   ? 0
                   : fail_usage("report", "--step", optarg, "not a whole number from 1");
    case PERCENTILES:
        options->percentiles = 1;
        return 0;
    case VALUE:
        options->value = optarg;
        return 0;
    case THRESHOLD:
        return parse_number(optarg, &options->threshold)
                   ? 0
                   : fail_usage("report", "--threshold", optarg, "not a number");
    case MAXIMISE:
        options->maximise = 1;
        return 0;
    case SMOOTH:
        return parse_count(optarg, &options->smooth)
                   ? 0
                   : fail_usage("report", "--smooth", optarg, "not a whole number from 1");
    default:
        return 1;
    }
}

/* Options of the table; 1: it is none of them. */
static int parse_table_option(int option, pit_report_options *options)
{
    switch (option) {
    case FLAT:
        options->flat = 1;
        return 0;
    case SORT:
        options->sort = optarg;
        return is_sort_key(optarg)
                   ? 0
                   : fail_usage("report", "--sort", optarg,
                                "not one of total, self, count, mean, p50, p95, p99, max, name");
    case DEPTH:
        return parse_int(optarg, 1000000, &options->depth)
                   ? 0
                   : fail_usage("report", "--depth", optarg, "not a whole number");
    case MIN_SHARE:
        return parse_percent(optarg, &options->min_share)
                   ? 0
                   : fail_usage("report", "--min-share", optarg, "not a percentage");
    default:
        return 1;
    }
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, pit_report_options *options, int *alone)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h' || option == HELP) {
            fputs(help, stdout);
            return -1;
        }
        if (option == ALONE) {
            *alone = 1;
            continue;
        }
        int status = parse_view_option(option, options);
        if (status == 1)
            status = parse_table_option(option, options);
        if (status == 1)
            status = form_option("report", option, options);
        if (status == -1 && option != VIEW) /* after --view help it is -1 too */
            return fail_option("report", option, argv);
        if (status)
            return status;
    }
    return optind == argc ? fail_usage("report", "no run given", NULL, NULL) : 0;
}

/* Why a view has nothing to show. A CSV has no place for it, so that it is told on standard error;
 * the other forms have said it in their own way. */
static int say_nothing(const pit_run *const *runs, size_t count, const pit_report_options *options)
{
    pit_report_options text = *options;
    char *why = NULL;
    size_t bytes = 0;
    text.form = PIT_TEXT;
    FILE *out = options->form == PIT_CSV ? open_memstream(&why, &bytes) : NULL;
    if (out) {
        pit_report_print(out, runs, count, &text);
        fclose(out);
        why[strcspn(why, "\n")] = '\0';
        fail(EXIT_NO_VERDICT, "nothing to show", options->view, why);
        free(why);
    }
    return EXIT_NO_VERDICT;
}

static int print_runs(const pit_run *const *runs, size_t count, const pit_report_options *options)
{
    int code = pit_report_print(stdout, runs, count, options);
    if (code == PIT_NOTHING)
        return say_nothing(runs, count, options);
    if (code == PIT_BAD_ARGUMENT)
        return fail(EXIT_USAGE, "cannot make the report", options->view,
                    "this view is not to be had in that form");
    return fail_printed(code, "cannot make the report", NULL);
}

/* Tables for machines and single views are of the runs that were named, all in one. */
static int shows_below(const pit_report_options *options)
{
    return !options->view && (options->form == PIT_TEXT || options->form == PIT_JSON);
}

struct request {
    pit_report_options options;
    int alone;
};

static int use_runs(pit_run **runs, size_t *count, void *arg)
{
    const struct request *request = arg;
    int status = 0;
    if (!request->alone && shows_below(&request->options) && pit_runs_nest(runs, count) != 0)
        status = fail(EXIT_CANNOT_READ, "cannot find the sub-runs", NULL, strerror(ENOMEM));
    int printed = print_runs((const pit_run *const *)runs, *count, &request->options);
    return printed ? printed : status;
}

int cmd_report(int argc, char **argv)
{
    struct request request = {.options = output_form()};
    int status = parse_options(argc, argv, &request.options, &request.alone);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    return runs_use(argv + optind, argc - optind, use_runs, &request);
}
