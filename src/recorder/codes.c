/* The texts of the codes, from the list in pitwall.h. */
#include "pitwall.h"

const char *pit_strerror(int code)
{
    switch (code) {
#define TEXT(name, number, text)                                                                   \
    case number:                                                                                   \
        return text;
        PIT_CODES(TEXT)
#undef TEXT
    default:
        return "unknown code";
    }
}
