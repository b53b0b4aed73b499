/* scale.c: a function measured at several sizes. Each round measures all sizes in a new order, so that a
 * slow period of the machine does not hit only one size; the minimum of each size counts. */
#include "pitwall_bench.h"

#include "analysis/random_order.h"
#include "base/clock_ns.h"

#include <stdlib.h>

#define ROUNDS 9
#define LEAST_NS 1000000u /* of one measurement: small sizes are called repeatedly */

/* Seconds per call: if one call is shorter than a millisecond, as many calls as fill it. */
static double measure(void (*function)(void *argument, uint64_t size), void *argument,
                      uint64_t size, uint64_t *calls)
{
    for (;;) {
        uint64_t begun = pit__clock_ns(CLOCK_MONOTONIC);
        for (uint64_t i = 0; i < *calls; i++)
            function(argument, size);
        uint64_t took = pit__clock_ns(CLOCK_MONOTONIC) - begun;
        if (took >= LEAST_NS || *calls >= LEAST_NS)
            return (double)took / 1e9 / (double)*calls;
        *calls *= took > LEAST_NS / 100 ? LEAST_NS / took + 1 : 100;
    }
}

static void run_rounds(void (*function)(void *argument, uint64_t size), void *argument,
                       const uint64_t *sizes, size_t count, uint64_t rounds, size_t *order,
                       uint64_t *calls, double *costs)
{
    /* A fixed seed is enough: the order only has to differ between rounds. */
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (uint64_t r = 0; r < rounds; r++) {
        pit__shuffle(order, count, &state);
        for (size_t i = 0; i < count; i++) {
            size_t at = order[i];
            pit_token token = pit_begin_name("scale");
            double cost = measure(function, argument, sizes[at], &calls[at]);
            pit_end(token);
            if (r == 0 || cost < costs[at])
                costs[at] = cost;
        }
    }
}

PIT_API int pit_scale(void (*function)(void *argument, uint64_t size), void *argument,
                      const uint64_t *sizes, size_t count, uint64_t rounds, double *costs,
                      pit_scaling *scaling)
{
    if (!function || !sizes || !scaling)
        return PIT_BAD_ARGUMENT;
    double *figures = calloc(2 * count + 1, sizeof *figures);
    size_t *order = calloc(count + 1, sizeof *order);
    uint64_t *calls = calloc(count + 1, sizeof *calls);
    int code = figures && order && calls ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; code == 0 && i < count; i++) {
        order[i] = i;
        calls[i] = 1;
        figures[i] = (double)sizes[i];
    }
    if (code == 0) {
        run_rounds(function, argument, sizes, count, rounds ? rounds : ROUNDS, order, calls,
                   figures + count);
        code = pit_find_scaling(figures, figures + count, count, scaling);
    }
    for (size_t i = 0; figures && costs && i < count; i++)
        costs[i] = figures[count + i];
    free(calls);
    free(order);
    free(figures);
    return code;
}
