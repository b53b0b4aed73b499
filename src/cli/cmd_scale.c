/* cmd_scale.c: pitwall scale: find how a command's time and memory grow with a size. */
#include "child.h"
#include "cli.h"
#include "pitwall_bench.h"

#include "analysis/random_order.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall scale -P NAME=SIZE,SIZE,... [options] COMMAND\n"
    "       pitwall scale --label NAME [options] RUN...\n"
    "\n"
    "Find how the cost of a command grows with a size. {NAME} in the command is\n"
    "replaced by each size, in several rounds with the sizes in random order; the\n"
    "lowest cost of each size counts. With --label: use runs that have the size as a\n"
    "label. Prints the complexity class, the coefficients, other possible classes,\n"
    "the slope at the larger sizes and a chart. At least 8 sizes over two decades are\n"
    "recommended.\n"
    "\n"
    "  -P NAME=LIST      sizes, with commas; FROM..TO*FACTOR is a range (8..1024*2)\n"
    "  --label NAME      use runs; their label NAME is the size\n"
    "  --node PATH       with --label: use the mean of this node, not the whole run\n"
    "  --rounds N        measure each size N times (9)\n"
    "  --what KEY        wall, cpu or memory (wall)\n"
    "  --predict SIZE    the cost at another size, with an interval; may be repeated\n"
    "  --shell SHELL     the shell that runs the command (sh); none: no shell\n"
    "  --json, --csv, --markdown, --help\n"
    "\n"
    "Examples:\n"
    "  pitwall scale -P n=1000..1000000*2 'head -c {n}0 /dev/urandom | sort -z'\n"
    "  pitwall scale --label size pitwall-runs/ --node epoch --predict 1e6\n"
    "\n"
    "Exit status: 0, 2 no result, 64 wrong usage, 66 a run cannot be read, 69 the\n"
    "command failed, 74 the output cannot be written.\n";

enum { LABEL = 256, NODE, ROUNDS_OPTION, WHAT, PREDICT, SHELL, HELP };

