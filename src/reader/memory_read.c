/* Memory and allocation figures of nodes, and records: spans that were kept individually.
 *
 * The block has two copies of a node's figures; the writer fills the inactive copy and then flips `b`. A
 * copy is valid if `b` and the copy's count are unchanged afterwards: the count only grows, so two flips in
 * between are noticed as well. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 100
#define COPY_WORDS 16 /* a copy is 128 bytes */

_Static_assert(sizeof(struct pit_fmt_memory) == COPY_WORDS * sizeof(uint64_t), "memory");
_Static_assert(sizeof(struct pit_fmt_alloc) == COPY_WORDS * sizeof(uint64_t), "alloc");
_Static_assert(sizeof(struct pit_fmt_energies) == COPY_WORDS * sizeof(uint64_t), "energies");
_Static_assert(sizeof(struct pit_fmt_teams) == COPY_WORDS * sizeof(uint64_t), "teams");
_Static_assert(sizeof(struct pit_fmt_record) == COPY_WORDS * sizeof(uint64_t), "record");

/* Word by word: the writer of a live run may be changing it. */
static void copy_words(void *to, const void *from)
{
    const uint64_t *words = from;
    uint64_t copy[COPY_WORDS];
    for (size_t i = 0; i < COPY_WORDS; i++)
        copy[i] = PIT_LOAD_ACQUIRE(words[i]);
    memcpy(to, copy, sizeof copy);
}

/* Copy the valid figures of the block `ref` for this node. Returns 0 if there is no block, nothing was
 * measured yet, or a live run kept changing it. */
static int copy_figures(const struct pit__image *image, uint32_t type, uint32_t ref, uint64_t node,
                        void *to)
{
    const struct pit__block *found =
        ref ? pit__block_at(image, (uint64_t)ref << PIT_FMT_REF_SHIFT, type) : NULL;
    if (!found)
        return 0;
    const struct pit_fmt_block *block = (const void *)(image->base + found->offset);
    if (PIT_LOAD_ACQUIRE(block->a) != node)
        return 0;
    const uint64_t *copies = (const void *)(block + 1);
    for (int i = 0; i < TRIES; i++) {
        uint64_t turn = PIT_LOAD_ACQUIRE(block->b), count;
        const uint64_t *holds = copies + (turn & 1) * COPY_WORDS;
        copy_words(to, holds);
        memcpy(&count, to, sizeof count); /* the first word is the count in both kinds */
        if (PIT_LOAD_ACQUIRE(block->b) == turn && PIT_LOAD_ACQUIRE(*holds) == count)
            return count > 0;
    }
    return 0;
}

static enum pit_peak_method method_of(uint32_t stored)
{
    return stored == PIT_FMT_PEAK_RUSAGE ? PIT_PEAK_RUSAGE
           : stored == PIT_FMT_PEAK_HWM  ? PIT_PEAK_HWM
                                         : PIT_PEAK_NONE;
}

static const pit_memory *read_memory(const struct pit__image *image, struct pit__arena *arena,
                                     uint32_t ref, uint64_t node)
{
    struct pit_fmt_memory m;
    pit_memory *out;
    if (!copy_figures(image, PIT_FMT_MEMORY_OF, ref, node, &m) ||
        !(out = pit__arena_alloc(arena, sizeof *out)))
        return NULL;
    *out = (pit_memory){.count = m.count,
                        .delta_last = m.delta_last,
                        .delta_sum = m.delta_sum,
                        .delta_max = m.delta_max,
                        .peak_last = m.peak_last,
                        .peak_sum = m.peak_sum,
                        .peak_max = m.peak_max,
                        .rss_max = m.rss_max,
                        .rss_last = m.rss_last,
                        .minor_faults = m.minor_faults,
                        .major_faults = m.major_faults,
                        .error_bytes = m.error_bytes,
                        .peak_method = method_of(m.peak_method),
                        .device_max = m.device_max};
    return out;
}

static const pit_alloc *read_alloc(const struct pit__image *image, struct pit__arena *arena,
                                   uint32_t ref, uint64_t node)
{
    struct pit_fmt_alloc a;
    pit_alloc *out;
    if (!copy_figures(image, PIT_FMT_ALLOC_OF, ref, node, &a) ||
        !(out = pit__arena_alloc(arena, sizeof *out)))
        return NULL;
    *out = (pit_alloc){.count = a.count,
                       .allocs = a.allocs,
                       .frees = a.frees,
                       .alloc_bytes = a.alloc_bytes,
                       .freed_bytes = a.freed_bytes,
                       .peak_last = a.peak_last,
                       .peak_max = a.peak_max,
                       .live_last = a.live_last,
                       .live_sum = a.live_sum,
                       .leak_spans = a.leak_spans,
                       .leaked_bytes = a.leaked_bytes,
                       .leaked_blocks = a.leaked_blocks};
    return out;
}

static pit_raw_energy energy_of(const struct pit_fmt_energy *e)
{
    return (pit_raw_energy){e->microjoules, e->measured, e->estimated, e->unknown};
}

