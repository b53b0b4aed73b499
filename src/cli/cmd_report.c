/* cmd_report.c: pitwall report: where the time and memory of one or several runs went. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall report RUN... [options]\n"
    "\n"
    "Show where the time of a run went: finished, live or killed. Several runs (ranks,\n"
    "workers) are merged by the path of their spans. A folder means all *.pit in it.\n"
    "\n"
    "  --view memory     where the memory went in place of the time\n"
    "  --json            one JSON document with everything\n"
    "  --flat            one row a name in place of the call tree\n"
    "  --sort KEY        total, self, count, mean, p50, p95, p99, max or name\n"
    "  --depth N         only the outer N levels of the tree\n"
    "  --min-share PCT   leave out what took less than PCT percent\n"
    "  --width N         columns of the output; 0: as wide as it needs\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  pitwall report run.pit\n"
    "  pitwall report run.pit --view memory\n"
    "  pitwall report pitwall-runs/ --flat --sort self --min-share 1\n"
    "  pitwall report rank-*.pit --json | jq '.summary.headline'\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a run cannot be read, 74 the output cannot be written.\n";

enum { JSON = 256, VIEW, FLAT, SORT, DEPTH, MIN_SHARE, WIDTH, NO_COLOUR, HELP };

static const struct option long_options[] = {
    {"json", no_argument, NULL, JSON},
    {"view", required_argument, NULL, VIEW},
    {"flat", no_argument, NULL, FLAT},
    {"sort", required_argument, NULL, SORT},
    {"depth", required_argument, NULL, DEPTH},
    {"min-share", required_argument, NULL, MIN_SHARE},
    {"width", required_argument, NULL, WIDTH},
    {"no-colour", no_argument, NULL, NO_COLOUR},
    {"no-color", no_argument, NULL, NO_COLOUR},
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

static int is_sort_key(const char *key)
{
    static const char *const keys[] = {"total", "self", "count", "mean", "p50",
                                       "p95",   "p99",  "max",   "name"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return 1;
    return 0;
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, pit_report_options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
        switch (option) {
        case JSON:
            options->form = PIT_JSON;
            break;
        case VIEW:
            if (strcmp(optarg, "memory") != 0)
                return fail_usage("report", "--view", optarg, "not memory, the only one there is");
            options->view = optarg;
            break;
        case FLAT:
            options->flat = 1;
            break;
        case NO_COLOUR:
            options->colour = 0;
            break;
        case SORT:
            if (!is_sort_key(optarg))
                return fail_usage("report", "--sort", optarg,
                                  "not one of total, self, count, mean, p50, p95, p99, max, name");
            options->sort = optarg;
            break;
        case DEPTH:
            if (!parse_int(optarg, 1000000, &options->depth))
                return fail_usage("report", "--depth", optarg, "not a whole number");
            break;
        case MIN_SHARE:
            if (!parse_percent(optarg, &options->min_share))
                return fail_usage("report", "--min-share", optarg, "not a percentage");
            break;
        case WIDTH:
            if (!parse_int(optarg, 10000, &options->width) ||
                (options->width > 0 && options->width < 40))
                return fail_usage("report", "--width", optarg, "not 0 and not 40 to 10000");
            break;
        case 'h':
        case HELP:
            fputs(help, stdout);
            return -1;
        default:
            return fail_option("report", option, argv);
        }
    return optind == argc ? fail_usage("report", "no run given", NULL, NULL) : 0;
}

/* Open what can be opened; the number of runs. *status says if one could not. */
static size_t open_runs(const struct run_list *list, pit_run **runs, int *status)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        pit_error error = {0};
        runs[count] = pit_run_open(list->paths[i], &error);
        if (runs[count]) {
            count++;
            continue;
        }
        char why[sizeof error.message + 40];
        if (error.offset)
            snprintf(why, sizeof why, "%s (at byte %" PRIu64 ")", error.message, error.offset);
        else
            snprintf(why, sizeof why, "%s", error.message);
        *status = fail(EXIT_CANNOT_READ, "cannot read the run", list->paths[i],
                       *error.message ? why : pit_strerror(error.code));
    }
    return count;
}

static int print_runs(pit_run *const *runs, size_t count, const pit_report_options *options)
{
    int code = pit_report_print(stdout, (const pit_run *const *)runs, count, options);
    if (code == PIT_CANNOT_WRITE)
        return fail(EXIT_CANNOT_WRITE, "cannot write", "standard output",
                    strerror(errno ? errno : EIO));
    return code ? fail(EXIT_CANNOT_READ, "cannot make the report", NULL, pit_strerror(code)) : 0;
}

int cmd_report(int argc, char **argv)
{
    pit_report_options options = {
        .width = output_width(), .colour = output_colour(), .ascii = output_ascii()};
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    struct run_list list;
    status = run_list_make(&list, argv + optind, argc - optind);
    pit_run **runs = calloc(list.count + 1, sizeof *runs);
    if (!status && runs) {
        size_t count = open_runs(&list, runs, &status);
        if (count > 0) {
            int printed = print_runs(runs, count, &options);
            status = printed ? printed : status;
        }
        while (count-- > 0)
            pit_run_free(runs[count]);
    }
    if (!runs)
        status = fail(EXIT_CANNOT_READ, "cannot make the report", NULL, strerror(ENOMEM));
    free(runs);
    run_list_free(&list);
    return status;
}
