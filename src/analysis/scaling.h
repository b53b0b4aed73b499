/* scaling.h: how does a cost grow with a size? Pure functions: no I/O, no runs. docs/statistics.md gives
 * the reasons. */
#ifndef PIT_SCALING_H
#define PIT_SCALING_H

#include <stddef.h>

enum pit__class {
    PIT__O_1,
    PIT__O_LOG,
    PIT__O_N,
    PIT__O_N_LOG_N,
    PIT__O_N2,
    PIT__O_N3,
    PIT__O_2_N, /* base to the n */
    PIT__NAMED_CLASSES,
    PIT__O_POWER = PIT__NAMED_CLASSES, /* n to another power */
    PIT__CLASSES
};

/* cost = a + b f(size), a and b not below 0, by least squares of the relative error. */
struct pit__fit {
    int is_good;     /* the fit succeeded */
    double a, b;     /* f is 1 at the largest size */
    double power;    /* of PIT__O_POWER; the base of PIT__O_2_N; else 0 */
    double rms;      /* of the relative errors */
    double residual; /* median of their absolute values */
    double aicc;
};

struct pit__scaling {
    enum pit__class found;
    struct pit__fit fits[PIT__CLASSES];
    int possible[PIT__CLASSES]; /* rms at most 1.5 times the best one; `found` is one of them */
    double tail, tail_low, tail_high; /* slope of log cost over log size at the larger half; NaN */
    int low_confidence;               /* rms over 10 % */
    size_t count;
    double largest; /* size */
};

/* Sizes over 0, each once, ascending; costs over 0. Returns 0; -1: memory is exhausted; -2: fewer than 3
 * points. With fewer than 8 sizes, or less than two decades, the answer is weak; the caller must say so. */
int pit__scaling_fit(const double *sizes, const double *costs, size_t count,
                     struct pit__scaling *scaling);

/* The cost at a size by the class found, with an interval from the relative errors. */
double pit__scaling_predict(const struct pit__scaling *scaling, double size, double *low,
                            double *high);

/* b for f itself; infinite or 0 if f exceeds a double. */
double pit__scaling_factor(const struct pit__scaling *scaling, enum pit__class c);

/* "1", "log n", "n log n", "2^n", "n^k". */
const char *pit__class_name(enum pit__class c);

#endif
