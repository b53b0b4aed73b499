/* Messages of a thread to other ranks, by size and by rank, and the callers of its calls: the MESSAGES
 * block of its table, which only this thread writes. Every figure is one word that grows, so that a reader
 * finds everything at any moment, except parts of the newest call.
 *
 * The room is limited. The first 1,024 ranks that a thread sends to have an entry each; messages to others
 * are summed. The same holds for callers. The name of a caller is looked up later, by the sampler or at
 * close, because it takes milliseconds.
 */
#include "messages.h"

#include "code_names.h"
#include "collectives.h"
#include "span_steps.h"

#include <sys/mman.h>

#define PROBES 8u /* entries to search for a caller */

static struct pit_fmt_messages *block_of(struct pit__thread *t)
{
    if (PIT_LIKELY(t->calls.block != NULL))
        return t->calls.block;
    pit__hold(t);
    struct pit_fmt_messages *block =
        pit__block_new(t->recorder, PIT_FMT_MESSAGES, t->index, sizeof *block, 0);
    if (block) {
        PIT_STORE_ORDERED(block->block.used, 1);
        PIT_STORE_ORDERED(t->calls.block, block);
    }
    pit__release(t);
    return block;
}

static inline __attribute__((always_inline)) void grow(uint64_t *figure, uint64_t by)
{
    PIT_ADD(*figure, by);
}

/* ---- messages ------------------------------------------------------------------------------- */

static inline uint32_t size_class(uint64_t bytes)
{
    uint32_t bits = bytes ? 64u - (uint32_t)__builtin_clzll(bytes) : 0;
    return bits < PIT_FMT_SIZES ? bits : PIT_FMT_SIZES - 1;
}

/* NULL: all entries are taken. */
static struct pit_fmt_partner *partner_of(struct pit_fmt_messages *block, uint32_t rank)
{
    uint64_t key = (uint64_t)rank + 1;
    for (uint32_t i = 0; i < PIT_FMT_PARTNERS; i++) {
        struct pit_fmt_partner *partner = &block->partners[(rank + i) % PIT_FMT_PARTNERS];
        uint64_t own = PIT_LOAD(partner->rank_1);
        if (PIT_LIKELY(own == key))
            return partner;
        if (!own) {
            PIT_STORE_ORDERED(partner->rank_1, key);
            return partner;
        }
    }
    return NULL;
}

PIT__INLINE void note_message(struct pit_fmt_messages *block, uint32_t to, uint64_t bytes)
{
    struct pit_fmt_size *size = &block->sizes[to == PIT_TO_ALL][size_class(bytes)];
    grow(&size->bytes, bytes);
    grow(&size->count, 1);
    if (to == PIT_TO_ALL)
        return;
    struct pit_fmt_partner *partner = to == PIT_TO_UNKNOWN ? NULL : partner_of(block, to);
    grow(partner ? &partner->bytes : &block->others.bytes, bytes);
    grow(partner ? &partner->count : &block->others.count, 1);
}

/* ---- callers -------------------------------------------------------------------------------- */

static inline uint32_t first_place(uint64_t address, uint32_t node)
{
    return (uint32_t)((address + node) * 0x9e3779b97f4a7c15u >> 40) % PIT_FMT_CALLERS;
}

/* The entry of a caller, made if it is missing; PIT_FMT_CALLERS: no room. */
static uint32_t find_caller(struct pit__thread *t, struct pit_fmt_messages *block, uint64_t address,
                            uint32_t node)
{
    for (uint32_t i = 0, at = first_place(address, node); i < PROBES; i++, at++) {
        struct pit_fmt_caller *caller = &block->callers[at % PIT_FMT_CALLERS];
        uint64_t own = PIT_LOAD(caller->address);
        if (own == address && PIT_LOAD(caller->node) == node)
            return at % PIT_FMT_CALLERS;
        if (own)
            continue;
        PIT_STORE_ORDERED(caller->node, node);
        PIT_STORE_ORDERED(caller->address, address);
        PIT_STORE_ORDERED(t->calls.callers_made, t->calls.callers_made + 1);
        return at % PIT_FMT_CALLERS;
    }
    return PIT_FMT_CALLERS;
}

