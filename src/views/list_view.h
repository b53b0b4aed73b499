/* list_view.h: many runs, a line each. */
#ifndef PIT_LIST_VIEW_H
#define PIT_LIST_VIEW_H

#include "pitwall_ranks.h"

/* A file that should be a run. */
struct pit__listed {
    const char *path;
    const pit_run *run;    /* as pit_run_peek reads it; NULL: it cannot be read */
    const char *why;       /* then: why */
    uint64_t time_wall_ns; /* when the run began; of a file that cannot be read: its last change */
    const pit_job *job;    /* that it is a rank of; NULL: of none */
};

/* The newest first, the ranks of a job together and by rank; of the same time by path. */
void pit__list_sort(struct pit__listed *list, size_t count);

/* As a table, or with PIT_JSON as a document. Of the options form, width, colour and ascii count. 0,
 * PIT_NO_MEMORY or PIT_CANNOT_WRITE. */
int pit__list_print(FILE *out, const struct pit__listed *list, size_t count,
                    const pit_report_options *options);

/* live, done or died. */
const char *pit__list_state(const pit_run *run);

#endif