static const struct option long_options[] = {
    FORM_TABLE_OPTIONS,
    {"label", required_argument, NULL, LABEL},
    {"node", required_argument, NULL, NODE},
    {"rounds", required_argument, NULL, ROUNDS_OPTION},
    {"what", required_argument, NULL, WHAT},
    {"predict", required_argument, NULL, PREDICT},
    {"shell", required_argument, NULL, SHELL},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

#define MOST_SIZES 256
#define MOST_PREDICTIONS 32

struct settings {
    const char *name, *label, *node, *what, *shell;
    double sizes[MOST_SIZES];
    size_t size_count;
    double predictions[MOST_PREDICTIONS];
    size_t prediction_count;
    int rounds;
    pit_report_options report;
};

static int parse_number(const char *text, const char **end, double *number)
{
    char *after;
    *number = strtod(text, &after);
    *end = after;
    return after != text && isfinite(*number) && *number > 0;
}

/* One size, or FROM..TO*FACTOR. 0 if it is neither. */
static int add_sizes(struct settings *s, const char *text, const char **end)
{
    double from, to, factor;
    if (!parse_number(text, end, &from))
        return 0;
    /* "8..": strtod takes the first point for a decimal one */
    if (**end == '.' && (*end)[-1] == '.')
        (*end)--;
    if (strncmp(*end, "..", 2) != 0) {
        if (s->size_count < MOST_SIZES)
            s->sizes[s->size_count++] = from;
        return 1;
    }
    if (!parse_number(*end + 2, end, &to) || **end != '*' ||
        !parse_number(*end + 1, end, &factor) || factor <= 1)
        return 0;
    for (double size = from; size <= to * (1 + 1e-9) && s->size_count < MOST_SIZES; size *= factor)
        s->sizes[s->size_count++] = size;
    return 1;
}

/* NAME=LIST. */
static int parse_parameter(struct settings *s, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return 0;
    const char *at = equals + 1;
    do {
        if (!add_sizes(s, at, &at) || (*at && *at != ','))
            return 0;
    } while (*at++ == ',');
    *equals = 0; /* after the checks: a message shows the whole text */
    s->name = text;
    return 1;
}

/* Without {NAME} all sizes would run the same command. */
static int check_command(const char *name, const char *command)
{
    char mark[256], why[300];
    snprintf(mark, sizeof mark, "{%s}", name);
    snprintf(why, sizeof why, "the command does not contain %s", mark);
    return strstr(command, mark) ? 0 : fail_usage("scale", "-P", name, why);
}

static int parse_options(int argc, char **argv, struct settings *s)
{
    int option;
    const char *end;
    double number;
    while ((option = getopt_long(argc, argv, "+:hP:", long_options, NULL)) != -1)
        switch (option) {
        case 'P':
            if (!parse_parameter(s, optarg))
                return fail_usage(
                    "scale", "-P", optarg,
                    "must be NAME=SIZE,SIZE,... or NAME=FROM..TO*FACTOR, with sizes over 0");
            break;
        case LABEL:
            s->label = optarg;
            break;
        case NODE:
            s->node = optarg;
            break;
        case SHELL:
            s->shell = optarg;
            break;
        case WHAT:
            if (strcmp(optarg, "wall") != 0 && strcmp(optarg, "cpu") != 0 &&
                strcmp(optarg, "memory") != 0)
                return fail_usage("scale", "--what", optarg, "must be wall, cpu or memory");
            s->what = optarg;
            break;
        case ROUNDS_OPTION:
            if (!parse_number(optarg, &end, &number) || *end || number > 1e6 ||
                number != floor(number))
                return fail_usage("scale", "--rounds", optarg, "must be a whole number over 0");
            s->rounds = (int)number;
            break;
        case PREDICT:
            if (!parse_number(optarg, &end, &number) || *end ||
                s->prediction_count == MOST_PREDICTIONS)
                return fail_usage("scale", "--predict", optarg, "must be a size");
            s->predictions[s->prediction_count++] = number;
            break;
        case 'h':
        case HELP:
            fputs(help, stdout);
            return -1;
        default:
            if (form_option("scale", option, &s->report) != 0)
                return fail_option("scale", option, argv);
        }
    if (!s->label && !s->name)
        return fail_usage("scale", "give -P or --label", NULL, NULL);
    if (optind == argc || (!s->label && optind + 1 != argc))
        return fail_usage("scale", s->label ? "no run given" : "give one command", NULL,
                          s->label ? "name runs or folders of runs" : "in quotes");
    return s->label ? 0 : check_command(s->name, argv[optind]);
}

/* ---- a command ----------------------------------------------------------------------------- */

static double cost_of(const struct child *child, const char *what)
{
    return strcmp(what, "cpu") == 0      ? child->cpu_seconds
           : strcmp(what, "memory") == 0 ? child->peak_bytes
                                         : child->wall_seconds;
}

static int measure(const struct settings *s, const char *line, double size, double *cost)
{
    char value[40];
    snprintf(value, sizeof value, size == floor(size) && size < 1e15 ? "%.0f" : "%.17g", size);
    char **words = child_words(line, s->shell, s->name, value);
    if (!words)
        return fail_usage("scale", "the command cannot be split", line, "unclosed quote");
    struct child child;
    int error = child_run(words, NULL, &child), status = 0;
    free(words);
    if (error)
        return fail(EXIT_COMMAND_FAILED, "cannot run the command", line, strerror(error));
    if (child.status) {
        char why[64];
        snprintf(why, sizeof why, "status %d with %s=%s", child.status, s->name, value);
        if (child.output)
            fputs(child.output, stderr);
        status = fail(EXIT_COMMAND_FAILED, "the command failed", line, why);
    }
    double now = cost_of(&child, s->what);
    if (*cost == 0 || now < *cost)
        *cost = now;
    child_free(&child);
    return status;
}

static int run_command(const struct settings *s, const char *line, double *costs)
{
    size_t order[MOST_SIZES];
    int is_terminal = isatty(STDERR_FILENO);
    uint64_t state = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    for (size_t i = 0; i < s->size_count; i++)
        order[i] = i;
    for (int round = 0; round < s->rounds; round++) {
        pit__shuffle(order, s->size_count, &state);
        for (size_t i = 0; i < s->size_count; i++) {
            if (is_terminal)
                fprintf(stderr, "\rround %d of %d, size %zu of %zu  ", round + 1, s->rounds, i + 1,
                        s->size_count);
            int status = measure(s, line, s->sizes[order[i]], &costs[order[i]]);
            if (status)
                return status;
        }
    }
    if (is_terminal)
        fputs("\r\x1b[K", stderr);
    return 0;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* The cost of one run: the mean of a node, or of the whole run. NaN: not available. */
static double cost_of_run(const pit_run *run, const struct settings *s)
{
    if (strcmp(s->what, "memory") == 0)
        return run->rss_peak ? (double)run->rss_peak : NAN;
    if (strcmp(s->what, "cpu") == 0)
        return run->has_samples ? pit_sample_figure(run, &run->newest, "cpu_ns") / 1e9 : NAN;
    if (!s->node)
        return run->duration_ns / 1e9;
    pit_tree *tree = pit_tree_build(&run, 1);
    double cost = NAN;
    for (size_t i = 0; tree && i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, s->node) == 0 && tree->nodes[i].count)
            cost = tree->nodes[i].mean_ns / 1e9;
    pit_tree_free(tree);
    return cost;
}

static int add_run(struct settings *s, const char *path, double *costs)
{
    pit_error error = {0};
    pit_run *run = pit_run_open(path, &error);
    if (!run)
        return fail_run(path, &error);
    char key[256];
    const char *end = "";
    snprintf(key, sizeof key, "label.%s", s->label);
    const char *label = pit_run_fact(run, key);
    double size = 0, cost = cost_of_run(run, s);
    int status = 0;
    if (!label || !parse_number(label, &end, &size) || *end)
        status = fail(EXIT_CANNOT_READ, "the run has no label of this name that is a number", path,
                      s->label);
    else if (!(cost > 0))
        status =
            fail(EXIT_CANNOT_READ, "the run has no such figure", path, s->node ? s->node : s->what);
    else if (s->size_count < MOST_SIZES) {
        costs[s->size_count] = cost;
        s->sizes[s->size_count++] = size;
    }
    pit_run_free(run);
    return status;
}

static int read_runs(struct settings *s, char *const *arguments, int count, double *costs)
{
    struct run_list list;
    int status = run_list_make(&list, arguments, count);
    for (size_t i = 0; !status && i < list.count; i++)
        status = add_run(s, list.paths[i], costs);
    run_list_free(&list);
    return status;
}

/* ---- the answer ---------------------------------------------------------------------------- */

static int print(const struct settings *s, const double *costs)
{
    pit_scaling scaling;
    const char *unit = strcmp(s->what, "memory") == 0 ? "bytes" : "seconds";
    int code = pit_find_scaling(s->sizes, costs, s->size_count, &scaling);
    if (code == PIT_NOTHING)
        return fail(EXIT_NO_VERDICT, "no result", NULL, "fewer than 3 different sizes; give more");
    if (!code)
        code = pit_scaling_print(stdout, &scaling, s->sizes, costs, s->size_count, s->predictions,
                                 s->prediction_count, unit, &s->report);
    return code ? fail(EXIT_CANNOT_WRITE, "cannot print", NULL, pit_strerror(code)) : 0;
}

int cmd_scale(int argc, char **argv)
{
    struct settings s = {.what = "wall", .rounds = 9, .report = output_form()};
    double costs[MOST_SIZES] = {0};
    int status = parse_options(argc, argv, &s);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    status = s.label ? read_runs(&s, argv + optind, argc - optind, costs)
                     : run_command(&s, argv[optind], costs);
    return status ? status : print(&s, costs);
}
