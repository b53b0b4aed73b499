/* Stacks of open spans that are saved while a thread works on another one: tasks, coroutines.
 *
 * A thread's stack is the frames of its table in the run. Switching copies them out and others in; the
 * table's depth is 0 in between, so that a reader, live or after a kill, sees no frame twice. Saved
 * stacks are not in the run: a report of open spans shows the stack in use.
 *
 * Freed objects are kept for reuse, so their number is the highest number that was in use at once.
 */
#include "recorder.h"

#include <string.h>

#define FEW_FRAMES 12u /* most tasks have no more open */

struct pit_stack {
    pit_stack *next_free;
    uint64_t token_base; /* of the thread's table it belongs to; 0: none yet */
    uint64_t root;       /* value of frame 0: the node below which it begins */
    uint32_t depth;      /* saved frames */
    uint32_t special;
    int is_away;                    /* it holds a stack, maybe an empty one */
    struct pit__measured *measured; /* of its frames, which stay in place; kept for reuse */
    struct pit_fmt_frame *many;     /* room for all frames, allocated when needed, kept for reuse */
    struct pit_fmt_frame few[FEW_FRAMES];
};

static pit_stack *free_stacks; /* guarded by the process lock */

pit_stack *pit_stack_new(void)
{
    struct pit__lock *lock = pit__process_lock();
    if (!lock)
        return NULL;
    struct pit__guard before = pit__guard_enter();
    pit_stack *stack = NULL;
    if (pit__lock_take(lock)) {
        stack = free_stacks;
        if (stack)
            free_stacks = stack->next_free;
        pit__lock_give(lock);
    }
    if (!stack)
        stack = pit__private_alloc(sizeof *stack);
    pit__guard_leave(before);
    if (stack) {
        *stack = (pit_stack){.many = stack->many, .measured = stack->measured};
    }
    return stack;
}

/* Does the stack belong to this table, or may it? A stack of an earlier recorder, or of the parent
 * before a fork, is empty now. */
static int adopt(pit_stack *stack, const struct pit__thread *t)
{
    uint64_t differs = stack->token_base ^ t->token_base;
    if (stack->token_base && !(differs >> PIT__TOKEN_GENERATION_SHIFT))
        return differs == 0;
    stack->token_base = t->token_base;
    if (stack->depth)
        stack->measured = NULL; /* other lists may still refer to the measurements there */
    stack->depth = stack->special = 0;
    stack->root = 0;
    stack->is_away = 0;
    return 1;
}

static struct pit_fmt_frame *room_of(pit_stack *stack, uint32_t depth)
{
    if (depth <= FEW_FRAMES)
        return stack->few;
    if (!stack->many)
        stack->many = pit__private_alloc(PIT_FMT_FRAMES * sizeof *stack->many);
    return stack->many;
}

/* 0: there is no room for it. */
static int put_away(struct pit__thread *t, pit_stack *stack)
{
    uint32_t depth = (uint32_t)(t->top - t->file->frames);
    struct pit_fmt_frame *room = room_of(stack, depth);
    if (!room)
        return 0;
    memcpy(room, t->file->frames + 1, depth * sizeof *room);
    stack->depth = depth;
    stack->root = t->file->frames[0].where;
    stack->special = t->special;
    stack->measured = t->measured;
    stack->is_away = 1;
    t->top = t->file->frames;
    PIT_STORE_ORDERED(t->file->depth, 0);
    for (uint32_t i = 1; i <= depth; i++)
        PIT_STORE(t->file->frames[i].apart, 0); /* a begin expects 0 in the frames above */
    return 1;
}

static void take_up(struct pit__thread *t, pit_stack *stack)
{
    const struct pit_fmt_frame *room = room_of(stack, stack->depth);
    PIT_STORE_ORDERED(t->file->parent_child, PIT_FMT_POPPED);
    PIT_STORE(t->file->frames[0].where, stack->root);
    for (uint32_t i = 0; i < stack->depth; i++) {
        struct pit_fmt_frame *frame = &t->file->frames[i + 1];
        PIT_STORE(frame->begin, room[i].begin);
        PIT_STORE(frame->child, room[i].child);
        PIT_STORE(frame->where, room[i].where);
        PIT_STORE(frame->apart, room[i].apart);
    }
    t->top = t->file->frames + stack->depth;
    t->special = stack->special;
    t->measured = stack->measured;
    stack->is_away = 0;
    stack->depth = 0;
    stack->measured = NULL;
    PIT_STORE_ORDERED(t->file->depth, (uint16_t)(t->top - t->file->frames));
}

