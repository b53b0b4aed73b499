/* One thread of a run: nodes, open spans, ring, records and values. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* The index of a node in a table by ref: a node is at least as long as one step, so no two share an entry. */
#define NODE_REFS ((uint32_t)(sizeof(struct pit_fmt_node) >> PIT_FMT_REF_SHIFT))
struct place {
    uint32_t ref, index;
};

/* A thread being read: its blocks by kind, in file order. */
struct part {
    const struct pit__image *image;
    struct pit__arena *arena;
    const struct pit_fmt_thread *table;
    const struct pit__block *const *blocks;
    size_t block_count;
    const struct pit__block **nodes; /* NODES blocks */
    uint64_t *first_index;           /* of each */
    size_t nodes_count;
    struct place *by_ref; /* indexed by ref / NODE_REFS; NULL: nodes are searched */
    uint64_t places;
    const struct pit__block **octaves; /* by node */
    size_t octave_count;
    struct pit__pending pending;
    pit_raw_node *out_nodes;
    size_t node_count;
};

static const struct pit__block **pick(struct part *part, uint32_t type, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < part->block_count; i++)
        *count += part->blocks[i]->type == type;
    const struct pit__block **list = pit__arena_array(part->arena, *count, sizeof *list);
    size_t at = 0;
    for (size_t i = 0; list && i < part->block_count; i++)
        if (part->blocks[i]->type == type)
            list[at++] = part->blocks[i];
    *count = at;
    return list;
}

