/* run_files.h: the run files in the folders of some runs, and in those that links there lead to. */
#ifndef PIT_RUN_FILES_H
#define PIT_RUN_FILES_H

#include "jobs.h"

#define PIT__ID_BYTES 16

struct pit__run_file {
    char *path;
    unsigned char id[PIT__ID_BYTES], parent[PIT__ID_BYTES];
    uint64_t started;           /* since 1970 */
    struct pit__rank_head head; /* which rank it is */
    int is_taken;               /* set by sub_runs.c: it is a sub-run of one of the runs */
};

struct pit__run_files {         /* all zero: none */
    struct pit__run_file *list; /* by id, each id once */
    size_t count, room;
    struct pit__run_folder *folders; /* that were searched */
    size_t folder_count, folder_room;
    struct pit__arena arena; /* of the heads' texts */
};

/* Returns 0 or a code. Free it in either case. */
int pit__run_files_find(struct pit__run_files *found, pit_run *const *runs, size_t count);
void pit__run_files_free(struct pit__run_files *found);
/* NULL: there is none with this id. */
struct pit__run_file *pit__run_file_of(const struct pit__run_files *found, const unsigned char *id);
/* Is it a rank whose parent run is only that of its launcher? */
int pit__is_own_rank(const struct pit__run_files *found, const struct pit__rank_head *head);

/* parent_end.c. Of a run that ended without a close: did its parent, one of the files, end it? */
void pit__judge_by_files(pit_run *run, const struct pit__run_files *files);

#endif
