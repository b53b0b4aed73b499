/* prog_stopped.c: work for two seconds of processor time, in the middle of which the program stops itself.
 *
 *     prog_stopped RUN.pit
 */
#include "pitwall.h"

#include <signal.h>
#include <time.h>

#define STEPS 200

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 2 || pit_open(argv[1], NULL) != PIT_OK)
        return 1;
    for (int i = 0; i < STEPS; i++)
        PIT_SPAN("step") {
            double end = processor_seconds() + 0.01;
            if (i == STEPS / 2)
                raise(SIGSTOP);
            while (processor_seconds() < end)
                continue;
        }
    return pit_close() == PIT_OK ? 0 : 1;
}
