/* Everything about spans except the common case: a thread's first span, a new node, the rare
 * parts of bookkeeping, clocks that are a function call, misuse, other recorders, items and ages.
 */
#include "collectives.h"
#include "device.h"
#include "gpu_events.h"
#include "span_steps.h"

/* Is t, or the rare path of another recorder, held further down this thread's stack? Then the caller is
 * a signal handler, whose span is only counted. */
PIT__IN_SPANS int pit__is_counted_handler(struct pit__thread *t)
{
    if (!t->file || !PIT_LOAD(t->open) || (!PIT_LOAD(pit__inside) && pit__is_free(t)))
        return 0;
    pit__bump(&t->file->counters[PIT_FMT_SIGNAL]);
    return 1;
}

uint64_t pit__now_of(const struct pit__thread *t)
{
    return pit__clock_read(t->counter);
}

/* The table of this thread, created if it is missing. NULL: nothing is recorded. */
static struct pit__thread *this_thread(void)
{
    pit__resume();
    struct pit__thread *t = pit__tls;
    if (pit__is_counted_handler(t))
        return NULL;
    if (pit__is_free(t))
        return t;
    pit_recorder *rec = PIT_LOAD(pit__inside) ? NULL : pit__default_recorder();
    return rec ? pit__attach(rec) : NULL;
}

/* ---- begin --------------------------------------------------------------------------------- */

/* Flags that belong to the node: its spans can take the hot path. */
#define SPARED (unsigned)(PIT_COMM | PIT_SYNC)

/* The name's number, looked up once per site. */
static uint32_t resolve(pit_site *site)
{
    uint32_t id = PIT_LOAD(site->id);
    if (!id) {
        const struct pit__name *name = pit__name_intern(site->name);
        id = name ? name->id | (site->flags & ~SPARED ? PIT__FLAGGED_BIT : 0) : 0;
        if (name && site->flags & PIT_COMM)
            pit__name_is_comm(name);
        PIT_STORE(site->id, id);
    }
    return id & ~PIT__FLAGGED_BIT;
}

#define MEASURED                                                                                   \
    (PIT_FMT_WHERE_MEMORY | PIT_FMT_WHERE_RECORD | PIT_FMT_WHERE_ALLOC | PIT_FMT_WHERE_ENERGY)

/* This frame needs the rare end. */
static void make_special(struct pit__thread *t, const struct pit_fmt_frame *frame)
{
    uint32_t depth = (uint32_t)(frame - t->file->frames);
    if (!t->special || depth < t->special)
        t->special = depth;
}

/* Ticks inside a frame that belong to the measurement. The root has no time. */
static void add_apart(struct pit__thread *t, struct pit_fmt_frame *frame, uint64_t ticks)
{
    if (frame == t->file->frames || ticks == 0)
        return;
    PIT_STORE(frame->apart, frame->apart + ticks);
    make_special(t, frame);
}

/* The innermost frame was removed. */
static void left_frame(struct pit__thread *t, struct pit_fmt_frame *frame, uint64_t apart)
{
    PIT_STORE(frame->apart, 0);
    if (t->special >= (uint32_t)(frame - t->file->frames))
        t->special = 0;
    add_apart(t, t->top, apart);
}

/* The node for a name below the innermost frame, as a `where` at this depth; 0: no room. The deepest
 * level is never cached, so that the hot path need not check for the end of the stack. */
PIT__IN_SPANS static uint64_t where_below_top(struct pit__thread *t, uint32_t id, uint64_t depth)
{
    const struct pit__cache_entry *known = id ? pit__cached(t, id, t->top) : NULL;
    if (known)
        return known->where;
    uint32_t parent = pit_fmt_ref_of(t->top->where);
    uint32_t detached = parent & PIT__BELOW_BIT ? PIT__DETACHED_BIT : 0;
    const struct pit_fmt_node *node = id ? pit__node_find(t, pit__place(t), id | detached) : NULL;
    if (!node)
        return 0;
    uint64_t where = pit__ref(t->base, node) | depth << PIT_FMT_WHERE_DEPTH;
    if (depth < PIT_FMT_FRAMES - 1)
        pit__node_cache(t, parent, id, where);
    return where;
}

