/* samples.h: figures that other programs measured, read from their JSON files; and sides made of
 * them. */
#ifndef PIT_SAMPLES_H
#define PIT_SAMPLES_H

#include "pitwall_bench.h"

struct sample_set {
    char *name;
    int is_memory; /* bytes, else seconds */
    int is_whole;  /* of a whole run */
    int is_runs;   /* each value is a process of its own; else they are calls of one */
    int is_named;  /* by its user; the other names are ours */
    double *values;
    size_t count;
    uint64_t session; /* as in pit_figures: of a single profile; 0: they can stand for themselves */
    double *blocks;   /* block_count p10s, then as many medians; NULL: none */
    size_t block_count;
};

struct sample_file {
    struct sample_set *sets;
    size_t count;
};

/* json_runs.c: google/benchmark, hyperfine, pytest-benchmark, and the runtime profile; known by what
 * is in them. 0, or 1 with the reason in `why`. */
int sample_file_read(const char *path, struct sample_file *file, char *why, size_t room);
void sample_file_free(struct sample_file *file);

/* sample_side.c: a side of all files of it; what is returned is freed by sample_side_free. NULL
 * without memory. */
pit_side *sample_side_make(const char *name, const struct sample_file *files, size_t count);
void sample_side_free(pit_side *side);

/* The only set of times in these files that its user named; NULL: none, or several. */
struct sample_set *sample_only_set(struct sample_file *files, size_t count);

#endif
