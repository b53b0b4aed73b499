/* The plain model of a run, from an image whose blocks were walked. */
#include "losses.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* A pit_run and the memory behind it. */
struct owned_run {
    pit_run run;
    struct pit__arena arena;
};

static struct pit__arena *arena_of(pit_run *run)
{
    return &((struct owned_run *)run)->arena;
}

void pit_run_free(pit_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < run->below_count; i++)
        pit_run_free(run->below[i]); /* sub-runs have no sub-runs themselves */
    free((void *)(uintptr_t)run->below);
    pit__arena_free(arena_of(run));
    free(run);
}

char *pit__run_text(pit_run *run, const char *text)
{
    return pit__arena_text(arena_of(run), text, strlen(text));
}

const char *pit_run_fact(const pit_run *run, const char *key)
{
    for (size_t i = 0; run && i < run->fact_count; i++)
        if (strcmp(run->facts[i].key, key) == 0)
            return run->facts[i].value;
    return NULL;
}

/* ---- facts --------------------------------------------------------------------------------- */

/* One text ended by a zero byte within [at, end), or NULL. */
static const char *take_text(struct pit__arena *arena, const char **at, const char *end)
{
    const char *zero = memchr(*at, 0, (size_t)(end - *at));
    if (!zero)
        return NULL;
    const char *text = pit__arena_text(arena, *at, (size_t)(zero - *at));
    *at = zero + 1;
    return text;
}

/* Finds a fact by its key: a run may have 100,000 labels. */
struct fact_table {
    uint32_t *slots; /* index + 1; 0: free */
    size_t mask;
};

static uint64_t hash_of(const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* A repeated key replaces the value and keeps its position. */
static size_t add_fact(struct fact_table *table, pit_fact *facts, size_t count, pit_fact fact)
{
    size_t at = hash_of(fact.key) & table->mask;
    while (table->slots[at] && strcmp(facts[table->slots[at] - 1].key, fact.key) != 0)
        at = (at + 1) & table->mask;
    if (table->slots[at]) {
        facts[table->slots[at] - 1].value = fact.value;
        return count;
    }
    facts[count] = fact;
    table->slots[at] = (uint32_t)count + 1;
    return count + 1;
}

static struct fact_table make_fact_table(struct pit__arena *arena, size_t room)
{
    size_t size = 16;
    while (size < 2 * room)
        size *= 2;
    uint32_t *slots = calloc(size, sizeof *slots);
    arena->failed |= !slots;
    return (struct fact_table){slots, size - 1};
}

/* An upper bound: a fact has at least two zero bytes. */
static size_t count_facts(const struct pit__image *image)
{
    size_t zeros = 0, blocks = 0;
    uint64_t read = 0;
    for (size_t i = 0; i < image->block_count; i++) {
        const struct pit__block *block = &image->blocks[i];
        if (block->type != PIT_FMT_FACTS)
            continue;
        const unsigned char *bytes = image->base + block->offset + sizeof(struct pit_fmt_block);
        for (uint64_t k = 0; k < block->used; k++)
            zeros += bytes[k] == 0;
        pit__let_go_after(image, block, &read);
        blocks++;
    }
    return zeros / 2 + blocks;
}

void pit__facts_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run)
{
    size_t room = count_facts(image), count = 0;
    uint64_t read = 0;
    pit_fact *facts = pit__arena_array(arena, room, sizeof *facts);
    struct fact_table table = make_fact_table(arena, room);
    for (size_t i = 0; facts && table.slots && i < image->block_count; i++) {
        const struct pit__block *block = &image->blocks[i];
        if (block->type != PIT_FMT_FACTS)
            continue;
        const char *at = (const char *)image->base + block->offset + sizeof(struct pit_fmt_block);
        const char *end = at + block->used;
        while (at < end) {
            const char *key = take_text(arena, &at, end);
            const char *value = key ? take_text(arena, &at, end) : NULL;
            if (!value || count == room) /* a live run may have added facts meanwhile */
                break;
            count = add_fact(&table, facts, count, (pit_fact){key, value});
        }
        pit__let_go_after(image, block, &read);
    }
    free(table.slots);
    run->facts = facts;
    run->fact_count = count;
}

/* ---- threads ------------------------------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
    const struct pit__block *const *x = a, *const *y = b;
    if ((*x)->thread != (*y)->thread)
        return (*x)->thread < (*y)->thread ? -1 : 1;
    return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

/* All blocks that belong to threads, grouped by thread, each group in file order. */
static const struct pit__block **group(const struct pit__image *image, struct pit__arena *arena,
                                       size_t *count)
{
    const struct pit__block **list = pit__arena_array(arena, image->block_count, sizeof *list);
    size_t at = 0;
    for (size_t i = 0; list && i < image->block_count; i++)
        if (image->blocks[i].thread != PIT_FMT_NO_THREAD)
            list[at++] = &image->blocks[i];
    if (at)
        qsort(list, at, sizeof *list, by_thread);
    *count = at;
    return list;
}

