/* See sparkline.h. */
#include "sparkline.h"

#include <math.h>

#define HEIGHTS 8

static const char *bar(double number, double low, double high, int ascii)
{
    static const char *const blocks[HEIGHTS] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83",
                                                "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
                                                "\xe2\x96\x87", "\xe2\x96\x88"};
    static const char *const plain[HEIGHTS] = {"_", ".", "-", ":", "=", "+", "*", "#"};
    if (!isfinite(number))
        return " ";
    double share = high > low ? (number - low) / (high - low) : 0;
    int height = share <= 0 ? 0 : share >= 1 ? HEIGHTS - 1 : (int)(share * HEIGHTS);
    return ascii ? plain[height] : blocks[height];
}

void pit__sparkline(struct pit__text *text, const double *numbers, size_t count, size_t columns,
                    double low, double high, int ascii)
{
    if (columns > count)
        columns = count;
    for (size_t c = 0; c < columns; c++) {
        size_t first = c * count / columns, end = (c + 1) * count / columns;
        double most = NAN;
        for (size_t i = first; i < end; i++)
            if (isfinite(numbers[i]))
                most = fmax(most, numbers[i]); /* fmax ignores NaN */
        pit__text_puts(text, bar(most, low, high, ascii));
    }
}
