/* side_list.h: the sides of a comparison, as they are named on a command line. */
#ifndef PIT_SIDE_LIST_H
#define PIT_SIDE_LIST_H

#include "pitwall_bench.h"
#include "samples.h"

struct side_input {
    char *name;
    pit_run **runs;
    size_t run_count;
    struct sample_file *files; /* or JSON files */
    size_t file_count;
    pit_side *side;
};

struct side_list {
    struct side_input *inputs;
    size_t count;
    int interleaved; /* all are runs, made in turn */
};

/* Each word is a side: a run, a folder of runs (or else of JSON files), a JSON file, or several of them
 * with commas between; with the word `vs` among them, a side is all words up to it. A single JSON file with
 * several commands: each command is a side. Returns 0, or an exit status after the message. */
int side_list_make(struct side_list *list, char *const *words, int count);
void side_list_free(struct side_list *list);

#endif