/* Returns the thread number of each block of the image, or SIZE_MAX. */
static size_t *read_threads(const struct pit__image *image, pit_run *run)
{
    size_t block_count, room = 0;
    struct pit__arena *arena = arena_of(run);
    const struct pit__block **blocks = group(image, arena, &block_count);
    for (size_t i = 0; i < block_count; i++)
        room += blocks[i]->type == PIT_FMT_THREAD;
    pit_thread *threads = pit__arena_array(arena, room, sizeof *threads);
    size_t *thread_of = pit__arena_array(arena, image->block_count, sizeof *thread_of);
    size_t count = 0;
    for (size_t i = 0; thread_of && i < image->block_count; i++)
        thread_of[i] = SIZE_MAX;
    for (size_t i = 0; threads && thread_of && i < block_count;) {
        size_t end = i;
        const struct pit__block *table = NULL;
        for (; end < block_count && blocks[end]->thread == blocks[i]->thread; end++)
            if (!table && blocks[end]->type == PIT_FMT_THREAD)
                table = blocks[end];
        if (table) {
            pit__thread_read(image, arena, table, blocks + i, end - i, &threads[count]);
            pit__losses_add(&run->losses, &threads[count].losses);
            for (size_t k = i; k < end; k++)
                thread_of[blocks[k] - image->blocks] = count;
            count++;
        }
        i = end;
    }
    run->threads = threads;
    run->thread_count = count;
    return thread_of;
}

/* ---- span objects -------------------------------------------------------------------------- */

/* An open span object and its node. */
struct shown {
    size_t thread;
    pit_open_span span;
};

/* Is a span object with this begin the applied pending sample of some thread? */
static int is_recorded(const struct pit__image *image, uint64_t begin)
{
    for (size_t i = 0; i < image->block_count; i++) {
        if (image->blocks[i].type != PIT_FMT_THREAD)
            continue;
        struct pit__pending pending;
        const struct pit_fmt_thread *table = (const void *)(image->base + image->blocks[i].offset);
        pit__pending_read(table, &pending);
        uint64_t offset = (uint64_t)pit_fmt_ref_of(pending.where) << PIT_FMT_REF_SHIFT;
        if (!pending.where || pit_fmt_depth_of(pending.where) != 0 || pending.begin != begin)
            continue;
        const struct pit__block *nodes = pit__block_around(image, offset, PIT_FMT_NODES);
        if (!nodes || offset - nodes->offset > nodes->bytes - sizeof(struct pit_fmt_node))
            continue;
        pit_raw_node stats;
        pit__node_stats((const void *)(image->base + offset), table, offset >> PIT_FMT_REF_SHIFT,
                        &stats);
        if (stats.count == pending.count + 1)
            return 1;
    }
    return 0;
}

static size_t list_objects(const struct pit__image *image, const struct pit__block *block,
                           const struct pit__node_index *index, struct shown *shown)
{
    const struct pit_fmt_objects *objects = (const void *)(image->base + block->offset);
    size_t count = 0;
    for (uint32_t k = 0; k < PIT_FMT_OBJECT_SLOTS; k++) {
        uint64_t ref = PIT_LOAD_ACQUIRE(objects->slots[k].node), node;
        uint64_t begin = PIT_LOAD_ACQUIRE(objects->slots[k].begin);
        int is_ending = (PIT_LOAD(objects->slots[k].thread) & PIT_FMT_OBJECT_ENDING) != 0;
        size_t thread = pit__index_find(index, ref, &node);
        if (thread != SIZE_MAX && !(is_ending && is_recorded(image, begin)))
            shown[count++] =
                (struct shown){thread, {.node = (uint32_t)node, .object = 1, .begin = begin}};
    }
    return count;
}

/* Add the objects after the spans that are open on the thread's stack. */
static void show_objects(pit_run *run, size_t number, const struct shown *shown, size_t count)
{
    pit_thread *t = (pit_thread *)(uintptr_t)&run->threads[number];
    size_t more = 0;
    for (size_t i = 0; i < count; i++)
        more += shown[i].thread == number;
    pit_open_span *open =
        more ? pit__arena_array(arena_of(run), t->open_count + more, sizeof *open) : NULL;
    if (!open)
        return;
    if (t->open_count)
        memcpy(open, t->open, t->open_count * sizeof *open);
    for (size_t i = 0; i < count; i++)
        if (shown[i].thread == number && shown[i].span.node < t->node_count)
            open[t->open_count++] = shown[i].span;
    t->open = open;
}

