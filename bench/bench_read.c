/* Reading: open a run of 1,000 nodes, check it, merge it into a tree, free both. */
#include "bench.h"

#include <pitwall_report.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTER = 10, INNER = 99, SPANS = 200, READS = 60 };

static void record(void)
{
    char name[32];
    for (int round = 0; round < SPANS; round++)
        for (int i = 0; i < OUTER; i++) {
            snprintf(name, sizeof name, "outer %d", i);
            pit_token outer = pit_begin_name(name);
            for (int k = 0; k < INNER; k++) {
                snprintf(name, sizeof name, "inner %d", k);
                pit_end(pit_begin_name(name));
            }
            pit_end(outer);
        }
}

int main(void)
{
    static double ms[READS];
    char path[4096];
    bench_run_path(path, sizeof path, "bench_read.pit");
    pid_t child = fork(); /* a separate process writes the run, as in practice */
    if (child == 0) {
        bench_open("bench_read.pit");
        record();
        pit_close();
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        bench_fail(path, "the program that records it failed");
    for (int i = 0; i < READS; i++) {
        pit_error error;
        uint64_t start = bench_monotonic_ns();
        pit_run *run = pit_run_open(path, &error);
        if (!run)
            bench_fail(path, error.message);
        const pit_run *runs[] = {run};
        pit_tree *tree = pit_tree_build(runs, 1);
        if (!tree || tree->node_count != OUTER * (INNER + 1))
            bench_fail(path, "the tree does not have the nodes that were recorded");
        pit_tree_free(tree);
        pit_run_free(run);
        ms[i] = 1e-6 * (double)(bench_monotonic_ns() - start);
    }
    bench_print("read_ms_1000_nodes", bench_quantile(ms, READS, 0.5));
    return 0;
}
