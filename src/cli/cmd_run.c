/* cmd_run.c: pitwall run: start a program with recording switched on.
 *
 * All it does to the program is to set variables of its environment; the library in it reads them.
 * What comes later adds settings here and, after the program has ended, something to say.
 */
#include "cli.h"
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "Usage: pitwall run [options] -- PROGRAM [arguments]\n"
    "\n"
    "Start a program that uses libpitwall and have it record, without a change to its code.\n"
    "\n"
    "  -o, --output FILE   the run file; %p is the pid, %r the rank, %h the host. Without it:\n"
    "                      pitwall-runs/<program>-<start>-<host>-<rank or pid>.pit\n"
    "  --config FILE       settings from a YAML file, block pitwall: or trainer_params:\n"
    "  --memory            every span measures memory\n"
    "  --label KEY=VALUE   kept with the run; may be repeated\n"
    "  --sample HZ         background readings a second; 0: none\n"
    "  --stats             at the end, on standard error: time, processor time, peak memory\n"
    "  --help              this text\n"
    "\n"
    "An option here goes before the file, the file before the environment; what the program's\n"
    "own code says goes before all of them.\n"
    "\n"
    "Examples:\n"
    "  pitwall run -- ./train --epochs 3\n"
    "  pitwall run -o run.pit --memory -- ./train\n"
    "  pitwall run --config conf/trainer.yaml -- ./train\n"
    "\n"
    "Exit status: the program's own; 128 + N where signal N killed it; 127 it was not found,\n"
    "126 it could not be started; 64 wrong usage, 66 the file of --config cannot be read.\n";

enum { CONFIG = 256, MEMORY, SAMPLE, LABEL, STATS };
enum { EXIT_NOT_STARTED = 126, EXIT_NOT_FOUND = 127, EXIT_BY_SIGNAL = 128 };

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},  {"config", required_argument, NULL, CONFIG},
    {"memory", no_argument, NULL, MEMORY},     {"sample", required_argument, NULL, SAMPLE},
    {"label", required_argument, NULL, LABEL}, {"stats", no_argument, NULL, STATS},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

struct request {
    const char *output, *config_path, *sample;
    int memory, stats;
    char labels[16384]; /* one a line */
};

static int is_rate(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return end != text && !*end && number >= 0 && number <= 1000;
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

/* 0; an exit status; or -1 after the help was printed. The program's own options are not ours: the
 * first word that is no option ends them. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int option;
    while ((option = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1)
        switch (option) {
        case 'o':
            if (!*optarg)
                return fail_usage("run", "--output", optarg, "no name");
            request->output = optarg;
            break;
        case CONFIG:
            request->config_path = optarg;
            break;
        case MEMORY:
            request->memory = 1;
            break;
        case STATS:
            request->stats = 1;
            break;
        case LABEL:
            if (!add_label(request, optarg))
                return fail_usage("run", "--label", optarg,
                                  "not KEY=VALUE on one line, or too long");
            break;
        case SAMPLE:
            if (!is_rate(optarg))
                return fail_usage("run", "--sample", optarg, "not a number from 0 to 1000");
            request->sample = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            return -1;
        default:
            return fail_option("run", option, argv);
        }
    return optind == argc ? fail_usage("run", "no program given", NULL, NULL) : 0;
}

/* The file first, then the options, which replace what it says. */
static int gather(const struct request *request, struct config *config)
{
    int status = 0;
    if (request->config_path)
        status = config_read(request->config_path, config);
    if (!status && request->output)
        status = config_set(config, "PITWALL_FILE", request->output);
    if (!status && request->memory)
        status = config_set(config, "PITWALL_MEMORY", "1");
    if (!status && *request->labels)
        status = config_set(config, "PITWALL_LABELS", request->labels);
    if (!status && request->sample)
        status = config_set(config, "PITWALL_SAMPLE", request->sample);
    return status;
}

static const char *setting_of(const struct config *config, const char *variable)
{
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->settings[i].variable, variable) == 0)
            return config->settings[i].value;
    return NULL;
}

