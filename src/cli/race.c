/* See race.h. Order matters more than the test: machines have slow stretches that last whole runs, so
 * the commands take turns, and in each round a coin says who goes first. */
#include "race.h"

#include "child.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const size_t looks[] = {10, 20, RACE_PAIRS};
enum { LOOKS = sizeof looks / sizeof looks[0] };

void race_file(const struct race *race, const struct racer *racer, size_t run, char *path,
               size_t room)
{
    snprintf(path, room, "%s/%s-%03zu.pit", race->folder, racer->letter, run + 1);
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
                 : child.status ? fail_child(&child, race->prepare, "the preparation failed")
                                : 0;
    child_free(&child);
    free(words);
    return status;
}

/* Of the run itself; 0 where there is none. A span that measures memory resets the mark that the
 * kernel hands on at the end. */
static double recorded_peak(const char *path)
{
    pit_run *run = access(path, R_OK) == 0 ? pit_run_open(path, NULL) : NULL;
    double peak = run ? (double)run->rss_peak : 0;
    pit_run_free(run);
    return peak;
}

/* counted: its figures are kept, and its run file. */
static int run_once(const struct race *race, struct racer *racer, int counted)
{
    int status = prepare(race);
    if (status)
        return status;
    char path[4200], setting[4220];
    race_file(race, racer, racer->runs, path, sizeof path);
    snprintf(setting, sizeof setting, "PITWALL_FILE=%s", path);
    char *settings[] = {counted ? setting : (char *)(uintptr_t) "PITWALL=0", NULL};
    struct child child;
    int error = child_run(racer->words, settings, &child);
    if (error)
        return fail(EXIT_COMMAND_FAILED, "cannot run", racer->name, strerror(error));
    if (child.status) {
        status = fail_child(&child, racer->name, "the command failed");
    } else if (counted) {
        racer->wall[racer->runs] = child.wall_seconds;
        racer->cpu[racer->runs] = child.cpu_seconds;
        racer->peak[racer->runs++] = fmax(child.peak_bytes, recorded_peak(path));
    }
    child_free(&child);
    return status;
}

/* Every command once, in an order of its own. */
static int run_round(const struct race *race, int counted)
{
    size_t order[RACE_MOST] = {0};
    for (size_t i = 0; i < race->count; i++)
        order[i] = i;
    shuffle(order, race->count);
    int status = 0;
    for (size_t i = 0; i < race->count && !status; i++)
        status = run_once(race, &race->racers[order[i]], counted);
    return status;
}

/* ---- the looks ----------------------------------------------------------------------------- */

/* Each at a third of the level where there are three looks. */
static double level_of(const struct race *race)
{
    return race->pairs ? race->level : race->level / (double)LOOKS;
}

static int compare_wall(const struct race *race, size_t at, pit_comparison *item)
{
    const struct racer *a = &race->racers[0], *b = &race->racers[at];
    pit_compare_options options = {
        .level = level_of(race), .effect = race->effect, .interleaved = 1};
    return pit_compare_arrays(a->wall, NULL, a->runs, b->wall, NULL, b->runs, &options, item);
}

/* By wall time alone: so that the looks are at one figure. */
static int is_decided(const struct race *race)
{
    pit_figures figures[RACE_MOST];
    pit_side sides[RACE_MOST];
    const pit_side *list[RACE_MOST] = {NULL};
    pit_compare_options options = {
        .level = level_of(race), .effect = race->effect, .interleaved = 1};
    for (size_t i = 0; i < race->count; i++) {
        const struct racer *r = &race->racers[i];
        figures[i] =
            (pit_figures){.what = "wall time", .is_whole = 1, .count = r->runs, .early = r->wall};
        sides[i] = (pit_side){r->name, &figures[i], 1, r->runs};
        list[i] = &sides[i];
    }
    pit_comparisons *found = pit_compare_sides(list, race->count, &options, NULL);
    int decided = found != NULL;
    for (size_t i = 0; found && i < found->count; i++)
        decided = decided && found->items[i].verdict != PIT_NO_VERDICT;
    pit_comparisons_free(found);
    return decided;
}

