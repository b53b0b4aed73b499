/* random_order.h: a small generator of random numbers, and a random order. The same seed gives the same
 * numbers everywhere. Pure functions. */
#ifndef PIT_RANDOM_ORDER_H
#define PIT_RANDOM_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64: well mixed from any seed on. */
static inline uint64_t pit__next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void pit__shuffle(size_t *order, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)(pit__next_random(state) % i), kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
}

#endif
