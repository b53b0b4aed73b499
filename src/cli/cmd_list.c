/* cmd_list.c: pitwall list: which runs there are. */
#include "cli.h"

#include "views/list_view.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "Usage: pitwall list [RUN|DIR...] [options]\n"
    "\n"
    "The runs of a folder, the newest first: state (live, done, died), start, duration, program,\n"
    "labels. Without DIR: those in ./pitwall-runs and in the folder itself. Only the head of each\n"
    "file is read. A file that is no run, or a damaged one, is listed with the reason.\n"
    "\n"
    "  --state WORD      only these: live, done, died or unreadable\n"
    "  --json            one JSON document\n"
    "  --width N         columns of the output; 0: as wide as it needs\n"
    "  --no-colour       no colour on a terminal\n"
    "  --help            this text\n"
    "\n"
    "Examples:\n"
    "  pitwall list\n"
    "  pitwall list runs/ --state died\n"
    "  pitwall list --json | jq -r '.runs[0].path'\n"
    "\n"
    "Exit status: 0 (also for an empty list), 64 wrong usage, 66 a folder cannot be read, 74 the\n"
    "output cannot be written.\n";

enum { JSON = 256, STATE, WIDTH, NO_COLOUR };

static const struct option long_options[] = {
    {"json", no_argument, NULL, JSON},
    {"state", required_argument, NULL, STATE},
    {"width", required_argument, NULL, WIDTH},
    {"no-colour", no_argument, NULL, NO_COLOUR},
    {"no-color", no_argument, NULL, NO_COLOUR},
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
           strcmp(word, "unreadable") == 0;
}

/* 0; an exit status; or -1 after the help was printed. */
static int parse_options(int argc, char **argv, struct list_options *options)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            return -1;
        case JSON:
            options->report.form = PIT_JSON;
            break;
        case NO_COLOUR:
            options->report.colour = 0;
            break;
        case STATE:
            if (!is_state(optarg))
                return fail_usage("list", "--state", optarg,
                                  "not one of live, done, died, unreadable");
            options->state = optarg;
            break;
        case WIDTH:
            if (!parse_width(optarg, &options->report.width))
                return fail_usage("list", "--width", optarg, "not 0 and not 40 to 10000");
            break;
        default:
            return fail_option("list", option, argv);
        }
    }
    return 0;
}

/* Fill one line of the list; its run and reason are the caller's to free. */
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

static int print_list(const struct run_list *files, const struct list_options *options)
{
    struct pit__listed *list = calloc(files->count + 1, sizeof *list);
    if (!list)
        return fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, strerror(ENOMEM));
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct pit__listed *listed = &list[count];
        look_at(files->paths[i], listed);
        const char *state = listed->run ? pit__list_state(listed->run) : "unreadable";
        if (options->state && strcmp(state, options->state) != 0)
            forget(listed);
        else
            count++;
    }
    pit__list_sort(list, count);
    int code = pit__list_print(stdout, list, count, &options->report);
    for (size_t i = 0; i < count; i++)
        forget(&list[i]);
    free(list);
    if (code == PIT_CANNOT_WRITE)
        return fail(EXIT_CANNOT_WRITE, "cannot write", "standard output",
                    strerror(errno ? errno : EIO));
    if (code)
        return fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, pit_strerror(code));
    if (count == 0)
        fail(EXIT_GOOD, "no runs", NULL,
             options->state ? "none of that state is there" : "no *.pit is there");
    return EXIT_GOOD;
}

int cmd_list(int argc, char **argv)
{
    struct list_options options = {
        .report = {.width = output_width(), .colour = output_colour(), .ascii = output_ascii()}};
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
