/* cache: a cache that grows to its bound and then holds; a report that does not call it a leak.
 *
 *     cache -o cache.pit && pitwall report cache.pit --view memory
 *
 * Shows the same calls as leak.c, PIT_SPAN_WITH(name, PIT_MEMORY): "fill" takes memory at the start
 * of the run and none after that, for what comes in then takes the place of what was there.
 * Its deltas add up to the cache's size and stay there. pit_value keeps the hit rate.
 */
#include <pitwall.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 96,
    KEYS = 160,              /* more than there are slots: misses never end */
    ENTRY_BYTES = 512 * 1024 /* 48 MB in all */
};

struct entry {
    unsigned char *data;
    unsigned key;
};

static struct entry slots[SLOTS];
static unsigned oldest; /* the slot that is filled next */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What stands for reading and decoding a file. */
static void decode(unsigned char *data, unsigned key)
{
    unsigned value = key;
    for (size_t i = 0; i < ENTRY_BYTES; i++) {
        value = value * 1664525u + 1013904223u;
        data[i] = (unsigned char)(value >> 24);
    }
}

/* The memory of the entry that has to go serves the new one: the cache stays within its slots. */
static int fill(struct entry *entry, unsigned key)
{
    if (!entry->data)
        entry->data = malloc(ENTRY_BYTES);
    if (!entry->data)
        return -1;
    decode(entry->data, key);
    entry->key = key;
    return 0;
}

static struct entry *find(unsigned key)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (slots[i].data && slots[i].key == key)
            return &slots[i];
    return NULL;
}

static unsigned use(const unsigned char *data)
{
    unsigned sum = 0;
    for (size_t i = 0; i < ENTRY_BYTES; i++)
        sum = sum * 31 + data[i];
    return sum;
}

static int serve(unsigned requests, unsigned *sum)
{
    uint64_t random = 88172645463325252u;
    unsigned hits = 0;
    for (unsigned i = 0; i < requests; i++)
        PIT_SPAN_WITH("request", PIT_MEMORY | PIT_RECORD)
        {
            unsigned key = (unsigned)(next_random(&random) % KEYS);
            struct entry *entry = find(key);
            hits += entry != NULL;
            if (!entry)
                PIT_SPAN_WITH("fill", PIT_MEMORY)
                {
                    entry = &slots[oldest++ % SLOTS];
                    if (fill(entry, key))
                        return -1;
                }
            PIT_SPAN("use") {
                *sum += use(entry->data);
                pit_bytes(ENTRY_BYTES);
            }
            pit_value("hit rate", (double)hits / (i + 1));
        }
    return 0;
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    long steps = 1200;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            path = argv[++i];
        else if (!strcmp(argv[i], "--steps") && i + 1 < argc)
            steps = strtol(argv[++i], &end, 10);
        else
            steps = 0;
        if (*end || steps < 1 || steps > 1000000) {
            fprintf(stderr, "usage: cache [-o PATH] [--steps N]\n"
                            "Serve N requests (default 1200) from a cache of 48 MB.\n");
            return 64;
        }
    }
    int code = pit_open(path, NULL);
    if (code && code != PIT_ALREADY_OPEN && code != PIT_OFF)
        fprintf(stderr, "cache: %s\n", pit_strerror(code));
    unsigned sum = 0;
    int failed = serve((unsigned)steps, &sum);
    code = pit_close();
    if (code && code != PIT_NOT_OPEN)
        fprintf(stderr, "cache: %s\n", pit_strerror(code));
    if (failed)
        fprintf(stderr, "cache: no memory\n");
    else
        printf("checksum %08x\n", sum);
    for (size_t i = 0; i < SLOTS; i++)
        free(slots[i].data);
    return failed || fflush(stdout) ? 1 : 0;
}
