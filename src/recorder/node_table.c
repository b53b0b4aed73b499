/* Nodes: finding one, creating one, and the rare parts of its histogram and series.
 *
 * All of it runs on the thread that owns the table, which holds it. Only allocating a block takes
 * the recorder's lock.
 */
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>

/* ---- lookup -------------------------------------------------------------------------------- */

static uint32_t hash_slot(uint64_t key, uint32_t mask)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & mask;
}

static struct pit__cache_entry *entries_new(uint32_t count)
{
    return pit__map_pages(count * sizeof(struct pit__cache_entry));
}

static void hash_put(struct pit__cache_entry *hash, uint32_t mask, struct pit__cache_entry entry)
{
    uint32_t i = hash_slot(entry.key, mask);
    while (hash[i].key)
        i = (i + 1) & mask;
    hash[i] = entry;
}

/* Room for one more at no more than half full. */
static int hash_reserve(struct pit__thread *t)
{
    if (t->hash && (t->hash_count + 1) * 2 <= t->hash_mask)
        return 1;
    uint32_t count = t->hash ? (t->hash_mask + 1) * 2 : 256;
    struct pit__cache_entry *bigger = entries_new(count);
    if (!bigger)
        return 0;
    if (t->hash) {
        for (uint32_t i = 0; i <= t->hash_mask; i++)
            if (t->hash[i].key)
                hash_put(bigger, count - 1, t->hash[i]);
        munmap(t->hash, ((size_t)t->hash_mask + 1) * sizeof *t->hash);
    }
    t->hash = bigger;
    t->hash_mask = count - 1;
    return 1;
}

static struct pit_fmt_node *hash_find(const struct pit__thread *t, uint64_t key)
{
    if (!t->hash)
        return NULL;
    for (uint32_t i = hash_slot(key, t->hash_mask); t->hash[i].key; i = (i + 1) & t->hash_mask)
        if (t->hash[i].key == key)
            return pit__at(t->base, (uint32_t)t->hash[i].where);
    return NULL;
}

/* Make room for this id. 0: there is no memory for it. */
static int cache_reserve(struct pit__thread *t, uint32_t id)
{
    uint32_t count = 256;
    while (count <= id)
        count *= 2;
    struct pit__cache_entry *bigger = entries_new(count);
    if (!bigger)
        return 0;
    size_t bytes = ((size_t)t->cache_mask + 1) * sizeof *bigger;
    memcpy(bigger, t->cache, bytes);
    if (t->cache_mask >= PIT__NEAR_CACHE)
        munmap(t->cache, bytes);
    t->cache = bigger;
    t->cache_mask = count - 1;
    return 1;
}

/* One slot per name: the cache is always larger than the largest id that the thread has used. Slot 0
 * belongs to no name and never matches. A slot's key is cleared first and stored last: a call that is
 * interrupted for good in between leaves a slot that does not match. */
void pit__node_cache(struct pit__thread *t, uint32_t parent, uint32_t id, uint64_t where)
{
    if (id > t->cache_mask) {
        pit__signals_off();
        int has_room = cache_reserve(t, id);
        pit__signals_on();
        if (!has_room)
            return; /* the hash still finds it */
    }
    PIT_STORE_ORDERED(t->cache[id].key, PIT__NO_KEY);
    PIT_STORE_ORDERED(t->cache[id].where, where);
    PIT_STORE_ORDERED(t->cache[id].key, (uint64_t)parent << 32 | id);
}

/* ---- creating a node ----------------------------------------------------------------------- */

