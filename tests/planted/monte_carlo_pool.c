/* monte_carlo_pool: prices an option; random numbers come from a pool that is refilled. */
#include <pitwall.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { POOL = 1 << 20, PATHS = POOL / 32, STEPS = 1920 };

static float pool[POOL];
static size_t left;
static uint64_t state = 88172645463325252ull;

static float uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return ((float)(state >> 40) + 0.5f) / 16777216.0f;
}

static void refill(void)
{
    for (size_t i = 0; i < POOL; i++)
        pool[i] = sqrtf(-2 * logf(uniform())) * cosf(6.2831853f * uniform());
    left = POOL;
}

static double price_paths(void)
{
    double sum = 0;
    if (left < PATHS)
        refill();
    left -= PATHS;
    for (size_t i = 0; i < PATHS; i++) {
        float value = 100 * expf(0.2f * pool[left + i] - 0.02f);
        sum += value > 100 ? value - 100 : 0;
    }
    return sum / PATHS;
}

int main(void)
{
    double price = 0;
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("step") {
            PIT_SPAN("price")
                price += price_paths();
            PIT_SPAN("average")
                price = price * (step + 1) / (step + 1);
        }
    printf("%g\n", price / STEPS);
    return 0;
}