static const void *at(const struct part *part, uint64_t offset)
{
    return part->image->base + offset;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static uint64_t node_offset(const struct pit__block *block, uint64_t i)
{
    return block->offset + sizeof(struct pit_fmt_block) + i * sizeof(struct pit_fmt_node);
}

/* Build the table: events refer to their nodes, and a search for each took a quarter of the reading time. */
static void index_refs(struct part *part)
{
    const struct pit__block *last = part->nodes[part->nodes_count - 1];
    uint64_t places = ((last->offset + last->bytes) >> PIT_FMT_REF_SHIFT) / NODE_REFS + 1;
    /* a small thread of a large run: searching is cheaper */
    if (places > 256 * part->nodes_count + 4096)
        return;
    part->by_ref = pit__arena_array(part->arena, places, sizeof *part->by_ref);
    part->places = part->by_ref ? places : 0;
    /* ref 0 means none, and empty entries have it */
    if (part->by_ref)
        part->by_ref[0].index = PIT_NO_NODE;
    uint32_t own = 0;
    for (size_t i = 0; part->by_ref && i < part->nodes_count; i++)
        for (uint64_t k = 0; k < part->nodes[i]->used; k++) {
            uint32_t ref = (uint32_t)(node_offset(part->nodes[i], k) >> PIT_FMT_REF_SHIFT);
            part->by_ref[ref / NODE_REFS] = (struct place){ref, own++};
        }
}

/* The index of the node with this ref among the thread's, or PIT_NO_NODE. */
static uint32_t search_index(const struct part *part, uint32_t ref)
{
    uint64_t offset = (uint64_t)ref << PIT_FMT_REF_SHIFT;
    size_t low = 0, high = part->nodes_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->nodes[middle]->offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return PIT_NO_NODE;
    const struct pit__block *block = part->nodes[low - 1];
    uint64_t start = node_offset(block, 0);
    if (offset < start || (offset - start) % sizeof(struct pit_fmt_node) != 0)
        return PIT_NO_NODE;
    uint64_t i = (offset - start) / sizeof(struct pit_fmt_node);
    return i < block->used ? (uint32_t)(part->first_index[low - 1] + i) : PIT_NO_NODE;
}

/* The same by the table. Inlined: there are many events. */
static inline uint32_t placed_index(const struct part *part, uint32_t ref)
{
    uint32_t place = ref / NODE_REFS;
    return place < part->places && part->by_ref[place].ref == ref ? part->by_ref[place].index
                                                                  : PIT_NO_NODE;
}

static uint32_t index_of(const struct part *part, uint32_t ref)
{
    return part->by_ref ? placed_index(part, ref) : search_index(part, ref);
}

static int by_node(const void *a, const void *b)
{
    const struct pit__block *const *x = a, *const *y = b;
    if ((*x)->a != (*y)->a)
        return (*x)->a < (*y)->a ? -1 : 1;
    return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

/* The octaves of one node are adjacent. */
static size_t octaves_of(const struct part *part, uint64_t ref, size_t *first)
{
    size_t low = 0, high = part->octave_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->octaves[middle]->a < ref)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (high < part->octave_count && part->octaves[high]->a == ref)
        high++;
    return high - low;
}

static void read_identity(struct part *part, const struct pit_fmt_node *node, uint32_t own,
                          pit_raw_node *out)
{
    uint32_t parent = PIT_LOAD(node->parent);
    out->name = pit__name_at(part->image, part->arena, PIT_LOAD(node->name));
    out->parent = parent ? index_of(part, parent) : PIT_NO_NODE;
    /* damaged: a parent is always created first */
    if (out->parent != PIT_NO_NODE && out->parent >= own)
        out->parent = PIT_NO_NODE;
    uint32_t flags = PIT_LOAD(node->flags);
    out->detached = !(flags & PIT_FMT_NODE_DETACHED) ? PIT_NOT_DETACHED
                    : flags & PIT_FMT_NODE_DEVICE    ? PIT_ON_DEVICE
                                                     : PIT_DETACHED;
    out->is_comm = (flags & PIT_FMT_NODE_COMM) != 0;
    out->items = PIT_LOAD(node->items);
    out->bytes = PIT_LOAD(node->bytes);
    out->flops = PIT_LOAD(node->flops);
    out->first = PIT_LOAD(node->first);
}

static void read_node(struct part *part, uint64_t offset, uint32_t own)
{
    const struct pit_fmt_node *node = at(part, offset);
    pit_raw_node *out = &part->out_nodes[own];
    uint64_t ref = offset >> PIT_FMT_REF_SHIFT;
    read_identity(part, node, own, out);
    pit__node_stats(node, part->table, ref, out);
    struct pit__pending *pending = &part->pending;
    if (pit_fmt_ref_of(pending->where) == ref)
        pending->applied = out->count == pending->count + 1;
    size_t first, count = octaves_of(part, ref, &first);
    pit__node_hist(part->image, part->arena, node, ref, count ? part->octaves + first : NULL, count,
                   pending, out);
    pit__node_series(part->image, part->arena, node, ref, pending, out);
    pit__node_memory(part->image, part->arena, node, ref, out);
}

static void read_nodes(struct part *part)
{
    part->nodes = pick(part, PIT_FMT_NODES, &part->nodes_count);
    part->octaves = pick(part, PIT_FMT_OCTAVE, &part->octave_count);
    if (part->octave_count)
        qsort(part->octaves, part->octave_count, sizeof *part->octaves, by_node);
    part->first_index = pit__arena_array(part->arena, part->nodes_count, sizeof *part->first_index);
    if (!part->first_index)
        part->nodes_count = 0;
    if (part->nodes_count > 0)
        index_refs(part);
    size_t count = 0;
    for (size_t i = 0; i < part->nodes_count; i++) {
        part->first_index[i] = count;
        count += part->nodes[i]->used;
    }
    part->out_nodes = pit__arena_array(part->arena, count, sizeof *part->out_nodes);
    if (!part->out_nodes)
        return;
    part->node_count = count;
    uint32_t own = 0;
    for (size_t i = 0; i < part->nodes_count; i++)
        for (uint64_t k = 0; k < part->nodes[i]->used; k++) {
            read_node(part, node_offset(part->nodes[i], k), own++);
            if (own % PIT__LET_GO_NODES == 0)
                pit__let_go(part->image);
        }
}

/* ---- stack --------------------------------------------------------------------------------- */

/* Is this frame the pending sample's frame: finished, but not popped or not marked as ended yet? */
static int is_finished(const struct part *part, const struct pit_fmt_frame *frame, uint32_t depth)
{
    const struct pit__pending *p = &part->pending;
    return p->applied && PIT_LOAD(part->table->parent_child) != PIT_FMT_POPPED &&
           pit_fmt_depth_of(p->where) == depth && PIT_LOAD(frame->begin) == p->begin &&
           pit_fmt_ref_of(PIT_LOAD(frame->where)) == pit_fmt_ref_of(p->where);
}

static void read_stack(struct part *part, pit_thread *out)
{
    uint32_t depth = PIT_LOAD_ACQUIRE(part->table->depth);
    /* damaged */
    if (depth >= PIT_FMT_FRAMES)
        return;
    uint64_t parent_child = PIT_LOAD(part->table->parent_child);
    pit_open_span *open = pit__arena_array(part->arena, depth, sizeof *open);
    size_t count = 0;
    int below_ended = 0; /* the frame below is not an open one */
    for (uint32_t i = 1; open && i <= depth; i++) {
        const struct pit_fmt_frame *frame = &part->table->frames[i];
        uint64_t where = PIT_LOAD(frame->where);
        uint32_t node = index_of(part, pit_fmt_ref_of(where));
        /* the frame was being changed */
        if (node == PIT_NO_NODE)
            break;
        if (is_finished(part, frame, i)) {
            if (count > 0 &&
                !below_ended) /* the child time that the frame below has or is about to get */
                open[count - 1].child = parent_child;
            below_ended = 1;
            continue;
        }
        below_ended = (where & PIT_FMT_WHERE_ENDED) != 0;
        if (below_ended)
            continue;
        open[count++] = (pit_open_span){.node = node,
                                        .phase = (where & PIT_FMT_WHERE_PHASE) != 0,
                                        .begin = PIT_LOAD(frame->begin),
                                        .child = PIT_LOAD(frame->child)};
    }
    out->open = open;
    out->open_count = count;
}

/* ---- flight recorder ----------------------------------------------------------------------- */

static int by_base(const void *a, const void *b)
{
    const struct pit__block *const *x = a, *const *y = b;
    return (*x)->a < (*y)->a ? -1 : (*x)->a > (*y)->a;
}

static void put_event(const struct part *part, uint64_t where, uint64_t begin, uint64_t duration,
                      pit_thread *out)
{
    uint32_t node = index_of(part, pit_fmt_ref_of(where));
    if (node == PIT_NO_NODE)
        return;
    pit_event *events = (pit_event *)(uintptr_t)out->events;
    events[out->event_count++] = (pit_event){node, pit_fmt_depth_of(where), begin, duration};
}

/* How many events of a piece are valid, given how many the thread has written. */
static uint64_t events_in(const struct pit__block *piece, uint64_t ever)
{
    if (piece->a == UINT64_MAX || piece->a >= ever)
        return 0;
    return ever - piece->a < piece->b ? ever - piece->a : piece->b;
}

static void read_piece(const struct part *part, const struct pit__block *piece, uint64_t count,
                       pit_thread *out)
{
    const struct pit_fmt_event *events = at(part, piece->offset + sizeof(struct pit_fmt_block));
    pit_event *to = (pit_event *)(uintptr_t)out->events + out->event_count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t where = PIT_LOAD(events[i].where);
        uint32_t ref = pit_fmt_ref_of(where);
        uint32_t node = part->by_ref ? placed_index(part, ref) : search_index(part, ref);
        to->node = node;
        to->depth = pit_fmt_depth_of(where);
        to->begin = PIT_LOAD(events[i].begin);
        to->duration = PIT_LOAD(events[i].duration);
        to += node != PIT_NO_NODE;
    }
    out->event_count = (size_t)(to - out->events);
}