/* Memory figures were taken, and since then the thread spent almost no time outside the recorder: too
 * little to free or to fault in more than the error of the kernel's own counters. */
#define FRESH_NS 2000u

PIT__IN_SPANS static int is_fresh(struct pit__thread *t, uint64_t now)
{
    uint64_t at = t->measured_at;
    return at && now >= at && pit__in_ns(t, now, now - at) <= FRESH_NS;
}

/* Find the node, push the frame. t is held. */
PIT__IN_SPANS static pit_token push_below_top(struct pit__thread *t, uint32_t id, uint64_t flags,
                                              uint64_t now)
{
    uint64_t depth = (uint64_t)(t->top - t->file->frames) + 1;
    if (depth == PIT_FMT_FRAMES) {
        pit__bump(&t->file->counters[PIT_FMT_TOO_DEEP]);
        return 0;
    }
    uint64_t where = where_below_top(t, id, depth);
    if (!where) {
        pit__bump(&t->file->counters[PIT_FMT_TABLE_FULL]);
        return 0;
    }
    flags |= t->recorder->span_flags;
    if (flags & (PIT_FMT_WHERE_WAIT | PIT_FMT_WHERE_GROUP))
        make_special(t, t->top + 1);
    if (flags & MEASURED) {
        uint64_t start = pit__now_of(t);
        pit__measure_begin(t, depth, where | flags, is_fresh(t, start));
        now = pit__now_of(t);
        t->measured_at = now;
        add_apart(t, t->top, now - start);
        make_special(t, t->top + 1);
    }
    if (!t->counter) /* two readings of a coarse clock can give one tick: see pit__push */
        PIT_STORE_ORDERED(t->file->parent_child, PIT_FMT_POPPED);
    pit__push(t, t->file, t->top + 1, (uint16_t)depth, where | flags, now ? now : pit__now_of(t));
    return pit__token(t);
}

/* Before the table is held: the device's library may record spans itself. */
static struct pit__gpu_event ask_device(const struct pit__thread *t, unsigned flags)
{
    flags |= t->recorder->options.span_flags;
    if (flags & PIT_WAIT)
        pit__device_wait();
    return flags & PIT_DEVICE ? pit__gpu_mark() : (struct pit__gpu_event){0};
}

PIT__IN_SPANS pit_token pit__begin_held(struct pit__thread *t, pit_site *site, uint64_t group)
{
    uint64_t flags = pit__where_flags(site->flags) | group << PIT_FMT_WHERE_GROUP_SHIFT;
    pit_token token = push_below_top(t, resolve(site), flags, 0);
    if (token && site->flags & PIT_COMM)
        pit__mark_comm(t);
    return token;
}

PIT__IN_SPANS pit_token pit__begin_on(struct pit__thread *t, pit_site *site)
{
    struct pit__gpu_event event = ask_device(t, site->flags);
    pit__hold(t);
    pit_token token = pit__begin_held(t, site, 0);
    pit__gpu_begin(t, token, event);
    pit__release(t);
    return token;
}

pit_token pit__begin_name_on(struct pit__thread *t, const char *text, unsigned flags)
{
    struct pit__gpu_event event = ask_device(t, flags);
    pit__hold(t);
    const struct pit__name *name = pit__name_intern(text);
    if (name && flags & PIT_COMM)
        pit__name_is_comm(name);
    pit_token token = push_below_top(t, name ? name->id : 0, pit__where_flags(flags), 0);
    if (token && flags & PIT_COMM)
        pit__mark_comm(t);
    pit__gpu_begin(t, token, event);
    pit__release(t);
    return token;
}

PIT__IN_SPANS pit_token pit__begin_rare(pit_site *site)
{
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? this_thread() : NULL;
    return t ? pit__begin_on(t, site) : 0;
}

