/* run_tree.c: the call trees of threads and runs, merged into one in nanoseconds: the public calls.
 *
 * pit_tree_build visits the runs' nodes twice: tree_merge.c adds up figures, then histograms; tree_order.c
 * puts the result in order, with the memory figures of tree_memory.c and the places of tree_places.c. */
#include "tree_builder.h"

#include "analysis/quantile.h"
#include "reader/losses.h"
#include "unmarked.h"

#include <math.h>
#include <stdlib.h>

uint64_t pit__run_spans(const pit_run *run)
{
    uint64_t spans = 0;
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            spans += run->threads[t].nodes[i].count;
    return spans;
}

static int build(struct pit__builder *b, struct pit__tree_box *box, const pit_run *const *runs,
                 size_t count)
{
    size_t raw_nodes = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            raw_nodes += runs[r]->threads[t].node_count;
    uint32_t *map = b->map = calloc(raw_nodes + 1, sizeof *b->map);
    for (size_t r = 0; r < count; r++)
        if (!map || !pit__tree_add_run(b, runs[r], &map))
            return 0;

    b->bins = box->bins = calloc(pit__tree_place_bins(b) + 1, sizeof *b->bins);
    if (!b->bins)
        return 0;
    const uint32_t *again = b->map;
    for (size_t r = 0; r < count; r++)
        pit__tree_copy_bins(b, runs[r], r + 1, &again);
    pit__tree_finish_nodes(b);
    pit__tree_fold_open(b);
    box->map = b->map; /* from here on the box frees it */
    box->raw_count = raw_nodes;
    return pit__tree_lay_out(b, box) && pit__tree_keep_memory(b, box) &&
           pit__tree_add_devices(box->nodes, b->count) && pit__tree_copy_texts(box, b->count) &&
           pit__tree_keep_places(box, runs, count) &&
           pit__tree_keep_energy(box, b->count, runs, count);
}

void pit__tree_sum_up(struct pit__tree_box *box, size_t node_count)
{
    pit_tree *tree = &box->tree;
    tree->nodes = box->nodes;
    tree->node_count = node_count;
    for (size_t i = 0; i < node_count; i++)
        if (box->nodes[i].parent == PIT_NO_NODE && !box->nodes[i].detached) {
            tree->total_ns += box->nodes[i].total_ns;
            tree->finished_ns += box->nodes[i].finished_ns;
        }
    for (size_t i = 0; i < node_count; i++) {
        pit_node *node = &box->nodes[i];
        int has_share = !node->detached && tree->total_ns > 0;
        node->share = has_share ? node->total_ns / tree->total_ns : NAN;
        node->self_share = has_share ? node->self_ns / tree->total_ns : NAN;
    }
}

static void sum_up(struct pit__tree_box *box, size_t node_count, const pit_run *const *runs,
                   size_t run_count)
{
    pit_tree *tree = &box->tree;
    pit__tree_sum_up(box, node_count);
    for (size_t r = 0; r < run_count; r++) {
        uint64_t spans = pit__run_spans(runs[r]);
        tree->spans += spans;
        tree->cost_ns += (double)spans * runs[r]->span_cost_ns;
        if (runs[r]->duration_ns > tree->wall_ns)
            tree->wall_ns = runs[r]->duration_ns;
        pit__losses_add(&tree->losses, &runs[r]->losses);
    }
    pit__unmarked_find(tree, runs, run_count);
}

PIT_API pit_tree *pit_tree_build(const pit_run *const *runs, size_t run_count)
{
    struct pit__builder b = {0};
    struct pit__tree_box *box = calloc(1, sizeof *box);
    int good = box && build(&b, box, runs, run_count);
    if (good)
        sum_up(box, b.count, runs, run_count);
    pit__tree_drop_memory(&b);
    free(b.nodes);
    free(b.slots);
    if (!box || box->map != b.map)
        free(b.map);
    free(b.order);
    if (!good && box) {
        pit_tree_free(&box->tree);
        return NULL;
    }
    return box ? &box->tree : NULL;
}

PIT_API void pit_tree_free(pit_tree *tree)
{
    struct pit__tree_box *box = (struct pit__tree_box *)(void *)tree; /* its first member */
    if (!box)
        return;
    free(box->nodes);
    free(box->bins);
    free(box->paths);
    free(box->names);
    free(box->sums);
    free(box->map);
    free(box->energies);
    free(box->places);
    free(box->place_texts);
    free(box);
}

PIT_API double pit_node_quantile(const pit_node *node, double q)
{
    if (node->bin_count == 0)
        return NAN;
    struct pit__bins bins = {&node->bins->low_ns, &node->bins->high_ns, &node->bins->count,
                             sizeof *node->bins, node->bin_count};
    return pit__quantile(&bins, node->min_ns, node->max_ns, q);
}
