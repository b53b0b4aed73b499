/* cache: a cache that grows to its bound and then holds; a report that does not call it a leak.
 *
 *     cache -o cache.pit && pitwall report cache.pit --view memory
 *
 * Shows the same calls as leak.c, PIT_SPAN_WITH(name, PIT_MEMORY): "fill" takes memory at the start of the
 * run and none later, because new entries then replace old ones. Its deltas add up to the cache's size and
 * stay there. pit_value records the hit rate. */
#include "options.h"
#include "small_net.h"

enum {
    SLOTS = 96,
    KEYS = 160,              /* more than there are slots: misses never end */
    ENTRY_BYTES = 512 * 1024 /* 48 MB in all */
};

static int requests;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--steps", "requests", &requests, 1, 1000000, 1200, 400),
};
static struct example example = {
    .name = "cache",
    .what = "Serve requests from a cache of 48 MB that fills up and then holds.",
    .next = " --view memory",
    .options = options,
    .option_count = 1,
};

struct entry {
    unsigned char *data;
    unsigned key;
};

static struct entry slots[SLOTS];
static unsigned oldest; /* the slot that is filled next */

/* Simulates reading and decoding a file. */
static void decode(unsigned char *data, unsigned key)
{
    unsigned value = key;
    for (size_t i = 0; i < ENTRY_BYTES; i++) {
        value = value * 1664525u + 1013904223u;
        data[i] = (unsigned char)(value >> 24);
    }
}

/* The memory of the replaced entry is reused: the cache stays within its slots. */
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

static int serve(unsigned *sum, unsigned *hits)
{
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < requests; i++)
        PIT_SPAN_WITH("request", PIT_MEMORY | PIT_RECORD)
        {
            unsigned key = (unsigned)net_pick(&random, KEYS);
            struct entry *entry = find(key);
            *hits += entry != NULL;
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
            pit_value("hit rate", (double)*hits / (i + 1));
        }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned sum = 0, hits = 0;
    example_begin(&example, argc, argv);
    double before = (double)pit_rss() / 1048576;
    int failed = serve(&sum, &hits) ? example_fail(&example, "cache", PIT_NO_MEMORY) : 0;
    if (!example.is_quiet)
        printf("%u of %d requests hit, RSS from %.1f to %.1f MB\n", hits, requests, before,
               (double)pit_rss() / 1048576);
    printf("checksum %08x\n", sum);
    int status = example_end(&example, failed);
    for (size_t i = 0; i < SLOTS; i++)
        free(slots[i].data);
    return status;
}
