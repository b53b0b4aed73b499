/* Groups of ranks and their collective calls: the COLLECTIVES blocks. */
#include "reader.h"

#define TRIES 8 /* attempts, if the block is folded while it is read */

/* One consistent copy of the figures that the points depend on. */
struct head {
    uint64_t calls, stride;
    uint32_t half;
};

static struct head read_head(const struct pit_fmt_collectives *block)
{
    struct head head;
    head.calls = PIT_LOAD_ACQUIRE(block->block.used);
    head.half = PIT_LOAD_ACQUIRE(block->half) & 1;
    head.stride = PIT_LOAD_ACQUIRE(block->stride[head.half]);
    return head;
}

static uint64_t points_of(struct head head)
{
    return head.calls / head.stride + (head.calls % head.stride != 0);
}

static int is_whole(struct head head)
{
    return head.calls > 0 && head.stride > 0 && (head.stride & (head.stride - 1)) == 0 &&
           points_of(head) <= PIT_FMT_COLLECTIVE_POINTS;
}

/* Returns 1 if the call exists and its figures are plausible. */
static int read_call(const struct pit_fmt_collective *from, const struct pit__node_index *index,
                     const pit_run *run, pit_collective *to)
{
    uint64_t enter = PIT_LOAD_ACQUIRE(from->enter), duration = PIT_LOAD_ACQUIRE(from->duration);
    uint64_t node = 0;
    size_t thread = pit__index_find(index, PIT_LOAD(from->node), &node);
    int is_known = thread < run->thread_count && node < run->threads[thread].node_count;
    double since = enter >= run->start_ticks ? (double)(enter - run->start_ticks)
                                             : -(double)(run->start_ticks - enter);
    double limit = 9e18;
    double enter_ns = since * run->ns_per_tick, ns = (double)duration * run->ns_per_tick;
    to->enter_ns = enter_ns > -limit && enter_ns < limit ? (int64_t)enter_ns : 0;
    to->duration_ns = duration == PIT_FMT_INSIDE || !(ns < limit) ? PIT_UNKNOWN : (uint64_t)ns;
    to->bytes = PIT_LOAD(from->bytes);
    to->thread = is_known ? (uint32_t)thread : PIT_NO_NODE;
    to->node = is_known ? (uint32_t)node : PIT_NO_NODE;
    to->is_sync = (PIT_LOAD(from->flags) & PIT_FMT_COLLECTIVE_SYNC) != 0;
    return enter != 0;
}

/* The points of the active half. Only the newest call can still be inside: an older call without an end was
 * left by a jump. Adds the newest call if it is still inside and not among the points. */
static size_t read_points(const struct pit_fmt_collectives *block, struct head head,
                          const struct pit__node_index *index, const pit_run *run,
                          pit_collective *to)
{
    size_t count = 0;
    uint64_t newest = head.calls - 1;
    for (uint64_t i = 0; i < points_of(head); i++) {
        pit_collective *call = &to[count];
        call->seq = i * head.stride;
        count += read_call(&block->points[head.half][i], index, run, call) &&
                 (call->duration_ns != PIT_UNKNOWN || call->seq == newest);
    }
    if (newest % head.stride != 0 && PIT_LOAD_ACQUIRE(block->apart_seq) == newest) {
        pit_collective *call = &to[count];
        call->seq = newest;
        count += read_call(&block->apart, index, run, call) && call->duration_ns == PIT_UNKNOWN &&
                 PIT_LOAD_ACQUIRE(block->apart_seq) == newest;
    }
    return count;
}

/* Returns 1 if the group has data. */
static int read_group(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__block *from, const struct pit__node_index *index,
                      const pit_run *run, pit_group *group)
{
    const struct pit_fmt_collectives *block = (const void *)(image->base + from->offset);
    struct head head = read_head(block);
    for (int i = 0; i < TRIES && is_whole(head); i++) {
        size_t room = (size_t)points_of(head) + 1;
        pit_collective *points = pit__arena_array(arena, room, sizeof *points);
        size_t count = points ? read_points(block, head, index, run, points) : 0;
        struct head after = read_head(block);
        if (after.half == head.half && after.stride == head.stride) {
            *group = (pit_group){.id = PIT_LOAD(block->block.a),
                                 .size = (uint32_t)PIT_LOAD(block->block.b),
                                 .rank = (uint32_t)PIT_LOAD(block->block.c),
                                 .calls = head.calls,
                                 .stride = head.stride,
                                 .points = points,
                                 .point_count = count};
            return 1;
        }
        head = after;
    }
    return 0;
}

void pit__groups_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__node_index *index, pit_run *run)
{
    size_t room = 0, count = 0;
    for (size_t i = 0; i < image->block_count; i++)
        room += image->blocks[i].type == PIT_FMT_COLLECTIVES;
    pit_group *groups = pit__arena_array(arena, room, sizeof *groups);
    for (size_t i = 0; groups && i < image->block_count; i++)
        if (image->blocks[i].type == PIT_FMT_COLLECTIVES)
            count +=
                (size_t)read_group(image, arena, &image->blocks[i], index, run, &groups[count]);
    run->groups = groups;
    run->group_count = count;
}
