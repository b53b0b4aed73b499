/* same_binary.h: 600 consecutive runs of one binary for each of five workloads, from
 * tests/data/statistics/same_binary_runs.csv. Include in one file of a test, after check.h. */
#ifndef SAME_BINARY_H
#define SAME_BINARY_H

#include "csv_rows.h"

#define WORKLOADS 5
#define RUNS 600

static struct workload {
    char name[16];
    size_t count;
    double p10[RUNS], p50[RUNS], mean[RUNS];
} workloads[WORKLOADS];

static inline void take_run(char **fields, int count, void *arg)
{
    (void)arg;
    REQUIRE(count == 7);
    size_t w = 0;
    while (w < WORKLOADS && workloads[w].name[0] && strcmp(workloads[w].name, fields[0]) != 0)
        w++;
    REQUIRE(w < WORKLOADS && workloads[w].count < RUNS);
    struct workload *to = &workloads[w];
    snprintf(to->name, sizeof to->name, "%s", fields[0]);
    to->p10[to->count] = atof(fields[3]);
    to->p50[to->count] = atof(fields[4]);
    to->mean[to->count++] = atof(fields[6]);
}

static inline void load_workloads(void)
{
    REQUIRE(csv_rows("same_binary_runs.csv", take_run, NULL) == WORKLOADS * RUNS);
}

#endif