/* A line on a terminal, changed in place. */
static void show_progress(const struct race *race, size_t round)
{
    size_t until = race->pairs;
    for (size_t i = 0; !race->pairs && i < LOOKS && until < round; i++)
        until = looks[i];
    if (race->is_quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\x1b[Kround %zu of %zu", round, until);
    for (size_t i = 1; i < race->count && i < 4; i++) {
        pit_comparison item;
        if (compare_wall(race, i, &item) == 0 && isfinite(item.change))
            fprintf(stderr, "   %s %+.1f %%", race->racers[i].letter, 100 * item.change);
    }
    fflush(stderr);
}

static void end_progress(const struct race *race)
{
    if (!race->is_quiet && isatty(STDERR_FILENO))
        fputs("\r\x1b[K", stderr);
}

int race_run(struct race *race)
{
    int status = 0;
    srandom((unsigned)time(NULL) ^ (unsigned)getpid());
    for (size_t i = 0; i < race->warmup && !status; i++)
        status = run_round(race, 0);
    size_t most = race->pairs ? race->pairs : RACE_PAIRS, look = 0;
    for (size_t round = 1; round <= most && !status; round++) {
        show_progress(race, round);
        status = run_round(race, 1);
        if (status || race->pairs || round != looks[look])
            continue;
        if (is_decided(race))
            break;
        look++;
    }
    end_progress(race);
    return status;
}

/* ---- the comparison ------------------------------------------------------------------------ */

/* The runs that a racer's processes recorded; how many. */
static size_t open_runs(const struct race *race, const struct racer *racer, pit_run **runs)
{
    size_t count = 0;
    for (size_t i = 0; i < racer->runs; i++) {
        char path[4200];
        race_file(race, racer, i, path, sizeof path);
        runs[count] = access(path, R_OK) == 0 ? pit_run_open(path, NULL) : NULL;
        count += runs[count] != NULL;
    }
    return count;
}

/* What a racer's processes recorded, behind what was seen of them from outside. */
struct entrant {
    pit_run **runs;
    size_t run_count;
    pit_side *recorded;
    pit_figures *figures;
    pit_side side;
};

#define OUTSIDE 3

static int make_entrant(const struct race *race, const struct racer *racer, struct entrant *e)
{
    e->runs = calloc(racer->runs + 1, sizeof *e->runs);
    if (!e->runs)
        return -1;
    e->run_count = open_runs(race, racer, e->runs);
    e->recorded = pit_side_of_runs((const pit_run *const *)e->runs, e->run_count, racer->name);
    size_t more = e->recorded ? e->recorded->figure_count : 0;
    e->figures = calloc(OUTSIDE + more, sizeof *e->figures);
    if (!e->figures)
        return -1;
    e->figures[0] = (pit_figures){
        .what = "wall time", .is_whole = 1, .count = racer->runs, .early = racer->wall};
    e->figures[1] =
        (pit_figures){.what = "processor time", .count = racer->runs, .early = racer->cpu};
    e->figures[2] = (pit_figures){.what = "peak memory",
                                  .is_whole = 1,
                                  .is_memory = 1,
                                  .count = racer->runs,
                                  .early = racer->peak};
    e->side = (pit_side){racer->name, e->figures, OUTSIDE, racer->runs};
    for (size_t i = 0; i < more; i++)
        if (!e->recorded->figures[i].is_whole) /* known better from outside */
            e->figures[e->side.figure_count++] = e->recorded->figures[i];
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
    pit_compare_options options = {.level = level_of(race),
                                   .effect = race->effect,
                                   .interleaved = 1,
                                   .gates = race->gates,
                                   .gate_count = race->gate_count};
    size_t count = race->count;
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad = bad || make_entrant(race, &race->racers[i], &entrants[i]) != 0;
        list[i] = &entrants[i].side;
    }
    pit_comparisons *found = bad ? NULL : pit_compare_sides(list, count, &options, error);
    for (size_t i = 0; i < count; i++)
        free_entrant(&entrants[i]);
    return found;
}
