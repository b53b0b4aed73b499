/* See run_end.h. */
#include "run_end.h"

#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MEGABYTE (1024.0 * 1024)
#define FIRST_BYTES (256u * 1024) /* the smallest size of a live recorder's run */

/* The path relative to the current folder, if that is shorter. */
static const char *short_path(const char *path)
{
    char folder[PATH_MAX];
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    int is_here = length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/';
    return is_here ? path + length + 1 : path;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* "pitwall: exit status 7 after 1.240 s; run: pitwall-runs/train-….pit" */
static void print_closing(const struct run_program *program)
{
    const pit_ended *ended = &program->ended;
    char words[80];
    fprintf(stderr, "pitwall: %s after %.3f s", pit_ended_text(ended, words, sizeof words),
            seconds(ended->duration_ns));
    if (!program->no_run)
        fprintf(stderr, "; run: %s", short_path(program->path));
    putc('\n', stderr);
}

/* A span that measures memory resets the kernel's high-water mark, so the run's own peak can be higher than
 * the one that the kernel reports at the end. */
static void print_stats(const struct run_program *program, const pit_run *run)
{
    const pit_ended *ended = &program->ended;
    uint64_t peak = run && run->rss_peak > ended->rss_peak ? run->rss_peak : ended->rss_peak;
    fprintf(stderr, "pitwall: ran %.3f s, %.3f s user, %.3f s system, peak RSS %.1f MB\n",
            seconds(ended->duration_ns), seconds(ended->user_ns), seconds(ended->system_ns),
            (double)peak / MEGABYTE);
}

/* For a launcher, report its ranks instead. 1: they were printed. */
static int print_ranks(const char *path, const pit_report_options *options)
{
    struct run_list list = {.paths = calloc(1, sizeof(char *)), .count = 1};
    pit_run **ranks = NULL;
    int is_job = 0, status = 0;
    if (!list.paths)
        return 0;
    list.paths[0] = strdup(path);
    if (list.paths[0] && job_choose(&list, NULL, &is_job) == 0 && is_job)
        ranks = calloc(list.count, sizeof *ranks);
    if (ranks) {
        size_t count = runs_open(&list, ranks, &status);
        is_job = count > 0 &&
                 pit_report_print(stderr, (const pit_run *const *)ranks, count, options) == 0;
        runs_free(ranks, count);
    }
    run_list_free(&list);
    free(ranks);
    return is_job;
}

static void print_report(pit_run **run, const char *path)
{
    size_t count = 1;
    pit_report_options options = {
        .width = talk_width(), .colour = talk_colour(), .ascii = output_ascii()};
    int is_printed = print_ranks(path, &options);
    int code = is_printed ? 0 : pit_runs_nest(run, &count);
    if (!code && !is_printed)
        code = pit_report_print(stderr, (const pit_run *const *)run, count, &options);
    if (code && code != PIT_CANNOT_WRITE)
        fail(0, "cannot make the report", NULL, pit_strerror(code));
    putc('\n', stderr);
}

/* The program could not have written a run, so it is unknown whether it had spans. The small run that we
 * write fits where a recorder's does not. */
static void tell_of_limit(const char *path)
{
    char why[80];
    struct rlimit limit;
    struct statvfs disk;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < FIRST_BYTES)
        snprintf(why, sizeof why, "file size is limited to %.0f kB (ulimit -f)",
                 (double)limit.rlim_cur / 1024);
    else if (statvfs(path, &disk) == 0 && disk.f_blocks > 0 &&
             disk.f_bavail * disk.f_frsize < FIRST_BYTES)
        snprintf(why, sizeof why, "the disk has %.0f kB free",
                 (double)(disk.f_bavail * disk.f_frsize) / 1024);
    else
        return;
    fail(0, "spans could not be recorded", path, why);
}

/* A kill loses the last seconds of such a run. */
static void tell_of_memory(const char *path)
{
    pit_run *run = pit_run_peek(path, NULL);
    if (run && run->storage == PIT_STORAGE_MEMORY && !run->open_errno)
        fail(0, "recorded in memory, copied to its file every few seconds", path,
             "its filesystem does not support live runs, and /dev/shm has under 256 MB free");
    pit_run_free(run);
}

/* First recover the run from shared memory; it is not an error if there is none. */
static int keep_ending(struct run_program *program)
{
    pit_run_recover(program->path, NULL);
    int code = pit_record_ending(program->path, program->run_id, (const char *const *)program->argv,
                                 &program->ended);
    if (code < 0)
        fail(0, "cannot write the run", program->path, strerror(errno));
    else if (code == 0)
        tell_of_limit(program->path);
    else
        tell_of_memory(program->path);
    return code >= 0;
}

void run_end(struct run_program *program, const struct run_closing *closing)
{
    int has_run = !program->no_run && keep_ending(program);
    pit_run *run =
        has_run && (closing->report || closing->stats) ? pit_run_open(program->path, NULL) : NULL;
    if (run && closing->report)
        print_report(&run, program->path);
    if (closing->stats)
        print_stats(program, run);
    if (closing->says && (has_run || program->no_run))
        print_closing(program);
    pit_run_free(run);
}