static void read_ring(struct part *part, pit_thread *out)
{
    size_t count;
    const struct pit__block **pieces = pick(part, PIT_FMT_RING, &count);
    uint64_t ever = PIT_LOAD_ACQUIRE(part->table->ring_events), kept = 0;
    if (count)
        qsort(pieces, count, sizeof *pieces, by_base);
    for (size_t i = 0; i < count; i++)
        kept += events_in(pieces[i], ever);
    out->events_dropped = ever > kept ? ever - kept : 0;
    /* the flight recorder is off */
    if (!count && part->image->header.ring_bytes == 0)
        return;
    out->events = pit__arena_array(part->arena, kept + 1, sizeof *out->events);
    uint64_t read = 0;
    for (size_t i = 0; out->events && i < count; i++) {
        read_piece(part, pieces[i], events_in(pieces[i], ever), out);
        pit__let_go_after(part->image, pieces[i], &read);
    }
    /* Every finished span is an event, so the counts tell whether the newest is still missing. */
    uint64_t spans = 0;
    for (size_t i = 0; i < part->node_count; i++)
        spans += part->out_nodes[i].count;
    const struct pit__pending *p = &part->pending;
    if (!out->events || !p->applied || ever + 1 != spans)
        return;
    if (count || !ever)
        put_event(part, p->where, p->begin, p->duration, out);
    /* there was no room left for this thread */
    else
        out->events_dropped++;
}

