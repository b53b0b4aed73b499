/* See node_figures.h. */
#include "node_figures.h"

#include <string.h>

/* Fill the copy that readers do not use, in words: the other one is current. */
void pit__copy_words(void *to, const void *from, size_t bytes)
{
    uint64_t *words = to;
    for (size_t i = 0; i < bytes / sizeof *words; i++) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)from + i * sizeof word, sizeof word);
        PIT_STORE(words[i], word);
    }
}

/* The block of a node, created with its first figures. */
void *pit__figures_block(struct pit__thread *t, const struct pit_fmt_node *node, uint32_t *ref,
                         enum pit_fmt_block_type type, uint64_t bytes)
{
    struct pit_fmt_block *block = pit__checked_at(t->recorder, *ref, bytes);
    if (block)
        return block;
    block = pit__block_new(t->recorder, type, t->index, bytes, 0);
    if (!block)
        return NULL;
    PIT_STORE_ORDERED(block->a, pit__ref(t->base, node));
    PIT_STORE_ORDERED(*ref, pit__ref(t->base, block));
    return block;
}

/* ---- teams of threads: here, so that preloaded libraries find it in a program with libpitwall.a ------ */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int keep_team(struct pit__thread *t, const struct pit_fmt_teams *one)
{
    struct pit_fmt_node *node = pit__node_own(t, pit__place(t));
    struct pit_fmt_teams_of *block =
        node ? pit__figures_block(t, node, &node->teams, PIT_FMT_TEAMS, sizeof *block) : NULL;
    if (!block)
        return PIT_NO_MEMORY;
    uint64_t other = ~block->block.b & 1;
    struct pit_fmt_teams sum = block->copies[1 - other];
    sum.count++;
    sum.threads += one->threads;
    sum.threads_max = larger(sum.threads_max, one->threads);
    sum.busy_ns += one->busy_ns;
    sum.slowest_ns += one->slowest_ns;
    sum.elapsed_ns += one->elapsed_ns;
    sum.wait_ns += one->threads * one->elapsed_ns - one->busy_ns;
    sum.lag_ns += one->threads * one->slowest_ns - one->busy_ns;
    pit__copy_words(&block->copies[other], &sum, sizeof sum);
    PIT_STORE_ORDERED(block->block.b, other);
    return 0;
}

int pit_add_team(uint32_t threads, uint64_t busy_ns, uint64_t slowest_ns, uint64_t elapsed_ns)
{
    struct pit_fmt_teams one = {
        .threads = threads, .busy_ns = busy_ns, .slowest_ns = slowest_ns, .elapsed_ns = elapsed_ns};
    if (threads == 0 || elapsed_ns > UINT64_MAX / threads || slowest_ns > elapsed_ns ||
        busy_ns < slowest_ns || busy_ns > threads * slowest_ns)
        return PIT_BAD_ARGUMENT;
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t || !pit__place(t))
        return PIT_NOT_OPEN;
    pit__hold(t);
    int code = keep_team(t, &one);
    pit__release(t);
    return code;
}
