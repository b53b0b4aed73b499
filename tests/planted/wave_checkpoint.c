/* wave_checkpoint: a wave on a grid; its state is written to disk every five steps. */
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 900, STEPS = 480 };

static void advance(const float *u, const float *before, float *after)
{
    for (size_t i = 1; i < SIDE - 1; i++)
        for (size_t j = 1; j < SIDE - 1; j++) {
            size_t k = i * SIDE + j;
            float bend = u[k - 1] + u[k + 1] + u[k - SIDE] + u[k + SIDE] - 4 * u[k];
            after[k] = 2 * u[k] - before[k] + 0.2f * bend;
        }
}

static void save_state(const float *u, const float *before)
{
    FILE *file = fopen("state.bin", "wb");
    if (!file)
        exit(1);
    fwrite(u, sizeof *u, (size_t)SIDE * SIDE, file);
    fwrite(before, sizeof *u, (size_t)SIDE * SIDE, file);
    fflush(file);
    fsync(fileno(file));
    fclose(file);
}

int main(void)
{
    float *u[3];
    for (int i = 0; i < 3; i++)
        if (!(u[i] = calloc((size_t)SIDE * SIDE, sizeof **u)))
            exit(1);
    u[0][SIDE * SIDE / 2] = 1;
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("time_step") {
            PIT_SPAN("advance")
                for (int part = 0; part < 2; part++) {
                    advance(u[0], u[1], u[2]);
                    float *last = u[1];
                    u[1] = u[0], u[0] = u[2], u[2] = last;
                }
            if (step % 5 == 4)
                PIT_SPAN("save_state")
                    save_state(u[0], u[1]);
        }
    printf("%g\n", (double)u[0][SIDE * 100 + 100]);
    free(u[0]), free(u[1]), free(u[2]);
    return 0;
}
