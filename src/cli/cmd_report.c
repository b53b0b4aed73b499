/* cmd_report.c: pitwall report: where the time and memory of one or several runs went. */
#include "cli.h"
#include "pitwall_ranks.h"
#include "view_arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* \f is replaced by the options of the report and the views, taken from their structs. */
static const char help[] =
    "Usage: pitwall report [RUN...] [options]\n"
    "\n"
    "Show where the time of a finished, live or killed run went. Without RUN: the\n"
    "newest one here or in pitwall-runs. Several runs (ranks, repeats) are merged by\n"
    "span path. A folder means all *.pit in it, or the ranks of one job.\n"
    "\n"
    "  --view NAME       print one view instead of the report; --view help lists them\n"
    "  --json            one JSON document: everything; with --view: the view's rows\n"
    "  --csv             a table for spreadsheets, with raw figures\n"
    "  --markdown        a table for documents\n"
    "  --job NAME        show this job (default: the newest)\n"
    "  --html            write the page, one file for any browser; two runs: A/B\n"
    "  -o, --output FILE write the page to FILE: all of it or nothing\n"
    "  --alone           leave out processes that the run started, such as workers\n"
    "\f"
    "  --width N         columns of the output; 0: no limit\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            print this help; --view NAME --help: the options of a view\n"
    "\n"
    "Examples:\n"
    "  pitwall report run.pit\n"
    "  pitwall report run.pit --html -o run.html\n"
    "  pitwall report run.pit --view breakdown --node epoch/batch\n"
    "  pitwall report pitwall-runs/ --flat --sort self --min-share 1\n"
    "\n"
    "Exit status: 0, 2 the runs have no data for this view, 64 wrong usage, 66 a run\n"
    "cannot be read, 74 the output cannot be written.\n";

enum { VIEW = 256, ALONE, JOB, HTML, HELP, OF_VIEWS = 2000 };

static const struct option own_options[] = {
    FORM_TABLE_OPTIONS,
    FORM_LOOK_OPTIONS,
    {"view", required_argument, NULL, VIEW},
    {"alone", no_argument, NULL, ALONE},
    {"job", required_argument, NULL, JOB},
    {"html", no_argument, NULL, HTML},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, HELP},
};

struct request {
    pit_report_options options;
    struct view_arguments given; /* options of views, until the view is known */
    const char *job;             /* NULL: the newest */
    int alone, html, help;
    const char *output; /* of --html; NULL: standard output */
};

static int print_help(const char *view)
{
    const char *options = strchr(help, '\f');
    if (view)
        return view_help(view);
    fwrite(help, 1, (size_t)(options - help), stdout);
    view_options_help();
    fputs(options + 1, stdout);
    return -1;
}

/* 0 or an exit status. */
static int parse_option(int option, char **argv, struct request *request)
{
    if (option >= OF_VIEWS)
        view_argument_keep(&request->given, (size_t)(option - OF_VIEWS), optarg);
    else if (option == 'h' || option == HELP)
        request->help = 1;
    else if (option == ALONE)
        request->alone = 1;
    else if (option == JOB)
        request->job = optarg;
    else if (option == HTML)
        request->html = 1;
    else if (option == 'o')
        request->output = strcmp(optarg, "-") == 0 ? NULL : optarg;
    else if (option == VIEW)
        request->options.view = optarg;
    else {
        int status = form_option("report", option, &request->options);
        return status == -1 ? fail_option("report", option, argv) : status;
    }
    return 0;
}

/* The page shows whole runs and is not written to a terminal. 0 or an exit status. */
static int check_page(const struct request *request)
{
    if (request->output && !request->html)
        return fail_usage("report", "--output", request->output,
                          "works only with --html; redirect other output with >");
    if (request->html && (request->options.view || request->options.form != PIT_TEXT))
        return fail_usage("report", "--html", NULL,
                          "cannot be combined with another format or a view");
    if (request->html && !request->output && isatty(STDOUT_FILENO))
        return fail_usage("report", "--html", NULL,
                          "does not write to a terminal; use --output FILE");
    return 0;
}

