/* prog_live_reader RUN POLLS stopped|running: reads a live run repeatedly and checks every
 * reading (poll_check.h). Prints readings, wrong ones, spans of the last, the longest reading in
 * microseconds, how far a histogram's sum was from its count, and between how many readings the
 * run got no block. It goes on after POLLS until these are a quarter of POLLS: a slow writer may get its
 * blocks one by one.
 */
#include "poll_check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 64;
    struct poll_check check;
    memset(&check, 0, sizeof check);
    check.at_rest = strcmp(argv[3], "stopped") == 0;
    double longest = 0;
    unsigned long polls = strtoul(argv[2], NULL, 10);
    while (check.polls < polls || check.steady < polls / 4) {
        pit_error error;
        double start = now_us();
        pit_run *run = pit_run_open(argv[1], &error);
        double took = now_us() - start;
        longest = took > longest ? took : longest;
        if (!run) {
            fprintf(stderr, "poll %lu: %s\n", check.polls, error.message);
            return 1;
        }
        if (run->state != PIT_RUN_LIVE) {
            fprintf(stderr, "poll %lu: state %d\n", check.polls, (int)run->state);
            return 1;
        }
        poll_check(&check, run);
        pit_run_free(run);
    }
    printf("%lu %u %llu %.0f %lu %lu\n", check.polls, check.wrong, (unsigned long long)check.spans,
           longest, check.most_off, check.steady);
    free(check.nodes);
    return check.wrong ? 1 : 0;
}