/* A recorder creates one OBJECTS block; only the first is read. */
static void read_objects(const struct pit__image *image, pit_run *run,
                         const struct pit__node_index *index)
{
    size_t i = 0;
    while (i < image->block_count && image->blocks[i].type != PIT_FMT_OBJECTS)
        i++;
    if (i == image->block_count)
        return;
    struct shown shown[PIT_FMT_OBJECT_SLOTS];
    size_t count = list_objects(image, &image->blocks[i], index, shown);
    for (size_t k = 0; count && k < run->thread_count; k++)
        show_objects(run, k, shown, count);
}

/* ---- the run ------------------------------------------------------------------------------- */

static void read_header(const struct pit__image *image, pit_run *run)
{
    const struct pit_fmt_header *header = &image->header;
    run->state = header->state == PIT_FMT_CLOSED ? PIT_RUN_CLOSED
                 : image->alive                  ? PIT_RUN_LIVE
                                                 : PIT_RUN_DIED;
    run->is_mirror = header->place == PIT_FMT_MIRROR;
    run->storage = header->place == PIT_FMT_MEMORY || (run->is_mirror && !header->live_name[0])
                       ? PIT_STORAGE_MEMORY
                   : run->is_mirror || header->place == PIT_FMT_SHM ? PIT_STORAGE_SHM
                                                                    : PIT_STORAGE_FILE;
    run->growth_errno = (int)header->growth_errno;
    run->open_errno = (int)header->open_errno;
    run->file_bytes = header->file_bytes;
    run->used_bytes = header->used_bytes;
    memcpy(run->run_id, header->run_id, sizeof run->run_id);
    memcpy(run->parent_run_id, header->parent_run_id, sizeof run->parent_run_id);
    run->pid = header->pid;
    run->format_major = header->major;
    run->format_minor = header->minor;
    run->uid = header->uid;
    run->span_cost_ns = (double)header->span_cost_ps / 1000;
    run->skipped_blocks = image->skipped;
    run->losses.null_argument = header->counters[PIT_FMT_NULL_ARGUMENT];
    run->losses.repaired = header->counters[PIT_FMT_MENDED];
    run->losses.values_lost = header->counters[PIT_FMT_VALUES_LOST];
    run->losses.in_signal = header->counters[PIT_FMT_IN_SIGNAL];
    run->losses.table_full = header->counters[PIT_FMT_NO_TABLE];
    run->damaged_at = image->damaged_at;
    /* The last block of a live run may not exist yet. */
    if (header->used_bytes > image->end && run->state != PIT_RUN_LIVE)
        run->losses.beyond_file = header->used_bytes - image->end;
}

void pit__head_read(const struct pit__image *image, pit_run *run)
{
    read_header(image, run);
    pit__clock_read(image, run);
}

pit_run *pit__run_build(struct pit__image *image, pit_error *error)
{
    struct owned_run *owned = calloc(1, sizeof *owned);
    if (owned) {
        pit_run *run = &owned->run;
        run->path = "";
        pit__head_read(image, run);
        pit__facts_read(image, arena_of(run), run);
        const size_t *thread_of = read_threads(image, run);
        struct pit__node_index index = pit__node_index(image, arena_of(run), thread_of);
        read_objects(image, run, &index);
        pit__places_read(image, arena_of(run), &index, run);
        pit__groups_read(image, arena_of(run), &index, run);
        pit__messages_read(image, arena_of(run), &index, run);
        pit__samples_read(image, arena_of(run), run);
        pit__journal_read(image, arena_of(run), run);
        pit__ended_read(image, arena_of(run), run);
        pit__end_read(run);
    }
    free(image->blocks);
    image->blocks = NULL;
    if (owned && !owned->arena.failed)
        return &owned->run;
    if (owned)
        pit_run_free(&owned->run);
    pit__fail(error, PIT_NO_MEMORY, 0, "out of memory");
    return NULL;
}

pit_run *pit_run_parse(const void *data, size_t bytes, int alive, pit_error *error)
{
    void *copy = NULL;
    if ((uintptr_t)data % sizeof(uint64_t) != 0) { /* we load whole words */
        copy = malloc(bytes ? bytes : 1);
        if (!copy) {
            pit__fail(error, PIT_NO_MEMORY, 0, "out of memory");
            return NULL;
        }
        memcpy(copy, data, bytes);
        data = copy;
    }
    struct pit__image image = {.base = data, .bytes = bytes, .alive = alive};
    pit_run *run = pit__walk(&image, NULL, error) == 0 ? pit__run_build(&image, error) : NULL;
    free(copy);
    return run;
}
