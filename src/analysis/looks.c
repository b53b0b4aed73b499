/* See looks.h. */
#include "looks.h"

const size_t pit__looks[] = {PIT__LOOK_PAIRS};
const size_t pit__look_count = sizeof pit__looks / sizeof pit__looks[0];

size_t pit__next_look(size_t pairs)
{
    for (size_t i = 0; i < pit__look_count; i++)
        if (pit__looks[i] > pairs)
            return pit__looks[i];
    return 0;
}

int pit__is_look(size_t pairs)
{
    return pairs > 0 && pit__next_look(pairs - 1) == pairs;
}

double pit__look_level(size_t pairs, int is_last, double level)
{
    double share = level / (double)pit__look_count, left = level;
    for (size_t i = 0; i < pit__look_count && pit__looks[i] < pairs; i++)
        left -= share;
    return is_last || pit__next_look(pairs) == 0 ? left : share;
}
