/* prog_memory_records WHAT RUN …: spans that are kept individually.
 *
 *   many RUN N BYTES   N spans with records of BYTES in all (N 0: forever); the n-th has n items
 *   out RUN LIMIT      grows inside epoch > batch > cache until it is killed, or to LIMIT MB
 *   stay RUN BATCHES   the same, and stays inside cache in the last of BATCHES batches
 *
 * Prints "open" once it is recording, and "inside" where it stays.
 */
#include "memory_holder.h"

#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

static int run_many(char **arguments)
{
    uint64_t n = strtoull(arguments[1], NULL, 10);
    pit_options options = {.record_bytes = strtoull(arguments[2], NULL, 10)};
    static pit_site site = PIT_SITE_WITH("kept", PIT_RECORD);
    if (pit_open(arguments[0], &options) != PIT_OK)
        return 70;
    puts("open");
    fflush(stdout);
    for (uint64_t i = 1; n == 0 || i <= n; i++) {
        pit_token token = pit_begin(&site);
        pit_items(i);
        pit_end(token);
    }
    return pit_close() ? 70 : 0;
}

/* 8 MB per batch, some of it permanently: the cache is what grows. */
static void batch(struct holder *kept, int stays)
{
    struct holder scratch = {{0}, {0}, 0};
    PIT_SPAN_WITH("batch", PIT_MEMORY | PIT_RECORD)
    {
        PIT_SPAN_WITH("load", PIT_MEMORY)
        {
            hold(&scratch, (size_t)2 << 20);
        }
        PIT_SPAN_WITH("cache", PIT_MEMORY)
        {
            hold(kept, (size_t)6 << 20);
            pause_ms(20);
            if (stays) {
                puts("inside");
                fflush(stdout);
                for (;;)
                    pause();
            }
        }
        let_go(&scratch);
    }
}

static int run_out(char **arguments)
{
    int limit = atoi(arguments[2]), is_stay = strcmp(arguments[0], "stay") == 0;
    static struct holder kept;
    if (pit_open(arguments[1], NULL) != PIT_OK)
        return 70;
    puts("open");
    fflush(stdout);
    PIT_SPAN_WITH("epoch", PIT_MEMORY)
    {
        while (kept.count * (is_stay ? 1 : 6) < limit && kept.count < HOLDER_ROOM)
            batch(&kept, is_stay && kept.count + 1 == limit);
    }
    return 71; /* it was not killed */
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "many") == 0)
        return run_many(argv + 2);
    if (argc == 4 && (strcmp(argv[1], "out") == 0 || strcmp(argv[1], "stay") == 0))
        return run_out(argv + 1);
    fprintf(stderr,
            "usage: prog_memory_records many RUN N BYTES | out RUN LIMIT | stay RUN BATCHES\n");
    return 64;
}