/* The caller of the innermost span, which has just begun. */
PIT__INLINE void note_caller(struct pit__thread *t, struct pit_fmt_messages *block,
                             uint64_t address, uint32_t node)
{
    uint32_t at = first_place(address, node);
    struct pit_fmt_caller *caller = &block->callers[at];
    t->calls.frame = t->top;
    if (PIT_UNLIKELY(PIT_LOAD(caller->address) != address || PIT_LOAD(caller->node) != node)) {
        at = find_caller(t, block, address, node);
        caller = &block->callers[at];
        if (at == PIT_FMT_CALLERS) {
            t->calls.caller = NULL;
            grow(&block->calls_lost, 1);
            PIT_STORE_ORDERED(block->block.a, 0);
            return;
        }
    }
    t->calls.caller = caller;
    grow(&caller->calls, 1);
    PIT_STORE_ORDERED(block->block.a, at + 1);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* What a call is besides its span, which has begun. */
PIT__INLINE void note_call(struct pit__thread *t, struct pit_fmt_messages *block, uint64_t where,
                           const void *caller, uint32_t to, uint64_t bytes)
{
    if (to != PIT_TO_NONE)
        note_message(block, to, bytes);
    if (caller)
        note_caller(t, block, (uintptr_t)caller, pit_fmt_ref_of(where));
}

/* Not begun by the common path, or the thread's first call. */
static __attribute__((noinline, cold)) pit_token
begin_rare(pit_site *site, uint32_t group, const void *caller, uint32_t to, uint64_t bytes)
{
    if (!site)
        return pit__null();
    pit_token token = group ? pit__collective_begin(site, group, bytes) : pit__begin_rare(site);
    if (!token)
        return 0;
    if (!group && bytes)
        pit__count(1, bytes);
    struct pit__thread *t = pit__tls;
    struct pit_fmt_messages *block = block_of(t);
    if (block)
        note_call(t, block, t->top->where, caller, to, bytes);
    return token;
}

/* A collective has a log of its own; this is not part of the function below because it needs more registers. */
PIT__IN_SPANS static __attribute__((noinline)) pit_token
begin_collective(pit_site *site, uint32_t group, const void *caller, uint32_t to, uint64_t bytes)
{
    struct pit__thread *t = pit__tls;
    struct pit_fmt_messages *block = t->calls.block;
    pit_token gate = PIT_LOAD(t->gate), token = 0;
    uint64_t where;
    if (PIT_LIKELY(pit__is_token(gate) && block))
        token = pit__begin_where(t, gate, PIT_LOAD(site->id), &where);
    if (PIT_UNLIKELY(!token))
        return begin_rare(site, group, caller, to, bytes);
    pit__collective_log(t, site, group, bytes);
    if (bytes)
        grow(&pit__node_at(t, where)->bytes, bytes);
    note_call(t, block, where, caller, to, bytes);
    return token;
}

/* The span begins like any other, and ends so too (pit_end_call). The frame was stored by this call, so its
 * node needs no check. All other cases are jumps: with calls inside, each of these would save registers. */
PIT__IN_SPANS pit_token pit_begin_call(pit_site *site, uint32_t group, const void *caller,
                                       uint32_t to, uint64_t bytes)
{
    struct pit__thread *t = pit__tls;
    struct pit_fmt_messages *block = t->calls.block;
    pit_token gate = PIT_LOAD(t->gate), token = 0;
    uint64_t where;
    if (PIT_UNLIKELY(!site))
        return begin_rare(site, group, caller, to, bytes);
    if (group)
        return begin_collective(site, group, caller, to, bytes);
    if (PIT_LIKELY(pit__is_token(gate) && block))
        token = pit__begin_where(t, gate, PIT_LOAD(site->id), &where);
    if (PIT_UNLIKELY(!token))
        return begin_rare(site, group, caller, to, bytes);
    if (bytes)
        grow(&pit__node_at(t, where)->bytes, bytes);
    note_call(t, block, where, caller, to, bytes);
    return token;
}

void pit_message(uint32_t to, uint64_t bytes)
{
    struct pit__thread *t = pit__tls;
    if (!pit__is_free(t) || t->top == t->file->frames)
        return;
    struct pit_fmt_node *node =
        pit__checked_at(t->recorder, pit_fmt_ref_of(t->top->where), sizeof *node);
    struct pit_fmt_messages *block = block_of(t);
    if (!node || !block)
        return;
    if (to != PIT_TO_NONE)
        note_message(block, to, bytes);
    grow(&node->bytes, bytes);
}

/* If the common path did not end the span: its time is the increase of the node's total. */
static __attribute__((noinline, cold)) void end_rare(const struct pit__thread *t, pit_token token,
                                                     struct pit_fmt_caller *caller)
{
    const struct pit_fmt_node *node =
        pit__checked_at(t->recorder, pit_fmt_ref_of(t->top->where), sizeof *node);
    uint64_t before = node ? PIT_LOAD(node->total) : 0;
    pit__end_rare(token, pit__counter_read());
    if (node)
        grow(&caller->ticks, PIT_LOAD(node->total) - before);
}

/* A collective that began by the common path needs the rare end, which stores its end in the log. */
static __attribute__((noinline, cold)) void end_without_caller(const struct pit__thread *t,
                                                               pit_token token)
{
    if (!token)
        return;
    if (token == PIT_LOAD(t->gate) && t->top->where & PIT_FMT_WHERE_GROUP)
        pit__end_rare(token, pit__counter_read());
    else
        pit__end(token);
}

PIT__IN_SPANS static __attribute__((noinline)) void
end_collective(struct pit__thread *t, pit_token token, struct pit_fmt_caller *caller)
{
    uint64_t now, duration, where = t->top->where, begin = t->top->begin;
    if (PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration))) {
        end_rare(t, token, caller);
        return;
    }
    grow(&caller->ticks, duration);
    pit__collective_end(where, begin, duration);
}

