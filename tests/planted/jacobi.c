/* jacobi: solves Poisson's equation on a square: jacobi [SWEEPS] */
#include <pitwall.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1000, EVERY = 100 };

static double *grid(void)
{
    return calloc((size_t)SIDE * SIDE, sizeof(double));
}

static void sweep(const double *u, const double *f, double *v)
{
    for (size_t i = 1; i < SIDE - 1; i++)
        for (size_t j = 1; j < SIDE - 1; j++) {
            size_t k = i * SIDE + j;
            v[k] = 0.25 * (u[k - 1] + u[k + 1] + u[k - SIDE] + u[k + SIDE] - f[k]);
        }
}

static double residual(const double *u, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)SIDE * SIDE; k++)
        sum += (u[k] - v[k]) * (u[k] - v[k]);
    return sqrt(sum);
}

int main(int argc, char **argv)
{
    int sweeps = argc > 1 ? atoi(argv[1]) : 900;
    double *u = grid(), *v = grid(), *f = grid(), norm = 0;
    if (!u || !v || !f)
        exit(1);
    f[(size_t)SIDE * SIDE / 2 + SIDE / 2] = 1;
    for (int step = 0; step < sweeps; step++) {
        PIT_SPAN("iteration") {
            PIT_SPAN("relax")
                sweep(u, f, v);
            PIT_SPAN("residual")
                norm = residual(u, v);
        }
        double *swap = u;
        u = v, v = swap;
        if (step % EVERY == 0)
            printf("%d: %g\n", step, norm);
    }
    free(u), free(v), free(f);
    return 0;
}
