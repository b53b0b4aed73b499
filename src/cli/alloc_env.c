/* alloc_env.c: the library that counts allocations, put into the program by LD_PRELOAD. It lies beside
 * the tool: in a build as well as where both were installed. */
#include "cli.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libpitwall-alloc.so"

/* `found` (PATH_MAX) becomes its path; 0 if it is not there. */
static int find_library(char *found)
{
    static const char *const places[] = {"../lib", "../lib/*-linux-*", "../lib64"};
    char tool[PATH_MAX], pattern[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);
    tool[length > 0 ? length : 0] = 0;
    char *slash = strrchr(tool, '/');
    int is_there = 0;
    if (!slash)
        return 0;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !is_there; i++) {
        glob_t matches;
        snprintf(pattern, sizeof pattern, "%s/%s/" LIBRARY, tool, places[i]);
        if (glob(pattern, 0, NULL, &matches) != 0)
            continue;
        is_there = realpath(matches.gl_pathv[0], found) != NULL;
        globfree(&matches);
    }
    return is_there;
}

/* Behind what is preloaded already. */
int alloc_environment(void)
{
    char library[PATH_MAX];
    const char *now = getenv("LD_PRELOAD");
    if (!find_library(library))
        return fail(EXIT_CANNOT_READ, "--alloc", LIBRARY, "it is not beside the tool");
    if (strpbrk(library, ": "))
        return fail(EXIT_CANNOT_READ, "--alloc", library,
                    "LD_PRELOAD cannot have a path with a colon or a blank");
    size_t room = strlen(library) + (now ? strlen(now) : 0) + 2;
    char *list = malloc(room);
    if (list)
        snprintf(list, room, "%s%s%s", now && *now ? now : "", now && *now ? ":" : "", library);
    int failed = !list || setenv("LD_PRELOAD", list, 1) != 0;
    free(list);
    return failed ? fail(EXIT_CANNOT_READ, "cannot set the environment", NULL, strerror(ENOMEM))
                  : 0;
}
