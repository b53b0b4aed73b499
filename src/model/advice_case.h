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
    struct pit__arena arena;       /* texts of places */
    int by_letter;                 /* plain rows */
    struct pit__run_memory memory; /* of the run that grows most, else of the first run */
    char reason[160];              /* not empty: too little data for a judgement */
};

/* The nodes of the tree as parts, with the same indices; the caller frees it. NULL if memory is exhausted. */
struct pit__part *pit__parts_of(const pit_tree *tree);

/* Returns 0 or PIT_NO_MEMORY. Free the case even then. Runs and tree must outlive it. */
int pit__case_of_runs(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                      struct pit__advice_case *made);
int pit__case_of_rows(const pit_row *rows, size_t count, const double *batches, size_t batch_count,
                      struct pit__advice_case *made);
void pit__case_free(struct pit__advice_case *made);

/* advice_evidence.c. All figures NaN; figures of the run with the most readings. */
struct pit__around pit__around_unknown(void);
struct pit__around pit__look_around(const pit_run *const *runs, size_t run_count);
/* The share of an interval, in nanoseconds from the run's start, in which the main thread was idle; NaN if
 * there are too few readings. */
double pit__idle_between(const pit_run *const *runs, size_t run_count, double from_ns,
                         double to_ns);
/* The share of the time since the first span in which the threads with spans used no processor; NaN. */
double pit__threads_idle(const pit_run *const *runs, size_t run_count);
/* The share of ten seconds in which some thread of the machine waited for a processor, at most; NaN. */
double pit__processors_pressed(const pit_run *const *runs, size_t run_count);
struct pit__told pit__what_was_told(const pit_run *const *runs, size_t run_count);
/* The thread with the most iterations of a path, and its node there; NULL if none has any. */
const pit_thread *pit__thread_of(const pit_run *run, const char *path, uint32_t *node);
/* Finds what makes slow iterations slow or, with by_half, those of the second half. Returns 0 or PIT_NO_MEMORY. */
int pit__find_slow(const pit_run *run, const struct pit__case *all, int by_half,
                   struct pit__slow *why);
/* For parts in which a few long calls take most of the time: was the longest call the first one? */
void pit__find_longest(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made);

/* advice_overlap.c: sets how many spans of each part are open at once, and divides its times by that. passed: the
 * time of all threads with spans; INFINITY: not known. Returns 0 or PIT_NO_MEMORY. */
int pit__divide_overlap(struct pit__part *parts, const pit_tree *tree, double passed);

/* For parts that take much of the time: the share of their calls on other threads than the main one. */
void pit__find_elsewhere(struct pit__advice_case *made, const pit_run *const *runs,
                         size_t run_count);

/* advice_places.c: sets the hottest place of each part, and outside all parts. */
void pit__set_places(struct pit__advice_case *made, const pit_tree *tree);

/* advice_memory.c: sets how memory developed over the iterations. Returns 0 or PIT_NO_MEMORY. */
int pit__set_memory(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made);

/* advice_busy.c: how the unit's duration developed without the waits for a processor, and whether its parts
 * vary together. Returns 0 or PIT_NO_MEMORY. */
int pit__see_through(const struct pit__series *series, struct pit__case *all);

/* advice_view.c: pit_advise for an existing tree; ranks may be NULL. Returns NULL if memory is exhausted. */
pit_advice *pit__advise_tree(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                             const struct pit__rank_case *ranks, int ascii);

/* "INPUT-BOUND: data_loading is 64 % of the batch; try more loader workers, …." : the first finding that is
 * more than the list of the largest parts; NULL if there is none. */
const char *pit__advice_lead(const pit_advice *advice);

#endif
