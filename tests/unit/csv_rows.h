/* csv_rows.h: the plain CSV files of tests/data, which have no quotes. Include in one file of a test. */
#ifndef CSV_ROWS_H
#define CSV_ROWS_H

#include "tests_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls row(fields, count, arg) for each line except the first; returns their number, or -1. */
static inline long csv_rows(const char *name, void (*row)(char **fields, int count, void *arg),
                            void *arg)
{
    char path[256], line[1024], *fields[16];
    snprintf(path, sizeof path, "data/statistics/%s", name);
    FILE *file = tests_file(path);
    if (!file)
        return -1;
    long count = -1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        int n = 0;
        for (char *at = line; at && n < 16; n++) {
            fields[n] = at;
            at = strchr(at, ',');
            if (at)
                *at++ = 0;
        }
        if (count++ >= 0)
            row(fields, n, arg);
    }
    fclose(file);
    return count;
}

#endif
