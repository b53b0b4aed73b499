/* tree_stream.h: builds a tree from runs that are read one after another, each freed before the next: memory
 * grows with the number of nodes, not of runs. */
#ifndef PIT_TREE_STREAM_H
#define PIT_TREE_STREAM_H

#include "base/arena.h"
#include "tree_builder.h"

struct pit__stream_bins { /* of one node, ascending by bucket */
    struct pit__stream_bin {
        uint32_t bucket;
        uint64_t count;
    } * bins;
    size_t count, room;
};

struct pit__tree_stream {
    struct pit__builder b;
    struct pit__arena names; /* names, which outlive the runs */
    struct pit__stream_bins *bins;
    size_t bins_room;
    uint32_t *map; /* the merged node of every raw node of the newest run, by thread */
    size_t map_room;
    pit_losses losses;
    double wall_ns, cost_ns;
    uint64_t spans;
    int has_bins; /* keep durations; otherwise only nodes */
};

/* Returns 0 or PIT_NO_MEMORY. */
int pit__stream_add(struct pit__tree_stream *stream, const pit_run *run);
/* The tree of all runs that were added, freed by pit_tree_free; NULL if memory is exhausted. Quantiles are
 * within 2.2 %. Call it once, then only pit__stream_free. */
pit_tree *pit__stream_tree(struct pit__tree_stream *stream);
void pit__stream_free(struct pit__tree_stream *stream);

#endif
