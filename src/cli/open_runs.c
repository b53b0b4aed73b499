/* open_runs.c: read the runs of a list; a message names each run that cannot be read. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fail_run(const char *path, const pit_error *error)
{
    char why[sizeof error->message + 80];
    const char *reason = *error->message ? error->message : pit_strerror(error->code);
    if (error->offset)
        snprintf(why, sizeof why, "%s (at byte %" PRIu64 ")", reason, error->offset);
    else
        snprintf(why, sizeof why, "%s%s", reason,
                 access(path, F_OK) == 0 || errno != ENOENT
                     ? ""
                     : "; `pitwall list` shows the runs of this folder");
    return fail(EXIT_CANNOT_READ, "cannot read the run", path, why);
}

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
        *status = fail_run(list->paths[i], &error);
    }
    return count;
}

void runs_free(pit_run **runs, size_t count)
{
    while (count-- > 0)
        pit_run_free(runs[count]);
}

int runs_use_list(const struct run_list *list, int (*use)(pit_run **runs, size_t *count, void *arg),
                  void *arg)
{
    int status = 0;
    pit_run **runs = calloc(list->count + 1, sizeof *runs);
    if (!runs)
        return fail(EXIT_CANNOT_READ, "cannot read the runs", NULL, strerror(ENOMEM));
    size_t count = runs_open(list, runs, &status);
    int used = count > 0 ? use(runs, &count, arg) : 0;
    runs_free(runs, count);
    free(runs);
    return used ? used : status;
}

int is_one_of_runs(const char *output, const pit_run *const *runs, size_t count)
{
    struct stat own, run;
    if (stat(output, &own) != 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (stat(runs[i]->path, &run) == 0 && run.st_dev == own.st_dev && run.st_ino == own.st_ino)
            return 1;
    return 0;
}

int runs_use(char *const *arguments, int argument_count,
             int (*use)(pit_run **runs, size_t *count, void *arg), void *arg)
{
    struct run_list list;
    int status = run_list_make(&list, arguments, argument_count);
    if (!status)
        status = runs_use_list(&list, use, arg);
    run_list_free(&list);
    return status;
}