static struct pit_fmt_node *node_new(struct pit__thread *t, uint32_t parent, uint32_t id)
{
    struct pit_fmt_block *slab = t->slab;
    if (!slab || t->slab_used == PIT_FMT_NODES_PER_BLOCK) {
        uint64_t bytes = sizeof *slab + PIT_FMT_NODES_PER_BLOCK * sizeof(struct pit_fmt_node);
        slab = pit__block_new(t->recorder, PIT_FMT_NODES, t->index, bytes, 0);
        if (!slab)
            return NULL;
        PIT_STORE_ORDERED(slab->a, PIT_FMT_NODES_PER_BLOCK);
        t->slab = slab;
        t->slab_used = 0;
    }
    const struct pit__name *text = pit__name_of(id & ~(PIT__DETACHED_BIT | PIT__DEVICE_BIT));
    uint64_t name = pit__name_offset(t->recorder, text);
    if (!name)
        return NULL;
    struct pit_fmt_node *node = (struct pit_fmt_node *)(slab + 1) + t->slab_used;
    node->min = UINT64_MAX;
    node->window = PIT_FMT_NO_WINDOW;
    node->cur_index = PIT_FMT_NO_BUCKET;
    node->cur_shift = t->recorder->clock->series_shift;
    node->name = name;
    node->parent = parent;
    node->flags = (id & PIT__DETACHED_BIT ? (uint32_t)PIT_FMT_NODE_DETACHED : 0u) |
                  (PIT_LOAD(text->is_comm) ? (uint32_t)PIT_FMT_NODE_COMM : 0u) |
                  (id & PIT__DEVICE_BIT ? (uint32_t)PIT_FMT_NODE_DEVICE : 0u);
    node->first = pit__clock_read(t->counter);
    node->id = id;
    PIT_STORE_ORDERED(slab->used, ++t->slab_used);
    return node;
}

struct pit_fmt_node *pit__node_find(struct pit__thread *t, uint32_t parent, uint32_t id)
{
    uint64_t key = (uint64_t)parent << 32 | id;
    struct pit_fmt_node *node = hash_find(t, key);
    if (node)
        return node;
    pit__signals_off();
    node = hash_reserve(t) ? node_new(t, parent, id) : NULL;
    if (node) {
        hash_put(t->hash, t->hash_mask, (struct pit__cache_entry){key, pit__ref(t->base, node)});
        t->hash_count++;
    }
    pit__signals_on();
    return node;
}

/* Follow its path from the root, in t's tree. */
struct pit_fmt_node *pit__node_own(struct pit__thread *t, uint32_t ref)
{
    uint32_t ids[PIT_FMT_FRAMES], depth = 0, parent = 0;
    while (ref) {
        const struct pit_fmt_node *other = pit__checked_at(t->recorder, ref, sizeof *other);
        if (!other || depth == PIT_FMT_FRAMES)
            return NULL;
        ids[depth++] = other->id;
        ref = other->parent;
    }
    struct pit_fmt_node *own = NULL;
    while (depth-- > 0) {
        own = pit__node_find(t, parent, ids[depth]);
        if (!own)
            return NULL;
        parent = pit__ref(t->base, own);
    }
    return own;
}

/* ---- histogram ----------------------------------------------------------------------------- */

static struct pit_fmt_octave *octave_of(struct pit__thread *t, struct pit_fmt_node *node,
                                        uint32_t octave)
{
    struct pit_fmt_octave *block = pit__checked_at(t->recorder, node->octaves, sizeof *block);
    for (uint32_t i = 0; block && i < PIT_FMT_BUCKETS / PIT_FMT_SUB; i++) {
        if (block->block.b == octave)
            return block;
        block = pit__checked_at(t->recorder, block->block.c, sizeof *block);
    }
    block = pit__block_new(t->recorder, PIT_FMT_OCTAVE, t->index, sizeof *block, 0);
    if (!block)
        return NULL;
    PIT_STORE_ORDERED(block->block.b, octave);
    PIT_STORE_ORDERED(block->block.c, node->octaves);
    PIT_STORE_ORDERED(block->block.a, pit__ref(t->base, node));
    PIT_STORE_ORDERED(node->octaves, pit__ref(t->base, block));
    return block;
}

static void octave_add(struct pit__thread *t, struct pit_fmt_node *node, uint32_t bucket,
                       uint64_t n)
{
    struct pit_fmt_octave *block = octave_of(t, node, bucket / PIT_FMT_SUB);
    if (!block)
        return; /* no room: readers see fewer samples in the histogram than in count */
    uint64_t *counter = &block->counts[bucket % PIT_FMT_SUB];
    PIT_STORE_ORDERED(*counter, PIT_LOAD(*counter) + n);
}

