/* Copies a run to its path if its live pages are in shared memory, or in the program's own memory
 * because there was no room elsewhere. It is copied every few seconds, so that a crash of the machine or
 * of the program loses only those, and a last time at close. */
#include "own_file.h"
#include "place.h"
#include "recorder.h"

#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)1 << 20) /* small enough for memory, large enough for a network */

/* Other threads store into these pages meanwhile. They are copied word by word, so that each word is
 * whole, although some may be older than others; readers see from the copy's state that it is a mirror. */
__attribute__((no_sanitize("thread"))) static void copy_words(void *to, const void *from,
                                                              size_t bytes)
{
    const uint64_t *words = from;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        ((uint64_t *)to)[i] = PIT_LOAD(words[i]);
}

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

/* Everything after the header. All blocks are multiples of 64 bytes long. */
static int write_pages(const pit_recorder *rec, int fd, uint64_t used)
{
    void *piece =
        mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED)
        return errno;
    int error = 0;
    for (uint64_t at = sizeof *rec->header; at < used && !error;) {
        size_t bytes = used - at < PIECE_BYTES ? (size_t)(used - at) : PIECE_BYTES;
        copy_words(piece, rec->base + at, bytes);
        error = write_all(fd, piece, bytes, at);
        at += bytes;
    }
    munmap(piece, PIECE_BYTES);
    return error;
}

/* A copy of the header, marked as a mirror. */
static struct pit_fmt_header header_for(const pit_recorder *rec, uint64_t used, int final)
{
    struct pit_fmt_header header;
    copy_words(&header, rec->header, sizeof header);
    header.used_bytes = used;
    header.file_bytes = used;
    if (final)
        memset(header.live_name, 0, sizeof header.live_name);
    else
        header.place = PIT_FMT_MIRROR;
    header.file_inode = 0;
    return header;
}

static int copy_to(const pit_recorder *rec, int fd, int final)
{
    uint64_t used = PIT_LOAD_ACQUIRE(rec->used_bytes);
    struct pit_fmt_header header = header_for(rec, used, final);
    int error = pit__reserve(fd, 0, used);
    if (!error)
        error = write_all(fd, (const unsigned char *)&header, sizeof header, 0);
    if (!error)
        error = write_pages(rec, fd, used);
    if (!error && fdatasync(fd) != 0 && errno != EINVAL)
        error = errno;
    return error;
}

/* Is the file at the path this run's, or none? The path may have been given to another file meanwhile. It is
 * judged by what it contains: not every filesystem that needs a mirror keeps the numbers of its files. */
int pit__path_is_ours(const pit_recorder *rec)
{
    struct pit_fmt_header header;
    int fd = open(rec->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t got = pread(fd, &header, sizeof header, 0);
    close(fd);
    return got == 0 || /* created to take the name */
           (got == (ssize_t)sizeof header &&
            memcmp(header.run_id, rec->header->run_id, sizeof header.run_id) == 0);
}

/* At the end, a run whose path was taken gets a name next to it. 0 or an errno. */
static int keep_path(pit_recorder *rec, int final)
{
    if (pit__path_is_ours(rec))
        return 0;
    int fd = final ? pit__create_beside(rec->path, rec->file_mode) : -1;
    if (fd < 0)
        return final ? errno : EEXIST;
    close(fd);
    return 0;
}

static int mirror_by(pit_recorder *rec, const char *temporary, int final)
{
    unlink(temporary); /* its name has the run's id, so it is ours */
    int fd = pit__moved_up(
        open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, rec->file_mode));
    int error = fd < 0 ? errno : copy_to(rec, fd, final);
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, rec->path) != 0)
        error = errno;
    if (error && fd >= 0)
        unlink(temporary);
    return error;
}

int pit__mirror(pit_recorder *rec, int final)
{
    char temporary[PATH_MAX + 64], id[33];
    int error = keep_path(rec, final);
    if (!error) {
        pit__hex(rec->header->run_id, sizeof rec->header->run_id, id);
        int folder = (int)(strrchr(rec->path, '/') - rec->path);
        snprintf(temporary, sizeof temporary, "%.*s/.pitwall-%s.tmp", folder, rec->path, id);
        error = mirror_by(rec, temporary, final);
    }
    if (error)
        pit__bump(&rec->header->counters[PIT_FMT_MIRRORS_FAILED]);
    return error;
}
