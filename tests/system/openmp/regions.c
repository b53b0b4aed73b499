/* Parallel regions of every form, counted by the program itself: a line "NAME REGIONS THREADS LARGEST" for each
 * span they were entered in, and "outside" for those in none. Compiled with and without the
 * library: the program without it does not use Pitwall at all.
 *
 *   regions              all forms
 *   regions forever      one region after another, with a line after each, until it is killed
 *   regions fork         regions in a child alone, which was forked before the first region */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_SPANS
#include "pitwall.h"
#define SPAN_BEGIN(name_) pit_token token = pit_begin_name(name_)
#define SPAN_END() pit_end(token)
#else
#define SPAN_BEGIN(name_) (void)(name_)
#define SPAN_END() (void)0
#endif

static double sums[4096];
static int regions, threads, largest;

static void count(int team)
{
    regions++;
    threads += team;
    largest = team > largest ? team : largest;
}

static void tell(const char *name)
{
    printf("%s %d %d %d\n", name, regions, threads, largest);
    fflush(stdout);
    regions = threads = largest = 0;
}

static void loops(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        int team = 0;
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 4096; i++) {
            sums[i] += i;
            if (i == 0)
                team = omp_get_num_threads();
        }
        count(team);
#pragma omp parallel for num_threads(3) schedule(dynamic, 64)
        for (int i = 0; i < 4096; i++) {
            sums[i] *= 0.5;
            if (i == 0)
                team = omp_get_num_threads();
        }
        count(team);
#pragma omp parallel for num_threads(2) schedule(guided)
        for (int i = 0; i < 4096; i++) {
            sums[i] *= 0.5;
            if (i == 0)
                team = omp_get_num_threads();
        }
        count(team);
#pragma omp parallel for num_threads(2) schedule(runtime)
        for (int i = 0; i < 4096; i++) {
            sums[i] += 1;
            if (i == 0)
                team = omp_get_num_threads();
        }
        count(team);
    }
}

/* Barriers, a loop with one at its end, sections; and a team of one. */
static void forms(void)
{
    int team = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        team = omp_get_num_threads();
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 4096; i++)
            sums[i] += 2;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4096; i++)
            sums[i] += 3;
    }
    count(team);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        team = omp_get_num_threads();
#pragma omp section
        sums[0]++;
    }
    count(team);
#pragma omp parallel num_threads(1)
    team = omp_get_num_threads();
    count(team);
}

/* Two threads, each of which starts a team of two: one region here, and two more that are entered on the
 * threads of the first. Only the first thread of it has the span open. */
static void nested(void)
{
    int outer = 0, inner[2] = {0, 0};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        if (me == 0)
            outer = omp_get_num_threads();
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            inner[me] = omp_get_num_threads();
        }
    }
    count(outer);
    count(inner[0]);
    tell("nested");
    count(inner[1]);
    tell("worker");
}

static void in_span(const char *name, void (*call)(void))
{
    SPAN_BEGIN(name);
    call();
    SPAN_END();
    if (call != nested)
        tell(name);
}

static void some_loops(void)
{
    loops(25);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            in_span("loops", some_loops);
        else
            waitpid(child, NULL, 0);
        return 0;
    }
    if (argc > 1) {
        SPAN_BEGIN("loops");
        for (;;) {
            loops(1);
            printf("%d %d %d\n", regions, threads, largest);
            fflush(stdout);
        }
        SPAN_END();
    }
    in_span("loops", some_loops);
    in_span("forms", forms);
    in_span("nested", nested);
    loops(3);
    tell("outside");
    return 0;
}
