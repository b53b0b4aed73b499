/* open_runs.c: the runs of a list, read; each that cannot be is named. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

size_t runs_open(const struct run_list *list, pit_run **runs, int *status)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        pit_error error = {0};
        runs[count] = pit_run_open(list->paths[i], &error);
        if (runs[count]) {
            count++;
            continue;
        }
        char why[sizeof error.message + 40];
        if (error.offset)
            snprintf(why, sizeof why, "%s (at byte %" PRIu64 ")", error.message, error.offset);
        else
            snprintf(why, sizeof why, "%s", error.message);
        *status = fail(EXIT_CANNOT_READ, "cannot read the run", list->paths[i],
                       *error.message ? why : pit_strerror(error.code));
    }
    return count;
}

void runs_free(pit_run **runs, size_t count)
{
    while (count-- > 0)
        pit_run_free(runs[count]);
}