static const pit_raw_energies *read_energy(const struct pit__image *image, struct pit__arena *arena,
                                           uint32_t ref, uint64_t node)
{
    struct pit_fmt_energies e;
    pit_raw_energies *out;
    if (!copy_figures(image, PIT_FMT_ENERGY_OF, ref, node, &e) ||
        !(out = pit__arena_alloc(arena, sizeof *out)))
        return NULL;
    *out = (pit_raw_energies){e.count, energy_of(&e.of[0]), energy_of(&e.of[1])};
    return out;
}

static const pit_teams *read_teams(const struct pit__image *image, struct pit__arena *arena,
                                   uint32_t ref, uint64_t node)
{
    struct pit_fmt_teams t;
    pit_teams *out;
    if (!copy_figures(image, PIT_FMT_TEAMS, ref, node, &t) ||
        !(out = pit__arena_alloc(arena, sizeof *out)))
        return NULL;
    *out = (pit_teams){.count = t.count,
                       .threads = t.threads,
                       .threads_max = t.threads_max,
                       .busy_ns = t.busy_ns,
                       .slowest_ns = t.slowest_ns,
                       .elapsed_ns = t.elapsed_ns,
                       .wait_ns = t.wait_ns,
                       .lag_ns = t.lag_ns};
    return out;
}

void pit__node_memory(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit_fmt_node *node, uint64_t ref, pit_raw_node *out)
{
    out->memory = read_memory(image, arena, PIT_LOAD_ACQUIRE(node->memory), ref);
    out->alloc = read_alloc(image, arena, PIT_LOAD_ACQUIRE(node->alloc), ref);
    out->energy = read_energy(image, arena, PIT_LOAD_ACQUIRE(node->energy), ref);
    out->teams = read_teams(image, arena, PIT_LOAD_ACQUIRE(node->teams), ref);
}

/* ---- records ------------------------------------------------------------------------------- */

/* A block as it is when it is read: in a live run, later than the walk. */
struct piece {
    const struct pit__block *block;
    const struct pit_fmt_records *at;
    uint64_t first, count; /* numbers of its records */
};

static int by_first(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static struct piece look_at(const struct pit__image *image, const struct pit__block *block,
                            uint64_t ever)
{
    struct piece piece = {.block = block, .at = (const void *)(image->base + block->offset)};
    uint64_t room = PIT_LOAD_ACQUIRE(piece.at->block.b);
    piece.first = PIT_LOAD_ACQUIRE(piece.at->block.a);
    if (room > PIT_FMT_RECORD_COUNT)
        room = PIT_FMT_RECORD_COUNT;
    if (piece.first != UINT64_MAX && piece.first < ever)
        piece.count = ever - piece.first < room ? ever - piece.first : room;
    return piece;
}

static int read_record(const struct pit_fmt_record *from, const struct pit__nodes *nodes,
                       pit_record *to)
{
    struct pit_fmt_record r;
    copy_words(&r, from);
    uint32_t node = nodes->index_of(nodes->arg, pit_fmt_ref_of(r.where));
    *to = (pit_record){.node = node,
                       .depth = pit_fmt_depth_of(r.where),
                       .begin = r.begin,
                       .duration = r.duration,
                       .items = r.items,
                       .has_memory = (r.has & 1) != 0,
                       .has_alloc = (r.has & 2) != 0,
                       .rss_begin = r.rss_begin,
                       .rss_end = r.rss_end,
                       .rss_peak = r.rss_peak,
                       .error_bytes = r.error_bytes,
                       .minor_faults = r.minor_faults,
                       .major_faults = r.major_faults,
                       .alloc_bytes = r.alloc_bytes,
                       .freed_bytes = r.freed_bytes,
                       .peak_method = method_of(r.peak_method)};
    return node != PIT_NO_NODE;
}

/* Returns how many records of the block were stored in `to`; 0 if it was reused meanwhile. */
static size_t read_piece(const struct piece *piece, const struct pit__nodes *nodes, pit_record *to)
{
    size_t count = 0;
    for (uint64_t i = 0; i < piece->count; i++)
        count += (size_t)read_record(&piece->at->records[i], nodes, &to[count]);
    return PIT_LOAD_ACQUIRE(piece->at->block.a) == piece->first ? count : 0;
}

void pit__records_read(const struct pit__image *image, struct pit__arena *arena,
                       const struct pit__block *const *blocks, size_t block_count, uint64_t ever,
                       const struct pit__nodes *nodes, pit_thread *out)
{
    struct piece *pieces = pit__arena_array(arena, block_count, sizeof *pieces);
    uint64_t kept = 0, read = 0;
    for (size_t i = 0; pieces && i < block_count; i++) {
        pieces[i] = look_at(image, blocks[i], ever);
        kept += pieces[i].count;
    }
    out->records_dropped = ever;
    pit_record *records = pit__arena_array(arena, kept, sizeof *records);
    if (!pieces || !records)
        return;
    qsort(pieces, block_count, sizeof *pieces, by_first);
    for (size_t i = 0; i < block_count; i++) {
        out->record_count += read_piece(&pieces[i], nodes, records + out->record_count);
        pit__let_go_after(image, pieces[i].block, &read);
    }
    out->records = records;
    out->records_dropped = ever > out->record_count ? ever - out->record_count : 0;
}
