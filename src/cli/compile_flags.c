/* compile_flags.c: `pitwall --cflags --libs`: how to compile a C program against the library that the
 * tool was installed with, whether by a wheel, a package or make install.
 */
#include "cli.h"

#include <limits.h>
#include <string.h>

/* A blank in a path gets a backslash, as pkg-config writes it. */
static void put_flag(const char *flag, const char *path)
{
    fputs(flag, stdout);
    for (; *path; path++) {
        if (strchr(" \t\\'\"$", *path))
            putchar('\\');
        putchar(*path);
    }
}

/* Set `folder` (PATH_MAX) to the folder that has the file; if there is none, print the missing name. */
static int find_folder(const char *built, const char *installed, const char *file, char *folder)
{
    char way[PATH_MAX];
    snprintf(way, sizeof way, "%s/%s", built, file);
    int is_found = tool_relative(way, folder);
    if (!is_found) {
        snprintf(way, sizeof way, "%s/%s", installed, file);
        is_found = tool_relative(way, folder);
    }
    char *slash = strrchr(folder, '/');
    if (is_found && slash)
        *slash = 0;
    return is_found;
}

static int missing(const char *file, const char *folder)
{
    return fail(EXIT_COMMAND_FAILED, file, folder,
                "not installed with this tool; Debian's package of it is libpitwall-dev");
}

static int is_system(const char *folder)
{
    return strncmp(folder, "/usr/lib", 8) == 0 || strncmp(folder, "/lib", 4) == 0;
}

static int print_cflags(void)
{
    char folder[PATH_MAX];
    if (!find_folder("../include", PITWALL_INCLUDEDIR, "pitwall.h", folder))
        return missing("pitwall.h", folder);
    if (strcmp(folder, "/usr/include") != 0)
        put_flag("-I", folder);
    return 0;
}

/* The program finds the library where it is now, also in a folder the system does not search. */
static int print_libs(void)
{
    char folder[PATH_MAX];
    if (!find_folder("../lib", PITWALL_LIBDIR, "libpitwall.so", folder))
        return missing("libpitwall.so", folder);
    if (!is_system(folder)) {
        put_flag("-L", folder);
        put_flag(" -Wl,-rpath,", folder);
        putchar(' ');
    }
    fputs("-lpitwall", stdout);
    return 0;
}

int compile_flags(int argc, char **argv)
{
    int has_cflags = 0, has_libs = 0;
    for (int i = 1; i < argc; i++) {
        int is_cflags = strcmp(argv[i], "--cflags") == 0;
        if (!is_cflags && strcmp(argv[i], "--libs") != 0)
            return fail_usage("", "unexpected argument", argv[i],
                              "only --cflags and --libs are allowed here");
        has_cflags |= is_cflags;
        has_libs |= !is_cflags;
    }
    int status = has_cflags ? print_cflags() : 0;
    if (!status && has_cflags && has_libs)
        putchar(' ');
    if (!status && has_libs)
        status = print_libs();
    if (!status)
        putchar('\n');
    return status;
}
