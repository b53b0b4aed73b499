/* cmd_top.c: pitwall top: watch a live run. */
#include "top.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall top [RUN|PID|DIR] [options]\n"
    "\n"
    "Watch a live run: where the time goes now and where it went so far, memory,\n"
    "processor, spans per second, and findings. It only reads the run and does not\n"
    "slow the program down. The ranks of a job are sorted by their work; top shows\n"
    "which rank makes the others wait.\n"
    "\n"
    "Without an argument: the live runs of this folder, which are those in\n"
    "./pitwall-runs, in . and of programs started here. If a program was just started\n"
    "with pitwall run, top waits for its first span. If no run is live here, it shows\n"
    "live runs of other folders, else the newest run of this folder. When the shown\n"
    "run ends and another one is live, top switches to that one and reports it;\n"
    "otherwise the result stays on the screen. With three or more programs, top\n"
    "starts with the list of all runs.\n"
    "\n"
    "  --wait            wait for a live run, and for its first span\n"
    "  --job NAME        watch this job (default: the newest)\n"
    "  --interval S      seconds between two updates, 0.05 to 3600 (0.5)\n"
    "  --once            print one snapshot as text; default without a terminal\n"
    "  --json            one line of JSON per interval, until the run has ended;\n"
    "                    with --once: one line per run\n"
    "  --no-colour       no colour\n"
    "  --help            print this help\n"
    "\n"
    "Keys: q quit, ? all keys, s sort, / filter, Space fold, t thread, Tab next run\n"
    "or rank, o all runs, p pause\n"
    "\n"
    "Examples:\n"
    "  pitwall top\n"
    "  pitwall top --wait\n"
    "  pitwall top 4711\n"
    "  pitwall top pitwall-runs/ --interval 2\n"
    "  pitwall top run.pit --json | jq -c '[.elapsed_ns, .spans_per_s]'\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 there is no run, or it cannot be read, 74 the\n"
    "output cannot be written.\n";

enum { INTERVAL = 256, JOB, ONCE, JSON, NO_COLOUR, WAIT };

static const struct option long_options[] = {
    {"interval", required_argument, NULL, INTERVAL},
    {"job", required_argument, NULL, JOB},
    {"wait", no_argument, NULL, WAIT},
    {"once", no_argument, NULL, ONCE},
    {"json", no_argument, NULL, JSON},
    {"no-colour", no_argument, NULL, NO_COLOUR},
    {"no-color", no_argument, NULL, NO_COLOUR},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct top_options {
    struct top_look look;
    int is_once, is_json, is_waiting;
    const char *job;
};

static int parse_interval(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && !*end && *seconds >= 0.05 && *seconds <= 3600;
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct top_options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            return -1;
        case INTERVAL:
            if (!parse_interval(optarg, &options->look.interval))
                return fail_usage("top", "--interval", optarg, "must be 0.05 to 3600 seconds");
            break;
        case JOB:
            options->job = optarg;
            break;
        case WAIT:
            options->is_waiting = 1;
            break;
        case ONCE:
            options->is_once = 1;
            break;
        case JSON:
            options->is_json = 1;
            break;
        case NO_COLOUR:
            options->look.colour = 0;
            break;
        default:
            return fail_option("top", option, argv);
        }
    }
    if (argc - optind > 1)
        return fail_usage("top", "too many arguments", argv[optind + 1], NULL);
    return 0;
}

static int is_screen(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminal && *terminal &&
           strcmp(terminal, "dumb") != 0;
}

static int show(struct top_runs *runs, const struct top_options *options)
{
    if (options->is_once || options->is_json || !is_screen())
        top_wait_for_span(runs);
    if (options->is_json)
        return options->is_once ? top_print_json_once(runs, &options->look)
                                : top_print_json(runs, &options->look);
    if (!options->is_once && is_screen()) {
        int status = top_screen_loop(runs, &options->look);
        if (status >= 0)
            return status;
        fail(EXIT_GOOD, "this terminal cannot show a screen; printing a snapshot", getenv("TERM"),
             NULL);
    }
    return top_print_once(runs, &options->look);
}

int cmd_top(int argc, char **argv)
{
    struct top_options options = {
        .look = {.colour = output_colour(), .ascii = output_ascii(), .interval = 0.5}};
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    struct top_runs runs = {.argument = optind < argc ? argv[optind] : NULL, .job = options.job};
    int is_stream = !options.is_once && (options.is_json || is_screen());
    runs.wait = options.is_waiting ? TOP_WAIT : is_stream ? TOP_WAIT_IF_STARTED : TOP_NO_WAIT;
    status = top_runs_start(&runs);
    if (!status)
        status = show(&runs, &options);
    top_runs_free(&runs);
    return status;
}
