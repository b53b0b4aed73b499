/* The journal's entries, oldest first. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* A copy of a block: in a live run the block may be reused meanwhile. */
struct piece {
    uint64_t first; /* number of its first entry */
    uint64_t bytes;
    const unsigned char *copy;
};

static int by_first(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Returns 0 if the block is empty or was reused while it was copied. */
static int copy_piece(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__block *block, struct piece *piece)
{
    const struct pit_fmt_block *raw = (const void *)(image->base + block->offset);
    const uint64_t *words = (const void *)(raw + 1);
    piece->first = PIT_LOAD_ACQUIRE(raw->a);
    piece->bytes = PIT_LOAD_ACQUIRE(raw->used) / 8 * 8;
    if (piece->first == UINT64_MAX || piece->bytes == 0 ||
        piece->bytes > block->bytes - sizeof *raw)
        return 0;
    uint64_t *copy = pit__arena_alloc(arena, piece->bytes);
    for (uint64_t i = 0; copy && i < piece->bytes / 8; i++)
        copy[i] = PIT_LOAD_ACQUIRE(words[i]);
    piece->copy = (const void *)copy;
    return copy && PIT_LOAD_ACQUIRE(raw->a) == piece->first;
}

/* The next text, or NULL past the end. */
static const char *take_text(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *zero = memchr(*at, 0, (size_t)(end - *at));
    if (!zero)
        return NULL;
    const char *text = (const char *)*at;
    *at = zero + 1;
    return text;
}

/* Read the entry at `at`; returns its length, 0 if it is damaged. */
static uint64_t read_entry(const unsigned char *at, uint64_t left, struct pit__arena *arena,
                           pit_entry *entry)
{
    struct pit_fmt_entry head;
    if (left < sizeof head)
        return 0;
    memcpy(&head, at, sizeof head);
    if (head.bytes > left || head.bytes % 8 != 0 || head.bytes < sizeof head ||
        head.figures > (head.bytes - sizeof head) / sizeof(double))
        return 0;
    const unsigned char *text = at + sizeof head + head.figures * sizeof(double);
    const unsigned char *end = at + head.bytes;
    pit_figure *figures = pit__arena_array(arena, head.figures, sizeof *figures);
    *entry =
        (pit_entry){.kind = take_text(&text, end), .ticks = head.ticks, .wall_ns = head.wall_ns};
    entry->text = entry->kind ? take_text(&text, end) : NULL;
    for (uint32_t i = 0; figures && i < head.figures; i++) {
        memcpy(&figures[i].value, at + sizeof head + i * sizeof(double), sizeof(double));
        figures[i].key = take_text(&text, end);
        figures[i].unit = figures[i].key ? take_text(&text, end) : NULL;
        if (!figures[i].unit)
            return 0;
    }
    entry->figures = figures;
    entry->figure_count = figures ? head.figures : 0;
    return entry->text ? head.bytes : 0;
}

/* An upper bound for the number of entries. */
static size_t most_entries(const struct piece *pieces, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].bytes;
    return (size_t)(bytes / sizeof(struct pit_fmt_entry));
}

void pit__journal_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run)
{
    size_t room = 0, count = 0;
    for (size_t i = 0; i < image->block_count; i++)
        room += image->blocks[i].type == PIT_FMT_JOURNAL;
    struct piece *pieces = pit__arena_array(arena, room, sizeof *pieces);
    for (size_t i = 0; pieces && i < image->block_count; i++)
        if (image->blocks[i].type == PIT_FMT_JOURNAL)
            count += (size_t)copy_piece(image, arena, &image->blocks[i], &pieces[count]);
    pit_entry *entries =
        count ? pit__arena_array(arena, most_entries(pieces, count), sizeof *entries) : NULL;
    if (!entries)
        return;
    qsort(pieces, count, sizeof *pieces, by_first);
    run->journal_dropped = pieces[0].first;
    run->journal = entries;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = 0, step = 1;
        while (at < pieces[i].bytes && step) {
            step = read_entry(pieces[i].copy + at, pieces[i].bytes - at, arena,
                              &entries[run->journal_count]);
            at += step;
            run->journal_count += step != 0;
        }
    }
}
