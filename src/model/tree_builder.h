/* tree_builder.h: what the three steps of building a tree share: merging (tree_merge.c), laying out
 * (tree_order.c), and the public calls (run_tree.c). */
#ifndef PIT_TREE_BUILDER_H
#define PIT_TREE_BUILDER_H

#include "analysis/moments.h"
#include "pitwall_report.h"

struct pit__memory_sum { /* figures of several threads and runs; counts of 0: none */
    pit_memory memory;
    pit_alloc alloc;
    pit_teams teams;
    double memory_at, alloc_at; /* when the thread ended whose last figures these are */
};

struct pit__merged {
    pit_node node; /* name, parent and figures; parent by the order of their making */
    double child_ns;
    struct pit__spread spread;    /* of the runs before this one */
    uint64_t count, total, child; /* of this run, in ticks */
    struct pit__squares squares;
    struct pit__memory_sum *sum; /* NULL while there are no such figures */
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
    struct pit__memory_sum *sums; /* one for each node that has one */
    uint32_t *map; /* the tree's node of every raw node, runs and threads one after another */
    size_t raw_count;
    pit_energy *energies; /* one for each node that has one */
    pit_tree_place *places;
    char *place_texts;
};

/* tree_merge.c: of a node by its parent's index, kind and name. */
uint64_t pit__path_hash(uint32_t parent, int detached, const char *name);

/* *map points at the part of builder.map that is the run's and is moved past it. */
int pit__tree_add_run(struct pit__builder *b, const pit_run *run,
                      uint32_t **map); /* 0: no memory */

/* Give each node its stretch of the array of bins; how long the array is. */
size_t pit__tree_place_bins(struct pit__builder *b);

/* Copy the bins of run `number`, counted from 1. */
void pit__tree_copy_bins(struct pit__builder *b, const pit_run *run, size_t number,
                         const uint32_t **map);

/* After all bins are there: what is computed from a node's sums. */
void pit__tree_finish_nodes(struct pit__builder *b);

/* tree_open.c: count open spans with the time they have taken so far. */
void pit__tree_fold_open(struct pit__builder *b);

/* tree_memory.c: add a node's figures, of a thread that ended at `at`, to those of others. */
void pit__memory_join(struct pit__memory_sum *sum, const pit_memory *memory, double at);
void pit__alloc_join(struct pit__memory_sum *sum, const pit_alloc *alloc, double at);
void pit__teams_join(struct pit__memory_sum *sum, const pit_teams *teams);

/* The same for a merged node; 0: no memory. */
int pit__tree_add_memory(struct pit__merged *to, const pit_raw_node *raw, double at);

/* When a thread's figures were its last, as far as can be told: its newest event, or the run's
 * end. In nanoseconds since 1970. */
double pit__thread_end(const pit_run *run, const pit_thread *thread);

/* After the layout: the sums become the tree's own. 0: no memory. */
int pit__tree_keep_memory(struct pit__builder *b, struct pit__tree_box *box);
void pit__tree_drop_memory(struct pit__builder *b);

/* tree_order.c: the nodes of the finished tree, then their names and paths. 0: no memory. */
int pit__tree_lay_out(struct pit__builder *b, struct pit__tree_box *box);
int pit__tree_copy_texts(struct pit__tree_box *box, size_t count);

/* tree_energy.c: likewise. 0: no memory. */
int pit__tree_keep_energy(struct pit__tree_box *box, size_t node_count, const pit_run *const *runs,
                          size_t run_count);

/* tree_places.c: after the layout, with the map of raw nodes. 0: no memory. */
int pit__tree_keep_places(struct pit__tree_box *box, const pit_run *const *runs, size_t run_count);

/* tree_device.c: after the layout: what devices did for each node. 0: no memory. */
int pit__tree_add_devices(pit_node *nodes, size_t count);

/* run_tree.c: the tree's nodes, their sums and shares, after the layout. */
void pit__tree_sum_up(struct pit__tree_box *box, size_t node_count);

/* Finished spans of all threads. */
uint64_t pit__run_spans(const pit_run *run);

#endif
