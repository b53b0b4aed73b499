/* Opening a run: at its path, in shared memory, or in this process. */
#include "held_file.h"
#include "live_map.h"
#include "reader.h"
#include "run_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* On network and user-space filesystems, a path that is being renamed over can disappear for a moment, on a
 * busy machine several times in a row. */
int pit__open_file(const char *path)
{
    const struct timespec moment = {0, 1000000};
    for (int left = 20;;) {
        int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        int error = errno;
        if (fd >= 0 || (error != ENOENT && error != ESTALE) || --left == 0)
            return fd;
        nanosleep(&moment, NULL);
    }
}

/* ---- a run at rest: bytes are copied as the walk asks for them ----------------------------- */

/* Copies the file if no lease is available (held_file.h): truncating a mapped file would kill the reader by
 * SIGBUS. Reserved addresses cost nothing, even if the file claims to be huge. */
struct file_source {
    struct pit__source source;
    int fd;
    unsigned char *base;
    uint64_t bytes;   /* size of the file */
    uint64_t have_to; /* all requested bytes before this offset are loaded */
    uint64_t ahead;   /* read at least this much at a time */
};

#define AHEAD ((uint64_t)1 << 20) /* blocks are small: a system call for each would cost more */
#define STREAM_AHEAD ((uint64_t)16 << 10) /* used when large blocks are skipped */

/* The walk only goes forward, so skipped bytes are never requested. */
static int read_from_file(struct pit__source *source, uint64_t offset, uint64_t bytes)
{
    struct file_source *file = (struct file_source *)source;
    uint64_t end = offset + bytes;
    if (end <= file->have_to)
        return 0;
    if (offset < file->have_to)
        offset = file->have_to;
    if (end < offset + file->ahead)
        end = offset + file->ahead < file->bytes ? offset + file->ahead : file->bytes;
    while (offset < end) {
        ssize_t got = pread(file->fd, file->base + offset, end - offset, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return PIT_CANNOT_READ;
        if (got == 0) { /* truncated meanwhile: the rest reads as zero */
            memset(file->base + offset, 0, end - offset);
            break;
        }
        offset += (uint64_t)got;
    }
    file->have_to = end;
    return 0;
}

static pit_run *read_copied(int fd, uint64_t bytes, uint32_t wanted, pit_error *error)
{
    struct file_source file = {{read_from_file}, fd, NULL, bytes, 0, AHEAD};
    file.base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file.base == MAP_FAILED) {
        pit__fail(error, PIT_NO_MEMORY, 0, "too large to read");
        return NULL;
    }
    madvise(file.base, bytes, MADV_HUGEPAGE); /* if supported: far fewer page faults */
    struct pit__image image = {.base = file.base, .bytes = bytes, .wanted = wanted};
    pit_run *run =
        pit__walk(&image, &file.source, error) == 0 ? pit__run_build(&image, error) : NULL;
    munmap(file.base, bytes);
    return run;
}

/* ---- its own pages: of a live run, or of one that is held ---------------------------------- */

/* *was_cut is set if pages were missing when they were read: the result is then unreliable. */
static pit_run *read_mapped(int fd, uint64_t bytes, int alive, uint32_t wanted, int *was_cut,
                            pit_error *error)
{
    const unsigned char *base = pit__live_map(fd, bytes);
    if (!base) {
        pit__fail(error, PIT_CANNOT_READ, 0, "cannot map: %s", strerror(errno));
        return NULL;
    }
    struct pit__image image = {
        .base = base, .bytes = bytes, .alive = alive, .is_mapped = 1, .wanted = wanted};
    pit_run *run = pit__walk(&image, NULL, error) == 0 ? pit__run_build(&image, error) : NULL;
    *was_cut = pit__live_was_cut(base);
    pit__live_unmap(base, bytes);
    return run;
}

/* Returns 0 after setting *error. */
static uint64_t file_bytes(int fd, pit_error *error)
{
    struct stat found;
    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        pit__fail(error, PIT_CANNOT_READ, 0, "not a regular file");
    else if (found.st_size == 0)
        pit__fail(error, PIT_NOT_A_RUN, 0, "the file is empty");
    else
        return (uint64_t)found.st_size;
    return 0;
}

/* Read a finished run in place, with a lease against truncation. Returns 0 if no lease is available. */
static int read_held(int fd, uint32_t wanted, pit_run **run, pit_error *error)
{
    struct pit__hold hold;
    int was_cut = 0;
    if (!pit__hold_begin(&hold, fd))
        return 0;
    uint64_t bytes = file_bytes(fd, error);
    *run = bytes ? read_mapped(fd, bytes, 0, wanted, &was_cut, error) : NULL;
    pit__hold_end(&hold);
    if (!was_cut)
        return 1;
    /* the kernel broke the lease: this process was stopped for most of a minute */
    pit_run_free(*run);
    return 0;
}

static pit_run *read_descriptor(int fd, uint32_t wanted, pit_error *error)
{
    pit_run *run = NULL;
    int was_cut = 0;
    uint64_t bytes = file_bytes(fd, error);
    if (bytes && pit__is_live(fd)) {
        run = read_mapped(fd, bytes, 1, wanted, &was_cut, error);
        if (!was_cut)
            return run;
        pit_run_free(run);
        bytes = file_bytes(fd, error); /* the remaining size */
    }
    if (!bytes || read_held(fd, wanted, &run, error))
        return run;
    return read_copied(fd, bytes, wanted, error);
}

