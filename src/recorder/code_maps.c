/* See code_maps.h. */
#include "code_maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void pit__code_maps_open(struct pit__code_maps *maps)
{
    maps->used = maps->at = 0;
    maps->fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
}

void pit__code_maps_close(struct pit__code_maps *maps)
{
    if (maps->fd >= 0)
        syscall(SYS_close, maps->fd);
}

/* The next line, without its newline; NULL: no more. Reads the thread's own file: that of the process is
 * empty once the main thread has ended. */
static char *next_line(struct pit__code_maps *maps)
{
    for (;;) {
        char *line = maps->text + maps->at;
        char *end = memchr(line, '\n', maps->used - maps->at);
        if (end) {
            *end = 0;
            maps->at = (size_t)(end + 1 - maps->text);
            return line;
        }
        maps->used -= maps->at;
        memmove(maps->text, line, maps->used);
        maps->at = 0;
        long got =
            syscall(SYS_read, maps->fd, maps->text + maps->used, sizeof maps->text - maps->used);
        if (got <= 0)
            return NULL;
        maps->used += (size_t)got;
    }
}

static uint64_t hex_at(char **at)
{
    uint64_t number = 0;
    for (;; ++*at) {
        char c = **at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
        if (digit == 16)
            return number;
        number = number * 16 + digit;
    }
}

/* "55d0-55f0 r-xp 00001000 fe:00 1234    /usr/bin/program". 0: not code. */
static int read_mapping(char *line, struct pit__code_map *map)
{
    map->low = hex_at(&line);
    line += *line == '-';
    map->high = hex_at(&line);
    if (strlen(line) < 6 || line[3] != 'x')
        return 0;
    line += 6;
    map->offset = hex_at(&line);
    for (int fields = 0; fields < 2; fields++) { /* device and inode */
        line += strspn(line, " ");
        line += strcspn(line, " ");
    }
    line += strspn(line, " ");
    snprintf(map->path, sizeof map->path, "%s", line);
    return 1;
}

int pit__code_maps_next(struct pit__code_maps *maps, struct pit__code_map *map)
{
    char *line = NULL;
    while (maps->fd >= 0 && (line = next_line(maps)))
        if (read_mapping(line, map))
            return 1;
    return 0;
}
