/* Groups of ranks and their collective calls.
 *
 * Calls are numbered within their group from the group's first, whether they are recorded or not: all ranks
 * of a group make the same calls in the same order, so the numbers are the same in all. The newest call is
 * always in the run, so that a call in which a program hangs is seen; of the older ones, those whose number
 * is a multiple of the stride are kept; the stride doubles whenever the room is full.
 *
 * The data that the next call depends on is kept outside the run, where no other process can write. Two
 * threads in one group at a time are an error (MPI forbids it): the group's log may then be wrong, but
 * nothing outside of it is written. There is no lock because it would take a sixth of a call's time.
 */
#include "collectives.h"
#include "span_steps.h"

#include <string.h>

#define GROUPS 255u /* open at a time; numbers begin at 1 */
#define LOGGED 64u  /* groups of a run that have a block; calls of others are only spans */

struct group {
    /* the cache line that every call reads and writes */
    uint32_t half;
    uint32_t shift;                    /* of the stride */
    uint64_t generation;               /* of the recorder that `block` belongs to; 0: none yet */
    struct pit_fmt_collectives *block; /* NULL: the group has no block in that run */
    struct pit_fmt_collective *newest; /* in the block; NULL: none */
    uint64_t newest_begin;
    uint64_t calls;
    /* guarded by the process lock */
    uint32_t is_open;
    uint32_t size, rank;
    uint64_t id;
} __attribute__((aligned(64)));

static struct group groups[GROUPS + 1];
_Static_assert(offsetof(struct group, is_open) <= 64, "what every call needs is one line");

/* The number of blocks of the recorder with this generation. */
static uint64_t logged_generation;
static uint32_t logged;

static struct group *group_of(uint32_t number)
{
    return number - 1u < GROUPS ? &groups[number] : NULL;
}

/* ---- the block ----------------------------------------------------------------------------- */

/* May the recorder have one more block? Groups of two recorders that begin at the same moment may
 * create one too many. */
static int may_log(uint64_t generation)
{
    if (PIT_LOAD(logged_generation) != generation) {
        PIT_STORE(logged_generation, generation);
        PIT_STORE(logged, 0);
    }
    return __atomic_fetch_add(&logged, 1, __ATOMIC_RELAXED) < LOGGED;
}

/* `used`, which makes it valid, is stored with the first call. */
static __attribute__((noinline, cold)) void make_block(struct group *group, pit_recorder *rec)
{
    struct pit_fmt_collectives *block = NULL;
    if (may_log(rec->generation))
        block = pit__block_new(rec, PIT_FMT_COLLECTIVES, PIT_FMT_NO_THREAD, sizeof *block, 0);
    PIT_STORE(group->newest, NULL);
    group->half = group->shift = 0;
    while (group->calls >> group->shift >= PIT_FMT_COLLECTIVE_POINTS)
        group->shift++;
    if (block) {
        PIT_STORE(block->apart_seq, UINT64_MAX);
        PIT_STORE(block->stride[0], (uint64_t)1 << group->shift);
        PIT_STORE(block->block.a, group->id);
        PIT_STORE(block->block.b, group->size);
        PIT_STORE(block->block.c, group->rank);
    }
    PIT_STORE_ORDERED(group->block, block);
    PIT_STORE_ORDERED(group->generation, rec->generation);
}

PIT__INLINE void store(struct pit_fmt_collective *to, struct pit_fmt_collective call)
{
    PIT_STORE_ORDERED(to->enter, call.enter);
    PIT_STORE_ORDERED(to->duration, call.duration);
    PIT_STORE_ORDERED(to->bytes, call.bytes);
    PIT_STORE_ORDERED(to->node, call.node);
    PIT_STORE_ORDERED(to->flags, call.flags);
}

/* Copy every second point to the other half, and clear the rest of it, because calls that are not
 * recorded leave gaps. One store makes it current. Returns the new shift. */
static __attribute__((noinline, cold)) uint32_t fold(struct group *group)
{
    struct pit_fmt_collectives *block = group->block;
    uint32_t from = group->half & 1, to = 1 - from, shift = group->shift + 1;
    for (uint32_t i = 0; i < PIT_FMT_COLLECTIVE_POINTS; i++)
        store(&block->points[to][i], i < PIT_FMT_COLLECTIVE_POINTS / 2
                                         ? block->points[from][2 * i]
                                         : (struct pit_fmt_collective){0});
    group->shift = shift;
    group->half = to;
    PIT_STORE_ORDERED(block->stride[to], (uint64_t)1 << shift);
    PIT_STORE_ORDERED(block->half, to);
    return shift;
}