/* ---- records ------------------------------------------------------------------------------- */

static uint32_t index_in(const void *part, uint32_t ref)
{
    return index_of(part, ref);
}

static void read_records(struct part *part, pit_thread *out)
{
    size_t count;
    const struct pit__block **pieces = pick(part, PIT_FMT_RECORDS, &count);
    struct pit__nodes nodes = {index_in, part};
    pit__records_read(part->image, part->arena, pieces, count,
                      PIT_LOAD_ACQUIRE(part->table->records), &nodes, out);
}

/* ---- values -------------------------------------------------------------------------------- */

static double load_double(const double *from)
{
    double value;
    __atomic_load(from, &value, __ATOMIC_ACQUIRE);
    return value;
}

static struct pit_fmt_point copy_point(const struct pit_fmt_point *from)
{
    return (struct pit_fmt_point){PIT_LOAD_ACQUIRE(from->ticks), load_double(&from->sum),
                                  load_double(&from->min), load_double(&from->max)};
}

static void fill_points(const struct pit_fmt_value *value, uint32_t half, uint64_t count,
                        uint64_t stride, int changing, pit_point *points, size_t point_count)
{
    for (size_t i = 0; i < point_count; i++) {
        struct pit_fmt_point p = copy_point(&value->points[half][i]);
        if (changing && i + 1 == point_count && count % stride)
            p = copy_point(&value->before);
        uint64_t values = i + 1 < point_count || count % stride == 0 ? stride : count % stride;
        points[i] = (pit_point){p.ticks, values, p.sum / (double)values, p.min, p.max};
    }
}

static void read_value(struct part *part, const struct pit_fmt_value *value, uint64_t name,
                       pit_raw_value *out)
{
    out->name = pit__name_at(part->image, part->arena, name);
    for (int tries = 0; tries < 100; tries++) {
        uint32_t seq = PIT_LOAD_ACQUIRE(value->seq), half = PIT_LOAD_ACQUIRE(value->half) & 1;
        int changing = seq % 2;
        out->count = changing ? PIT_LOAD(value->before_count) : PIT_LOAD_ACQUIRE(value->count);
        out->last = load_double(changing ? &value->before_last : &value->last);
        uint64_t stride = PIT_LOAD_ACQUIRE(value->stride[half]);
        if (stride == 0 || out->count / stride > PIT_FMT_VALUE_POINTS) {
            out->count = 0;
            continue;
        }
        size_t count = (size_t)(out->count / stride + (out->count % stride != 0));
        if (count > PIT_FMT_VALUE_POINTS)
            count = PIT_FMT_VALUE_POINTS;
        pit_point *points = pit__arena_array(part->arena, count, sizeof *points);
        if (points)
            fill_points(value, half, out->count, stride, changing, points, count);
        out->points = points;
        out->point_count = points ? count : 0;
        if (PIT_LOAD_ACQUIRE(value->seq) == seq)
            return;
    }
}

