/* The cost of the spans in two whole programs: batches of examples/fitting.c and examples/rom.c, against
 * the same sources compiled without a span.
 *
 *     bench_examples                      time them
 *     bench_examples PROGRAM COPY N       run N batches of one copy, for bench_instructions.py to count
 *
 * All are in one process and take turns, some milliseconds at a time, on the same memory, with an open run
 * and its sampler. A batch may be interrupted by other programs, so the processor time of the thread is
 * used; the figure of a copy is the mean of the fastest tenth of its batches. Each of the two programs is
 * linked twice, at two addresses: the layout of code changes its speed, and the difference between two
 * equal copies is noise. */
#include "bench.h"

#include "steps/example_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS, PLAIN, SPANS_2, PLAIN_2, COPIES };
enum { PROGRAMS = 2, MOST_PARTS = 3, MOST_ROUNDS = 3000, LEAST_ROUNDS = 100 };
#define SECONDS 20 /* for each program, at least LEAST_ROUNDS */

struct program {
    const char *name;
    const struct example_steps *copies[COPIES];
};

static const struct program programs[PROGRAMS] = {
    {"fitting", {&fitting_spans, &fitting_plain, &fitting_spans_2, &fitting_plain_2}},
    {"rom", {&rom_spans, &rom_plain, &rom_spans_2, &rom_plain_2}},
};

static double times[MOST_PARTS][COPIES][MOST_ROUNDS];

static void *make(const struct program *program)
{
    void *it = program->copies[PLAIN]->make();
    if (!it)
        bench_fail(program->name, "no memory");
    return it;
}

static double processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ---- the times ------------------------------------------------------------------------------- */

/* The i-th copy to run in a round: over time, each copy runs in each position, after each of its
 * neighbours. */
static unsigned turn(unsigned round, unsigned i)
{
    unsigned at = (round + i) % COPIES;
    return round / COPIES % 2 ? COPIES - 1 - at : at;
}

static void take_round(const struct program *program, void *it, unsigned round)
{
    for (unsigned part = 0; part < program->copies[0]->parts; part++)
        for (unsigned i = 0; i < COPIES; i++) {
            unsigned which = turn(round, i);
            program->copies[PLAIN]->reset(it, part);
            double begin = processor_ns();
            program->copies[which]->step(it, part);
            times[part][which][round] = processor_ns() - begin;
        }
}

/* Nanoseconds of a batch of each part, for the rounds from `from` to before `to`. */
static double fastest(unsigned which, unsigned parts, unsigned from, unsigned to)
{
    static double sorted[MOST_ROUNDS];
    double sum = 0;
    unsigned count = to - from, few = count / 10;
    for (unsigned part = 0; part < parts; part++) {
        memcpy(sorted, times[part][which] + from, count * sizeof *sorted);
        bench_quantile(sorted, count, 0); /* sorts */
        for (unsigned i = 0; i < few; i++)
            sum += sorted[i] / few;
    }
    return sum;
}

/* What spans add, in percent; *noise: the larger difference between two equal copies. */
static double cost_pct(unsigned parts, unsigned from, unsigned to, double *noise)
{
    double ns[COPIES];
    for (unsigned which = 0; which < COPIES; which++)
        ns[which] = fastest(which, parts, from, to);
    *noise = 100 * fmax(fabs(ns[SPANS] / ns[SPANS_2] - 1), fabs(ns[PLAIN] / ns[PLAIN_2] - 1));
    return 100 * ((ns[SPANS] + ns[SPANS_2]) / (ns[PLAIN] + ns[PLAIN_2]) - 1);
}

static void measure(const struct program *program)
{
    void *it = make(program);
    unsigned parts = program->copies[0]->parts, rounds = 0;
    double end = bench_now_ns() + SECONDS * 1e9, noise, half[2], unused;
    while (rounds < MOST_ROUNDS && (rounds < LEAST_ROUNDS || bench_now_ns() < end))
        take_round(program, it, rounds++);
    double cost = cost_pct(parts, 0, rounds, &noise);
    for (unsigned i = 0; i < 2; i++)
        half[i] = cost_pct(parts, i * rounds / 2, (i + 1) * rounds / 2, &unused);
    /* Equal copies may agree by chance; the difference between the halves of the run still shows the
     * noise. */
    noise = fmax(noise, fabs(half[0] - half[1]) / 2);
    char key[64];
    snprintf(key, sizeof key, "%s_cost_pct", program->name);
    bench_print(key, cost);
    snprintf(key, sizeof key, "%s_noise_pct", program->name);
    bench_print(key, noise);
}

/* ---- the work alone -------------------------------------------------------------------------- */

/* Counted by bench_instructions.py, whose call of callgrind names this function. */
__attribute__((noinline)) static void counted_batches(const struct example_steps *copy, void *it,
                                                      long batches)
{
    for (long i = 0; i < batches; i++)
        copy->step(it, (unsigned)i % copy->parts);
}

/* Returns 0, or -1 if there is no such copy. */
static int count(const struct program *program, const char *name, long batches)
{
    static const char *const names[COPIES] = {"spans", "plain", "spans_2", "plain_2"};
    for (unsigned which = 0; which < COPIES; which++) {
        const struct example_steps *copy = program->copies[which];
        if (strcmp(names[which], name) != 0)
            continue;
        void *it = make(program);
        for (unsigned i = 0; i < 2 * copy->parts;
             i++) /* the first batches create sites and nodes */
            copy->step(it, i % copy->parts);
        counted_batches(copy, it, batches);
        return 0;
    }
    return -1;
}

int main(int argc, char **argv)
{
    long batches = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    int done = 0;
    bench_open("bench_examples.pit");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        if (argc == 1)
            measure(&programs[i]), done = 1;
        else if (batches > 0 && strcmp(argv[1], programs[i].name) == 0)
            done = count(&programs[i], argv[2], batches) == 0;
    }
    if (!done)
        bench_fail("usage", "bench_examples [PROGRAM COPY N]");
    return pit_close() ? 1 : 0;
}