/* The first samples of a node are unlike the rest (cold caches, lazy set-up), so they are counted outside
 * the window. The shortest of them then decides where the window is: two octaves below it, five above. For
 * short spans it reaches down to 0, because they get even shorter once everything is warm, and counting a
 * sample outside the window takes longer than the span itself. */
#define WINDOW_FROM_COUNT 8
#define WINDOW_OCTAVES_BELOW 2
#define SHORT_OCTAVES 5 /* below 1,024 ticks */

PIT__IN_SPANS void pit__hist_rare(struct pit__thread *t, struct pit_fmt_node *node,
                                  uint64_t duration)
{
    if (!t->recorder)
        return; /* the cost measurement's scratch table */
    uint32_t bucket = pit_fmt_bucket_of(duration);
    if (node->window == PIT_FMT_NO_WINDOW && node->count >= WINDOW_FROM_COUNT) {
        uint32_t octave = pit_fmt_bucket_of(node->min) / PIT_FMT_SUB;
        uint32_t first = octave > SHORT_OCTAVES ? octave - WINDOW_OCTAVES_BELOW : 0;
        uint32_t last = PIT_FMT_BUCKETS / PIT_FMT_SUB - PIT_FMT_WINDOW_OCTAVES;
        PIT_STORE_ORDERED(node->window, (first < last ? first : last) * PIT_FMT_SUB);
    }
    uint32_t slot = bucket - node->window;
    if (slot >= PIT_FMT_WINDOW) {
        octave_add(t, node, bucket, 1);
        return;
    }
    /* A counter at its limit overflows: its count and this sample move to the octave. */
    uint32_t count = PIT_LOAD(node->window_counts[slot]);
    if (count == UINT32_MAX) {
        pit__signals_off();
        octave_add(t, node, bucket, (uint64_t)count + 1);
        PIT_STORE_ORDERED(node->window_counts[slot], 0);
        pit__signals_on();
    } else {
        PIT_STORE_ORDERED(node->window_counts[slot], count + 1);
    }
}

/* ---- series -------------------------------------------------------------------------------- */

/* The sample that opens a bucket is in the node's statistics already. */
static uint32_t shift_of(const struct pit_fmt_node *node)
{
    return node->cur_shift & 63;
}

static void current_start(struct pit_fmt_node *node, uint64_t start_ticks, uint64_t index,
                          uint64_t duration)
{
    PIT_STORE_ORDERED(node->cur_count, node->count - 1);
    PIT_STORE_ORDERED(node->cur_total, node->total - duration);
    PIT_STORE_ORDERED(node->cur_min, duration);
    PIT_STORE_ORDERED(node->cur_max, duration);
    PIT_STORE_ORDERED(node->cur_end, start_ticks + ((index + 1) << shift_of(node)));
    PIT_STORE_ORDERED(node->cur_index, (uint32_t)index);
}

/* The current bucket, up to the previous sample, is stored among the past ones; readers ignore that
 * entry until the current bucket is marked as changing. */
static void current_store(struct pit_fmt_node *node, struct pit_fmt_series *series,
                          uint64_t duration)
{
    struct pit_fmt_bucket *bucket = &series->buckets[node->cur_index % PIT_FMT_SERIES_BUCKETS];
    PIT_STORE_ORDERED(bucket->count, node->count - 1 - node->cur_count);
    PIT_STORE_ORDERED(bucket->total, node->total - duration - node->cur_total);
    PIT_STORE_ORDERED(bucket->min, node->cur_min);
    PIT_STORE_ORDERED(bucket->max, node->cur_max);
    PIT_STORE_ORDERED(node->cur_index, PIT_FMT_NO_BUCKET);
}

static struct pit_fmt_bucket bucket_join(const struct pit_fmt_bucket *a,
                                         const struct pit_fmt_bucket *b)
{
    if (!a->count)
        return *b;
    if (!b->count)
        return *a;
    return (struct pit_fmt_bucket){a->count + b->count, a->total + b->total,
                                   a->min < b->min ? a->min : b->min,
                                   a->max > b->max ? a->max : b->max};
}

