/* options.h: shared by all examples: options, the run file, a progress line, the check that something was
 * learnt.
 *
 *     static struct example example = {.name = "fitting", .what = "Fit nine functions ..."};
 *
 *     int main(int argc, char **argv)
 *     {
 *         example_begin(&example, argc, argv);
 *         int failed = learn() || example_prove("MLP", loss, 0.01);
 *         return example_end(&example, failed);
 *     }
 *
 * Standard output has the figures, standard error the talk. Exit status: 0, 1 if it did not learn or could
 * not continue, 64 for wrong options. */
#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include <pitwall_bench.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* An option of one example: a number, a text or, with neither, a switch. */
struct example_option {
    const char *name; /* --epochs */
    const char *help;
    int *number;
    int low, high;   /* allowed range */
    int full, quick; /* defaults: normally, and with --quick */
    const char **text;
    int *is_on;
};

/* A number with its range and its defaults: normally, and with --quick. */
#define EXAMPLE_NUMBER(name_, help_, number_, low_, high_, full_, quick_)                          \
    {                                                                                              \
        .name = name_, .help = help_, .number = number_, .low = low_, .high = high_,               \
        .full = full_, .quick = quick_                                                             \
    }

struct example {
    const char *name, *what; /* the program, and a sentence on it */
    const char *next;        /* what else to give to pitwall report: " --view memory"; or NULL */
    const struct example_option *options;
    size_t option_count;
    const char *path; /* -o: of the run file; NULL: the default */
    int is_quick, is_quiet;
};

static inline double example_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- options --------------------------------------------------------------------------------- */

static inline void example_help_line(FILE *out, const char *name, const char *value,
                                     const char *help)
{
    fprintf(out, "  %s%s%-*s %s", name, *value ? " " : "",
            (int)(18 - strlen(name) - (*value ? 1 : 0)), value, help);
}

static inline void example_help(FILE *out, const struct example *example)
{
    fprintf(out, "usage: %s [-o FILE] [--quick] [--quiet]%s\n%s\n", example->name,
            example->option_count ? " [options]" : "", example->what);
    example_help_line(out, "-o", "FILE", "the run file (default: one below pitwall-runs/)\n");
    example_help_line(out, "--quick", "", "as short as a test wants it\n");
    example_help_line(out, "--quiet", "", "the result alone\n");
    for (size_t i = 0; i < example->option_count; i++) {
        const struct example_option *o = &example->options[i];
        example_help_line(out, o->name, o->number ? "N" : o->text ? "TEXT" : "", o->help);
        if (o->number)
            fprintf(out, ", %d to %d (%d; quick: %d)", o->low, o->high, o->full, o->quick);
        if (o->text && *o->text)
            fprintf(out, " (default: %s)", *o->text);
        fputc('\n', out);
    }
    fprintf(out, "then:  pitwall report FILE%s\n", example->next ? example->next : "");
}

/* Report what is wrong with an option, and exit. */
static inline _Noreturn void __attribute__((format(printf, 3, 4)))
example_refuse(const struct example *example, const char *option, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    fprintf(stderr, "%s: %s: ", example->name, option);
    vfprintf(stderr, why, arguments);
    fprintf(stderr, "; %s --help lists the options\n", example->name);
    va_end(arguments);
    exit(64);
}

/* Take one option of the example's own, argv[*at] on. */
static inline void example_take(const struct example *example, int argc, char **argv, int *at)
{
    const struct example_option *o = example->options, *end = o + example->option_count;
    while (o < end && strcmp(o->name, argv[*at]) != 0)
        o++;
    if (o == end)
        example_refuse(example, argv[*at], "no such option");
    if ((o->number || o->text) && *at + 1 == argc)
        example_refuse(example, o->name, "its value is missing");
    if (o->number) {
        char *rest;
        long n = strtol(argv[++*at], &rest, 10);
        if (rest == argv[*at] || *rest || n < o->low || n > o->high)
            example_refuse(example, o->name, "%s is not a number from %d to %d", argv[*at], o->low,
                           o->high);
        *o->number = (int)n;
    } else if (o->text) {
        *o->text = argv[++*at];
    } else {
        *o->is_on = 1;
    }
}

