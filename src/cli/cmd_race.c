/* cmd_race.c: pitwall race: find which of several commands is really faster. */
#include "child.h"
#include "cli.h"
#include "race.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall race [options] COMMAND_A COMMAND_B...\n"
    "\n"
    "Run whole commands in turn, in random order in each round, and say which is\n"
    "faster. The wall times of the runs decide, pair by pair: first the mean of the\n"
    "lowest third of the runs (the time of an undisturbed command), then the mean of\n"
    "all runs (the time that users wait). A, B and change show the one that\n"
    "decided. The race is tested after 10, 20, 40, 80, 160, 320 rounds and when\n"
    "its budget is used up; it ends at the first verdict. If the commands record\n"
    "spans, or with --auto, each part and items/s get their own verdict (tested\n"
    "together, by Holm's method). More than two commands are all compared with the\n"
    "first, and ranked. An interrupt (Ctrl-C) ends the race and prints the result so\n"
    "far.\n"
    "\n"
    "  -r, --runs N        run exactly N rounds and test once, at the end\n"
    "  -b, --budget S      start no round after S seconds; the first 10 always run\n"
    "                      (60; with --runs: no limit)\n"
    "  -w, --warmup N      first run N rounds that are not counted (1)\n"
    "  -p, --prepare CMD   run CMD before each command; it is not timed\n"
    "  -n, --name NAME     name of a command in the output; repeat it, in their order\n"
    "  -P NAME=V,V,...     replace {NAME} in a command: one command per value\n"
    "  --figure NAME       compare the seconds that the commands print themselves,\n"
    "                      as NAME=0.123 or NAME: 0.123\n"
    "  --auto              install the hooks of `pitwall run`, to compare the parts\n"
    "                      that they record of PyTorch, JAX, MPI or OpenMP\n"
    "  --cpu N             run only on this processor\n"
    "  --shell SHELL       the shell that runs the commands (sh); none: no shell\n"
    "  --fail-on GATE      exit with 1 on slower:5%, slower:5%@PATH, memory:10%\n"
    "  --effect PCT        the smallest difference that matters (2%)\n"
    "  --level P           accepted chance of a false alarm, over all tests (0.05)\n"
    "  -o, --output DIR    folder for the run files (pitwall-runs/race-TIME)\n"
    "  --json, --csv, --markdown, --quiet, --help\n"
    "\n"
    "Examples:\n"
    "  pitwall race './train --fused' './train'\n"
    "  pitwall race -P n=1,2,4 './solve --threads {n}' --fail-on slower:5%\n"
    "\n"
    "Exit status: 0, 1 a gate found a regression, 2 no verdict, 64 wrong usage, 69 a\n"
    "command failed, 74 the output cannot be written, 130 interrupted before the\n"
    "first round was complete.\n";

enum { SHELL = 256, AUTO, FIGURE, ONE_CPU, FAIL_ON, EFFECT, LEVEL, QUIET, HELP };

static const struct option long_options[] = {
    {"runs", required_argument, NULL, 'r'},
    {"budget", required_argument, NULL, 'b'},
    {"warmup", required_argument, NULL, 'w'},
    {"prepare", required_argument, NULL, 'p'},
    {"name", required_argument, NULL, 'n'},
    {"output", required_argument, NULL, 'o'},
    {"auto", no_argument, NULL, AUTO},
    {"figure", required_argument, NULL, FIGURE},
    {"cpu", required_argument, NULL, ONE_CPU},
    {"shell", required_argument, NULL, SHELL},
    {"fail-on", required_argument, NULL, FAIL_ON},
    {"effect", required_argument, NULL, EFFECT},
    {"level", required_argument, NULL, LEVEL},
    FORM_TABLE_OPTIONS,
    {"quiet", no_argument, NULL, QUIET},
    {"help", no_argument, NULL, HELP},
    {NULL, 0, NULL, 0},
};

struct settings {
    struct race race;
    struct racer racers[RACE_MOST];
    const char *names[RACE_MOST], *gates[RACE_MOST];
    size_t name_count;
    char *parameter; /* NAME; the values follow its zero byte */
    pit_report_options report;
    int has_hooks;
};

