/* serve_bytes.c: documents that several answers share, and small helpers of the server. */
#include "serve.h"

#include "base/clock_ns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

double serve_now(void)
{
    return 1e-9 * (double)pit__clock_ns(CLOCK_MONOTONIC);
}

double serve_wall_ns(void)
{
    return (double)pit__clock_ns(CLOCK_REALTIME);
}

/* Eight bytes at a time: every document of a live run is hashed. */
uint64_t serve_hash(const void *data, size_t count)
{
    const unsigned char *bytes = data;
    uint64_t hash = 14695981039346656037u ^ count, word = 0;
    for (; count >= sizeof word; count -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    word = 0;
    if (count)
        memcpy(&word, bytes, count);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

struct serve_bytes *serve_bytes_make(const void *data, size_t count)
{
    struct serve_bytes *bytes = malloc(sizeof *bytes + count);
    if (!bytes)
        return NULL;
    bytes->uses = 1;
    bytes->count = count;
    if (count)
        memcpy(bytes->data, data, count);
    snprintf(bytes->etag, sizeof bytes->etag, "\"%016" PRIx64 "\"", serve_hash(data, count));
    return bytes;
}

struct serve_bytes *serve_bytes_use(struct serve_bytes *bytes)
{
    if (bytes)
        bytes->uses++;
    return bytes;
}

void serve_bytes_drop(struct serve_bytes *bytes)
{
    if (bytes && --bytes->uses == 0)
        free(bytes);
}

struct serve_bytes *serve_bytes_printed(int (*write)(FILE *out, void *arg), void *arg)
{
    char *text = NULL;
    size_t count = 0;
    struct serve_bytes *bytes = NULL;
    FILE *out = open_memstream(&text, &count);
    if (!out)
        return NULL;
    int code = write(out, arg);
    int is_whole = !ferror(out);
    if (fclose(out) == 0 && is_whole && code == 0)
        bytes = serve_bytes_make(text, count);
    free(text);
    return bytes;
}
