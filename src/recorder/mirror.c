/* A run whose live pages are in shared memory is copied to its path from time to time, so that the
 * loss of the machine costs some seconds of it, and at close for good.
 */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int write_all(int fd, const unsigned char *bytes, uint64_t count, uint64_t at)
{
    while (count) {
        ssize_t wrote = pwrite(fd, bytes, count, (off_t)at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote < 0 ? errno : EIO;
        bytes += wrote;
        at += (uint64_t)wrote;
        count -= (uint64_t)wrote;
    }
    return 0;
}

/* A copy of the header that says what the copy is. */
static struct pit_fmt_header header_for(const pit_recorder *rec, uint64_t used, int final)
{
    struct pit_fmt_header header = *rec->header;
    header.used_bytes = used;
    header.file_bytes = used;
    if (final)
        memset(header.live_name, 0, sizeof header.live_name);
    else
        header.place = PIT_FMT_MIRROR;
    return header;
}

static int copy_to(const pit_recorder *rec, int fd, int final)
{
    uint64_t used = PIT_LOAD_ACQUIRE(rec->header->used_bytes);
    struct pit_fmt_header header = header_for(rec, used, final);
    int error = pit__reserve(fd, 0, used);
    if (!error)
        error = write_all(fd, (const unsigned char *)&header, sizeof header, 0);
    if (!error)
        error = write_all(fd, rec->base + sizeof header, used - sizeof header, sizeof header);
    if (!error && fdatasync(fd) != 0 && errno != EINVAL)
        error = errno;
    return error;
}

int pit__mirror(pit_recorder *rec, int final)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.tmp", rec->path);
    unlink(temporary);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : copy_to(rec, fd, final);
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, rec->path) != 0)
        error = errno;
    if (error) {
        if (fd >= 0)
            unlink(temporary);
        pit__bump(&rec->header->counters[PIT_FMT_MIRRORS_FAILED]);
    }
    return error;
}
