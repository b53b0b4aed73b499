/* tree_builder.h: what the three steps of building a tree share: merging (tree_merge.c), laying out
 * (tree_order.c), and the public calls (run_tree.c). */
#ifndef PIT_TREE_BUILDER_H
#define PIT_TREE_BUILDER_H

#include "analysis/moments.h"
#include "pitwall_report.h"

struct pit__merged {
    pit_node node; /* name, parent and figures; parent by the order of their making */
    double child_ns;
    struct pit__spread spread;    /* of the runs before this one */
    uint64_t count, total, child; /* of this run, in ticks */
    struct pit__squares squares;
    size_t bin_start, bin_fill;
    size_t run_start, run; /* the bins that run number `run` (from 1) gave so far, sorted */
    size_t run_count;      /* runs that gave bins */
    uint32_t first_child, next_sibling, place; /* place: index in the finished tree */
};

struct pit__builder {
    struct pit__merged *nodes;
    size_t count, room;
    uint32_t *slots;   /* hash table: index + 1, 0 for free */
    size_t slot_count; /* a power of two */
    uint32_t *map;     /* merged index of every raw node, runs and threads one after another */
    uint32_t *order;   /* finished tree: which merged node is where */
    pit_bin *bins;
};

struct pit__tree_box { /* what a pit_tree is part of */
    pit_tree tree;
    pit_node *nodes;
    pit_bin *bins;
    char *paths;
    char *names;
};

/* tree_merge.c. *map points at the part of builder.map that is the run's and is moved past it. */
int pit__tree_add_run(struct pit__builder *b, const pit_run *run,
                      uint32_t **map); /* 0: no memory */

/* Give each node its stretch of the array of bins; how long the array is. */
size_t pit__tree_place_bins(struct pit__builder *b);

/* Copy the bins of run `number`, counted from 1. */
void pit__tree_copy_bins(struct pit__builder *b, const pit_run *run, size_t number,
                         const uint32_t **map);

/* After all bins are there: what is computed from a node's sums. */
void pit__tree_finish_nodes(struct pit__builder *b);

/* tree_order.c: the nodes of the finished tree, then their names and paths. 0: no memory. */
int pit__tree_lay_out(struct pit__builder *b, struct pit__tree_box *box);
int pit__tree_copy_texts(struct pit__tree_box *box, size_t count);

#endif