static void read_values(struct part *part, pit_thread *out)
{
    size_t count;
    uint64_t read = 0;
    const struct pit__block **blocks = pick(part, PIT_FMT_VALUE, &count);
    pit_raw_value *values = pit__arena_array(part->arena, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        const struct pit_fmt_value *value = at(part, blocks[i]->offset);
        uint64_t name = PIT_LOAD_ACQUIRE(value->name);
        if (name) /* otherwise it was just being created */
            read_value(part, value, name, &values[out->value_count++]);
        pit__let_go_after(part->image, blocks[i], &read);
    }
    out->values = values;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void read_table(struct part *part, const struct pit__block *block, pit_thread *out)
{
    const struct pit_fmt_thread *table = part->table;
    char name[sizeof table->name];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = PIT_LOAD(table->name[i]);
    out->name = pit__arena_text(part->arena, name, strnlen(name, sizeof name));
    out->tid = (uint32_t)block->a;
    out->thread_count = block->b;
    out->attached = block->used != 0;
    const uint64_t *c = table->counters;
    out->losses = (pit_losses){.end_without_begin = PIT_LOAD(c[PIT_FMT_END_WITHOUT_BEGIN]),
                               .abandoned = PIT_LOAD(c[PIT_FMT_ABANDONED]),
                               .wrong_thread = PIT_LOAD(c[PIT_FMT_WRONG_THREAD]),
                               .too_deep = PIT_LOAD(c[PIT_FMT_TOO_DEEP]),
                               .table_full = PIT_LOAD(c[PIT_FMT_TABLE_FULL]),
                               .in_signal = PIT_LOAD(c[PIT_FMT_SIGNAL]),
                               .clock_back = PIT_LOAD(c[PIT_FMT_CLOCK_BACK]),
                               .left_open = PIT_LOAD(c[PIT_FMT_LEFT_OPEN])};
}

void pit__thread_again(const struct pit__image *image, struct pit__arena *names,
                       struct pit__arena *moment, const struct pit__again *again, pit_thread *out)
{
    struct part part = {.image = image,
                        .arena = names,
                        .table = (const void *)(image->base + again->table->offset),
                        .nodes = (const struct pit__block **)(uintptr_t)again->nodes,
                        .first_index = again->first_index,
                        .nodes_count = again->nodes_count,
                        .out_nodes = again->out,
                        .node_count = again->count};
    uint32_t own = 0;
    pit__pending_read(part.table, &part.pending);
    for (size_t i = 0; i < again->nodes_count; i++)
        for (uint64_t k = 0; k < again->nodes[i]->used; k++, own++) {
            uint64_t offset = node_offset(again->nodes[i], k), ref = offset >> PIT_FMT_REF_SHIFT;
            const struct pit_fmt_node *node = at(&part, offset);
            pit_raw_node *to = &part.out_nodes[own];
            if (own >= again->known)
                read_identity(&part, node, own, to);
            pit__node_stats(node, part.table, ref, to);
            to->items = PIT_LOAD(node->items);
            if (pit_fmt_ref_of(part.pending.where) == ref)
                part.pending.applied = to->count == part.pending.count + 1;
        }
    part.arena = moment;
    read_table(&part, again->table, out);
    out->nodes = part.out_nodes;
    out->node_count = part.node_count;
    read_stack(&part, out);
}

void pit__thread_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__block *table, const struct pit__block *const *blocks,
                      size_t block_count, pit_thread *out)
{
    struct part part = {.image = image,
                        .arena = arena,
                        .table = (const void *)(image->base + table->offset),
                        .blocks = blocks,
                        .block_count = block_count};
    pit__pending_read(part.table, &part.pending);
    read_table(&part, table, out);
    read_nodes(&part);
    out->nodes = part.out_nodes;
    out->node_count = part.node_count;
    read_stack(&part, out);
    read_ring(&part, out);
    read_records(&part, out);
    read_values(&part, out);
}
