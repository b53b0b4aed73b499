/* compare_items.c: items per second of a run, judged as the time per item. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hooks do not count items, but they record the batch size and the steps. The last batch may be
 * smaller. */
static double seconds_by_loader(const pit_run *run, const pit_tree *tree)
{
    const char *batch = pit_run_fact(run, "loader_batch");
    double size = batch ? strtod(batch, NULL) : 0;
    for (size_t i = 0; i < tree->node_count && size > 0; i++) {
        const pit_node *node = &tree->nodes[i];
        if (node->parent == PIT_NO_NODE && node->count > 0 && strcmp(node->name, "step") == 0)
            return node->total_ns / 1e9 / ((double)node->count * size);
    }
    return NAN;
}

/* Several nodes may count the same items (a step, and the forward pass in it): use the node with
 * the most items, and the time of its whole top-level branch, so imports are left out. */
double pit__seconds_an_item(const pit_run *run, const pit_tree *tree)
{
    const pit_node *most = NULL;
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].items > (most ? most->items : 0))
            most = &tree->nodes[i];
    if (!most)
        return seconds_by_loader(run, tree);
    const pit_node *root = most;
    while (root->parent != PIT_NO_NODE)
        root = &tree->nodes[root->parent];
    return root->total_ns / 1e9 / (double)most->items;
}

static double turned(double change)
{
    return 1 / (1 + change) - 1;
}

/* Convert seconds per item to items per second: the verdict stays, figures and bounds are
 * inverted. */
void pit__show_rate(pit_comparison *c)
{
    double low = c->low, other_low = c->other_low;
    c->a = 1 / c->a;
    c->b = 1 / c->b;
    c->change = turned(c->change);
    c->low = turned(c->high);
    c->high = turned(low);
    c->other = turned(c->other);
    c->other_low = turned(c->other_high);
    c->other_high = turned(other_low);
}