/* A run is what was asked for, so it is switched on, unless the file says that it is not. */
static int set_environment(const struct config *config)
{
    int bad = 0;
    if (!setting_of(config, "PITWALL"))
        bad |= setenv("PITWALL", "1", 1);
    for (size_t i = 0; i < config->count; i++)
        bad |= setenv(config->settings[i].variable, config->settings[i].value, 1);
    return bad ? fail(EXIT_NOT_STARTED, "cannot set the environment", NULL, strerror(errno)) : 0;
}

/* ---- the child ------------------------------------------------------------------------------ */

static volatile pid_t child; /* for the signal handler */

/* Signals that a person or a job system sends to us are meant for the program. Those that a terminal
 * sends reach it anyway, and a second one would be one too many. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int from_terminal = info->si_code == SI_KERNEL;
    if (child > 0 && !from_terminal)
        kill(child, signal_number);
}

static void pass_signals_on(void)
{
    static const int passed[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                 SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction before;
        if (sigaction(passed[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL); /* nohup's stays ignored, in the program too */
    }
}

/* In the child: become the program, or tell the parent through the pipe why not. */
static void become(char **argv, const sigset_t *mask, int report)
{
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int why = errno;
    ssize_t written = write(report, &why, sizeof why);
    _exit(written == (ssize_t)sizeof why ? EXIT_NOT_STARTED : EXIT_NOT_FOUND);
}

/* The errno that the child could not start with; 0 if it has become the program, which closes the
 * pipe. */
static int why_not(int report)
{
    int why;
    ssize_t got;
    do
        got = read(report, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof why ? why : 0;
}

static int wait_for(struct rusage *usage)
{
    int status;
    while (wait4(child, &status, 0, usage) < 0)
        if (errno != EINTR)
            return EXIT_NOT_STARTED;
    child = 0;
    return WIFSIGNALED(status) ? EXIT_BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int start(char **argv, struct rusage *usage)
{
    int pipe_fds[2], why = 0;
    sigset_t all, before;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return fail(EXIT_NOT_STARTED, "cannot start", argv[0], strerror(errno));
    sigfillset(&all); /* none comes before we know the child */
    sigprocmask(SIG_BLOCK, &all, &before);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(argv, &before, pipe_fds[1]);
    why = pid < 0 ? errno : 0;
    child = pid;
    if (pid > 0)
        pass_signals_on();
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe_fds[1]);
    if (pid > 0)
        why = why_not(pipe_fds[0]);
    close(pipe_fds[0]);
    int status = pid > 0 ? wait_for(usage) : 0;
    if (!why)
        return status;
    return fail(why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED, "cannot start", argv[0],
                strerror(why));
}

/* ---- what it took ---------------------------------------------------------------------------- */

/* Of the run itself, in bytes; 0 where there is none. A span that measures memory resets the mark
 * that the kernel hands on at the end, so the run's own peak can be the higher one. */
static double recorded_peak(const char *path)
{
    pit_run *run = path && !strchr(path, '%') ? pit_run_open(path, NULL) : NULL;
    double peak = run ? (double)run->rss_peak : 0;
    pit_run_free(run);
    return peak;
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_stats(const struct rusage *usage, double seconds, const char *path)
{
    double seen = (double)usage->ru_maxrss * 1024, recorded = recorded_peak(path);
    fprintf(stderr, "pitwall: ran %.3f s, %.3f s user, %.3f s system, peak RSS %.1f MB\n", seconds,
            (double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6,
            (double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6,
            (recorded > seen ? recorded : seen) / (1024 * 1024));
}

int cmd_run(int argc, char **argv)
{
    struct request request = {0};
    struct config config = {0};
    struct rusage usage = {0};
    int status = parse_options(argc, argv, &request);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    status = gather(&request, &config);
    if (!status)
        status = set_environment(&config);
    config_free(&config);
    if (status)
        return status;
    double begun = now_seconds();
    status = start(argv + optind, &usage);
    if (request.stats)
        print_stats(&usage, now_seconds() - begun, request.output);
    return status;
}
