/* cmd_info.c: pitwall info: show facts about a run as a whole. */
#include "cli.h"

#include "views/info_view.h"

#include <getopt.h>

static const char help[] =
    "Usage: pitwall info RUN... [options]\n"
    "\n"
    "Show facts about a run as a whole: program, machine, start, how it ended,\n"
    "labels, the clock and its error, where its pages were kept, file format,\n"
    "contents, the cost of recording, losses, its id and the id of its parent. A\n"
    "folder means all *.pit in it.\n"
    "\n"
    "  --json            print one JSON document\n"
    "  --width N         columns of the output; 0: no limit\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall info run.pit\n"
    "  pitwall info pitwall-runs/ --json | jq -r '.runs[].state'\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a run cannot be read, 74 the output cannot be\n"
    "written.\n";

static const struct option long_options[] = {
    {"json", no_argument, NULL, FORM_JSON},
    FORM_LOOK_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int parse_options(int argc, char **argv, pit_report_options *options)
{
    int status = parse_form_options(argc, argv, help, long_options, options);
    if (status)
        return status;
    return optind == argc ? fail_usage("info", "no run given", NULL, "name runs or folders of runs")
                          : 0;
}

/* Each with its sub-runs, even if these are listed as runs too. */
static int print(pit_run **runs, size_t *count, void *options)
{
    int code = 0;
    for (size_t i = 0; i < *count && !code; i++) {
        size_t one = 1;
        code = pit_runs_nest(&runs[i], &one);
    }
    if (!code)
        code = pit__info_print(stdout, (const pit_run *const *)runs, *count, options);
    return fail_printed(code, "cannot print run info", NULL);
}

int cmd_info(int argc, char **argv)
{
    pit_report_options options = output_form();
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    return runs_use(argv + optind, argc - optind, print, &options);
}
