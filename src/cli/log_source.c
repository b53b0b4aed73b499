/* log_source.c: a text log to read from: a file or standard input, plain, gzip or zstd.
 *
 * The first bytes decide the format, not the name. A compressed log is read through a custom stream, so the
 * reader of logs sees only text.
 */
#include "log_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK 65536

enum kind { PLAIN, GZIP, ZSTD };

struct log_source {
    FILE *in;
    FILE *stream; /* result of log_source_stream */
    enum kind kind;
    unsigned char *chunk; /* read but not used yet */
    size_t at, filled;
    int ended;  /* end of input */
    int inside; /* in the middle of a member or frame */
    const char *why;
    z_stream gzip;
    ZSTD_DStream *zstd;
};

/* Refill the chunk unless the input has ended. Returns -1 with errno. */
static int refill(struct log_source *source)
{
    if (source->at < source->filled || source->ended)
        return 0;
    source->at = 0;
    source->filled = fread(source->chunk, 1, CHUNK, source->in);
    if (source->filled == 0) {
        source->ended = 1;
        if (ferror(source->in)) {
            source->why = strerror(errno);
            return -1;
        }
    }
    return 0;
}

static ssize_t damaged(struct log_source *source, const char *why)
{
    source->why = why;
    errno = EIO;
    return -1;
}

static ssize_t read_plain(struct log_source *source, char *to, size_t room)
{
    size_t left = source->filled - source->at, count = left < room ? left : room;
    memcpy(to, source->chunk + source->at, count);
    source->at += count;
    return (ssize_t)count;
}

/* Several gzip members may follow one another; other bytes after the last one are padding. */
static ssize_t read_gzip(struct log_source *source, char *to, size_t room)
{
    z_stream *z = &source->gzip;
    z->next_in = source->chunk + source->at;
    z->avail_in = (uInt)(source->filled - source->at);
    z->next_out = (unsigned char *)to;
    z->avail_out = (uInt)room;
    if (!source->inside) {
        if (z->avail_in > 0 && *z->next_in != 0x1f) {
            source->at = source->filled;
            source->ended = 1;
            return 0;
        }
        inflateReset(z);
        source->inside = 1;
    }
    int code = inflate(z, Z_NO_FLUSH);
    source->at = source->filled - z->avail_in;
    if (code == Z_STREAM_END)
        source->inside = 0;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return damaged(source, "damaged gzip data");
    return (ssize_t)(room - z->avail_out);
}

static ssize_t read_zstd(struct log_source *source, char *to, size_t room)
{
    ZSTD_inBuffer in = {source->chunk, source->filled, source->at};
    ZSTD_outBuffer out = {to, room, 0};
    size_t left = ZSTD_decompressStream(source->zstd, &out, &in);
    source->at = in.pos;
    if (ZSTD_isError(left))
        return damaged(source, "damaged zstd data");
    source->inside = left != 0;
    return (ssize_t)out.pos;
}

/* For stdio: fill `to`, 0 at the end. */
static ssize_t read_some(void *cookie, char *to, size_t room)
{
    struct log_source *source = cookie;
    for (;;) {
        if (refill(source) != 0)
            return -1;
        if (source->ended && source->at == source->filled) {
            ssize_t rest = 0;
            /* output that it still holds */
            if (source->kind == ZSTD && source->inside)
                rest = read_zstd(source, to, room);
            if (rest != 0)
                return rest;
            return source->inside ? damaged(source, "its compressed data is truncated") : 0;
        }
        ssize_t count = source->kind == GZIP   ? read_gzip(source, to, room)
                        : source->kind == ZSTD ? read_zstd(source, to, room)
                                               : read_plain(source, to, room);
        if (count != 0)
            return count;
    }
}

static int start(struct log_source *source)
{
    static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (refill(source) != 0)
        return -1;
    if (source->filled >= 2 && memcmp(source->chunk, gzip, 2) == 0) {
        source->kind = GZIP;
        return inflateInit2(&source->gzip, 15 + 16) == Z_OK ? 0 : -1;
    }
    if (source->filled >= 4 && memcmp(source->chunk, zstd, 4) == 0) {
        source->kind = ZSTD;
        source->zstd = ZSTD_createDStream();
        return source->zstd ? 0 : -1;
    }
    return 0;
}

/* A FIFO may be read, as in `pitwall log <(zcat old.gz)`; as cat does, wait for its writer. Other files are
 * opened without waiting. */
static FILE *open_log(const char *path)
{
    struct stat found;
    if (strcmp(path, "-") == 0)
        return stdin;
    int is_fifo = stat(path, &found) == 0 && S_ISFIFO(found.st_mode);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_fifo ? 0 : O_NONBLOCK));
    if (fd < 0)
        return NULL;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *in = fdopen(fd, "rb");
    if (!in)
        close(fd);
    return in;
}

struct log_source *log_source_open(const char *path, const char **why)
{
    static const cookie_io_functions_t functions = {.read = read_some};
    struct stat facts;
    struct log_source *source = calloc(1, sizeof *source);
    *why = strerror(ENOMEM);
    if (!source)
        return NULL;
    source->chunk = malloc(CHUNK);
    source->in = open_log(path);
    if (!source->in)
        *why = strerror(errno);
    else if (fstat(fileno(source->in), &facts) == 0 && S_ISDIR(facts.st_mode))
        *why = strerror(EISDIR);
    else if (source->chunk && start(source) == 0)
        source->stream = fopencookie(source, "rb", functions);
    else if (source->why)
        *why = source->why;
    if (source->stream)
        return source;
    log_source_close(source);
    return NULL;
}

FILE *log_source_stream(struct log_source *source)
{
    return source->stream;
}

const char *log_source_trouble(const struct log_source *source)
{
    return source->why;
}

void log_source_close(struct log_source *source)
{
    if (!source)
        return;
    if (source->stream)
        fclose(source->stream);
    if (source->kind == GZIP)
        inflateEnd(&source->gzip);
    ZSTD_freeDStream(source->zstd);
    if (source->in && source->in != stdin)
        fclose(source->in);
    free(source->chunk);
    free(source);
}
