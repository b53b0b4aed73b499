/* tree_open.c: adds the time that open spans have taken so far, so that a run that died inside its
 * outermost span is not empty. Only this file does so: readers of a tree find it in total_ns and
 * self_ns. */
#include "tree_builder.h"

/* A node's own time is computed from its children, because an open span's child time is not in its node
 * yet. Children come after their parents. */
void pit__tree_fold_open(struct pit__builder *b)
{
    for (size_t i = 0; i < b->count; i++)
        /* from here on: time of the merged children, open spans included */
        b->nodes[i].child_ns = 0;
    for (size_t i = b->count; i-- > 0;) {
        struct pit__merged *m = &b->nodes[i];
        pit_node *node = &m->node;
        node->total_ns = node->finished_ns + node->open_ns;
        if (node->open > 0)
            node->self_ns = node->total_ns > m->child_ns ? node->total_ns - m->child_ns : 0;
        if (!node->detached && node->parent != PIT_NO_NODE)
            b->nodes[node->parent].child_ns += node->total_ns;
    }
}
