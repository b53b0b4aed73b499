/* unmarked.h: the time of a run's main thread outside of all its spans. */
#ifndef PIT_UNMARKED_H
#define PIT_UNMARKED_H

#include "pitwall_report.h"

/* Fills before_ns, between_ns and after_ns of the tree; NaN where they are not known. */
void pit__unmarked_find(pit_tree *tree, const pit_run *const *runs, size_t run_count);

/* Worth a row: over a hundredth of the wall time, and more than opening the run takes. */
int pit__is_unmarked_much(const pit_tree *tree, double ns);

#endif
