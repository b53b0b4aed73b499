/* See node_figures.h. */
#include "node_figures.h"

#include <string.h>

/* A copy that readers do not look at, in words: the other one is in force. */
void pit__copy_words(void *to, const void *from, size_t bytes)
{
    uint64_t *words = to;
    for (size_t i = 0; i < bytes / sizeof *words; i++) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)from + i * sizeof word, sizeof word);
        PIT_STORE(words[i], word);
    }
}

/* The block of a node, made at its first figures. */
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
