/* advice_case.h: turns runs and rows into the case that the advice rules judge. */
#ifndef PIT_ADVICE_CASE_H
#define PIT_ADVICE_CASE_H

#include "pitwall_report.h"

#include "analysis/advice.h"
#include "base/arena.h"
#include "run_memory.h"
#include "series_gather.h"

struct pit__advice_case {
    struct pit__case all;
    struct pit__part *parts;
    struct pit__arena arena;       /* of places in words */
    int by_letter;                 /* plain rows */
    struct pit__run_memory memory; /* of the run that grows the most, or else the first */
    char reason[160];              /* not "": too little for a judgement */
};

/* The nodes of the tree as parts, of the same indices; the caller frees it. NULL without memory. */
struct pit__part *pit__parts_of(const pit_tree *tree);

/* 0 or PIT_NO_MEMORY. Free it in any case. Runs and tree must outlive it. */
int pit__case_of_runs(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                      struct pit__advice_case *made);
int pit__case_of_rows(const pit_row *rows, size_t count, const double *batches, size_t batch_count,
                      struct pit__advice_case *made);
void pit__case_free(struct pit__advice_case *made);

/* advice_evidence.c. All NaN; along the run with the most readings; what the facts tell. */
struct pit__around pit__around_unknown(void);
struct pit__around pit__look_around(const pit_run *const *runs, size_t run_count);
/* Likewise of the time between, in nanoseconds from the run's start: the share in which its main thread was
 * idle; NaN where there are too few readings. */
double pit__idle_between(const pit_run *const *runs, size_t run_count, double from_ns,
                         double to_ns);
struct pit__told pit__what_was_told(const pit_run *const *runs, size_t run_count);
/* How memory went along the iterations; what makes slow iterations slow. 0 or PIT_NO_MEMORY. */
int pit__set_memory(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made);
int pit__find_slow(const pit_run *run, struct pit__case *all);
/* Of parts with few long calls that matter: was the longest the first? */
void pit__find_longest(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made);

/* advice_busy.c: the course of the unit without the waits for a processor, and whether its parts vary
 * together. 0 or PIT_NO_MEMORY. */
int pit__see_through(const struct pit__series *series, struct pit__case *all);

/* advice_view.c: pit_advise with a tree that is there already; ranks may be NULL. NULL without memory. */
pit_advice *pit__advise_tree(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                             const struct pit__rank_case *ranks, int ascii);

/* "INPUT-BOUND: data_loading is 64 % of the batch; try more loader workers, …." of the first finding
 * that says more than what took the most; NULL if there is none. */
const char *pit__advice_lead(const pit_advice *advice);

#endif
