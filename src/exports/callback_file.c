/* A stream that passes its lines to a function. */
#include "pitwall_report.h"

#include <stdlib.h>

struct callback {
    void (*write)(void *arg, const char *bytes, size_t count);
    void *arg;
};

static ssize_t pass_on(void *cookie, const char *bytes, size_t count)
{
    const struct callback *callback = cookie;
    if (count > 0)
        callback->write(callback->arg, bytes, count);
    return (ssize_t)count;
}

static int end(void *cookie)
{
    free(cookie);
    return 0;
}

PIT_API FILE *pit_callback_file(void (*write)(void *arg, const char *bytes, size_t count),
                                void *arg)
{
    struct callback *callback = write ? malloc(sizeof *callback) : NULL;
    if (!callback)
        return NULL;
    *callback = (struct callback){write, arg};
    FILE *file =
        fopencookie(callback, "w", (cookie_io_functions_t){.write = pass_on, .close = end});
    if (!file)
        free(callback);
    else
        setvbuf(file, NULL, _IOLBF, 0);
    return file;
}
