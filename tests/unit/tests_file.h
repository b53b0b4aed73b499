/* tests_file.h: files below tests/ that a test reads. */
#ifndef TESTS_FILE_H
#define TESTS_FILE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Found by the path of this header. A compiler behind a cache gives a path relative to the folder in which it ran:
 * that of the build, above the program's. NULL: it cannot be opened. */
static inline FILE *tests_file(const char *name)
{
    char program[2048] = "", path[4096];
    const char *self = __FILE__, *end = strstr(self, "/unit/tests_file.h");
    if (!end)
        return NULL;
    if (*self != '/') {
        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
            return NULL;
        for (int i = 0; i < 2; i++) {
            char *slash = strrchr(program, '/');
            if (!slash)
                return NULL;
            *slash = 0;
        }
        strcat(program, "/");
    }
    snprintf(path, sizeof path, "%s%.*s/%s", program, (int)(end - self), self, name);
    return fopen(path, "r");
}

#endif
