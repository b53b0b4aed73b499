/* code_maps.h: the mappings of code in this process, as the kernel lists them.
 *
 * Takes no lock of the loader, because a fork at that moment would leave it locked in the child forever. */
#ifndef PIT_CODE_MAPS_H
#define PIT_CODE_MAPS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct pit__code_map {
    uint64_t low, high, offset; /* addresses, and where in the file it begins */
    char path[PATH_MAX];        /* "[vdso]" for code of the kernel; "" without a file */
};

struct pit__code_maps {
    int fd;
    size_t used, at;
    char text[2 * PATH_MAX];
};

void pit__code_maps_open(struct pit__code_maps *maps);
/* The next mapping of code; 0: there are no more. */
int pit__code_maps_next(struct pit__code_maps *maps, struct pit__code_map *map);
void pit__code_maps_close(struct pit__code_maps *maps);

#endif
