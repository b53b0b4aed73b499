/* prog_extra_source RUN [KEEP]: a run with readings of the sources in this folder. With KEEP it lives until its
 * standard input ends. */
#include "pitwall.h"

#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    pit_options options = {.sample_hz = 200};
    if (argc < 2 || pit_open(argv[1], &options) != PIT_OK)
        return 1;
    PIT_SPAN("work") {
        struct timespec some = {0, 100000000};
        nanosleep(&some, NULL);
    }
    if (argc > 2) {
        puts("rest");
        fflush(stdout);
        while (getchar() != EOF)
            continue;
    }
    return pit_close() ? 1 : 0;
}
