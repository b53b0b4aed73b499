/* matmul_steps: the powers of a matrix; the first product finds cold memory. */
#include <pitwall.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 320, STEPS = 250 };

static void multiply(float *c, const float *a, const float *b)
{
    for (int i = 0; i < N * N; i++)
        c[i] = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            float x = a[i * N + k];
            for (int j = 0; j < N; j++)
                c[i * N + j] += x * b[k * N + j];
        }
}

static void rescale(float *c)
{
    float most = 0;
    for (int i = 0; i < N * N; i++)
        most = fmaxf(most, fabsf(c[i]));
    for (int i = 0; i < N * N; i++)
        c[i] /= most;
}

/* The first step makes its tables: some steps' worth of time, once. */
static void make_tables(float *a, float *power)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N * N; i++)
            a[i] = sinf((float)i) + cosf((float)(i % N)) * expf(-(float)(i % 97));
    for (int i = 0; i < N * N; i++)
        power[i] = i % (N + 1) ? 0 : 1;
}

int main(void)
{
    float *a = malloc(sizeof(float) * N * N), *power = malloc(sizeof(float) * N * N);
    float *next = malloc(sizeof(float) * N * N);
    if (!a || !power || !next)
        exit(1);
    for (int step = 0; step < STEPS; step++) {
        PIT_SPAN("step") {
            if (step == 0)
                make_tables(a, power);
            PIT_SPAN("product")
                multiply(next, a, power);
            PIT_SPAN("rescale")
                rescale(next);
        }
        float *swap = power;
        power = next, next = swap;
    }
    printf("%g\n", (double)power[5]);
    free(a), free(power), free(next);
    return 0;
}
