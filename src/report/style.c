/* style.c: the escape codes of the few styles there are. */
#include "style.h"

const char *pit__style_on(enum pit__style style, int colour)
{
    if (!colour)
        return "";
    switch (style) {
    case PIT__DIM:
        return "\x1b[2m";
    case PIT__STRONG:
        return "\x1b[1m";
    case PIT__WARM:
        return "\x1b[33m";
    case PIT__HOT:
        return "\x1b[1;31m";
    case PIT__PLAIN:
        break;
    }
    return "";
}

const char *pit__style_off(enum pit__style style, int colour)
{
    return colour && style != PIT__PLAIN ? "\x1b[0m" : "";
}