/* ---- public -------------------------------------------------------------------------------- */

static pit_run *open_file(const char *path, uint32_t wanted, pit_error *error)
{
    int fd = pit__open_file(path);
    if (fd < 0) {
        pit__fail(error, PIT_CANNOT_READ, 0, "%s", strerror(errno));
        return NULL;
    }
    pit_run *run = read_descriptor(fd, wanted, error);
    close(fd);
    return run;
}

static pit_run *named(pit_run *run, const char *path, pit_error *error)
{
    if (!run)
        return NULL;
    run->path = pit__run_text(run, path);
    if (run->path)
        return run;
    pit_run_free(run);
    pit__fail(error, PIT_NO_MEMORY, 0, "out of memory");
    return NULL;
}

pit_run *pit_run_open(const char *path, pit_error *error)
{
    if (!path) {
        pit__fail(error, PIT_BAD_ARGUMENT, 0, "no path");
        return NULL;
    }
    /* Opening and closing the run of this process would drop the lock that marks it as live. */
    pit_recorder *own = pit_recorder_find(path);
    if (own)
        return named(pit_run_read(own, error), path, error);
    char live[256];
    int recovered = 0;
    int where = pit__find_pages(path, live, sizeof live, &recovered, error);
    if (where < 0)
        return NULL;
    own = where ? pit_recorder_find(live) : NULL;
    if (own)
        return named(pit_run_read(own, error), path, error);
    pit_run *run = named(open_file(where ? live : path, 0, error), path, error);
    if (run)
        run->recovered = recovered;
    return run;
}

/* Only parts that do not grow with the program: two kinds of blocks, and the headers of the others. */
#define PEEKED                                                                                     \
    ((uint32_t)1 << PIT_FMT_FACTS | (uint32_t)1 << PIT_FMT_SAMPLES |                               \
     (uint32_t)1 << PIT_FMT_CHANNELS)

pit_run *pit_run_peek(const char *path, pit_error *error)
{
    if (!path) {
        pit__fail(error, PIT_BAD_ARGUMENT, 0, "no path");
        return NULL;
    }
    char live[256];
    pit_recorder *own = pit_recorder_find(path);
    int where = own ? 0 : pit__find_live_pages(path, live, sizeof live);
    own = where ? pit_recorder_find(live) : own;
    if (own)
        return named(pit_run_read(own, error), path, error);
    return named(open_file(where ? live : path, PEEKED, error), path, error);
}

pit_run *pit_run_read(pit_recorder *recorder, pit_error *error)
{
    size_t bytes = 0;
    const void *memory = pit_recorder_memory(recorder, &bytes);
    if (!memory) {
        pit__fail(error, PIT_NOT_OPEN, 0, "%s", pit_strerror(PIT_NOT_OPEN));
        return NULL;
    }
    return named(pit_run_parse(memory, bytes, 1, error), "(this process)", error);
}

/* ---- many runs, one after another ------------------------------------------------------------ */

#define STREAMED                                                                                   \
    (~((uint32_t)1 << PIT_FMT_RING | (uint32_t)1 << PIT_FMT_RECORDS |                              \
       (uint32_t)1 << PIT_FMT_VALUE | (uint32_t)1 << PIT_FMT_JOURNAL |                             \
       (uint32_t)1 << PIT_FMT_PLACES))

/* The buffer is reused: the page faults of a fresh mapping per file would cost more than reading it. */
static int make_room(struct pit__run_stream *stream, uint64_t bytes)
{
    if (bytes <= stream->room)
        return 1;
    if (stream->base)
        munmap(stream->base, stream->room);
    stream->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int is_good = stream->base != MAP_FAILED;
    stream->room = is_good ? bytes : 0;
    stream->base = is_good ? stream->base : NULL;
    return is_good;
}

static pit_run *read_streamed(struct pit__run_stream *stream, int fd, pit_error *error)
{
    uint64_t bytes = file_bytes(fd, error);
    if (!bytes)
        return NULL;
    if (pit__is_live(fd))
        return read_descriptor(fd, STREAMED, error);
    if (!make_room(stream, bytes)) {
        pit__fail(error, PIT_NO_MEMORY, 0, "too large to read");
        return NULL;
    }
    struct file_source file = {{read_from_file}, fd, stream->base, bytes, 0, STREAM_AHEAD};
    struct pit__image image = {.base = stream->base, .bytes = bytes, .wanted = STREAMED};
    return pit__walk(&image, &file.source, error) == 0 ? pit__run_build(&image, error) : NULL;
}

pit_run *pit__run_stream_next(struct pit__run_stream *stream, const char *path, pit_error *error)
{
    char live[256];
    int recovered = 0;
    pit_run_free(stream->run);
    stream->run = NULL;
    pit_recorder *own = pit_recorder_find(path);
    if (own)
        return stream->run = named(pit_run_read(own, error), path, error);
    int where = pit__find_pages(path, live, sizeof live, &recovered, error);
    if (where < 0)
        return NULL;
    int fd = pit__open_file(where ? live : path);
    if (fd < 0) {
        pit__fail(error, PIT_CANNOT_READ, 0, "%s", strerror(errno));
        return NULL;
    }
    stream->run = named(read_streamed(stream, fd, error), path, error);
    close(fd);
    return stream->run;
}

void pit__run_stream_end(struct pit__run_stream *stream)
{
    pit_run_free(stream->run);
    if (stream->base)
        munmap(stream->base, stream->room);
}
