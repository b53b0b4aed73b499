/* walkers_trace: random walkers; every position is written to a trace as it is. */
#include <pitwall.h>

#include <stdint.h>
#include <stdio.h>

enum { WALKERS = 4000, STEPS = 250, MOVES = 60 };

static float place[WALKERS];
static uint32_t state = 7;

static void move_all(void)
{
    for (int round = 0; round < MOVES; round++)
        for (int i = 0; i < WALKERS; i++) {
            state = state * 1664525u + 1013904223u;
            place[i] += (float)(state >> 8) / 16777216.0f - 0.5f;
        }
}

static void print_trace(FILE *trace, int step)
{
    for (int i = 0; i < WALKERS; i++) {
        fprintf(trace, "%d %d %.6f\n", step, i, (double)place[i]);
        fflush(trace);
    }
}

int main(void)
{
    FILE *trace = fopen("trace.txt", "w");
    if (!trace)
        return 1;
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("step") {
            PIT_SPAN("move")
                move_all();
            PIT_SPAN("print_trace")
                print_trace(trace, step);
        }
    fclose(trace);
    return 0;
}
