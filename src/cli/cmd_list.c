/* cmd_list.c: pitwall list: list runs. */
#include "cli.h"
#include "pitwall_ranks.h"

#include "reader/reader.h"
#include "views/list_view.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Usage: pitwall list [RUN|DIR...] [options]\n"
    "\n"
    "List the runs of a folder, newest first, with the ranks of a job together: state\n"
    "(live, done, died, or ended by its parent), start, duration, program, job and\n"
    "labels. Without arguments: the runs in ./pitwall-runs and in this folder.\n"
    "Damaged files, and files that are not runs, are listed with the reason.\n"
    "\n"
    "  --state WORD      only this state: live, done, died, ended or unreadable\n"
    "  --json            print one JSON document\n"
    "  --width N         columns of the output; 0: no limit\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall list\n"
    "  pitwall list runs/ --state died\n"
    "  pitwall list --json | jq -r '.runs[0].path'\n"
    "\n"
    "Exit status: 0 (also for an empty list), 64 wrong usage, 66 a folder cannot be\n"
    "read, 74 the output cannot be written.\n";

enum { STATE = 256 };

static const struct option long_options[] = {
    {"json", no_argument, NULL, FORM_JSON},
    {"state", required_argument, NULL, STATE},
    FORM_LOOK_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct list_options {
    pit_report_options report;
    const char *state; /* NULL: all */
};

static int is_state(const char *word)
{
    return strcmp(word, "live") == 0 || strcmp(word, "done") == 0 || strcmp(word, "died") == 0 ||
           strcmp(word, "ended") == 0 || strcmp(word, "unreadable") == 0;
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct list_options *options)
{
    int option, status;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            return -1;
        case STATE:
            if (!is_state(optarg))
                return fail_usage("list", "--state", optarg,
                                  "must be live, done, died, ended or unreadable");
            options->state = optarg;
            break;
        default:
            status = form_option("list", option, &options->report);
            if (status)
                return status < 0 ? fail_option("list", option, argv) : status;
        }
    }
    return 0;
}

/* Fill one line of the list; the caller frees its run and reason. */
static void look_at(const char *path, struct pit__listed *listed)
{
    pit_error error = {0};
    struct stat facts;
    *listed = (struct pit__listed){.path = path, .run = pit_run_peek(path, &error)};
    if (listed->run) {
        listed->time_wall_ns = listed->run->start_wall_ns;
        return;
    }
    listed->why = strdup(*error.message ? error.message : pit_strerror(error.code));
    if (stat(path, &facts) == 0)
        listed->time_wall_ns = (uint64_t)facts.st_mtim.tv_sec * 1000000000u;
}

static void forget(struct pit__listed *listed)
{
    pit_run_free((pit_run *)(uintptr_t)listed->run);
    free((char *)(uintptr_t)listed->why);
}

/* Find workers that their parent has ended; this requires reading the whole run. */
static int was_ended_by(const pit_run *run, const pit_run *parent)
{
    if (!pit__is_child_of(run, parent) || parent->state == PIT_RUN_DIED ||
        run->storage == PIT_STORAGE_SHM)
        return 0;
    pit_run *whole = pit_run_open(run->path, NULL);
    int was_ended = whole && pit__was_ended_by(whole, parent);
    pit_run_free(whole);
    return was_ended;
}

static void mark_ended(struct pit__listed *list, size_t count)
{
    static const unsigned char none[16];
    for (size_t i = 0; i < count; i++) {
        pit_run *run = (pit_run *)(uintptr_t)list[i].run;
        if (!run || run->state != PIT_RUN_DIED || memcmp(run->parent_run_id, none, 16) == 0)
            continue;
        for (size_t k = 0; k < count && !run->ended_by_parent; k++)
            run->ended_by_parent = list[k].run && was_ended_by(run, list[k].run);
    }
}

static int is_rank_of(const pit_job *job, const char *path)
{
    for (size_t i = 0; i < job->count; i++)
        if (strcmp(job->paths[i], path) == 0)
            return 1;
    return 0;
}

/* Which job each run is a rank of. */
static void name_jobs(struct pit__listed *list, size_t count, const pit_jobs *jobs)
{
    for (size_t k = 0; k < jobs->count; k++)
        for (size_t i = 0, r = 0; i < count && r < jobs->jobs[k].count; i++)
            if (is_rank_of(&jobs->jobs[k], list[i].path)) {
                list[i].job = &jobs->jobs[k];
                r++;
            }
}

static int print_list(const struct run_list *files, const struct list_options *options)
{
    struct pit__listed *list = calloc(files->count + 1, sizeof *list);
    if (!list)
        return fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, strerror(ENOMEM));
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        look_at(files->paths[i], &list[i]);
    mark_ended(list, files->count);
    for (size_t i = 0; i < files->count; i++) {
        const char *state = list[i].run ? pit__list_state(list[i].run) : "unreadable";
        if (options->state && strcmp(state, options->state) != 0)
            forget(&list[i]);
        else
            list[count++] = list[i];
    }
    pit_jobs *jobs = pit_jobs_find((const char *const *)files->paths, files->count);
    if (jobs)
        name_jobs(list, count, jobs);
    pit__list_sort(list, count);
    int code = pit__list_print(stdout, list, count, &options->report);
    for (size_t i = 0; i < count; i++)
        forget(&list[i]);
    free(list);
    pit_jobs_free(jobs);
    if (code)
        return fail_printed(code, "cannot list the runs", NULL);
    if (count == 0)
        fail(EXIT_GOOD, "no runs", NULL,
             options->state ? "no run is in this state" : "no *.pit found");
    return EXIT_GOOD;
}

int cmd_list(int argc, char **argv)
{
    struct list_options options = {.report = output_form()};
    int status = parse_options(argc, argv, &options);
    if (status)
        return status < 0 ? EXIT_GOOD : status;
    struct run_list files;
    status =
        optind < argc ? run_list_find(&files, argv + optind, argc - optind) : run_list_here(&files);
    if (!status)
        status = print_list(&files, &options);
    run_list_free(&files);
    return status;
}
