/* Work in spans, as much as asked for: prog_compare RUN STEPS [MEGABYTES [NAME]]. epoch > batch >
 * forward takes STEPS, epoch > batch > backward always the same; a span of NAME is there if it is
 * given. */
#include "pitwall.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

static void work(long steps)
{
    uint64_t x = sink | 1;
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

int main(int argc, char **argv)
{
    if (argc < 3 || pit_open(argv[1], NULL) != 0)
        return 1;
    long steps = atol(argv[2]);
    size_t bytes = (size_t)(argc > 3 ? atol(argv[3]) : 0) << 20;
    char *memory = bytes ? malloc(bytes) : NULL;
    if (memory)
        memset(memory, 1, bytes);
    for (int epoch = 0; epoch < 3; epoch++)
        PIT_SPAN("epoch") {
            for (int batch = 0; batch < 20; batch++)
                PIT_SPAN("batch") {
                    PIT_SPAN("forward") {
                        work(steps);
                    }
                    PIT_SPAN("backward") {
                        work(100000);
                    }
                }
        }
    if (argc > 4) {
        pit_token token = pit_begin_name(argv[4]);
        work(1000);
        pit_end(token);
    }
    sink += memory ? (uint64_t)memory[bytes / 2] : 0;
    free(memory);
    return pit_close() != 0;
}
