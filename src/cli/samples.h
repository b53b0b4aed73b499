/* samples.h: figures that other programs measured, read from their JSON files; and sides made of
 * them. */
#ifndef PIT_SAMPLES_H
#define PIT_SAMPLES_H

#include "pitwall_bench.h"

struct sample_set {
    char *name;
    int is_memory; /* bytes, else seconds */
    int is_whole;  /* of a whole run */
    int is_runs;   /* each value is a separate process; else they are calls of one */
    int is_named;  /* named by its user; the other names are ours */
    double *values;
    size_t count;
    /* as in pit_figures: blocks of a single profile; 0: comparable by themselves */
    uint64_t session;
    double *blocks; /* block_count p10s, then as many medians; NULL: none */
    size_t block_count;
};

struct sample_file {
    struct sample_set *sets;
    size_t count;
};

/* json_runs.c: reads files of google/benchmark, hyperfine, pytest-benchmark, and runtime profiles,
 * recognised by their content. Returns 0, or 1 with the reason in `why`. */
int sample_file_read(const char *path, struct sample_file *file, char *why, size_t room);
void sample_file_free(struct sample_file *file);

/* sample_side.c: makes one side from all its files; free it with sample_side_free. Returns NULL if memory
 * is exhausted. */
pit_side *sample_side_make(const char *name, const struct sample_file *files, size_t count);
void sample_side_free(pit_side *side);

/* The only set of times in these files that has a user's name; NULL: none, or several. */
struct sample_set *sample_only_set(struct sample_file *files, size_t count);

#endif
