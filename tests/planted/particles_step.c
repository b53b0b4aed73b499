/* particles_step: particles in a box; forces and moves are marked, the walls are not. */
#include <pitwall.h>

#include <math.h>
#include <stdio.h>

enum { COUNT = 700, STEPS = 900 };

static double x[COUNT], v[COUNT], force[COUNT];

static void find_forces(void)
{
    for (int i = 0; i < COUNT; i++) {
        double sum = 0;
        for (int j = 0; j < COUNT; j++) {
            double gap = x[i] - x[j];
            sum += gap / (gap * gap + 0.1);
        }
        force[i] = sum / COUNT;
    }
}

/* The potential of a rough wall, by its series. */
__attribute__((noinline)) static double wall_series(double at)
{
    double sum = 0;
    for (int k = 1; k < 200; k++)
        sum += sin(k * at) / k;
    return sum;
}

int main(void)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = 6.0 * i / COUNT;
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("step") {
            PIT_SPAN("forces")
                find_forces();
            for (int i = 0; i < COUNT; i++)
                force[i] += 0.001 * wall_series(x[i]);
            PIT_SPAN("move")
                for (int i = 0; i < COUNT; i++) {
                    v[i] += 0.01 * force[i];
                    x[i] += 0.01 * v[i];
                }
        }
    printf("%g\n", x[11]);
    return 0;
}
