/* tree_builder.h: shared by the three steps of building a tree: merging (tree_merge.c), ordering
 * (tree_order.c), and the public calls (run_tree.c). */
#ifndef PIT_TREE_BUILDER_H
#define PIT_TREE_BUILDER_H

#include "analysis/moments.h"
#include "pitwall_report.h"

struct pit__memory_sum { /* figures of several threads and runs; counts of 0: none */
    pit_memory memory;
    pit_alloc alloc;
    pit_teams teams;
    double memory_at, alloc_at; /* when the thread of the _last figures ended */
};

struct pit__merged {
    pit_node node; /* name, parent and figures; parents by creation order */
    double child_ns;
    struct pit__spread spread;    /* of the previous runs */
    uint64_t count, total, child; /* of this run, in ticks */
    struct pit__squares squares;
    struct pit__memory_sum *sum; /* NULL if there are no such figures */
    size_t bin_start, bin_fill;
    size_t run_start, run; /* the bins from run number `run` (from 1) so far, sorted */
    size_t run_count;      /* runs that have bins */
    uint32_t first_child, next_sibling, place; /* place: index in the finished tree */
};

struct pit__builder {
    struct pit__merged *nodes;
    size_t count, room;
    uint32_t *slots;   /* hash table: index + 1, 0 for free */
    size_t slot_count; /* a power of two */
    uint32_t *map;     /* merged index of every raw node, runs and threads one after another */
    uint32_t *order;   /* index of the merged node for each node of the finished tree */
    pit_bin *bins;
};

struct pit__tree_box { /* a pit_tree and the memory behind it */
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

/* tree_merge.c: the hash of a node by its parent's index, kind and name. */
uint64_t pit__path_hash(uint32_t parent, int detached, const char *name);

/* *map points to the run's part of builder.map and is moved past it. */
int pit__tree_add_run(struct pit__builder *b, const pit_run *run,
                      uint32_t **map); /* 0: no memory */

/* Assign each node its part of the array of bins; returns the length of the array. */
size_t pit__tree_place_bins(struct pit__builder *b);

/* Copy the bins of run `number`, counted from 1. */
void pit__tree_copy_bins(struct pit__builder *b, const pit_run *run, size_t number,
                         const uint32_t **map);

/* After all bins are copied: compute figures from a node's sums. */
void pit__tree_finish_nodes(struct pit__builder *b);

/* tree_open.c: add the time of open spans so far. */
void pit__tree_fold_open(struct pit__builder *b);

/* tree_memory.c: add the figures of a thread that ended at `at` to the sum of a node. */
void pit__memory_join(struct pit__memory_sum *sum, const pit_memory *memory, double at);
void pit__alloc_join(struct pit__memory_sum *sum, const pit_alloc *alloc, double at);
void pit__teams_join(struct pit__memory_sum *sum, const pit_teams *teams);

/* The same for a merged node; 0: no memory. */
int pit__tree_add_memory(struct pit__merged *to, const pit_raw_node *raw, double at);

/* When a thread's figures were last updated, if known: its newest event, else the run's end. In nanoseconds
 * since 1970. */
double pit__thread_end(const pit_run *run, const pit_thread *thread);

/* After ordering: move the sums into the tree. Returns 0 if memory is exhausted. */
int pit__tree_keep_memory(struct pit__builder *b, struct pit__tree_box *box);
void pit__tree_drop_memory(struct pit__builder *b);

/* tree_order.c: the nodes of the finished tree, then their names and paths. Returns 0 if memory is
 * exhausted. */
int pit__tree_lay_out(struct pit__builder *b, struct pit__tree_box *box);
int pit__tree_copy_texts(struct pit__tree_box *box, size_t count);

/* tree_energy.c: the same for energy. */
int pit__tree_keep_energy(struct pit__tree_box *box, size_t node_count, const pit_run *const *runs,
                          size_t run_count);

/* tree_places.c: the same for places, with the map of raw nodes. */
int pit__tree_keep_places(struct pit__tree_box *box, const pit_run *const *runs, size_t run_count);

/* tree_device.c: device work of each node, after ordering. Returns 0 if memory is exhausted. */
int pit__tree_add_devices(pit_node *nodes, size_t count);

/* run_tree.c: sums and shares of the tree's nodes, after ordering. */
void pit__tree_sum_up(struct pit__tree_box *box, size_t node_count);

/* Finished spans of all threads. */
uint64_t pit__run_spans(const pit_run *run);

#endif
