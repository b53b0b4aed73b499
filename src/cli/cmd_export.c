/* cmd_export.c: pitwall export: runs as documents that other programs read. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* \f is replaced by the formats, taken from their structs. */
static const char help[] =
    "Usage: pitwall export RUN... --format FORMAT [-o FILE]\n"
    "\n"
    "Write runs for other programs; the runs may be finished, live or killed. Several\n"
    "runs make one document. A folder means all *.pit in it; if these are ranks,\n"
    "those of one job. If a run cannot be read, nothing is written.\n"
    "\n"
    "\f"
    "  --format help          list the formats\n"
    "  -o, --output FILE      write to FILE, completely or not at all; without\n"
    "                         --format, the ending of its name selects the format\n"
    "  --job NAME             export this job (default: the newest)\n"
    "  --help                 print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall export run.pit -o run.trace.json\n"
    "  pitwall export pitwall-runs/ --format csv | sort -t, -k7nr | head\n"
    "  pitwall export rank-*.pit --format chrome-trace -o ranks.json\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a run cannot be read, 74 the output cannot be\n"
    "written.\n";

enum { FORMAT = 256, JOB };

static const struct option long_options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"job", required_argument, NULL, JOB},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    const pit_export_format *format;
    const char *output; /* NULL: standard output */
    const char *job;    /* NULL: the newest */
};

static const pit_export_format *find_format(const char *name)
{
    const pit_export_format *format;
    for (size_t i = 0; (format = pit_export_at(i)); i++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

static size_t ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length > own && strcmp(text + length - own, end) == 0 ? own : 0;
}

/* The longest ending wins: .trace.json is JSON too. */
static const pit_export_format *guess_format(const char *path)
{
    const pit_export_format *format, *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; (format = pit_export_at(i)); i++)
        for (const char *const *end = format->endings; *end; end++)
            if (ends_in(path, *end) > longest) {
                longest = ends_in(path, *end);
                best = format;
            }
    return best;
}

static void print_formats(const char *before)
{
    const pit_export_format *format;
    for (size_t i = 0; (format = pit_export_at(i)); i++)
        printf("%s%-13s %s\n", before, format->name, format->help);
}

static int print_help(void)
{
    const char *formats = strchr(help, '\f');
    fwrite(help, 1, (size_t)(formats - help), stdout);
    print_formats("  --format ");
    fputs(formats + 1, stdout);
    return -1;
}

/* 0; an exit status; or -1 after the formats were printed. */
static int parse_format(const char *name, struct request *request)
{
    char why[1000] = "must be one of ";
    const pit_export_format *format;
    if (strcmp(name, "help") == 0) {
        print_formats("");
        return -1;
    }
    request->format = find_format(name);
    if (request->format)
        return 0;
    for (size_t i = 0, used = strlen(why); (format = pit_export_at(i)) && used < sizeof why; i++)
        used +=
            (size_t)snprintf(why + used, sizeof why - used, "%s%s", i ? ", " : "", format->name);
    return fail_usage("export", "--format", name, why);
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int option, status;
    while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1)
        switch (option) {
        case FORMAT:
            status = parse_format(optarg, request);
            if (status)
                return status;
            break;
        case 'o':
            request->output = strcmp(optarg, "-") == 0 ? NULL : optarg;
            break;
        case JOB:
            request->job = optarg;
            break;
        case 'h':
            return print_help();
        default:
            return fail_option("export", option, argv);
        }
    if (optind == argc)
        return fail_usage("export", "no run given", NULL, "name runs or folders of runs");
    if (!request->format && request->output)
        request->format = guess_format(request->output);
    if (!request->format)
        return fail_usage("export", request->output ? "--output" : "no format given",
                          request->output, "give --format, or a FILE with a known ending");
    if (!request->output && request->format->is_folder)
        return fail_usage("export", request->format->name, NULL, "requires --output FOLDER");
    if (!request->output && request->format->is_binary && isatty(STDOUT_FILENO))
        return fail_usage("export", request->format->name, NULL,
                          "does not write to a terminal; use --output");
    return 0;
}

static int write_runs(const struct request *request, pit_run *const *runs, size_t count)
{
    const pit_run *const *all = (const pit_run *const *)runs;
    if (request->output && is_one_of_runs(request->output, all, count))
        return fail_usage("export", "--output", request->output, "is one of the input runs");
    int code = request->output ? pit_export_file(request->output, request->format->name, all, count)
                               : pit_export(stdout, request->format->name, all, count);
    return fail_printed(code, "cannot export", request->output);
}

int cmd_export(int argc, char **argv)
{
    struct request request = {0};
    int status = parse_options(argc, argv, &request);
    if (status || !request.format)
        return status < 0 ? EXIT_GOOD : status;
    struct run_list list;
    int is_job;
    status = run_list_make(&list, argv + optind, argc - optind);
    if (!status)
        status = job_choose(&list, request.job, &is_job);
    pit_run **runs = calloc(list.count + 1, sizeof *runs);
    if (!runs) {
        status = fail(EXIT_CANNOT_READ, "cannot export", NULL, strerror(ENOMEM));
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
