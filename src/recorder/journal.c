/* The journal: entries of a program's log, in a fixed number of blocks.
 *
 * An entry is written after the last one and is valid once `used` includes it. When a block is full, a new
 * one is used and, when there are enough of those, the oldest: it is marked as being reused, emptied and
 * renumbered, so that a reader takes either the old entries or the new ones.
 */
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MOST_FIGURES 64u
#define MOST_BYTES (16u * 1024)
#define ROOM (PIT_FMT_JOURNAL_BYTES - sizeof(struct pit_fmt_block))

struct entry {
    unsigned char *bytes;
    size_t length; /* SIZE_MAX: it does not fit */
};

static void put(struct entry *entry, const void *from, size_t length)
{
    if (entry->length > MOST_BYTES || length > MOST_BYTES - entry->length) {
        entry->length = SIZE_MAX;
        return;
    }
    memcpy(entry->bytes + entry->length, from, length);
    entry->length += length;
}

static void put_text(struct entry *entry, const char *text)
{
    if (!text)
        text = "";
    put(entry, text, strnlen(text, MOST_BYTES) + 1);
}

/* 0: it does not fit. */
static int make_entry(struct entry *entry, const char *kind, const char *text,
                      const pit_figure *figures, size_t count)
{
    static const unsigned char zeros[8];
    struct pit_fmt_entry head = {.figures = (uint32_t)count};
    put(entry, &head, sizeof head);
    for (size_t i = 0; i < count; i++)
        put(entry, &figures[i].value, sizeof figures[i].value);
    put_text(entry, kind);
    put_text(entry, text);
    for (size_t i = 0; i < count; i++) {
        put_text(entry, figures[i].key);
        put_text(entry, figures[i].unit);
    }
    if (entry->length == SIZE_MAX)
        return 0;
    put(entry, zeros, (8 - entry->length % 8) % 8);
    return entry->length != SIZE_MAX;
}

/* The block to write into, with room for `bytes`; NULL: not available. */
static struct pit_fmt_block *block_for(pit_recorder *rec, size_t bytes)
{
    struct pit_fmt_block *block = rec->journal_blocks ? rec->journal[rec->journal_now] : NULL;
    if (block && ROOM - rec->journal_used >= bytes)
        return block;
    struct pit_fmt_block *fresh = NULL;
    if (rec->journal_blocks < PIT__JOURNAL_BLOCKS)
        fresh = pit__block_new(rec, PIT_FMT_JOURNAL, PIT_FMT_NO_THREAD, PIT_FMT_JOURNAL_BYTES, 1);
    if (fresh) {
        rec->journal_now = rec->journal_blocks++;
        rec->journal[rec->journal_now] = fresh;
    } else if (block) { /* filled in turn, so the next one is the oldest */
        rec->journal_now = (rec->journal_now + 1) % rec->journal_blocks;
        fresh = rec->journal[rec->journal_now];
        PIT_STORE_ORDERED(fresh->a, UINT64_MAX);
        PIT_STORE_ORDERED(fresh->used, 0);
    } else {
        return NULL;
    }
    rec->journal_used = 0;
    PIT_STORE_ORDERED(fresh->a, rec->journal_entries);
    return fresh;
}

/* With the lock held. Stored in words: another process may be reading the live run. */
static int append(pit_recorder *rec, const struct entry *entry)
{
    struct pit_fmt_block *block = block_for(rec, entry->length);
    if (!block)
        return PIT_NO_MEMORY;
    uint64_t *to = (void *)((unsigned char *)(block + 1) + rec->journal_used);
    for (size_t i = 0; i < entry->length / sizeof *to; i++) {
        uint64_t word;
        memcpy(&word, entry->bytes + i * sizeof word, sizeof word);
        PIT_STORE(to[i], word);
    }
    rec->journal_entries++;
    rec->journal_used += entry->length;
    PIT_STORE_ORDERED(block->used, rec->journal_used);
    return PIT_OK;
}

static int add(pit_recorder *rec, struct entry *entry, uint64_t wall_ns)
{
    struct pit_fmt_entry head;
    memcpy(&head, entry->bytes, sizeof head);
    head.bytes = (uint32_t)entry->length;
    head.ticks = pit__clock_read(pit__clock_is_counter(rec->clock));
    struct timespec now;
    if (!wall_ns && clock_gettime(CLOCK_REALTIME, &now) == 0)
        wall_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    head.wall_ns = wall_ns;
    memcpy(entry->bytes, &head, sizeof head);
    struct pit__guard before = pit__guard_enter();
    int code = PIT_BUSY;
    if (pit__lock_take(&rec->control->lock)) {
        code = PIT_LOAD(rec->control->alive) ? append(rec, entry) : PIT_NOT_OPEN;
        pit__lock_give(&rec->control->lock);
    } else {
        pit__count_refused();
    }
    pit__guard_leave(before);
    return code;
}

static int keep(struct entry *entry, uint64_t wall_ns)
{
    pit__resume();
    pit_recorder *rec = PIT_LOAD(pit__enabled) ? pit__default_recorder() : NULL;
    if (rec)
        return add(rec, entry, wall_ns);
    pit_status status;
    return pit_get_status(NULL, &status) == PIT_OFF ? PIT_OFF : PIT_NOT_OPEN;
}

/* Built in a separate mapping: it is larger than some threads' stacks. */
int pit_journal(const char *kind, const char *text, const pit_figure *figures, size_t count,
                uint64_t wall_ns)
{
    if (!kind || !*kind || count > MOST_FIGURES || (count && !figures))
        return PIT_BAD_ARGUMENT;
    void *bytes = pit__map_pages(MOST_BYTES);
    if (!bytes)
        return PIT_NO_MEMORY;
    struct entry entry = {.bytes = bytes};
    int is_good = make_entry(&entry, kind, text, figures, count);
    int code = is_good ? keep(&entry, wall_ns) : PIT_BAD_ARGUMENT;
    munmap(bytes, MOST_BYTES);
    return code;
}
