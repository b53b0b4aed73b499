/* made_run.h: runs made by hand, for tests of the layers above the reader. One tick is one
 * nanosecond unless a test says otherwise. */
#ifndef PIT_MADE_RUN_H
#define PIT_MADE_RUN_H

#include "format/run_format.h"
#include "kept.h"
#include "pitwall_report.h"

#include <stdlib.h>
#include <string.h>

/* A node with `count` spans of `each` ticks. */
static inline pit_raw_node made_node(const char *name, uint32_t parent, uint64_t count,
                                     uint64_t each, uint64_t child)
{
    __extension__ unsigned __int128 squares = (unsigned __int128)each * each * count;
    static pit_hist_bin pool[100000]; /* never freed: a test's process is short */
    static size_t used;
    pit_hist_bin *bin = &pool[used++];
    if (used == sizeof pool / sizeof pool[0])
        abort();
    uint32_t bucket = pit_fmt_bucket_of(each);
    bin->low = pit_fmt_bucket_low(bucket);
    bin->high = pit_fmt_bucket_high(bucket);
    bin->count = count;
    return (pit_raw_node){.name = name,
                          .parent = parent,
                          .count = count,
                          .total = count * each,
                          .child = child,
                          .min = count ? each : 0,
                          .max = count ? each : 0,
                          .sq_lo = (uint64_t)squares,
                          .sq_hi = (uint64_t)(squares >> 64),
                          .hist = bin,
                          .hist_count = count > 0};
}

static inline pit_thread made_thread(const char *name, const pit_raw_node *nodes, size_t count)
{
    return (pit_thread){.name = name,
                        .tid = 7,
                        .thread_count = 1,
                        .attached = 1,
                        .nodes = nodes,
                        .node_count = count};
}

static inline pit_run made_run(const pit_thread *threads, size_t count)
{
    static const pit_fact facts[] = {{"program", "train"},    {"arguments", "--epochs 10"},
                                     {"host", "box"},         {"cpu", "A CPU"},
                                     {"kernel", "Linux 6.1"}, {"label.lr", "0.1"}};
    return (pit_run){.path = "run.pit",
                     .state = PIT_RUN_CLOSED,
                     .pid = 42,
                     .clock = 2,
                     .ns_per_tick = 1,
                     .start_ticks = 1000,
                     .end_ticks = 1000 + 12500000000u,
                     .start_wall_ns = 1700000000u * (uint64_t)1000000000u,
                     .end_wall_ns = 1700000012u * (uint64_t)1000000000u,
                     .duration_ns = 12.5e9,
                     .span_cost_ns = 24,
                     .facts = facts,
                     .fact_count = sizeof facts / sizeof facts[0],
                     .threads = threads,
                     .thread_count = count,
                     .used_bytes = 300000,
                     .run_id = {1, 2, 3}};
}

/* The report as a string. */
static inline char *made_report(const pit_run *run, const pit_report_options *options, int *code)
{
    static char *text; /* static: otherwise gcc 12 warns about pointers to a local variable */
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    const pit_run *runs[] = {run};
    int result = pit_report_print(out, runs, 1, options);
    fclose(out);
    if (code)
        *code = result;
    return keep(text);
}

#endif