pit_token pit__begin_name(const char *name, unsigned flags)
{
    struct pit__thread *t = this_thread();
    return t ? pit__begin_name_on(t, name, flags) : 0;
}

/* ---- end ----------------------------------------------------------------------------------- */

static uint64_t duration_of(struct pit__thread *t, uint64_t begin, uint64_t end)
{
    if (end >= begin)
        return end - begin;
    pit__bump(&t->file->counters[PIT_FMT_CLOCK_BACK]);
    return 0;
}

/* Does the frame still name its node? Other processes can write to the file. */
static int has_node(const struct pit__thread *t, const struct pit_fmt_frame *frame)
{
    uint32_t ref = pit_fmt_ref_of(frame->where);
    return !t->recorder || pit__checked_at(t->recorder, ref, sizeof(struct pit_fmt_node));
}

/* The figures are taken right after the clock. The time for taking and storing them is charged to the
 * enclosing frames as measurement. */
PIT__IN_SPANS static uint64_t end_top(struct pit__thread *t, uint64_t now)
{
    struct pit_fmt_frame *frame = t->top;
    if (PIT_UNLIKELY(!has_node(t, frame))) {
        pit__drop_top(t);
        return 0;
    }
    uint64_t apart = frame->apart, where = frame->where, begin = frame->begin;
    uint64_t depth = (uint64_t)(frame - t->file->frames);
    uint64_t duration = duration_of(t, begin + apart, now);
    if (where & MEASURED)
        pit__measure_end(t, depth, where);
    if (where & PIT_FMT_WHERE_GROUP)
        pit__collective_end(where, begin, duration);
    pit__finish_previous_rare(t);
    pit__pop(t, t->file, frame, (uint16_t)(depth - 1), duration);
    if (where & MEASURED) {
        pit__measure_keep(t, depth, where, begin, duration);
        t->measured_at = pit__now_of(t);
        apart += t->measured_at - now;
    }
    left_frame(t, frame, apart);
    return duration;
}

/* End the innermost frame, a phase, because the span around it ends at `now`. Returns the end time of
 * that span: the cost of measuring the phase since `now` is in its `apart`. */
static uint64_t end_phase(struct pit__thread *t, uint64_t now)
{
    uint64_t where = t->top->where;
    end_top(t, now);
    return where & MEASURED ? t->measured_at : now;
}

/* Remove frames that had ended before the frames above them. */
static void pop_ended(struct pit__thread *t)
{
    while (t->top > t->file->frames && t->top->where & PIT_FMT_WHERE_ENDED) {
        struct pit_fmt_frame *frame = t->top;
        t->top = frame - 1;
        PIT_STORE_ORDERED(t->file->depth, (uint16_t)(t->top - t->file->frames));
        left_frame(t, frame, frame->apart);
    }
}

/* End a frame below the innermost one: its sample is recorded, the frame stays until those above it are
 * gone. Until then no span takes the hot path. */
static uint64_t end_below(struct pit__thread *t, struct pit_fmt_frame *frame, uint64_t now)
{
    if (!has_node(t, frame)) {
        PIT_STORE_ORDERED(frame->where, PIT_FMT_WHERE_ENDED);
        make_special(t, frame);
        return 0;
    }
    uint64_t where = frame->where, begin = frame->begin;
    uint64_t depth = (uint64_t)(frame - t->file->frames);
    uint64_t duration = duration_of(t, begin + frame->apart, now);
    uint64_t parent_child = frame[-1].child + duration;
    if (where & MEASURED)
        pit__measure_end(t, depth, where);
    if (where & PIT_FMT_WHERE_GROUP)
        pit__collective_end(where, begin, duration);
    pit__finish_previous_rare(t);
    pit__apply(t, t->file, where, begin, duration, frame->child, parent_child);
    PIT_STORE_ORDERED(frame[-1].child, parent_child);
    PIT_STORE_ORDERED(frame->where, (where & ~(uint64_t)MEASURED) | PIT_FMT_WHERE_ENDED);
    make_special(t, frame);
    if (where & MEASURED) {
        pit__measure_keep(t, depth, where, begin, duration);
        t->measured_at = pit__now_of(t);
        add_apart(t, t->top, t->measured_at - now); /* charged to the frame in whose time it was */
    }
    return duration;
}

