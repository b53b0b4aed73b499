/* Where in the code the main thread was: the entries of the PLACES blocks. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 8 /* attempts, if the entry changes while it is read */

/* A text in a fixed field, up to its zero byte. */
static const char *copy_text(struct pit__arena *arena, const char *from, size_t room)
{
    char text[128];
    size_t length = 0;
    while (length < room && length < sizeof text && (text[length] = PIT_LOAD(from[length])))
        length++;
    return pit__arena_text(arena, text, length);
}

/* Copy an entry consistently. Returns 0 if it is unused or keeps being replaced. */
static int copy_entry(const struct pit_fmt_hot_place *from, struct pit_fmt_hot_place *copy)
{
    const uint64_t *words = (const void *)from;
    uint64_t own[sizeof *copy / sizeof *words];
    for (int i = 0; i < TRIES; i++) {
        uint32_t seq = PIT_LOAD_ACQUIRE(from->seq);
        for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
            own[k] = PIT_LOAD_ACQUIRE(words[k]);
        if (seq % 2 == 0 && PIT_LOAD_ACQUIRE(from->seq) == seq) {
            memcpy(copy, own, sizeof own);
            return copy->samples > 0 && copy->kind < PIT_FMT_PLACE_KINDS;
        }
    }
    return 0;
}

/* The number of a thread, from the index of its table. */
static uint32_t thread_number(const struct pit__image *image, const struct pit__node_index *index,
                              uint32_t table)
{
    for (size_t i = 0; index->thread_of && i < image->block_count; i++)
        if (image->blocks[i].type == PIT_FMT_THREAD && image->blocks[i].thread == table &&
            index->thread_of[i] != SIZE_MAX)
            return (uint32_t)index->thread_of[i];
    return PIT_NO_NODE;
}

/* A sample whose node is missing counts as outside all spans, so its place is not lost. */
static void find_node(const struct pit__image *image, const struct pit__node_index *index,
                      const pit_run *run, const struct pit_fmt_hot_place *entry,
                      pit_hot_place *place)
{
    uint64_t node = 0;
    size_t thread = entry->node ? pit__index_find(index, entry->node, &node) : SIZE_MAX;
    place->thread = place->node = PIT_NO_NODE;
    if (thread < run->thread_count && node < run->threads[thread].node_count) {
        place->thread = (uint32_t)thread;
        place->node = (uint32_t)node;
    } else if (entry->thread != PIT_FMT_NO_THREAD) {
        place->thread = thread_number(image, index, entry->thread);
    }
}

static void read_sources(const struct pit_fmt_places *block, struct pit__arena *arena, pit_run *run)
{
    for (uint32_t kind = 0; kind < PIT_PLACE_KINDS; kind++) {
        const struct pit_fmt_place_source *from = &block->sources[kind];
        pit_place_source *to = &run->place_sources[kind];
        to->hz = (double)PIT_LOAD_ACQUIRE(from->millihertz) / 1000;
        to->samples = PIT_LOAD(from->samples);
        to->dropped = PIT_LOAD(from->dropped);
        if (!(to->hz > 0) && PIT_LOAD(from->reason[0]))
            to->reason = copy_text(arena, from->reason, sizeof from->reason);
        run->place_samples += to->samples;
        run->places_dropped += to->dropped;
        if (!(run->place_hz > 0))
            run->place_hz = to->hz;
        if (!run->places_reason)
            run->places_reason = to->reason;
    }
    if (run->place_samples)
        run->places_reason = NULL;
}

/* Explain the missing samples of a run that has no data about samples. */
static void say_why(pit_run *run)
{
    if (!run->place_samples && !run->places_reason)
        run->places_reason = run->place_hz > 0
                                 ? "the run ended before the first sample of the stack"
                                 : "this run took no samples of the stack";
}

static int by_node(const void *a, const void *b)
{
    const pit_hot_place *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    int order = strcmp(x->file, y->file);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    return order ? order : strcmp(x->function, y->function);
}

static size_t read_entries(const struct pit__image *image, struct pit__arena *arena,
                           const struct pit__node_index *index, const pit_run *run,
                           const struct pit__block *block, pit_hot_place *to)
{
    const struct pit_fmt_places *from = (const void *)(image->base + block->offset);
    size_t count = 0;
    for (uint64_t i = 0; i < block->used; i++) {
        struct pit_fmt_hot_place entry;
        if (!copy_entry(&from->entries[i], &entry))
            continue;
        pit_hot_place *place = &to[count];
        *place =
            (pit_hot_place){.line = entry.line,
                            .kind = entry.kind,
                            .samples = entry.samples,
                            .function = copy_text(arena, entry.function, sizeof entry.function),
                            .file = copy_text(arena, entry.file, sizeof entry.file)};
        find_node(image, index, run, &entry, place);
        count += place->function && place->file;
    }
    return count;
}

void pit__places_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__node_index *index, pit_run *run)
{
    size_t room = 0, blocks = 0;
    run->place_count = run->place_samples = run->places_dropped = 0;
    run->place_hz = 0;
    run->places_reason = NULL;
    for (size_t i = 0; i < image->block_count; i++)
        if (image->blocks[i].type == PIT_FMT_PLACES)
            room += image->blocks[i].used;
    pit_hot_place *places = pit__arena_array(arena, room, sizeof *places);
    for (size_t i = 0; i < image->block_count; i++) {
        const struct pit__block *block = &image->blocks[i];
        if (block->type != PIT_FMT_PLACES)
            continue;
        if (!blocks++)
            read_sources((const void *)(image->base + block->offset), arena, run);
        if (places)
            run->place_count +=
                read_entries(image, arena, index, run, block, places + run->place_count);
    }
    say_why(run);
    if (run->place_count)
        qsort(places, run->place_count, sizeof *places, by_node);
    run->places = places;
}
