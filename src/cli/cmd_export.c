/* cmd_export.c: pitwall export: runs as documents that other programs read. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Usage: pitwall export RUN... --format FORMAT [-o FILE]\n"
    "\n"
    "Write runs, finished, live or killed, for other programs. Several runs are one\n"
    "document. A folder means all *.pit in it. If one of them cannot be read nothing\n"
    "is written.\n"
    "\n"
    "  --format csv           one row a span of the merged call tree; nanoseconds\n"
    "  --format json          the report's JSON, with everything\n"
    "  --format markdown      the report as a document\n"
    "  --format chrome-trace  single spans, for Perfetto and chrome://tracing\n"
    "  --format speedscope    single spans, for speedscope.app\n"
    "  -o, --output FILE      whole or not at all, in place of standard output; the\n"
    "                         format is taken from .csv, .md, .trace.json,\n"
    "                         .speedscope.json, .json\n"
    "  --help                 this text\n"
    "\n"
    "Examples:\n"
    "  pitwall export run.pit -o run.trace.json\n"
    "  pitwall export pitwall-runs/ --format csv | sort -t, -k6nr | head\n"
    "  pitwall export rank-*.pit --format chrome-trace -o ranks.json\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a run cannot be read, 74 the output cannot be\n"
    "written.\n";

enum { FORMAT = 256 };

static const struct option long_options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    const char *format;
    const char *output; /* NULL: standard output */
};

static int is_format(const char *name)
{
    for (const char *const *names = pit_export_names(); *names; names++)
        if (strcmp(*names, name) == 0)
            return 1;
    return 0;
}

static int ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length > own && strcmp(text + length - own, end) == 0;
}

/* The longer endings first: a trace is JSON too. */
static const char *guess_format(const char *path)
{
    static const char *const endings[][2] = {
        {".trace.json", "chrome-trace"},
        {".speedscope.json", "speedscope"},
        {".json", "json"},
        {".csv", "csv"},
        {".md", "markdown"},
        {".markdown", "markdown"},
    };
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_in(path, endings[i][0]))
            return endings[i][1];
    return NULL;
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int option;
    while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1)
        switch (option) {
        case FORMAT:
            if (!is_format(optarg))
                return fail_usage("export", "--format", optarg,
                                  "not one of csv, json, markdown, chrome-trace, speedscope");
            request->format = optarg;
            break;
        case 'o':
            request->output = strcmp(optarg, "-") == 0 ? NULL : optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return -1;
        default:
            return fail_option("export", option, argv);
        }
    if (optind == argc)
        return fail_usage("export", "no run given", NULL, NULL);
    if (!request->format && request->output)
        request->format = guess_format(request->output);
    return request->format ? 0 : fail_usage("export", "no --format given", NULL, NULL);
}

/* The file of a run is the one thing that cannot be made again. */
static int is_a_run(const char *output, const struct run_list *list)
{
    struct stat own, run;
    if (stat(output, &own) != 0)
        return 0;
    for (size_t i = 0; i < list->count; i++)
        if (stat(list->paths[i], &run) == 0 && run.st_dev == own.st_dev && run.st_ino == own.st_ino)
            return 1;
    return 0;
}

static int write_runs(const struct request *request, pit_run *const *runs, size_t count)
{
    const pit_run *const *all = (const pit_run *const *)runs;
    int code = request->output ? pit_export_file(request->output, request->format, all, count)
                               : pit_export(stdout, request->format, all, count);
    return fail_printed(code, "cannot make the export", request->output);
}

int cmd_export(int argc, char **argv)
{
    struct request request = {0};
    int status = parse_options(argc, argv, &request);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    struct run_list list;
    status = run_list_make(&list, argv + optind, argc - optind);
    if (!status && request.output && is_a_run(request.output, &list))
        status = fail_usage("export", "--output", request.output, "that is one of the runs");
    pit_run **runs = calloc(list.count + 1, sizeof *runs);
    if (!runs) {
        status = fail(EXIT_CANNOT_READ, "cannot make the export", NULL, strerror(ENOMEM));
    } else if (!status) {
        size_t count = runs_open(&list, runs, &status);
        if (!status)
            status = write_runs(&request, runs, count);
        runs_free(runs, count);
    }
    free(runs);
    run_list_free(&list);
    return status;
}