static int top_is_phase(const struct pit__thread *t)
{
    return t->top > t->file->frames && (t->top->where & PIT_FMT_WHERE_PHASE) != 0;
}

/* Leave the innermost frame without a sample; the measuring cost inside it is charged to the enclosing
 * frames. */
void pit__drop_top(struct pit__thread *t)
{
    struct pit_fmt_frame *frame = t->top;
    uint64_t where = frame->where, apart = frame->apart, start = pit__now_of(t);
    if (where & MEASURED) {
        pit__measure_drop(t, (uint64_t)(frame - t->file->frames), where);
        t->measured_at = pit__now_of(t);
        apart += t->measured_at - start;
    }
    if (where & PIT_FMT_WHERE_GROUP)
        pit__collective_end(where, frame->begin, start > frame->begin ? start - frame->begin : 0);
    t->top = frame - 1;
    PIT_STORE_ORDERED(t->file->depth, (uint16_t)(t->top - t->file->frames));
    left_frame(t, frame, apart);
}

void pit__drop_all(struct pit__thread *t)
{
    uint64_t left = 0;
    while (t->top > t->file->frames) {
        left += !(t->top->where & PIT_FMT_WHERE_ENDED);
        pit__drop_top(t);
    }
    if (left) /* see pit__left_open */
        __atomic_fetch_add(&t->file->counters[PIT_FMT_LEFT_OPEN], left, __ATOMIC_RELAXED);
}

/* Drop the open frames above `frame`; phases count as ended. Returns the end time of `frame`,
 * as end_phase does. */
static uint64_t unwind(struct pit__thread *t, const struct pit_fmt_frame *frame, uint64_t now)
{
    while (t->top > frame) {
        if (t->top->where & PIT_FMT_WHERE_ENDED) {
            pop_ended(t);
            continue;
        }
        if (top_is_phase(t)) {
            now = end_phase(t, now);
            continue;
        }
        uint64_t where = t->top->where;
        pit__bump(&t->file->counters[PIT_FMT_ABANDONED]);
        pit__drop_top(t);
        now = where & MEASURED ? t->measured_at : now;
    }
    return now;
}

/* The open frame of a token, or NULL. Tokens of another recorder, from before a fork or of a closed
 * recorder are not misuse and are not counted. */
static struct pit_fmt_frame *frame_of(struct pit__thread *t, pit_token token)
{
    uint64_t differs = token ^ t->token_base;
    if (differs >> PIT__TOKEN_GENERATION_SHIFT)
        return NULL;
    if (differs >> PIT__TOKEN_THREAD_SHIFT) {
        pit__bump(&t->file->counters[PIT_FMT_WRONG_THREAD]);
        return NULL;
    }
    struct pit_fmt_frame *frame = t->file->frames + differs;
    if (differs == 0 || frame > t->top || frame->where & PIT_FMT_WHERE_ENDED) {
        pit__bump(&t->file->counters[PIT_FMT_END_WITHOUT_BEGIN]);
        return NULL;
    }
    return frame;
}

/* Call it with t held: a signal handler's span may have ended since `now`, inside the one that ends; or it
 * was measured, and its cost is in the `apart` of the frame that ends. */
uint64_t pit__not_before_last(const struct pit__thread *t, uint64_t now)
{
    const struct pit_fmt_pending *last = &t->file->pending;
    return now < t->measured_at || now < last->begin + last->duration ? pit__now_of(t) : now;
}

uint64_t pit__end_on(struct pit__thread *t, pit_token token, uint64_t now)
{
    const struct pit_fmt_frame *frame = frame_of(t, token);
    if (!frame)
        return 0;
    pit__hold(t);
    uint64_t duration = end_top(t, unwind(t, frame, pit__not_before_last(t, now)));
    pop_ended(t);
    pit__release(t);
    return duration;
}