/* Exits for --help and for wrong options. */
static inline void example_parse(struct example *example, int argc, char **argv)
{
    for (size_t i = 0; i < example->option_count; i++)
        if (example->options[i].number)
            *example->options[i].number = example->options[i].low - 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            example_help(stdout, example);
            exit(fflush(stdout) ? 1 : 0);
        }
        if (strcmp(argv[i], "--quick") == 0) {
            example->is_quick = 1;
        } else if (strcmp(argv[i], "--quiet") == 0) {
            example->is_quiet = 1;
        } else if (strcmp(argv[i], "-o") == 0) {
            if (++i == argc)
                example_refuse(example, "-o", "its value is missing");
            example->path = argv[i];
        } else {
            example_take(example, argc, argv, &i);
        }
    }
    for (size_t i = 0; i < example->option_count; i++) {
        const struct example_option *o = &example->options[i];
        if (o->number && *o->number < o->low)
            *o->number = example->is_quick ? o->quick : o->full;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Print a line of a monitor; the progress line on the same terminal is removed first. */
static inline void example_print_line(void *unused, const char *line)
{
    (void)unused;
    fputs("\r\033[K", stderr);
    puts(line);
    fflush(stdout);
}

static inline void example_open(const struct example *example)
{
    pit_set_verbose(!example->is_quiet);
    if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO))
        pit_set_print(example_print_line, NULL);
    int code = pit_open(example->path, NULL);
    if (code && code != PIT_ALREADY_OPEN && code != PIT_OFF)
        fprintf(stderr, "%s: %s\n", example->name, pit_strerror(code));
}

static inline void example_begin(struct example *example, int argc, char **argv)
{
    example_parse(example, argc, argv);
    example_open(example);
}

/* A path relative to the working folder, if it is below it. */
static inline const char *example_from_here(const char *path)
{
    char here[4096];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
                                                                             : path;
}

/* Print the command that shows a run. */
static inline void example_say_next(const struct example *example, const char *path)
{
    if (!example->is_quiet)
        fprintf(stderr, "next: pitwall report %s%s\n", example_from_here(path),
                example->next ? example->next : "");
}

/* Close the run and print where it is; returns the exit status. */
static inline int example_end(const struct example *example, int failed)
{
    pit_status status;
    int said = pit_get_status(NULL, &status) == 0 && *status.path;
    int code = pit_close();
    if (fflush(stdout)) {
        fprintf(stderr, "%s: standard output: %s\n", example->name, strerror(errno));
        failed = 1;
    }
    if (said && !example->is_quiet)
        fprintf(stderr, "run: %s\n", example_from_here(status.path));
    if (said)
        example_say_next(example, status.path);
    if (code && code != PIT_NOT_OPEN)
        fprintf(stderr, "%s: %s\n", example->name, pit_strerror(code));
    return failed ? 1 : 0;
}

/* The path of a file next to the run: fitting.pit and "csv" give fitting.csv. Valid until the next call. */
static inline const char *example_beside(const struct example *example, const char *ending)
{
    static char path[4096];
    pit_status status;
    const char *run = pit_get_status(NULL, &status) == 0 && *status.path ? status.path
                      : example->path                                    ? example->path
                                                                         : example->name;
    const char *slash = strrchr(run, '/'), *dot = strrchr(run, '.');
    int stem = (int)(dot && (!slash || dot > slash) ? (size_t)(dot - run) : strlen(run));
    snprintf(path, sizeof path, "%.*s.%s", stem, run, ending);
    return path;
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* Print why a call failed; returns 1 for main. */
static inline int example_fail(const struct example *example, const char *what, int code)
{
    fprintf(stderr, "%s: %s: %s", example->name, what, pit_strerror(code));
    fprintf(stderr, code == PIT_CANNOT_WRITE ? ": %s\n" : "\n", strerror(errno));
    return 1;
}

/* A view of plain figures, with a blank line before it. */
static inline void example_view(const char *view, const pit_data *data,
                                const pit_report_options *options)
{
    putchar('\n');
    pit_view_print(stdout, view, data, options);
}

/* A line on a terminal, updated in place, cut at the terminal's width, and removed at the end (share 1). At
 * most ten times per second. */
static inline void __attribute__((format(printf, 3, 4)))
example_progress(const struct example *example, double share, const char *format, ...)
{
    static double next;
    static const char bar[] = "##############################";
    double now = example_seconds();
    if (example->is_quiet || (share < 1 && now < next) || !isatty(STDERR_FILENO))
        return;
    next = now + 0.1;
    if (share >= 1) {
        fputs("\r\033[K", stderr);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    char what[80], line[240];
    struct winsize window = {0};
    int done = (int)(share * (double)(sizeof bar - 1));
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s [%-*.*s] %3.0f %%  %s", example->name, (int)sizeof bar - 1,
             done, bar, 100 * share, what);
    int room = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1
                   ? window.ws_col - 1
                   : 79;
    fprintf(stderr, "\r%.*s\033[K", room, line);
}

/* Print what was learnt; returns 1 if it is not below the bar, or NaN. */
static inline int example_prove(const struct example *example, const char *what, double loss,
                                double bar)
{
    printf("%s: loss %.4g, bar %.4g\n", what, loss, bar);
    if (loss < bar)
        return 0;
    fprintf(stderr, "%s: %s did not learn: its loss is not below %g\n", example->name, what, bar);
    return 1;
}

#endif