/* 0; an exit status; or -1 after a help was printed. */
static int parse_options(int argc, char **argv, struct request *request)
{
    struct option table[VIEW_ARGUMENTS_MOST + sizeof own_options / sizeof own_options[0] + 1];
    size_t own = sizeof own_options / sizeof own_options[0];
    const char *view;
    int option, status = 0;
    memcpy(table, own_options, sizeof own_options);
    view_arguments_table(table + own, OF_VIEWS);
    while ((option = getopt_long(argc, argv, ":ho:", table, NULL)) != -1 && !status)
        status = parse_option(option, argv, request);
    if (status)
        return status;
    view = request->options.view;
    if (view && strcmp(view, "help") == 0)
        return optind < argc && pit_view_find(argv[optind]) ? view_help(argv[optind]) : view_list();
    if (view && !pit_view_find(view))
        return view_unknown(view);
    if (request->help)
        return print_help(view);
    status = view_arguments_set(&request->given, &request->options);
    if (status)
        return status;
    return check_page(request);
}

/* Print why a view is empty. Only CSV needs this: the other formats contain the reason. */
static int print_runs(const pit_run *const *runs, size_t count, const pit_report_options *options)
{
    pit_error error;
    int code = pit_report_write(stdout, runs, count, options, &error);
    if (code == PIT_NOTHING && options->form != PIT_CSV)
        return EXIT_NO_VERDICT;
    if (code == PIT_NOTHING)
        return fail(EXIT_NO_VERDICT, "nothing to show", options->view, error.message);
    if (code == PIT_BAD_ARGUMENT)
        return fail(EXIT_USAGE, "cannot make the report", options->view, error.message);
    return fail_printed(code, "cannot make the report", NULL);
}

static int write_page(const pit_run *const *runs, size_t count, const char *output)
{
    if (output && is_one_of_runs(output, runs, count))
        return fail_usage("report", "--output", output, "is one of the input runs");
    int code = output ? pit_export_file(output, "html", runs, count)
                      : pit_export(stdout, "html", runs, count);
    return fail_printed(code, "cannot write the page", output);
}

/* CSV, Markdown and single views merge all runs that were named. */
static int shows_below(const pit_report_options *options)
{
    return !options->view && (options->form == PIT_TEXT || options->form == PIT_JSON);
}

static int use_runs(pit_run **runs, size_t *count, void *arg)
{
    const struct request *request = arg;
    int status = 0;
    if (request->html)
        return write_page((const pit_run *const *)runs, *count, request->output);
    if (!request->alone && shows_below(&request->options) && pit_runs_nest(runs, count) != 0)
        status = fail(EXIT_CANNOT_READ, "cannot find the sub-runs", NULL, strerror(ENOMEM));
    int printed = print_runs((const pit_run *const *)runs, *count, &request->options);
    return printed ? printed : status;
}

/* With this many ranks or more, their files are read one at a time and freed before the next. The output
 * is the same, except for the tables of single runs. */
#define STREAMED_RANKS 17

/* The JSON of a report needs everything about every run, and most views need the runs themselves. */
static int is_streamed(const struct run_list *list, const pit_report_options *options)
{
    int is_document = !options->view && options->form == PIT_JSON;
    return list->count >= STREAMED_RANKS && !is_document &&
           pit_view_find(options->view)->is_of_tree;
}

static int print_streamed(const struct run_list *list, const pit_report_options *options)
{
    pit_error error = {0};
    pit_ranks *ranks = pit_ranks_open((const char *const *)list->paths, list->count, &error);
    if (!ranks)
        return fail(EXIT_CANNOT_READ, "cannot read the ranks", NULL, error.message);
    int code = pit_ranks_write(stdout, ranks, options, &error);
    int status = ranks->unread > 0 ? EXIT_CANNOT_READ : EXIT_GOOD;
    pit_ranks_free(ranks);
    if (code == PIT_NOTHING)
        return EXIT_NO_VERDICT;
    int printed = fail_printed(code, "cannot make the report", NULL);
    return printed ? printed : status;
}

int cmd_report(int argc, char **argv)
{
    struct request request = {.options = output_form()};
    request.options.height = output_height();
    int status = parse_options(argc, argv, &request);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    struct run_list list;
    int is_job = 0;
    status = optind == argc ? run_list_newest(&list, "report")
                            : run_list_make(&list, argv + optind, argc - optind);
    if (!status && !(request.alone && list.count == 1))
        status = job_choose(&list, request.job, &is_job);
    if (!status && is_job && !request.html && is_streamed(&list, &request.options))
        status = print_streamed(&list, &request.options);
    else if (!status)
        status = runs_use_list(&list, use_runs, &request);
    run_list_free(&list);
    return status;
}
