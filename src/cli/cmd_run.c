/* cmd_run.c: pitwall run: run a program and record it. Turns options into the program's environment.
 *
 *   run_child.c   start the program and wait for it
 *   run_path.c    the path of its run, passed to the program
 *   run_children.c   count the processes that it starts
 *   run_end.c     record and print how it ended
 */
#include "cli.h"
#include "config.h"
#include "run_end.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall run [options] -- PROGRAM [arguments]\n"
    "\n"
    "Run a program unmodified and write a run file: the spans that it recorded, how\n"
    "it ended, and the time, memory, page faults and I/O that it used.\n"
    "\n"
    "  -o, --output FILE   the run file; %p is the pid, %r the rank, %h the host\n"
    "                      (pitwall-runs/<program>-<start>-<host>-<rank>.pit)\n"
    "  --label KEY=VALUE   store a label in the run; may be repeated\n"
    "  --memory            measure memory in every span\n"
    "  --alloc             count allocations (preloads libpitwall-alloc)\n"
    "  --opencl            record OpenCL kernels and transfers as device spans\n"
    "                      (preloads libpitwall-opencl; default if the program needs\n"
    "                      libOpenCL)\n"
    "  --openmp            measure the teams of OpenMP parallel regions (preloads\n"
    "                      libpitwall-openmp; default with libgomp or libomp)\n"
    "  --trace SIZE        size of the flight recorder: 16 or 16M (MB), 512k; 0: off\n"
    "  --sample HZ         background readings per second; 0: none\n"
    "  --sample-stacks HZ  stack samples of the main thread per second (10); 0: none\n"
    "  --config FILE       read settings from the blocks pitwall and trainer_params\n"
    "                      of a YAML file\n"
    "  --report            print the report at the end (default: only on a terminal)\n"
    "  --no-report         do not print the report\n"
    "  --stats             print time, processor time and peak memory at the end\n"
    "  --quiet             print nothing at the end\n"
    "  --no-auto           install no hooks: record only the program's own spans\n"
    "  --help              print this help\n"
    "\n"
    "All messages go to standard error. Precedence: the program's own code, these\n"
    "options, the configuration file, the environment.\n"
    "\n"
    "Examples:\n"
    "  pitwall run -- ./train --epochs 3\n"
    "  pitwall run -o run.pit --memory --label lr=0.1 -- python3 train.py\n"
    "  pitwall run --quiet -- make -j8 2>errors | tee log\n"
    "\n"
    "Exit status: that of the program; 128 + N if signal N killed it; 127 program not\n"
    "found, 126 program could not be started. The program was not started: 64 wrong\n"
    "usage, 66 a file of Pitwall cannot be read, 74 the run file cannot be written.\n";

enum {
    CONFIG = 256,
    MEMORY,
    ALLOC,
    OPENCL,
    OPENMP,
    TRACE,
    SAMPLE,
    SAMPLE_STACKS,
    LABEL,
    STATS,
    REPORT,
    NO_REPORT,
    QUIET,
    NO_AUTO
};

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"config", required_argument, NULL, CONFIG},
    {"memory", no_argument, NULL, MEMORY},
    {"alloc", no_argument, NULL, ALLOC},
    {"opencl", no_argument, NULL, OPENCL},
    {"openmp", no_argument, NULL, OPENMP},
    {"trace", required_argument, NULL, TRACE},
    {"sample", required_argument, NULL, SAMPLE},
    {"sample-stacks", required_argument, NULL, SAMPLE_STACKS},
    {"label", required_argument, NULL, LABEL},
    {"stats", no_argument, NULL, STATS},
    {"report", no_argument, NULL, REPORT},
    {"no-report", no_argument, NULL, NO_REPORT},
    {"quiet", no_argument, NULL, QUIET},
    {"no-auto", no_argument, NULL, NO_AUTO},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct request {
    const char *output, *config_path, *sample, *sample_stacks;
    char trace[24]; /* bytes; "": not asked for */
    int memory, alloc, opencl, openmp, stats, quiet, no_auto;
    int report;         /* 1 asked for, -1 not wanted, 0: on a terminal */
    char labels[16384]; /* one per line */
};

static int is_rate(const char *text, double most)
{
    char *end;
    double number = strtod(text, &end);
    return end != text && !*end && number >= 0 && number <= most;
}

/* "16" and "16M" are megabytes; k, G and plain bytes with B. */
static int parse_size(const char *text, char *bytes, size_t room)
{
    static const char units[] = "BkMG";
    char *end;
    double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : strchr(units, 'M');
    if (end == text || !unit || !*unit || (*end && end[1]) || !(number >= 0 && number <= 1e12))
        return 0;
    for (const char *u = units; u < unit; u++)
        number *= 1024;
    if (number > 1e12)
        return 0;
    snprintf(bytes, room, "%.0f", number);
    return 1;
}

static int add_label(struct request *request, const char *label)
{
    size_t used = strlen(request->labels), room = sizeof request->labels - used;
    const char *equals = strchr(label, '=');
    if (!equals || equals == label || equals - label > 200 || strlen(equals) > 4096 ||
        strchr(label, '\n') || strlen(label) + 2 > room)
        return 0;
    snprintf(request->labels + used, room, "%s\n", label);
    return 1;
}

/* Options without an argument; returns 1 if not handled here. */
static int parse_switch(int option, struct request *request)
{
    switch (option) {
    case MEMORY:
        request->memory = 1;
        return 0;
    case OPENCL:
        request->opencl = 1;
        return 0;
    case OPENMP:
        request->openmp = 1;
        return 0;
    case ALLOC:
        request->alloc = 1;
        return 0;
    case STATS:
        request->stats = 1;
        return 0;
    case REPORT:
        request->report = 1;
        return 0;
    case NO_REPORT:
        request->report = -1;
        return 0;
    case QUIET:
        request->quiet = 1;
        return 0;
    case NO_AUTO:
        request->no_auto = 1;
        return 0;
    default:
        return 1;
    }
}

