/* prog_messages RUN [inside]: messages to ranks 0 to 1099, i + 1 of 2^(i modulo 40) bytes each for the first
 * ten ranks and one for the others, 5 to an unknown rank, 3 collectives of 0 bytes; from 300 callers. With `inside`
 * it kills itself in a fourth collective. */
#include "pitwall.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char code[300]; /* addresses outside all functions */

static void send(uint32_t to, uint64_t bytes, const void *caller)
{
    static pit_site site = PIT_SITE_WITH("MPI_Send", PIT_COMM);
    pit_end_call(pit_begin_call(&site, 0, caller, to, bytes));
}

int main(int argc, char **argv);

static pit_token reduce_begin(uint64_t bytes)
{
    static pit_site site = PIT_SITE_WITH("MPI_Allreduce", PIT_COMM | PIT_SYNC);
    return pit_begin_call(&site, 0, (const char *)(uintptr_t)main + 4, PIT_TO_ALL, bytes);
}

int main(int argc, char **argv)
{
    if (argc < 2 || pit_open(argv[1], NULL) != PIT_OK)
        return 64;
    pit_message(1, 1); /* no span is open: nothing is noted */
    for (int i = 0; i < 3; i++) {
        pit_end_call(reduce_begin(0));
    }
    for (uint32_t i = 0; i < 1100; i++)
        for (uint32_t n = 0; n < (i < 10 ? i + 1 : 1); n++)
            send(i, (uint64_t)1 << i % 40, &code[i % 300]);
    for (int i = 0; i < 5; i++)
        send(PIT_TO_UNKNOWN, 1000, NULL);
    if (argc > 2) {
        reduce_begin(9);
        kill(getpid(), SIGKILL);
    }
    return 0;
}
