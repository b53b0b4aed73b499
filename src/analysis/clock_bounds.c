/* See clock_bounds.h. The offset is a line over time, a + b·t. A call says
 *     there_enter - here_leave  <=  a + b·t  <=  there_leave - here_enter
 * with t the time here. For a fixed drift b the bounds give an interval of a, whose ends are convex and
 * concave in b: so the feasible region is found by searching over b only. */
#include "clock_bounds.h"

#include <math.h>

#define STEPS 80 /* of a search: each keeps two thirds of the range */

struct calls {
    const struct pit__crossing *calls;
    size_t count;
    double middle; /* t is relative to this, so that numbers stay small */
};

static double lowest(const struct calls *in, double drift)
{
    double low = -INFINITY;
    for (size_t i = 0; i < in->count; i++) {
        const struct pit__crossing *call = &in->calls[i];
        low = fmax(low,
                   call->there_enter - call->here_leave - drift * (call->here_leave - in->middle));
    }
    return low;
}

static double highest(const struct calls *in, double drift)
{
    double high = INFINITY;
    for (size_t i = 0; i < in->count; i++) {
        const struct pit__crossing *call = &in->calls[i];
        high = fmin(high,
                    call->there_leave - call->here_enter - drift * (call->here_enter - in->middle));
    }
    return high;
}

/* Must be at least 0 to be feasible. */
static double room_at(const struct calls *in, double drift)
{
    return highest(in, drift) - lowest(in, drift);
}

/* The drift with the most room; the room is a concave function of the drift. */
static double widest(const struct calls *in)
{
    double low = -PIT__MOST_DRIFT, high = PIT__MOST_DRIFT;
    for (int i = 0; i < STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (room_at(in, a) < room_at(in, b))
            low = a;
        else
            high = b;
    }
    return (low + high) / 2;
}

/* The last feasible drift between a feasible one and one that may not be. */
static double edge(const struct calls *in, double good, double far)
{
    if (room_at(in, far) >= 0)
        return far;
    for (int i = 0; i < STEPS; i++) {
        double middle = (good + far) / 2;
        if (room_at(in, middle) >= 0)
            good = middle;
        else
            far = middle;
    }
    return good;
}

/* The highest (sign 1) or lowest (sign -1) feasible offset at t, times the sign: concave in the drift. */
static double extreme(const struct calls *in, double least, double most, double t, double sign)
{
    double low = least, high = most;
    for (int i = 0; i < STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        double at_a = sign > 0 ? highest(in, a) + a * t : -lowest(in, a) - a * t;
        double at_b = sign > 0 ? highest(in, b) + b * t : -lowest(in, b) - b * t;
        if (at_a < at_b)
            low = a;
        else
            high = b;
    }
    double drift = (low + high) / 2;
    return sign > 0 ? highest(in, drift) + drift * t : -lowest(in, drift) - drift * t;
}

double pit__clock_offset(const struct pit__clock_bounds *bounds, double at)
{
    return bounds->offset + bounds->drift * (at - bounds->at);
}

void pit__clock_bounds_find(const struct pit__crossing *calls, size_t count,
                            struct pit__clock_bounds *out)
{
    *out = (struct pit__clock_bounds){NAN, NAN, NAN, NAN, NAN, 0};
    if (count == 0)
        return;
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        first = fmin(first, calls[i].here_enter);
        last = fmax(last, calls[i].here_leave);
    }
    struct calls in = {calls, count, (first + last) / 2};
    double best = widest(&in);
    if (!(room_at(&in, best) >= 0))
        return;
    double least = edge(&in, best, -PIT__MOST_DRIFT), most = edge(&in, best, PIT__MOST_DRIFT);
    out->is_consistent = 1;
    out->at = in.middle;
    out->drift = (least + most) / 2;
    out->drift_bound = (most - least) / 2;
    out->offset = (extreme(&in, least, most, 0, 1) - extreme(&in, least, most, 0, -1)) / 2;
    const double ends[] = {first - in.middle, 0, last - in.middle};
    out->bound = 0;
    for (int i = 0; i < 3; i++) { /* the feasible region is convex: it is widest at an end */
        double line = out->offset + out->drift * ends[i];
        out->bound = fmax(out->bound, extreme(&in, least, most, ends[i], 1) - line);
        out->bound = fmax(out->bound, line + extreme(&in, least, most, ends[i], -1));
    }
}