/* 0; an exit status; or 1 if not handled here. */
static int parse_value(int option, struct request *request)
{
    switch (option) {
    case 'o':
        request->output = optarg;
        return *optarg ? 0 : fail_usage("run", "--output", optarg, "must not be empty");
    case CONFIG:
        request->config_path = optarg;
        return 0;
    case LABEL:
        return add_label(request, optarg)
                   ? 0
                   : fail_usage("run", "--label", optarg,
                                "must be KEY=VALUE on one line, at most 4 kB");
    case SAMPLE:
        request->sample = optarg;
        return is_rate(optarg, 1000)
                   ? 0
                   : fail_usage("run", "--sample", optarg, "must be a number from 0 to 1000");
    case SAMPLE_STACKS:
        request->sample_stacks = optarg;
        return is_rate(optarg, 100)
                   ? 0
                   : fail_usage("run", "--sample-stacks", optarg, "must be a number from 0 to 100");
    case TRACE:
        return parse_size(optarg, request->trace, sizeof request->trace)
                   ? 0
                   : fail_usage("run", "--trace", optarg, "must be a size such as 16, 16M or 512k");
    default:
        return 1;
    }
}

/* 0; an exit status; or -1 after the help was printed. The first word that is not an option is
 * the program; the rest is passed to it. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int option;
    while ((option = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return -1;
        }
        int status = parse_switch(option, request);
        if (status == 1)
            status = parse_value(option, request);
        if (status == 1)
            return fail_option("run", option, argv);
        if (status)
            return status;
    }
    return optind == argc ? fail_usage("run", "no program given", NULL, NULL) : 0;
}

/* The file first, then the options, which override it. */
static int gather(const struct request *request, struct config *config)
{
    const struct setting options[] = {
        {"PITWALL_FILE", (char *)(uintptr_t)request->output},
        {"PITWALL_MEMORY", (char *)(uintptr_t)(request->memory ? "1" : NULL)},
        {"PITWALL_LABELS", (char *)(uintptr_t)(*request->labels ? request->labels : NULL)},
        {"PITWALL_SAMPLE", (char *)(uintptr_t)request->sample},
        {"PITWALL_SAMPLE_STACKS", (char *)(uintptr_t)request->sample_stacks},
        {"PITWALL_RING", (char *)(uintptr_t)(*request->trace ? request->trace : NULL)},
    };
    int status = request->config_path ? config_read(request->config_path, config) : 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0] && !status; i++)
        if (options[i].value)
            status = config_set(config, options[i].variable, options[i].value);
    return status;
}

static const char *setting_of(const struct config *config, const char *variable)
{
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->settings[i].variable, variable) == 0)
            return config->settings[i].value;
    return NULL;
}

static int is_switched_off(void)
{
    const char *on = getenv("PITWALL");
    return on && strcmp(on, "0") == 0;
}

/* Recording is switched on unless the configuration file switches it off. The name of the run is set when
 * the program's pid is known. */
static int set_environment(const struct config *config)
{
    int bad = 0;
    if (!setting_of(config, "PITWALL"))
        bad |= setenv("PITWALL", "1", 1);
    for (size_t i = 0; i < config->count; i++) {
        const struct setting *setting = &config->settings[i];
        if (setting->value && strcmp(setting->variable, "PITWALL_FILE") != 0)
            bad |= setenv(setting->variable, setting->value, 1);
    }
    if (!is_switched_off())
        bad |= setenv("PITWALL_GUARD", "1", 0); /* 0: keep the user's value */
    return bad ? fail(EXIT_NOT_STARTED, "cannot set the environment", NULL, strerror(errno)) : 0;
}

/* 0, or an exit status after the message. */
static int prepare(const struct request *request, struct config *config, const char *program)
{
    int status = gather(request, config);
    if (!status)
        status = set_environment(config);
    if (!status && request->alloc)
        status = alloc_environment();
    if (!status && request->opencl)
        status = opencl_environment(NULL);
    if (!status && request->openmp)
        status = openmp_environment(NULL);
    if (!status && !request->no_auto && !is_switched_off()) {
        status = auto_environment(program);
        if (!status && !request->opencl)
            status = opencl_environment(program);
        if (!status && !request->openmp)
            status = openmp_environment(program);
    }
    return status;
}

static int run(const struct request *request, const struct config *config, char **argv)
{
    struct run_program program = {
        .argv = argv, .wanted = setting_of(config, "PITWALL_FILE"), .no_run = is_switched_off()};
    int on_terminal = isatty(STDERR_FILENO) && !request->quiet;
    struct run_closing closing = {.says = on_terminal || request->report > 0,
                                  .stats = request->stats,
                                  .report = request->report ? request->report > 0 : on_terminal};
    if (getrandom(program.run_id, sizeof program.run_id, 0) != (ssize_t)sizeof program.run_id)
        return fail(EXIT_NOT_STARTED, "cannot start", argv[0], strerror(errno));
    int status = run_child(&program);
    if (program.ended.pid)
        run_end(&program, &closing);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct request request = {0};
    struct config config = {0};
    int status = parse_options(argc, argv, &request);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    status = prepare(&request, &config, argv[optind]);
    if (!status)
        status = run(&request, &config, argv + optind);
    config_free(&config);
    return status;
}