/* The newest call in the run; `used` makes it count. */
PIT__INLINE void keep(struct group *group, uint64_t seq, struct pit_fmt_collective call)
{
    struct pit_fmt_collectives *block = group->block;
    uint32_t shift = group->shift;
    while (PIT_UNLIKELY(seq >> shift >= PIT_FMT_COLLECTIVE_POINTS))
        shift = fold(group);
    uint64_t point = seq >> shift;
    PIT_STORE(group->newest_begin, call.enter);
    if (point << shift == seq) {
        struct pit_fmt_collective *slot = &block->points[group->half & 1][point];
        store(slot, call);
        PIT_STORE(group->newest, slot);
    } else {
        PIT_STORE(group->newest, &block->apart);
        PIT_STORE_ORDERED(block->apart_seq, UINT64_MAX);
        store(&block->apart, call);
        PIT_STORE_ORDERED(block->apart_seq, seq);
    }
    PIT_STORE_ORDERED(block->block.used, seq + 1);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* t is held; the innermost span is the call's. */
PIT__INLINE void log_call(const struct pit__thread *t, struct group *group, unsigned site_flags,
                          uint64_t bytes)
{
    const struct pit_fmt_frame *frame = t->top;
    if (PIT_UNLIKELY(group->generation != t->recorder->generation))
        make_block(group, t->recorder);
    uint64_t seq = PIT_LOAD(group->calls);
    PIT_STORE(group->calls, seq + 1);
    if (PIT_LIKELY(group->block != NULL))
        keep(group, seq,
             (struct pit_fmt_collective){
                 frame->begin, PIT_FMT_INSIDE, bytes, pit_fmt_ref_of(frame->where),
                 site_flags & PIT_SYNC ? (uint32_t)PIT_FMT_COLLECTIVE_SYNC : 0u});
}

/* A begin without the span itself; t is held, and the frame is the innermost. */
PIT__IN_SPANS static void note_call(const struct pit__thread *t, struct group *group,
                                    const pit_site *site, uint64_t bytes)
{
    struct pit_fmt_node *node = pit__node_at(t, t->top->where);
    log_call(t, group, site->flags, bytes);
    PIT_STORE(node->bytes, PIT_LOAD(node->bytes) + bytes);
}

static pit_token begin_rare(struct group *group, pit_site *site, uint32_t number, uint64_t bytes)
{
    struct pit__thread *t = pit__thread_ready();
    pit_token token = 0;
    if (t) {
        pit__hold(t);
        token = pit__begin_held(t, site, number);
        if (token)
            note_call(t, group, site, bytes);
        pit__release(t);
    }
    if (!token) /* nothing is recorded now, but may be later */
        __atomic_fetch_add(&group->calls, 1, __ATOMIC_RELAXED);
    return token;
}

static pit_token begin_plain(pit_site *site, uint64_t bytes)
{
    pit_token token = pit__begin(site);
    if (token && bytes)
        pit__count(1, bytes);
    return token;
}

PIT__IN_SPANS void pit__collective_log(const struct pit__thread *t, const pit_site *site,
                                       uint32_t number, uint64_t bytes)
{
    struct group *group = group_of(number);
    struct pit_fmt_frame *frame = t->top;
    if (!group)
        return;
    PIT_STORE(frame->where, frame->where | (uint64_t)number << PIT_FMT_WHERE_GROUP_SHIFT);
    log_call(t, group, site->flags, bytes);
}

/* In the common case it begins like any span. It is then a frame that needs the rare end. */
PIT__IN_SPANS pit_token pit__collective_begin(pit_site *site, uint32_t number, uint64_t bytes)
{
    struct group *group = group_of(number);
    if (!site)
        return pit__null();
    if (!group)
        return begin_plain(site, bytes);
    struct pit__thread *t = pit__tls;
    pit_token gate = PIT_LOAD(t->gate), token = 0;
    if (PIT_LIKELY(pit__is_token(gate)))
        token = pit__begin_common(t, gate, PIT_LOAD(site->id));
    if (PIT_UNLIKELY(!token))
        return begin_rare(group, site, number, bytes);
    pit__gate_close(t);
    struct pit_fmt_frame *frame = t->top;
    PIT_STORE(frame->where, frame->where | (uint64_t)number << PIT_FMT_WHERE_GROUP_SHIFT);
    note_call(t, group, site, bytes);
    /* the hot path was open, so no frame around this one is special */
    t->special = (uint16_t)token;
    PIT_STORE(t->slow, 1);
    pit__gate(t, 0);
    return token;
}

/* Only the group's newest call gets its end stored: an older one that is still open belongs to another
 * thread, which is an error of the program. */
PIT__IN_SPANS void pit__collective_end(uint64_t where, uint64_t begin, uint64_t duration)
{
    uint32_t number = (uint32_t)((where & PIT_FMT_WHERE_GROUP) >> PIT_FMT_WHERE_GROUP_SHIFT);
    struct group *group = group_of(number);
    struct pit_fmt_collective *newest = group ? PIT_LOAD(group->newest) : NULL;
    if (!newest || PIT_LOAD(group->newest_begin) != begin)
        return;
    PIT_STORE_ORDERED(newest->duration, duration);
    PIT_STORE(group->newest, NULL);
}

/* The innermost span is a collective, and nothing else keeps the hot path closed: open it, so that the
 * span ends like any other. */
PIT__IN_SPANS int pit__collective_end_hot(pit_token token, uint64_t now, uint64_t *duration)
{
    struct pit__thread *t = pit__tls;
    if (PIT_LOAD(t->gate) != 0 || !PIT_LOAD(t->open) || !PIT_LOAD(t->slow) || PIT_LOAD(t->held) ||
        t->always_slow || !t->special || token != t->token_base + t->special ||
        token != pit__token(t) || PIT_LOAD(pit__inside))
        return 0;
    uint64_t where = t->top->where, begin = t->top->begin;
    if (!(where & PIT_FMT_WHERE_GROUP) || t->top->apart ||
        where & (PIT_FMT_WHERE_MEMORY | PIT_FMT_WHERE_RECORD | PIT_FMT_WHERE_ALLOC |
                 PIT_FMT_WHERE_WAIT | PIT_FMT_WHERE_ENDED))
        return 0;
    /* closed first: otherwise a handler that jumps away leaves a table that nothing repairs */
    pit__gate_close(t);
    t->special = 0;
    PIT_STORE(t->slow, 0);
    if (!pit__end_closed(t, token, pit__not_before_last(t, now), duration))
        return 0;
    pit__collective_end(where, begin, *duration);
    return 1;
}

/* ---- groups -------------------------------------------------------------------------------- */

static uint32_t find(uint64_t id)
{
    for (uint32_t i = 1; i <= GROUPS; i++)
        if (groups[i].is_open && groups[i].id == id)
            return i;
    return 0;
}

static uint32_t add(uint64_t id, uint32_t size, uint32_t rank)
{
    for (uint32_t i = 1; i <= GROUPS; i++) {
        struct group *group = &groups[i];
        if (group->is_open)
            continue;
        memset(group, 0, sizeof *group);
        group->id = id;
        group->size = size;
        group->rank = rank;
        group->is_open = 1;
        return i;
    }
    return 0;
}

uint32_t pit_group_open(uint64_t id, uint32_t size, uint32_t rank)
{
    struct pit__lock *lock = pit__process_lock();
    if (!size || rank >= size || !lock || !pit__lock_take(lock))
        return 0;
    uint32_t number = find(id);
    if (!number)
        number = add(id, size, rank);
    pit__lock_give(lock);
    return number;
}

void pit_group_close(uint32_t number)
{
    struct group *group = group_of(number);
    struct pit__lock *lock = pit__process_lock();
    if (!group || !lock || !pit__lock_take(lock))
        return;
    group->is_open = 0;
    pit__lock_give(lock);
}

uint64_t pit_group_calls(uint32_t number)
{
    const struct group *group = group_of(number);
    return group ? PIT_LOAD(group->calls) : 0;
}

void pit__mark_comm(const struct pit__thread *t)
{
    struct pit_fmt_node *node = pit__node_at(t, t->top->where);
    if (!(node->flags & PIT_FMT_NODE_COMM))
        PIT_STORE(node->flags, node->flags | PIT_FMT_NODE_COMM);
}
