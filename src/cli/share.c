/* share.c: a share of something on the command line: 5%, or a bare number. */
#include "cli.h"

#include <stdlib.h>

int parse_share(const char *text, double bare, double most, double *share)
{
    char *end;
    double value = strtod(text, &end);
    int percent = end != text && *end == '%';
    if (end == text || end[percent] || !(value > 0))
        return 0;
    *share = percent ? value / 100 : value * bare;
    return *share < most;
}
