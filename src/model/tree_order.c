/* tree_order.c: puts the merged nodes in their final order, depth first, siblings by total; and copies
 * names and paths. */
#include "tree_builder.h"

#include "report/span_path.h"

#include <stdlib.h>
#include <string.h>

/* A longer path is shortened to "…/name": with long names in a deep tree, paths would be far larger than
 * the run. */
#define PATH_BYTES_MAX 8192
#define PATH_CUT "\xe2\x80\xa6"

struct sortable {
    const struct pit__merged *merged;
    uint32_t index;
};

/* By parent, then total, then name, so that the result does not depend on the order of threads. */
static int by_parent_and_total(const void *a, const void *b)
{
    const pit_node *x = &((const struct sortable *)a)->merged->node;
    const pit_node *y = &((const struct sortable *)b)->merged->node;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->detached - y->detached;
}

/* Link siblings in their order; returns the first top-level node, or PIT_NO_NODE. */
static uint32_t link_siblings(struct pit__builder *b, struct sortable *sorted)
{
    uint32_t first_top = PIT_NO_NODE;
    for (size_t i = 0; i < b->count; i++) {
        sorted[i] = (struct sortable){&b->nodes[i], (uint32_t)i};
        b->nodes[i].first_child = PIT_NO_NODE;
    }
    qsort(sorted, b->count, sizeof *sorted, by_parent_and_total);
    uint32_t next = PIT_NO_NODE;
    for (size_t i = b->count; i-- > 0;) {
        struct pit__merged *m = &b->nodes[sorted[i].index];
        int last = i + 1 == b->count || sorted[i + 1].merged->node.parent != m->node.parent;
        m->next_sibling = last ? PIT_NO_NODE : next;
        next = sorted[i].index;
        if (m->node.parent == PIT_NO_NODE)
            first_top = next;
        else
            b->nodes[m->node.parent].first_child = next;
    }
    return first_top;
}

/* Depth first, without recursion: a damaged run may be nested very deep. */
static void walk(struct pit__builder *b, uint32_t at)
{
    uint32_t place = 0;
    while (at != PIT_NO_NODE) {
        b->order[place] = at;
        b->nodes[at].place = place++;
        if (b->nodes[at].first_child != PIT_NO_NODE) {
            at = b->nodes[at].first_child;
            continue;
        }
        while (at != PIT_NO_NODE && b->nodes[at].next_sibling == PIT_NO_NODE)
            at = b->nodes[at].node.parent;
        if (at != PIT_NO_NODE)
            at = b->nodes[at].next_sibling;
    }
}

int pit__tree_lay_out(struct pit__builder *b, struct pit__tree_box *box)
{
    struct sortable *sorted = calloc(b->count + 1, sizeof *sorted);
    b->order = calloc(b->count + 1, sizeof *b->order);
    box->nodes = calloc(b->count + 1, sizeof *box->nodes);
    if (!sorted || !b->order || !box->nodes) {
        free(sorted);
        return 0;
    }
    walk(b, link_siblings(b, sorted));
    free(sorted);
    for (size_t i = 0; i < b->count; i++) {
        const struct pit__merged *m = &b->nodes[b->order[i]];
        box->nodes[i] = m->node;
        box->nodes[i].seen = b->order[i]; /* merged nodes are in the order of their creation */
        if (m->node.parent != PIT_NO_NODE)
            box->nodes[i].parent = b->nodes[m->node.parent].place;
    }
    for (size_t i = 0; i < box->raw_count; i++)
        box->map[i] = b->nodes[box->map[i]].place;
    return 1;
}

/* Length of a node's path, given its parent's (0: none); *cut: its beginning is cut off. */
static size_t path_bytes(size_t parent_bytes, size_t name_bytes, int *cut)
{
    *cut = parent_bytes > 0 && parent_bytes + 1 + name_bytes > PATH_BYTES_MAX;
    if (*cut)
        return sizeof PATH_CUT - 1 + 1 + name_bytes;
    return parent_bytes > 0 ? parent_bytes + 1 + name_bytes : name_bytes;
}

/* Copy names and paths: the runs may be freed before the tree. */
int pit__tree_copy_texts(struct pit__tree_box *box, size_t count)
{
    size_t *lengths = calloc(count + 1, sizeof *lengths);
    size_t total = 1, names_total = 1;
    int cut;
    if (!lengths)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const pit_node *node = &box->nodes[i];
        size_t above = node->parent == PIT_NO_NODE ? 0 : lengths[node->parent];
        lengths[i] = path_bytes(above, pit__path_name_bytes(node->name), &cut);
        total += lengths[i] + 1;
        names_total += strlen(node->name) + 1;
    }
    char *to = box->paths = malloc(total), *name_to = box->names = malloc(names_total);
    for (size_t i = 0; to && name_to && i < count; i++) {
        pit_node *node = &box->nodes[i];
        size_t name_bytes = strlen(node->name);
        size_t above = node->parent == PIT_NO_NODE ? 0 : lengths[node->parent];
        path_bytes(above, pit__path_name_bytes(node->name), &cut);
        const char *lead = cut ? PATH_CUT : above > 0 ? box->nodes[node->parent].path : "";
        size_t lead_bytes = strlen(lead);
        node->path = to;
        memcpy(to, lead, lead_bytes);
        to += lead_bytes;
        if (lead_bytes > 0)
            *to++ = '/';
        to = pit__path_put_name(to, node->name);
        *to++ = 0;
        memcpy(name_to, node->name, name_bytes + 1);
        node->name = name_to;
        name_to += name_bytes + 1;
    }
    free(lengths);
    return box->paths && box->names;
}
