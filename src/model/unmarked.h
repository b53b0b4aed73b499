/* unmarked.h: the time of a run's main thread outside all its spans. */
#ifndef PIT_UNMARKED_H
#define PIT_UNMARKED_H

#include "pitwall_report.h"

/* Sets before_ns, between_ns and after_ns of the tree; NaN if not known. */
void pit__unmarked_find(pit_tree *tree, const pit_run *const *runs, size_t run_count);

/* Is it worth a row: over 1 % of the wall time, and longer than opening the run takes? */
int pit__is_unmarked_much(const pit_tree *tree, double ns);

#endif
