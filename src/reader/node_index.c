/* Maps the ref of a node to its place in the model, by the NODES blocks of threads that have a table. */
#include "reader.h"

struct pit__node_index pit__node_index(const struct pit__image *image, struct pit__arena *arena,
                                       const size_t *thread_of)
{
    struct pit__node_index index = {.thread_of = thread_of};
    uint64_t *nodes = pit__arena_array(arena, image->block_count, sizeof *nodes);
    index.blocks = pit__arena_array(arena, image->block_count, sizeof *index.blocks);
    for (size_t i = 0; nodes && index.blocks && thread_of && i < image->block_count; i++) {
        const struct pit__block *block = &image->blocks[i];
        size_t thread = block->type == PIT_FMT_NODES ? thread_of[i] : SIZE_MAX;
        if (thread == SIZE_MAX)
            continue;
        index.blocks[index.count++] =
            (struct pit__node_block){block->offset, block->used, thread, nodes[thread]};
        nodes[thread] += block->used;
    }
    return index;
}

size_t pit__index_find(const struct pit__node_index *index, uint64_t ref, uint64_t *node)
{
    uint64_t offset = ref << PIT_FMT_REF_SHIFT;
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->blocks[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return SIZE_MAX;
    const struct pit__node_block *block = &index->blocks[low - 1];
    uint64_t at = offset - block->offset - sizeof(struct pit_fmt_block);
    *node = at / sizeof(struct pit_fmt_node);
    if (at % sizeof(struct pit_fmt_node) != 0 || *node >= block->used)
        return SIZE_MAX;
    *node += block->first;
    return block->thread;
}
