/* Messages to other ranks and callers: the MESSAGES blocks, of all threads together. */
#include "reader.h"

#include "pitwall_ranks.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(PIT_FMT_SIZES == PIT_MESSAGE_SIZES,
               "size classes of the file are those of the model");

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b; /* a damaged run may contain any value */
}

static void add_size(pit_message_sum *to, const uint64_t *count, const uint64_t *bytes)
{
    to->count = sum(to->count, PIT_LOAD_ACQUIRE(*count));
    to->bytes = sum(to->bytes, PIT_LOAD_ACQUIRE(*bytes));
}

static void read_sizes(const struct pit_fmt_messages *block, pit_messages *to)
{
    for (uint32_t i = 0; i < PIT_FMT_SIZES; i++) {
        add_size(&to->sizes[i], &block->sizes[0][i].count, &block->sizes[0][i].bytes);
        add_size(&to->collective_sizes[i], &block->sizes[1][i].count, &block->sizes[1][i].bytes);
    }
    add_size(&to->others, &block->others.count, &block->others.bytes);
    to->calls_lost = sum(to->calls_lost, PIT_LOAD(block->calls_lost));
}

static int by_rank(const void *a, const void *b)
{
    const pit_partner *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Threads count their partners separately: merge those of the same rank. */
static size_t merge_partners(pit_partner *partners, size_t count)
{
    size_t kept = 0;
    qsort(partners, count, sizeof *partners, by_rank);
    for (size_t i = 0; i < count; i++) {
        if (kept && partners[kept - 1].rank == partners[i].rank) {
            partners[kept - 1].sent.count =
                sum(partners[kept - 1].sent.count, partners[i].sent.count);
            partners[kept - 1].sent.bytes =
                sum(partners[kept - 1].sent.bytes, partners[i].sent.bytes);
        } else {
            partners[kept++] = partners[i];
        }
    }
    return kept;
}

/* An entry whose first message is just being counted is skipped. */
static size_t read_partners(const struct pit_fmt_messages *block, pit_partner *to)
{
    size_t count = 0;
    for (uint32_t i = 0; i < PIT_FMT_PARTNERS; i++) {
        uint64_t rank_1 = PIT_LOAD_ACQUIRE(block->partners[i].rank_1);
        pit_partner *partner = &to[count];
        if (!rank_1)
            continue;
        *partner = (pit_partner){.rank = rank_1 - 1};
        add_size(&partner->sent, &block->partners[i].count, &block->partners[i].bytes);
        count += partner->sent.count > 0;
    }
    return count;
}

static const char *copy_text(struct pit__arena *arena, const char *from, size_t room)
{
    char text[96];
    size_t length = 0;
    while (length < room && length < sizeof text && (text[length] = PIT_LOAD(from[length])))
        length++;
    return pit__arena_text(arena, text, length);
}

/* Returns 1 if the caller has calls and its node exists. */
static int read_caller(struct pit__arena *arena, const struct pit_fmt_caller *from,
                       const struct pit__node_index *index, const pit_run *run, pit_caller *to)
{
    uint64_t address = PIT_LOAD_ACQUIRE(from->address), node = 0;
    size_t thread = address ? pit__index_find(index, PIT_LOAD(from->node), &node) : SIZE_MAX;
    double ns = (double)PIT_LOAD(from->ticks) * run->ns_per_tick;
    if (thread >= run->thread_count || node >= run->threads[thread].node_count)
        return 0;
    int is_named = PIT_LOAD_ACQUIRE(from->is_named) == 1;
    *to = (pit_caller){.thread = (uint32_t)thread,
                       .node = (uint32_t)node,
                       .address = address,
                       .calls = PIT_LOAD_ACQUIRE(from->calls),
                       .total_ns = ns < 1.8e19 ? (uint64_t)ns : UINT64_MAX,
                       .offset = is_named ? PIT_LOAD(from->offset) : 0};
    if (to->calls && is_named) {
        to->function = copy_text(arena, from->function, sizeof from->function);
        to->file = copy_text(arena, from->file, sizeof from->file);
    }
    return to->calls > 0;
}

/* Order: thread, node, most calls first. */
static int by_node(const void *a, const void *b)
{
    const pit_caller *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return (x->address > y->address) - (x->address < y->address);
}

static int holds(const struct pit__block *block)
{
    return block->type == PIT_FMT_MESSAGES && block->used > 0;
}

void pit__messages_read(const struct pit__image *image, struct pit__arena *arena,
                        const struct pit__node_index *index, pit_run *run)
{
    size_t blocks = 0;
    run->messages = NULL;
    for (size_t i = 0; i < image->block_count; i++)
        blocks += holds(&image->blocks[i]) != 0;
    if (!blocks)
        return;
    pit_messages *to = pit__arena_array(arena, 1, sizeof *to);
    pit_partner *partners = pit__arena_array(arena, blocks * PIT_FMT_PARTNERS, sizeof *partners);
    pit_caller *callers = pit__arena_array(arena, blocks * PIT_FMT_CALLERS, sizeof *callers);
    if (!to || !partners || !callers)
        return;
    *to = (pit_messages){.partners = partners, .callers = callers};
    for (size_t i = 0; i < image->block_count; i++) {
        const struct pit_fmt_messages *block =
            (const void *)(image->base + image->blocks[i].offset);
        if (!holds(&image->blocks[i]))
            continue;
        read_sizes(block, to);
        to->partner_count += read_partners(block, partners + to->partner_count);
        for (uint32_t k = 0; k < PIT_FMT_CALLERS; k++)
            to->caller_count += (size_t)read_caller(arena, &block->callers[k], index, run,
                                                    &callers[to->caller_count]);
    }
    to->partner_count = merge_partners(partners, to->partner_count);
    qsort(callers, to->caller_count, sizeof *callers, by_node);
    run->messages = to;
}
