/* prog_scale RUN SIZE: a run whose span "work" sleeps in proportion to the size, which is its label.
 * RUN -: where the environment says. */
#include "pitwall.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    const char *path = strcmp(argv[1], "-") == 0 ? NULL : argv[1];
    if (pit_open(path, NULL) != 0 || pit_label("size", argv[2]) != 0)
        return 66;
    struct timespec nap = {.tv_nsec = atol(argv[2]) * 5000000};
    for (int i = 0; i < 3; i++)
        PIT_SPAN("work") {
            nanosleep(&nap, NULL);
        }
    return -pit_close();
}