/* Pages of a run stay mapped once it is closed. All cases except the common one are jumps, as for the begin. */
PIT__IN_SPANS void pit_end_call(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now, duration;
    struct pit_fmt_caller *caller = t->calls.caller;
    const struct pit_fmt_frame *frame = t->top;
    if (PIT_UNLIKELY(!caller || t->calls.frame != frame || !PIT_LOAD(t->open))) {
        end_without_caller(t, token);
        return;
    }
    t->calls.caller = NULL;
    if (PIT_UNLIKELY(token != PIT_LOAD(t->gate))) {
        end_rare(t, token, caller);
        return;
    }
    if (frame->where & PIT_FMT_WHERE_GROUP) {
        end_collective(t, token, caller);
        return;
    }
    if (PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration))) {
        end_rare(t, token, caller);
        return;
    }
    grow(&caller->ticks, duration);
}

/* ---- names of callers ----------------------------------------------------------------------- */

struct wanted {
    struct pit_fmt_caller *callers[PIT__CODE_WANTED];
    uint64_t addresses[PIT__CODE_WANTED];
    uint32_t count;
    struct pit__code_names names;
};

static void store_text(char *to, const char *from, size_t room)
{
    size_t i = 0;
    for (; i + 1 < room && from[i]; i++)
        PIT_STORE(to[i], from[i]);
    PIT_STORE(to[i], 0);
}

/* The call is before its return address, which may belong to the next function. */
static void name_all(struct wanted *wanted)
{
    pit__code_look_up(&wanted->names, wanted->addresses, wanted->count);
    for (uint32_t i = 0; i < wanted->count; i++) {
        const struct pit__code_function *f = pit__code_known(&wanted->names, wanted->addresses[i]);
        struct pit_fmt_caller *caller = wanted->callers[i];
        if (!f)
            continue;
        uint64_t low = wanted->names.low[f - wanted->names.functions];
        PIT_STORE(caller->offset, wanted->addresses[i] + 1 - low);
        store_text(caller->function, f->name, sizeof caller->function);
        store_text(caller->file, f->file, sizeof caller->file);
        PIT_STORE_ORDERED(caller->is_named, 1);
    }
    wanted->count = 0;
}

static void name_of_thread(struct pit__thread *t, struct wanted *wanted)
{
    uint32_t made = PIT_LOAD_ACQUIRE(t->calls.callers_made);
    struct pit_fmt_messages *block = PIT_LOAD_ACQUIRE(t->calls.block);
    for (uint32_t i = 0; block && i < PIT_FMT_CALLERS; i++) {
        struct pit_fmt_caller *caller = &block->callers[i];
        uint64_t address = PIT_LOAD_ACQUIRE(caller->address);
        if (!address || PIT_LOAD(caller->is_named))
            continue;
        wanted->callers[wanted->count] = caller;
        wanted->addresses[wanted->count++] = address - 1;
        if (wanted->count == PIT__CODE_WANTED)
            name_all(wanted);
    }
    t->calls.callers_named = made;
}

/* Tables stay in the list as long as their recorder exists. */
void pit__callers_name(const pit_recorder *rec)
{
    struct wanted *wanted = NULL;
    for (struct pit__thread *t = PIT_LOAD_ACQUIRE(rec->threads); t; t = t->next_in_recorder) {
        if (PIT_LOAD(t->calls.callers_made) == t->calls.callers_named)
            continue;
        if (!wanted) {
            void *made = mmap(NULL, sizeof *wanted, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (made == MAP_FAILED)
                return;
            madvise(made, sizeof *wanted, MADV_DONTFORK);
            wanted = made;
        }
        name_of_thread(t, wanted);
    }
    if (!wanted)
        return;
    if (wanted->count)
        name_all(wanted);
    munmap(wanted, sizeof *wanted);
}