/* A thread without a table gets one only to count that the token belongs to another thread. */
static struct pit__thread *thread_for_end(pit_token token)
{
    pit__resume();
    struct pit__thread *t = pit__tls;
    /* allowed even inside an interrupted rare path of another recorder: the span began here */
    if (pit__is_free(t))
        return t;
    if (pit__is_counted_handler(t))
        return NULL;
    pit_recorder *rec = PIT_LOAD(pit__inside) ? NULL : pit_default_recorder();
    int is_of_rec = rec && PIT_LOAD(rec->control->alive) &&
                    token >> PIT__TOKEN_GENERATION_SHIFT == rec->generation;
    return is_of_rec ? pit__attach(rec) : NULL;
}

uint64_t pit__end_rare(pit_token token, uint64_t now)
{
    uint64_t duration;
    if (pit__collective_end_hot(token, now, &duration))
        return duration;
    struct pit__thread *t = thread_for_end(token);
    if (!t)
        return 0;
    if (PIT_UNLIKELY(t->gpu) && token == pit__token(t))
        pit__gpu_end(t, t->top);
    if (token == pit__token(t) && t->top->where & PIT_FMT_WHERE_WAIT) {
        pit__device_wait();
        now = pit__now_of(t);
    }
    return pit__end_on(t, token, t->counter ? now : pit__now_of(t));
}

static uint64_t end_apart_on(struct pit__thread *t, struct pit_fmt_frame *frame, uint64_t now)
{
    pit__hold(t);
    now = pit__not_before_last(t, now);
    /* these phases were probably begun inside the span itself */
    while (t->top > frame && top_is_phase(t))
        now = end_phase(t, now);
    uint64_t duration = frame == t->top ? end_top(t, now) : end_below(t, frame, now);
    pop_ended(t);
    pit__release(t);
    return duration;
}

PIT__IN_SPANS uint64_t pit__end_apart_rare(pit_token token)
{
    struct pit__thread *t = thread_for_end(token);
    struct pit_fmt_frame *frame = t ? frame_of(t, token) : NULL;
    if (!frame)
        return 0;
    if (PIT_UNLIKELY(t->gpu))
        pit__gpu_end(t, frame);
    if (frame->where & PIT_FMT_WHERE_WAIT)
        pit__device_wait();
    return end_apart_on(t, frame, pit__now_of(t));
}

void pit_cancel(pit_token token)
{
    struct pit__thread *t = token ? thread_for_end(token) : NULL;
    const struct pit_fmt_frame *frame = t ? frame_of(t, token) : NULL;
    if (!frame)
        return;
    pit__hold(t);
    unwind(t, frame, pit__now_of(t));
    pit__drop_top(t);
    pop_ended(t);
    pit__release(t);
}

void pit__sample(struct pit__thread *t, struct pit_fmt_node *node, uint64_t begin, uint64_t end)
{
    uint64_t duration = duration_of(t, begin, end);
    pit__finish_previous_rare(t);
    pit__apply(t, t->file, pit__ref(t->base, node), begin, duration, 0, 0);
}

/* ---- phases -------------------------------------------------------------------------------- */

void pit__phase_rare(pit_site *site)
{
    struct pit__thread *t = this_thread();
    if (!t)
        return;
    pit__hold(t);
    uint32_t id = resolve(site);
    uint64_t now = pit__now_of(t);
    if (top_is_phase(t))
        end_top(t, now);
    push_below_top(t, id, PIT_FMT_WHERE_PHASE, now);
    pit__release(t);
}

void pit__end_phases(struct pit__thread *t)
{
    uint64_t now = pit__now_of(t);
    while (top_is_phase(t))
        now = end_phase(t, now);
}

void pit__phase_end(void)
{
    struct pit__thread *t = pit__tls;
    if (!pit__is_free(t) || !top_is_phase(t))
        return;
    pit__hold(t);
    end_top(t, pit__now_of(t));
    pit__release(t);
}
