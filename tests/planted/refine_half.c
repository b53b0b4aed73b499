/* refine_half: heat in a rod; the grid is refined when half of the time is over. */
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE = 20000, FINE = 80000, STEPS = 600, SUBSTEPS = 180 };

static float u[FINE], w[FINE];

static void diffuse(int n)
{
    for (int s = 0; s < SUBSTEPS; s++) {
        for (int i = 1; i < n - 1; i++)
            w[i] = u[i] + 0.25f * (u[i - 1] - 2 * u[i] + u[i + 1]);
        memcpy(u + 1, w + 1, (size_t)(n - 2) * sizeof *u);
    }
}

static void refine(void)
{
    for (int i = COARSE - 1; i >= 0; i--)
        for (int k = 0; k < FINE / COARSE; k++)
            w[i * (FINE / COARSE) + k] = u[i];
    memcpy(u, w, sizeof u);
}

int main(void)
{
    int n = COARSE;
    u[COARSE / 2] = 1000;
    for (int step = 0; step < STEPS; step++) {
        if (step == STEPS / 2)
            refine(), n = FINE;
        PIT_SPAN("step") {
            PIT_SPAN("diffuse")
                diffuse(n);
            PIT_SPAN("boundary")
                u[0] = u[n - 1] = 0;
        }
    }
    printf("%g\n", (double)u[FINE / 2]);
    return 0;
}
