/* regular_file.c: open a regular file. If the path is a FIFO, a device or a socket, it fails without
 * waiting. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *regular_file_open(const char *path, const char **why)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *why = fd < 0 ? strerror(errno) : NULL;
    if (fd >= 0 && fstat(fd, &facts) != 0)
        *why = strerror(errno);
    else if (fd >= 0 && !S_ISREG(facts.st_mode))
        *why = S_ISDIR(facts.st_mode) ? strerror(EISDIR) : "not a regular file";
    FILE *file = *why ? NULL : fdopen(fd, "rb");
    if (!file && !*why)
        *why = strerror(errno);
    if (!file && fd >= 0)
        close(fd);
    return file;
}
