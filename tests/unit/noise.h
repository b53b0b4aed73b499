/* noise.h: random figures from a fixed seed, the same in every run of a test. */
#ifndef PIT_NOISE_H
#define PIT_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t noise_state = 88172645463325252u;

static inline double noise_uniform(void) /* 0…1 */
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 7;
    noise_state ^= noise_state << 17;
    return (double)(noise_state >> 11) / 9007199254740992.0;
}

static inline double noise_normal(void)
{
    return sqrt(-2 * log(noise_uniform() + 1e-300)) * cos(6.283185307179586 * noise_uniform());
}

/* Values around `level` with a relative `spread`. */
static inline void noise_fill(double *to, size_t count, double level, double spread)
{
    for (size_t i = 0; i < count; i++)
        to[i] = level * exp(spread * noise_normal());
}

/* The same, autocorrelated: each value keeps the share `keep` of the previous one's deviation. */
static inline void noise_fill_slow(double *to, size_t count, double level, double spread,
                                   double keep)
{
    double x = noise_normal();
    for (size_t i = 0; i < count; i++) {
        to[i] = level * exp(spread * x);
        x = keep * x + sqrt(1 - keep * keep) * noise_normal();
    }
}

#endif
