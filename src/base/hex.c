/* See hex.h. */
#include "hex.h"

int pit__hex(const unsigned char *bytes, size_t count, char *text)
{
    static const char digits[] = "0123456789abcdef";
    int any = 0;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
        any |= bytes[i];
    }
    text[2 * count] = '\0';
    return any != 0;
}
