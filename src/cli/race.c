/* See race.h. The engine (src/compare/race_engine.c) decides the order, the interim tests and the verdict.
 * Here a run is a process, and an interrupt ends the race but keeps its result so far. */
#include "race.h"

#include "child.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The figures of a run, as the engine keeps them. The first decides: the wall time, or the figure that
 * the command prints; in that case the wall time comes last. */
enum { DECIDING, CPU, PEAK, WALL, ENERGY, FIGURES };

/* The file of a run of a racer. */
static void race_file(const struct race *race, size_t side, size_t round, char *path, size_t room)
{
    snprintf(path, room, "%s/%s-%03zu.pit", race->folder, race->racers[side].letter, round);
}

/* ---- interrupts ----------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    interrupted = 1;
    child_signal(signal);
}

/* A second interrupt has its default action and ends us; an ignored signal stays ignored. */
static void catch_interrupts(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

/* ---- one run ------------------------------------------------------------------------------- */

static int fail_child(const struct child *child, const char *name, const char *what)
{
    char why[40];
    snprintf(why, sizeof why, "status %d", child->status);
    if (child->output)
        fputs(child->output, stderr);
    return fail(EXIT_COMMAND_FAILED, what, name, why);
}

static int prepare(const struct race *race)
{
    if (!race->prepare)
        return 0;
    char **words = child_words(race->prepare, NULL, NULL, NULL);
    struct child child = {0};
    int error = words ? child_run(words, NULL, &child) : ENOMEM;
    int status = error ? fail(EXIT_COMMAND_FAILED, "cannot run", race->prepare, strerror(error))
                 : child.status
                     ? fail_child(&child, race->prepare, "the command of --prepare failed")
                     : 0;
    child_free(&child);
    free(words);
    return status;
}

/* From the run file; 0 without one. Needed because a span that measures memory resets the high-water mark
 * that the kernel reports at the end. */
static double recorded_peak(const char *path)
{
    pit_run *run = access(path, R_OK) == 0 ? pit_run_open(path, NULL) : NULL;
    double peak = run ? (double)run->rss_peak : 0;
    pit_run_free(run);
    return peak;
}

/* The number after NAME and one of = : or blank; the last one in the output counts. NaN: not found. */
static double told_figure(const char *output, const char *name)
{
    double found = NAN;
    size_t length = strlen(name);
    for (const char *at = output; at && (at = strstr(at, name)) != NULL; at += length) {
        const char *number = at + length;
        char *end;
        int is_word = at == output || strchr(" \t\n", at[-1]);
        number += strspn(number, " \t=:");
        double value = strtod(number, &end);
        if (is_word && number > at + length && end > number)
            found = value;
    }
    return found;
}

/* The energy that the processors' counters measured while the command ran; NaN: no counters, or the
 * command was too short. */
static double joules_since(const pit_energy_now *before, double seconds)
{
    pit_energy_now now;
    pit_energy_read(&now);
    return seconds >= now.processors_min_s ? now.processors_j - before->processors_j : (double)NAN;
}

static int take_figures(const struct race *race, size_t side, const struct child *child,
                        const char *path, double *figures)
{
    figures[DECIDING] = figures[WALL] = child->wall_seconds;
    figures[CPU] = child->cpu_seconds;
    figures[PEAK] = fmax(child->peak_bytes, recorded_peak(path));
    if (!race->figure)
        return 0;
    figures[DECIDING] = told_figure(child->output, race->figure);
    if (figures[DECIDING] > 0 && isfinite(figures[DECIDING]))
        return 0;
    return fail(EXIT_COMMAND_FAILED, "the command does not print this figure as a number over 0",
                race->racers[side].name, race->figure);
}

/* For the engine: round 0 is a warm-up and writes no run file. */
static int run_once(void *argument, size_t side, size_t round, double *figures)
{
    const struct race *race = argument;
    const struct racer *racer = &race->racers[side];
    int status = prepare(race);
    if (interrupted)
        return PIT_STOP;
    if (status)
        return status;
    char path[4200], setting[4220];
    race_file(race, side, round, path, sizeof path);
    snprintf(setting, sizeof setting, "PITWALL_FILE=%s", path);
    char *settings[] = {round ? setting : (char *)(uintptr_t) "PITWALL=0", NULL};
    struct child child;
    pit_energy_now before;
    pit_energy_read(&before);
    int error = child_run(racer->words, settings, &child);
    if (error)
        return fail(EXIT_COMMAND_FAILED, "cannot run", racer->name, strerror(error));
    if (interrupted)
        status = PIT_STOP;
    else if (child.status)
        status = fail_child(&child, racer->name, "the command failed");
    else if (round)
        status = take_figures(race, side, &child, path, figures);
    if (!status)
        figures[ENERGY] = joules_since(&before, child.wall_seconds);
    child_free(&child);
    return status;
}

/* ---- the race ------------------------------------------------------------------------------ */

/* A progress line on the terminal, updated in place. */
static int show_progress(void *argument, const pit_race_progress *p)
{
    const struct race *race = argument;
    if (race->is_quiet || !isatty(STDERR_FILENO))
        return interrupted;
    fprintf(stderr, "\r\x1b[Kround %zu of %zu   %.0f", p->round, p->next_test, p->seconds);
    if (isfinite(p->budget))
        fprintf(stderr, " of %.0f", p->budget);
    fputs(" s", stderr);
    for (size_t i = 1; i < p->side_count && i < 4; i++)
        if (isfinite(p->change[i - 1]))
            fprintf(stderr, "   %s %+.1f %%", race->racers[i].letter, 100 * p->change[i - 1]);
    fflush(stderr);
    return interrupted;
}

int race_run(struct race *race)
{
    const char *names[RACE_MOST] = {NULL};
    pit_race_options *options = &race->options;
    for (size_t i = 0; i < race->count; i++)
        names[i] = race->racers[i].name;
    options->side_count = race->count;
    options->figure_count = FIGURES;
    options->names = names;
    options->what = race->figure;
    options->progress = show_progress;
    catch_interrupts();
    int status = pit_race(run_once, race, options, &race->result);
    options->names = NULL;
    if (!race->is_quiet && isatty(STDERR_FILENO))
        fputs("\r\x1b[K", stderr);
    if (status < 0)
        return fail(EXIT_COMMAND_FAILED, "cannot run the race", NULL, pit_strerror(status));
    if (status == 0 && interrupted)
        fprintf(stderr, "pitwall: race: interrupted after %zu complete round%s\n",
                race->result.rounds, race->result.rounds == 1 ? "" : "s");
    return status == 0 && interrupted && race->result.rounds == 0 ? EXIT_INTERRUPTED : status;
}

/* ---- the comparison ------------------------------------------------------------------------ */

/* Open the runs that a racer's processes recorded; returns their number. */
static size_t open_runs(const struct race *race, size_t side, pit_run **runs)
{
    size_t count = 0;
    for (size_t i = 0; i < race->result.rounds; i++) {
        char path[4200];
        race_file(race, side, i + 1, path, sizeof path);
        runs[count] = access(path, R_OK) == 0 ? pit_run_open(path, NULL) : NULL;
        count += runs[count] != NULL;
    }
    return count;
}

/* Append the figures that a racer's processes recorded to those measured from outside. */
struct entrant {
    pit_run **runs;
    size_t run_count;
    pit_side *recorded;
    pit_figures *figures;
    pit_side side;
};

/* A figure is compared only if every round has it. */
static int has_energy(const double *joules, size_t rounds)
{
    for (size_t i = 0; i < rounds; i++)
        if (!(joules[i] > 0))
            return 0;
    return rounds > 0;
}

static int make_entrant(const struct race *race, size_t side, struct entrant *e)
{
    const char *name = race->racers[side].name;
    size_t rounds = race->result.rounds;
    double *const *own = race->result.figures + side * FIGURES;
    e->runs = calloc(rounds + 1, sizeof *e->runs);
    if (!e->runs)
        return -1;
    e->run_count = open_runs(race, side, e->runs);
    e->recorded = pit_side_of_runs((const pit_run *const *)e->runs, e->run_count, name);
    size_t more = e->recorded ? e->recorded->figure_count : 0, at = 0;
    pit_figures *f = e->figures = calloc(FIGURES + more, sizeof *e->figures);
    if (!f)
        return -1;
    f[at++] = (pit_figures){.what = race->figure ? race->figure : "wall time",
                            .is_whole = 1,
                            .count = rounds,
                            .values = own[DECIDING]};
    if (race->figure)
        f[at++] = (pit_figures){.what = "wall time", .count = rounds, .values = own[WALL]};
    f[at++] = (pit_figures){.what = "processor time", .count = rounds, .values = own[CPU]};
    f[at++] = (pit_figures){
        .what = "peak memory", .is_whole = 1, .is_memory = 1, .count = rounds, .values = own[PEAK]};
    if (has_energy(own[ENERGY], rounds))
        f[at++] = (pit_figures){.what = "processor energy",
                                .is_whole = 1,
                                .is_memory = 1,
                                .is_energy = 1,
                                .count = rounds,
                                .values = own[ENERGY]};
    for (size_t i = 0; i < more; i++)
        if (!e->recorded->figures[i].is_whole || /* measured better from outside */
            e->recorded->figures[i].is_energy)   /* but this one includes devices */
            f[at++] = e->recorded->figures[i];
    e->side = (pit_side){name, f, at, rounds};
    return 0;
}

static void free_entrant(struct entrant *e)
{
    free(e->figures);
    pit_side_free(e->recorded);
    for (size_t i = 0; i < e->run_count; i++)
        pit_run_free(e->runs[i]);
    free(e->runs);
}

pit_comparisons *race_compare(const struct race *race, pit_error *error)
{
    struct entrant entrants[RACE_MOST] = {{0}};
    const pit_side *list[RACE_MOST] = {NULL};
    pit_compare_options options = {.level = race->result.level,
                                   .effect = race->options.effect,
                                   .interleaved = 1,
                                   .pairs = race->result.rounds,
                                   .gates = race->gates,
                                   .gate_count = race->gate_count};
    size_t count = race->count;
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad = bad || make_entrant(race, i, &entrants[i]) != 0;
        list[i] = &entrants[i].side;
    }
    pit_comparisons *found = bad ? NULL : pit_compare_sides(list, count, &options, error);
    for (size_t i = 0; i < count; i++)
        free_entrant(&entrants[i]);
    return found;
}
