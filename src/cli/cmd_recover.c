/* cmd_recover.c: pitwall recover: recover runs that died with their pages in shared memory. */
#include "cli.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "Usage: pitwall recover [RUN...]\n"
    "\n"
    "A run on a network or unknown filesystem keeps its live pages in /dev/shm. If\n"
    "its process is killed, they stay there. This command moves them to the path of\n"
    "the run, once per run. Without RUN: every dead run of this user. A folder means\n"
    "all *.pit in it. `pitwall report RUN` does the same for the run that it reads.\n"
    "\n"
    "  --help         print this help\n"
    "\n"
    "Examples:\n"
    "  pitwall recover\n"
    "  pitwall recover pitwall-runs/train-3.pit\n"
    "\n"
    "Exit status: 0, 64 wrong usage, 66 a run could not be recovered.\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static void say_done(const char *path, int code, void *arg)
{
    int *status = arg;
    if (code < 0)
        *status = fail(EXIT_CANNOT_READ, "cannot recover the run", path, pit_strerror(code));
    else
        printf("%s: recovered\n", path);
}

static int recover_all(void)
{
    int status = EXIT_GOOD;
    int count = pit_recover_all(say_done, &status);
    if (count < 0)
        return fail(EXIT_CANNOT_READ, "cannot look for runs", "/dev/shm", pit_strerror(count));
    if (count == 0 && status == EXIT_GOOD)
        fputs("pitwall: nothing to recover: no dead run of this user is in shared memory\n",
              stderr);
    return status;
}

static int recover_one(const char *path)
{
    pit_error error = {0};
    int code = pit_run_recover(path, &error);
    if (code < 0)
        return fail(EXIT_CANNOT_READ, "cannot recover the run", path,
                    *error.message ? error.message : pit_strerror(code));
    printf("%s: %s\n", path,
           code ? "recovered"
                : "nothing to do: shared memory has no pages of it, or they are live");
    return EXIT_GOOD;
}

int cmd_recover(int argc, char **argv)
{
    int option;
    while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option != 'h')
            return fail_option("recover", option, argv);
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    if (optind == argc)
        return recover_all();
    struct run_list list;
    int status = run_list_make(&list, argv + optind, argc - optind);
    for (size_t i = 0; i < list.count; i++) {
        int one = recover_one(list.paths[i]);
        status = one ? one : status;
    }
    run_list_free(&list);
    return status;
}