/* The block with the past, or NULL. */
static struct pit_fmt_series *series_there(const struct pit__thread *t,
                                           const struct pit_fmt_node *node)
{
    return pit__checked_at(t->recorder, node->series, sizeof(struct pit_fmt_series));
}

/* Merge neighbours into the thread's spare block, then make it the node's by one store. The old
 * block becomes the spare. */
static void series_fold(struct pit__thread *t, struct pit_fmt_node *node)
{
    struct pit_fmt_series *to = t->spare_series;
    struct pit_fmt_series *from = series_there(t, node);
    for (uint32_t i = 0; i < PIT_FMT_SERIES_BUCKETS; i++) {
        struct pit_fmt_bucket joined = {0, 0, 0, 0};
        if (i < PIT_FMT_SERIES_BUCKETS / 2)
            joined = bucket_join(&from->buckets[2 * i], &from->buckets[2 * i + 1]);
        PIT_STORE(to->buckets[i].count, joined.count);
        PIT_STORE(to->buckets[i].total, joined.total);
        PIT_STORE(to->buckets[i].min, joined.min);
        PIT_STORE(to->buckets[i].max, joined.max);
    }
    PIT_STORE(to->block.a, pit__ref(t->base, node));
    PIT_STORE(to->block.b, from->block.b + 1);
    PIT_STORE_ORDERED(node->series, pit__ref(t->base, to));
    PIT_STORE_ORDERED(node->cur_shift, node->cur_shift + 1);
    t->spare_series = from;
}

/* Is there a spare block to merge into? It is passed on from merge to merge. */
static int can_fold(struct pit__thread *t)
{
    if (!t->spare_series)
        t->spare_series =
            pit__block_new(t->recorder, PIT_FMT_SERIES, t->index, sizeof *t->spare_series, 0);
    return t->spare_series != NULL;
}

static struct pit_fmt_series *series_of(struct pit__thread *t, struct pit_fmt_node *node)
{
    struct pit_fmt_series *series = series_there(t, node);
    if (series)
        return series;
    series = pit__block_new(t->recorder, PIT_FMT_SERIES, t->index, sizeof *series, 0);
    if (!series)
        return NULL;
    PIT_STORE(series->block.a, pit__ref(t->base, node));
    PIT_STORE(series->block.b, node->cur_shift);
    PIT_STORE_ORDERED(node->series, pit__ref(t->base, series));
    return series;
}

/* If there is no room for more, the current bucket never ends. */
static void current_forever(struct pit_fmt_node *node, uint64_t duration)
{
    PIT_STORE_ORDERED(node->cur_end, UINT64_MAX);
    PIT_STORE(node->cur_min, duration < node->cur_min ? duration : node->cur_min);
    PIT_STORE(node->cur_max, duration > node->cur_max ? duration : node->cur_max);
}

static void next_bucket(struct pit__thread *t, struct pit_fmt_node *node, uint64_t end,
                        uint64_t duration)
{
    uint64_t start = t->recorder->first.ticks;
    uint64_t since = end > start ? end - start : 0;
    if (node->cur_index != PIT_FMT_NO_BUCKET) {
        int must_fold = since >> shift_of(node) >= PIT_FMT_SERIES_BUCKETS;
        struct pit_fmt_series *series = series_of(t, node);
        if (!series || (must_fold && !can_fold(t))) {
            current_forever(node, duration);
            return;
        }
        current_store(node, series, duration);
    }
    while (since >> shift_of(node) >= PIT_FMT_SERIES_BUCKETS) {
        if (t->spare_series && series_there(t, node))
            series_fold(t, node);
        else
            PIT_STORE_ORDERED(node->cur_shift, node->cur_shift + 1); /* no past yet */
    }
    current_start(node, start, since >> shift_of(node), duration);
}

void pit__series_rare(struct pit__thread *t, struct pit_fmt_node *node, uint64_t end,
                      uint64_t duration)
{
    if (!t->recorder)
        return; /* the cost measurement's scratch table */
    pit__signals_off();
    next_bucket(t, node, end, duration);
    pit__signals_on();
}
