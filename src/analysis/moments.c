/* moments.c: mean and variance from sums.
 *
 * With a million samples of ten million ticks that differ by one, n * squares and total * total agree in
 * their first fourteen digits: in doubles their difference would be noise. They are therefore computed as
 * integers of 192 bits, subtracted, and rounded once. */
#include "moments.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

struct pit__squares pit__squares_add(struct pit__squares a, struct pit__squares b)
{
    struct pit__squares sum;
    sum.low = a.low + b.low;
    sum.high = a.high + b.high + (sum.low < a.low);
    return sum;
}

double pit__variance(uint64_t count, uint64_t total, struct pit__squares squares)
{
    if (count == 0)
        return 0;
    /* count * squares = high * 2^64 + low; the sum below stays under 2^128 */
    wide low_part = (wide)count * squares.low;
    wide high = (wide)count * squares.high + (low_part >> 64);
    uint64_t low = (uint64_t)low_part;

    wide product = (wide)total * total;
    uint64_t product_low = (uint64_t)product;
    wide take = (product >> 64) + (low < product_low);
    if (high < take)
        return 0;
    high -= take;
    low -= product_low;

    double n = (double)count;
    return (ldexp((double)high, 64) + (double)low) / n / n;
}

struct pit__spread pit__spread_join(struct pit__spread a, struct pit__spread b)
{
    if (a.count == 0)
        return b;
    if (b.count == 0)
        return a;
    double na = (double)a.count, nb = (double)b.count, n = na + nb;
    double apart = b.mean - a.mean;
    struct pit__spread both;
    both.count = a.count + b.count;
    both.mean = a.mean + apart * (nb / n);
    both.variance =
        a.variance * (na / n) + b.variance * (nb / n) + apart * apart * (na / n) * (nb / n);
    return both;
}
