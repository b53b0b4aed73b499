/* One rank of a job, set up by the environment: steps with parts, and then optionally spans that stay open.
 *
 *   prog_rank PATH STEPS PARTS [STAY...]
 *
 * A step has the spans part-0 … part-N and all-reduce, or with COLLECTIVES in the environment a collective
 * MPI_Allreduce in its place. With MESSAGES=N it also sends to the next N ranks,
 * with RECEIVES=N it is N ms in a receive. With STAY it then opens these spans inside a step, prints "there" and waits
 * until its standard input ends. Durations do not matter. */
#include "pitwall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;
static uint32_t group; /* 0: plain spans */

static pit_token begin(const char *name)
{
    static pit_site reduce = PIT_SITE_WITH("MPI_Allreduce", PIT_COMM | PIT_SYNC);
    if (group && strcmp(name, "MPI_Allreduce") == 0)
        return pit_collective_begin(&reduce, group, 8);
    return pit_begin_name(name);
}

static uint32_t number(const char *variable)
{
    const char *text = getenv(variable);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static void work(size_t part)
{
    for (unsigned long i = 0; i < 200 + 10 * part; i++)
        sink += i;
}

static void send_to(uint32_t ranks)
{
    static pit_site send = PIT_SITE_WITH("MPI_Send", PIT_COMM);
    for (uint32_t i = 0; i < ranks; i++)
        pit_end_call(
            pit_begin_call(&send, 0, __builtin_return_address(0), i, UINT64_C(64) << i % 16));
}

static void receive(uint32_t ms)
{
    static pit_site receive = PIT_SITE_WITH("MPI_Recv", PIT_COMM);
    struct timespec time = {0, 1000000L * ms};
    if (!ms)
        return;
    pit_token token = pit_begin(&receive);
    nanosleep(&time, NULL);
    pit_end(token);
}

static void step(size_t parts)
{
    PIT_SPAN("step") {
        send_to(number("MESSAGES"));
        receive(number("RECEIVES"));
        for (size_t p = 0; p < parts; p++) {
            char name[40];
            snprintf(name, sizeof name, "part-%zu", p);
            pit_token span = pit_begin_name(name);
            work(p);
            pit_end(span);
        }
        pit_token meeting = begin(group ? "MPI_Allreduce" : "all-reduce");
        work(1);
        pit_end(meeting);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4 || pit_open(argv[1], NULL) != 0)
        return 1;
    if (getenv("COLLECTIVES"))
        group = pit_group_open(7, number("WORLD_SIZE"), number("RANK"));
    size_t steps = strtoul(argv[2], NULL, 10), parts = strtoul(argv[3], NULL, 10);
    for (size_t s = 0; s < steps; s++)
        step(parts);
    if (argc > 4) {
        pit_token outer = pit_begin_name("step");
        for (int i = 4; i < argc; i++)
            begin(argv[i]);
        puts("there");
        fflush(stdout);
        while (getchar() != EOF)
            ;
        pit_end(outer);
    }
    return pit_close() == 0 ? 0 : 1;
}
