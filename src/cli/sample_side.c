/* sample_side.c: a side of a comparison from figures that other programs measured.
 *
 * Process runs count as runs, from any number of files. The calls in one file are a series; with several
 * files, each file counts as one run, with its p10 and median.
 */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

enum { EARLY, LATE, MEAN, P90, P99, ARRAYS };

static const struct sample_set *same_set(const struct sample_file *file,
                                         const struct sample_set *like)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->sets[i].is_memory == like->is_memory &&
            strcmp(file->sets[i].name, like->name) == 0)
            return file->sets[i].count > 0 ? &file->sets[i] : NULL;
    return NULL;
}

/* Is it the first file with this set? The sets of the other files are added to it. */
static int is_first(const struct sample_file *files, size_t at, const struct sample_set *set)
{
    for (size_t i = 0; i < at; i++)
        if (same_set(&files[i], set))
            return 0;
    return set->count > 0;
}

static double *join_values(const struct sample_file *files, size_t count,
                           const struct sample_set *like, size_t *joined)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct sample_set *set = same_set(&files[i], like);
        sum += set ? set->count : 0;
    }
    double *values = malloc((sum + 1) * sizeof *values);
    *joined = 0;
    for (size_t i = 0; values && i < count; i++) {
        const struct sample_set *set = same_set(&files[i], like);
        if (!set)
            continue;
        memcpy(values + *joined, set->values, set->count * sizeof *values);
        *joined += set->count;
    }
    return values;
}

/* One figure per file. 0 without memory. */
static int reduce(const struct sample_file *files, size_t count, const struct sample_set *like,
                  pit_figures *figures)
{
    double *arrays = malloc((ARRAYS * count + 1) * sizeof *arrays);
    for (size_t i = 0; arrays && i < count; i++) {
        const struct sample_set *set = same_set(&files[i], like);
        pit_call_times calls;
        if (!set)
            continue;
        if (pit_find_call_times(set->values, set->count, &calls) != 0) {
            free(arrays);
            return 0;
        }
        const double values[ARRAYS] = {calls.p10, calls.median, calls.mean, calls.p90, calls.p99};
        for (size_t k = 0; k < ARRAYS; k++)
            arrays[k * count + figures->count] = values[k];
        figures->count++;
    }
    if (!arrays)
        return 0;
    figures->values = arrays;
    figures->medians = arrays + LATE * count;
    figures->mean = arrays + MEAN * count;
    figures->p90 = arrays + P90 * count;
    figures->p99 = arrays + P99 * count;
    return 1;
}

/* A single profile: its blocks, which can only be compared with those of its session. */
static int take_blocks(const struct sample_set *set, pit_figures *figures)
{
    size_t n = set->block_count;
    double *blocks = malloc((2 * n + 1) * sizeof *blocks);
    if (!blocks)
        return 0;
    memcpy(blocks, set->blocks, 2 * n * sizeof *blocks);
    figures->values = blocks;
    figures->count = n;
    /* of one trial p10 and median are the same figure */
    if (memcmp(blocks, blocks + n, n * sizeof *blocks) != 0)
        figures->medians = blocks + n;
    return 1;
}

static int fill(const struct sample_file *files, size_t count, const struct sample_set *set,
                pit_figures *figures)
{
    size_t have = 0;
    *figures = (pit_figures){.is_memory = set->is_memory, .is_whole = set->is_whole};
    for (size_t i = 0; i < count; i++)
        have += same_set(&files[i], set) != NULL;
    figures->what = strdup(set->name);
    figures->session = have == 1 && set->count == 1 ? set->session : 0;
    if (figures->session && set->blocks)
        return figures->what && take_blocks(set, figures);
    if (set->is_runs || have == 1) {
        figures->values = join_values(files, count, set, &figures->count);
        figures->is_series = !set->is_runs && figures->count > 1;
        return figures->what && figures->values;
    }
    return figures->what && reduce(files, count, set, figures);
}

pit_side *sample_side_make(const char *name, const struct sample_file *files, size_t count)
{
    size_t sets = 0, runs = count;
    for (size_t i = 0; i < count; i++)
        sets += files[i].count;
    pit_side *side = calloc(1, sizeof *side);
    pit_figures *figures = calloc(sets + 1, sizeof *figures);
    int good = side && figures;
    if (side) {
        side->name = strdup(name);
        side->figures = figures;
        good = good && side->name;
    } else {
        free(figures);
    }
    for (size_t i = 0; good && i < count; i++)
        for (size_t k = 0; good && k < files[i].count; k++)
            if (is_first(files, i, &files[i].sets[k])) {
                pit_figures *next = &figures[side->figure_count++];
                good = fill(files, count, &files[i].sets[k], next);
                if (files[i].sets[k].is_runs && next->count > runs)
                    runs = next->count;
            }
    if (!good) {
        sample_side_free(side);
        return NULL;
    }
    side->runs = runs;
    return side;
}

void sample_side_free(pit_side *side)
{
    for (size_t i = 0; side && i < side->figure_count; i++) {
        free((void *)side->figures[i].what);
        free((void *)side->figures[i].values); /* the other arrays are in the same allocation */
    }
    if (side) {
        free((void *)side->figures);
        free((void *)side->name);
    }
    free(side);
}

struct sample_set *sample_only_set(struct sample_file *files, size_t count)
{
    struct sample_set *only = NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < files[i].count; k++) {
            struct sample_set *set = &files[i].sets[k];
            if (!set->is_named || set->is_memory || set->count == 0)
                continue;
            if (only && strcmp(only->name, set->name) != 0)
                return NULL;
            only = set;
        }
    return only;
}
