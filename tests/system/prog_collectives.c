/* prog_collectives RUN CALLS [inside]: collective calls of a group; call n has n bytes. With
 * `inside` it kills itself in the next call, a broadcast; otherwise it exits. */
#include "pitwall.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static pit_site barrier = PIT_SITE_WITH("MPI_Barrier", PIT_COMM | PIT_SYNC);
    static pit_site bcast = PIT_SITE_WITH("MPI_Bcast", PIT_COMM);
    if (argc < 3 || pit_open(argv[1], NULL) != PIT_OK)
        return 64;
    uint64_t calls = strtoull(argv[2], NULL, 10);
    uint32_t world = pit_group_open(7, 3, 1), other = pit_group_open(8, 2, 0);
    pit_end(pit_collective_begin(&bcast, other, 4));
    for (uint64_t i = 0; i < calls; i++)
        PIT_SPAN("step") {
            pit_end(pit_collective_begin(&barrier, world, i));
        }
    if (argc > 3) {
        pit_collective_begin(&bcast, world, calls);
        kill(getpid(), SIGKILL);
    }
    return 0;
}
