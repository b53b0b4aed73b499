/* factors_adam: factors of a ratings matrix by Adam over the whole tables for a few ratings a step. */
#include <pitwall.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { ITEMS = 12000, RANK = 32, SIZE = ITEMS * RANK, RATINGS = 2000, STEPS = 250 };

static float table[SIZE], slope[SIZE], mean[SIZE], square[SIZE];
static int left[RATINGS], right[RATINGS];
static uint32_t state = 5;

static int draw(int below)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)below);
}

static void gradient(void)
{
    for (int r = 0; r < RATINGS; r++) {
        float *a = table + left[r] * RANK, *b = table + right[r] * RANK, dot = 0;
        for (int k = 0; k < RANK; k++)
            dot += a[k] * b[k];
        for (int k = 0; k < RANK; k++) {
            slope[left[r] * RANK + k] += (dot - 1) * b[k];
            slope[right[r] * RANK + k] += (dot - 1) * a[k];
        }
    }
}

static void adam_step(int step)
{
    float fix_1 = 1 - powf(0.9f, (float)step), fix_2 = 1 - powf(0.999f, (float)step);
    for (int i = 0; i < SIZE; i++) {
        mean[i] = 0.9f * mean[i] + 0.1f * slope[i];
        square[i] = 0.999f * square[i] + 0.001f * slope[i] * slope[i];
        table[i] -= 0.001f * (mean[i] / fix_1) / (sqrtf(square[i] / fix_2) + 1e-8f);
        slope[i] = 0;
    }
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        table[i] = (float)draw(1000) / 5000;
    for (int step = 1; step <= STEPS * 4; step++)
        PIT_SPAN("iteration") {
            PIT_SPAN("sample")
                for (int r = 0; r < RATINGS; r++)
                    left[r] = draw(ITEMS), right[r] = draw(ITEMS);
            PIT_SPAN("gradient")
                gradient();
            PIT_SPAN("adam_step")
                adam_step(step);
        }
    printf("%g\n", (double)table[3]);
    return 0;
}
