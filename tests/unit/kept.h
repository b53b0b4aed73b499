/* kept.h: keeps objects that a case never frees reachable until its process ends, so that leak checkers
 * report only leaks of the library. */
#ifndef PIT_KEPT_H
#define PIT_KEPT_H

#include <stdlib.h>

static void *kept[4096];
static size_t kept_count;

static inline void *keep(void *object)
{
    if (kept_count == sizeof kept / sizeof kept[0])
        abort();
    return kept[kept_count++] = object;
}

#endif
