/* compare_runs.c: compares two sides that are runs. */
#include "compare.h"

#include "reader/reader.h"

#include <stdlib.h>

#define LEAST_PAIRS 2 /* with one pair, one side is always before the other */

struct start {
    uint64_t wall_ns;
    int is_b;
};

static int by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    return (x->wall_ns > y->wall_ns) - (x->wall_ns < y->wall_ns);
}

/* Each pair of runs adjacent in time has one run of each side. */
PIT_API int pit_runs_interleaved(const pit_run *const *a, size_t a_count, const pit_run *const *b,
                                 size_t b_count)
{
    if (a_count != b_count || a_count < LEAST_PAIRS)
        return 0;
    struct start *starts = malloc(2 * a_count * sizeof *starts);
    /* advisory is the safer answer */
    if (!starts)
        return 0;
    for (size_t i = 0; i < a_count; i++) {
        starts[2 * i] = (struct start){a[i]->start_wall_ns, 0};
        starts[2 * i + 1] = (struct start){b[i]->start_wall_ns, 1};
    }
    qsort(starts, 2 * a_count, sizeof *starts, by_start);
    size_t pairs = 0;
    while (pairs < a_count && starts[2 * pairs].is_b != starts[2 * pairs + 1].is_b &&
           starts[2 * pairs].wall_ns != starts[2 * pairs + 1].wall_ns)
        pairs++;
    free(starts);
    return pairs == a_count;
}

PIT_API pit_comparisons *pit_compare_runs(const pit_run *const *a, size_t a_count,
                                          const pit_run *const *b, size_t b_count,
                                          const char *a_name, const char *b_name,
                                          const pit_compare_options *options, pit_error *error)
{
    if ((a_count && !a) || (b_count && !b)) {
        pit__fail(error, PIT_BAD_ARGUMENT, 0, "%s", pit_strerror(PIT_BAD_ARGUMENT));
        return NULL;
    }
    pit_compare_options own = options ? *options : (pit_compare_options){0};
    if (pit_runs_interleaved(a, a_count, b, b_count)) {
        own.interleaved = 2;
        own.pairs = a_count;
    }
    pit_side *sides[2] = {pit_side_of_runs(a, a_count, a_name),
                          pit_side_of_runs(b, b_count, b_name)};
    pit_comparisons *all = NULL;
    if (sides[0] && sides[1])
        all = pit_compare_sides((const pit_side *const *)sides, 2, &own, error);
    else
        pit__fail(error, PIT_NO_MEMORY, 0, "%s", pit_strerror(PIT_NO_MEMORY));
    pit_side_free(sides[0]);
    pit_side_free(sides[1]);
    return all;
}