int pit_stack_switch(pit_stack *from, pit_stack *to)
{
    if (!from || !to || from == to)
        return PIT_BAD_ARGUMENT;
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t)
        return PIT_NOT_OPEN;
    if (!adopt(from, t) || !adopt(to, t) || from->is_away)
        return PIT_BAD_ARGUMENT;
    pit__hold(t);
    int is_good = put_away(t, from);
    if (is_good)
        take_up(t, to);
    PIT_STORE(t->switched_at, pit__now_of(t));
    pit__release(t);
    return is_good ? PIT_OK : PIT_NO_MEMORY;
}

/* Restore its open spans on top of those open now, only to drop them. */
static void drop_spans(pit_stack *stack)
{
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t || !stack->is_away || !stack->depth || stack->token_base != t->token_base)
        return;
    pit_stack *now = pit_stack_new();
    if (!now || !adopt(now, t))
        return;
    pit__hold(t);
    if (put_away(t, now)) {
        take_up(t, stack);
        pit__drop_all(t);
        stack->measured = t->measured; /* reused by the next stack */
        take_up(t, now);
    }
    PIT_STORE(t->switched_at, pit__now_of(t));
    pit__release(t);
    pit_stack_free(now);
}

void pit_stack_free(pit_stack *stack)
{
    if (!stack)
        return;
    drop_spans(stack);
    if (stack->depth)
        stack->measured = NULL;
    struct pit__lock *lock = pit__process_lock();
    struct pit__guard before = pit__guard_enter();
    if (pit__lock_take(lock)) {
        stack->next_free = free_stacks;
        free_stacks = stack;
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
}

/* ---- after the end of their thread ------------------------------------------------------------ */

/* The table may have another owner by now; only this counter of it has several writers. */
void pit__left_open(pit_token token, int64_t spans)
{
    pit_recorder *rec = PIT_LOAD(pit__enabled) ? pit_default_recorder() : NULL;
    if (!rec || !pit__is_alive(rec) || token >> PIT__TOKEN_GENERATION_SHIFT != rec->generation)
        return;
    struct pit__guard before = pit__guard_enter();
    if (pit__lock_take(&rec->control->lock)) {
        const struct pit__thread *t = rec->threads;
        while (t && (t->token_base ^ token) >> PIT__TOKEN_THREAD_SHIFT)
            t = t->next_in_recorder;
        if (t)
            __atomic_fetch_add(&t->file->counters[PIT_FMT_LEFT_OPEN], (uint64_t)spans,
                               __ATOMIC_RELAXED);
        pit__lock_give(&rec->control->lock);
    }
    pit__guard_leave(before);
}

void pit__stack_leave(pit_stack *stack, uint64_t open)
{
    if (!stack || !stack->is_away || !stack->depth)
        return;
    pit__left_open(stack->token_base, (int64_t)open);
    stack->token_base = 0; /* the next switch to it finds it empty */
    stack->depth = 0;
    stack->measured = NULL;
}

/* ---- stacks that begin below a span ---------------------------------------------------------- */

int pit_set_root(uint64_t place)
{
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t)
        return PIT_NOT_OPEN;
    if (t->top != t->file->frames)
        return PIT_BAD_ARGUMENT;
    int is_other = place && place >> PIT__TOKEN_GENERATION_SHIFT != t->recorder->generation;
    uint32_t ref = is_other ? 0 : (uint32_t)place;
    pit__hold(t);
    const struct pit_fmt_node *node = ref ? pit__node_own(t, ref) : NULL;
    uint64_t where = node ? pit__ref(t->base, node) | PIT__BELOW_BIT : 0;
    PIT_STORE(t->file->frames[0].where, where);
    PIT_STORE(t->switched_at, pit__now_of(t));
    pit__release(t);
    return is_other ? PIT_BAD_ARGUMENT : ref && !node ? PIT_NO_MEMORY : PIT_OK;
}