static int parse_count(const char *text, size_t least, size_t *count)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    *count = number;
    return !errno && end != text && !*end && *text != '-' && number >= least &&
           number <= RACE_MOST_RUNS;
}

static int parse_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && !*end && *seconds > 0 && isfinite(*seconds);
}

/* Binds this process and all commands that it starts. */
static int run_on(const char *text)
{
    size_t cpu;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (!parse_count(text, 0, &cpu) || cpu >= CPU_SETSIZE)
        return 0;
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static int parse_option(int option, struct settings *s)
{
    struct race *race = &s->race;
    switch (option) {
    case 'r':
        return parse_count(optarg, 1, &race->options.runs)
                   ? 0
                   : fail_usage("race", "--runs", optarg, "must be 1 to 10000");
    case 'b':
        return parse_seconds(optarg, &race->options.budget)
                   ? 0
                   : fail_usage("race", "--budget", optarg, "must be seconds over 0");
    case ONE_CPU:
        return run_on(optarg) ? 0
                              : fail_usage("race", "--cpu", optarg,
                                           "must be a processor that this process may use");
    case 'w':
        return parse_count(optarg, 0, &race->options.warmup)
                   ? 0
                   : fail_usage("race", "--warmup", optarg, "must be 0 to 10000");
    case 'n':
        if (s->name_count == RACE_MOST)
            return fail_usage("race", "--name", optarg, "too many");
        s->names[s->name_count++] = optarg;
        return 0;
    case FAIL_ON:
        if (pit_gate_check(optarg) != 0 || race->gate_count == RACE_MOST)
            return fail_usage("race", "--fail-on", optarg, "must be a gate such as slower:5%");
        s->gates[race->gate_count++] = optarg;
        return 0;
    case EFFECT:
        return parse_share(optarg, 0.01, 100, &race->options.effect)
                   ? 0
                   : fail_usage("race", "--effect", optarg,
                                "must be a percentage over 0, as in 5%");
    case LEVEL:
        return parse_share(optarg, 1, 1, &race->options.level)
                   ? 0
                   : fail_usage("race", "--level", optarg, "must be between 0 and 1");
    case 'P':
        if (s->parameter || !strchr(optarg, '=') || *optarg == '=')
            return fail_usage("race", "-P", optarg, "must be one NAME=VALUE,VALUE,...");
        s->parameter = optarg;
        return 0;
    default:
        return form_option("race", option, &s->report);
    }
}

static int parse_options(int argc, char **argv, struct settings *s)
{
    int option, status;
    while ((option = getopt_long(argc, argv, ":hr:b:w:p:n:o:P:", long_options, NULL)) != -1)
        switch (option) {
        case QUIET:
            s->race.is_quiet = 1;
            break;
        case 'p':
            s->race.prepare = optarg;
            break;
        case SHELL:
            s->race.shell = optarg;
            break;
        case AUTO:
            s->has_hooks = 1;
            break;
        case FIGURE:
            s->race.figure = optarg;
            break;
        case 'o':
            snprintf(s->race.folder, sizeof s->race.folder, "%s", optarg);
            break;
        case 'h':
        case HELP:
            fputs(help, stdout);
            return -1;
        case '?':
        case ':':
            return fail_option("race", option, argv);
        default:
            status = parse_option(option, s);
            if (status)
                return status;
        }
    return optind == argc
               ? fail_usage("race", "give two commands", NULL, "each as one argument, in quotes")
               : 0;
}

/* ---- the field ----------------------------------------------------------------------------- */

/* Add a command; value NULL: it has no parameter. Returns 0 or an exit status. */
static int enter(struct settings *s, const char *line, const char *parameter, const char *value)
{
    struct race *race = &s->race;
    if (race->count == RACE_MOST)
        return fail_usage("race", "too many commands", line, NULL);
    struct racer *r = &race->racers[race->count];
    const char *given = race->count < s->name_count ? s->names[race->count] : NULL;
    size_t room = strlen(line) + (parameter ? strlen(parameter) + strlen(value) : 0) + 8;
    r->words = child_words(line, race->shell, parameter, value);
    if (!r->words)
        return fail_usage("race", "the command cannot be split", line, "unclosed quote");
    r->name = given ? strdup(given) : malloc(room);
    if (!r->name)
        return fail(EXIT_COMMAND_FAILED, "cannot run the race", NULL, strerror(ENOMEM));
    if (!given && parameter)
        snprintf(r->name, room, "%s (%s=%s)", line, parameter, value);
    else if (!given)
        snprintf(r->name, room, "%s", line);
    if (race->count < 26)
        snprintf(r->letter, sizeof r->letter, "%c", 'a' + (int)race->count);
    else
        snprintf(r->letter, sizeof r->letter, "%zu", race->count + 1);
    race->count++;
    return 0;
}

static int enter_all(struct settings *s, char **lines, int count)
{
    char *values = s->parameter ? strchr(s->parameter, '=') : NULL;
    if (values)
        *values++ = 0;
    int status = 0, is_used = 0;
    char mark[256], why[300];
    snprintf(mark, sizeof mark, "{%s}", s->parameter ? s->parameter : "");
    for (int i = 0; i < count && !status; i++) {
        if (!values || !strstr(lines[i], mark)) {
            status = enter(s, lines[i], NULL, NULL);
            continue;
        }
        is_used = 1;
        char *list = strdup(values), *at = list;
        while (list && at && !status) {
            char *comma = strchr(at, ',');
            if (comma)
                *comma++ = 0;
            status = enter(s, lines[i], s->parameter, at);
            at = comma;
        }
        free(list);
    }
    if (!status && values && !is_used) {
        snprintf(why, sizeof why, "no command contains %s", mark);
        return fail_usage("race", "-P", s->parameter, why);
    }
    if (!status && s->race.count < 2)
        status = fail_usage("race", "give two commands", NULL,
                            "to compare a command with itself, give it twice");
    return status;
}

/* For every command: its first word is the program, which decides the libraries to preload. */
static int set_hooks(char **lines, int count)
{
    int status = 0;
    for (int i = 0; i < count && !status; i++) {
        char program[PATH_MAX];
        const char *word = lines[i] + strspn(lines[i], " \t");
        snprintf(program, sizeof program, "%.*s", (int)strcspn(word, " \t"), word);
        status = hooks_environment(program);
    }
    return status;
}

static void free_field(struct race *race)
{
    for (size_t i = 0; i < race->count; i++) {
        free(race->racers[i].name);
        free(race->racers[i].words);
    }
    pit_race_free(&race->result);
}

/* ---- the answer ---------------------------------------------------------------------------- */

static int print(const struct settings *s)
{
    pit_error error = {0};
    pit_comparisons *found = race_compare(&s->race, &error);
    if (!found)
        return fail(EXIT_COMMAND_FAILED, "cannot compare", NULL,
                    *error.message ? error.message : strerror(ENOMEM));
    int status = found->status, code = pit_comparisons_print(stdout, found, &s->report);
    pit_comparisons_free(found);
    return code ? fail(EXIT_CANNOT_WRITE, "cannot write", "standard output", pit_strerror(code))
                : status;
}

/* Make the path absolute, because a command may change its folder. */
static int name_folder(struct race *race)
{
    char here[PATH_MAX], name[sizeof race->folder];
    time_t now = time(NULL);
    struct tm parts;
    snprintf(name, sizeof name, "%s", race->folder);
    if (!*name && localtime_r(&now, &parts))
        strftime(name, sizeof name, "pitwall-runs/race-%Y%m%d-%H%M%S", &parts);
    if (*name == '/')
        return 1;
    return getcwd(here, sizeof here) && (size_t)snprintf(race->folder, sizeof race->folder, "%s/%s",
                                                         here, name) < sizeof race->folder;
}

int cmd_race(int argc, char **argv)
{
    struct settings s = {.race = {.options = {.warmup = 1}}, .report = output_form()};
    s.report.height = output_height();
    s.race.racers = s.racers;
    s.race.gates = s.gates;
    int status = parse_options(argc, argv, &s);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    if (!name_folder(&s.race))
        return fail(EXIT_CANNOT_WRITE, "cannot name the folder of the runs", s.race.folder, NULL);
    status = enter_all(&s, argv + optind, argc - optind);
    if (!status && s.has_hooks)
        status = set_hooks(argv + optind, argc - optind);
    if (!status)
        status = race_run(&s.race);
    if (!status)
        status = print(&s);
    free_field(&s.race);
    return status;
}
