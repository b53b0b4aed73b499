/* list_view.h: many runs, one line per run. */
#ifndef PIT_LIST_VIEW_H
#define PIT_LIST_VIEW_H

#include "pitwall_ranks.h"

/* A file that is expected to be a run. */
struct pit__listed {
    const char *path;
    const pit_run *run;    /* as read by pit_run_peek; NULL: not readable */
    const char *why;       /* reason if not readable */
    uint64_t time_wall_ns; /* start of the run; if not readable: mtime of the file */
    const pit_job *job;    /* the job of this rank; NULL: no job */
};

/* Sort newest first; ranks of a job stay together, ordered by rank. Equal times are ordered by
 * path. */
void pit__list_sort(struct pit__listed *list, size_t count);

/* Print as a table, or with PIT_JSON as a document. Uses only form, width, colour and ascii of
 * the options. Returns 0, PIT_NO_MEMORY or PIT_CANNOT_WRITE. */
int pit__list_print(FILE *out, const struct pit__listed *list, size_t count,
                    const pit_report_options *options);

/* live, done or died. */
const char *pit__list_state(const pit_run *run);

/* A note about a run next to its figures, such as damage; "" for none. */
void pit__list_note(const pit_run *run, char *note, size_t size);

#endif
