/* See span_path.h. */
#include "span_path.h"

#include <string.h>

static int is_escaped(char c)
{
    return c == '/' || c == '\\';
}

size_t pit__path_name_bytes(const char *name)
{
    size_t bytes = 0;
    for (; *name; name++)
        bytes += is_escaped(*name) ? 2 : 1;
    return bytes;
}

char *pit__path_put_name(char *to, const char *name)
{
    for (; *name; name++) {
        if (is_escaped(*name))
            *to++ = '\\';
        *to++ = *name;
    }
    return to;
}

int pit__path_has_name(const char *at, const char *name)
{
    for (; *name; name++) {
        if (is_escaped(*name) && *at++ != '\\')
            return 0;
        if (*at++ != *name)
            return 0;
    }
    return 1;
}
