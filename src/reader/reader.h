/* reader.h: internals of the reader.
 *
 *   run_open.c     opens a path, a recorder or bytes as a source of pages
 *   live_map.c     pages of a live run, whose file may be truncated meanwhile
 *   recover.c      live pages in shared memory: find them, recover those of a dead run
 *   sub_runs.c     the sub-runs of a run, in its folder
 *   rank_head.c    which rank of which job a run is; jobs.c: files sorted into jobs
 *   block_walk.c   the header and the list of blocks, every size and offset checked
 *   node_read.c    one node: statistics, histogram, series, by the rules of docs/run-format.md
 *   memory_read.c  memory and allocation figures of a node; records
 *   thread_read.c  one thread: nodes, stack, ring, values
 *   sample_read.c  the sampler's readings
 *   journal_read.c the journal
 *   node_index.c   which node of the model a ref is
 *   place_read.c   where in the code the main thread was
 *   group_read.c   groups of ranks and their collectives
 *   ended_read.c   how its process ended
 *   run_parse.c    puts the plain model together
 *   run_watch.c    reads a live run repeatedly
 *
 * Pages may belong to a live run or be malicious: a value is read once into a copy, and the copy is checked
 * and used. */
#ifndef PIT_READER_H
#define PIT_READER_H

#include "base/arena.h"
#include "format/ordered.h"
#include "format/run_format.h"
#include "pitwall_report.h"

#include <stdarg.h>

/* Fill *error (may be NULL) and return code. */
int pit__fail(pit_error *error, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A copy of a block's header, taken when the walk reached it. */
struct pit__block {
    uint64_t offset, bytes, used, a, b, c;
    uint32_t type, thread;
};

struct pit__image {
    const unsigned char *base; /* aligned to 8 at least */
    uint64_t bytes;            /* bytes that may be read */
    int alive;
    int is_mapped;                /* from a file: released pages are read again on access */
    uint32_t wanted;              /* a bit for each type of block to read; 0: all */
    struct pit_fmt_header header; /* a copy */
    struct pit__block *blocks;    /* ascending by offset; malloc'ed */
    size_t block_count, block_room;
    uint64_t skipped;    /* blocks of unknown kinds */
    uint64_t end;        /* end of the last valid block */
    uint64_t damaged_at; /* where the walk met damage, 0 if it did not */
};

/* Where the pages come from. `read` is called before the bytes of a block are used, so that a source can
 * load them; source NULL: all bytes are in memory. Returns 0 or a code. */
struct pit__source {
    int (*read)(struct pit__source *source, uint64_t offset, uint64_t bytes);
};

/* Releases the pages of a large image that were already read; called after this many bytes or nodes. */
#define PIT__LET_GO_BYTES ((uint64_t)8 << 20)
#define PIT__LET_GO_NODES 1024u
void pit__let_go(const struct pit__image *image);
/* After a block was read; *read: bytes since the last release, 0 at the begin. */
void pit__let_go_after(const struct pit__image *image, const struct pit__block *block,
                       uint64_t *read);

#define PIT__LONGEST_NS 1000000000000000000u /* thirty years: no run is longer */

/* Check the header and list the blocks. Returns 0, or a code with *error set. */
int pit__walk(struct pit__image *image, struct pit__source *source, pit_error *error);
/* Can a machine have this clock? That of a live run is not judged: the sampler may be storing a pair. */
int pit__clock_is_sound(const struct pit_fmt_header *header);
/* Walk an image in memory again: reread the header and add new blocks. image->bytes is the number of bytes
 * that may be read now. */
int pit__walk_on(struct pit__image *image, pit_error *error);
/* The block of a type that starts at offset, or NULL. */
const struct pit__block *pit__block_at(const struct pit__image *image, uint64_t offset,
                                       uint32_t type);
/* The last block of a type that starts at or before offset and reaches past it, or NULL. */
const struct pit__block *pit__block_around(const struct pit__image *image, uint64_t offset,
                                           uint32_t type);
/* A name by its file offset, copied; never NULL unless memory fails. */
const char *pit__name_at(const struct pit__image *image, struct pit__arena *arena, uint64_t offset);

/* The pending sample of a thread, as one copy. */
struct pit__pending {
    uint64_t begin, duration, where;
    uint64_t count, total, child, sq_lo, sq_hi;
    uint64_t frame_child; /* child time of the frame it came from */
    int applied;          /* it is in its node's statistics */
};

/* Read a node's statistics into `out` by the rules of docs/run-format.md. */
void pit__node_stats(const struct pit_fmt_node *node, const struct pit_fmt_thread *thread,
                     uint64_t ref, pit_raw_node *out);
/* Read its histogram, with the pending sample added if it is missing. */
void pit__node_hist(const struct pit__image *image, struct pit__arena *arena,
                    const struct pit_fmt_node *node, uint64_t ref,
                    const struct pit__block *const *octaves, size_t octave_count,
                    const struct pit__pending *pending, pit_raw_node *out);
/* Read its series in the same way. */
void pit__node_series(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit_fmt_node *node, uint64_t ref,
                      const struct pit__pending *pending, pit_raw_node *out);
/* Read its memory and allocation figures; NULL in `out` if there are none. */
void pit__node_memory(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit_fmt_node *node, uint64_t ref, pit_raw_node *out);
void pit__pending_read(const struct pit_fmt_thread *thread, struct pit__pending *pending);

/* Finds a thread's nodes by their refs: returns an index, or PIT_NO_NODE. */
struct pit__nodes {
    uint32_t (*index_of)(const void *arg, uint32_t ref);
    const void *arg;
};

/* A thread's records, from its RECORDS blocks; `ever` is how many it wrote. */
void pit__records_read(const struct pit__image *image, struct pit__arena *arena,
                       const struct pit__block *const *blocks, size_t block_count, uint64_t ever,
                       const struct pit__nodes *nodes, pit_thread *out);

/* Read the sampler's readings and the limits it found. */
void pit__samples_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run);

/* Where the nodes of a NODES block are in the model. */
struct pit__node_block {
    uint64_t offset; /* of the block */
    uint64_t used;
    size_t thread;  /* number in the model */
    uint64_t first; /* index of its first node */
};
struct pit__node_index {
    /* for each block of the image: the number of its thread, or SIZE_MAX */
    const size_t *thread_of;
    struct pit__node_block *blocks; /* of threads with a table, ascending by offset */
    size_t count;
};
struct pit__node_index pit__node_index(const struct pit__image *image, struct pit__arena *arena,
                                       const size_t *thread_of);
/* The thread of the node with this ref, and its index there; SIZE_MAX if there is none. */
size_t pit__index_find(const struct pit__node_index *index, uint64_t ref, uint64_t *node);

/* Read where in the code the main thread was. */
void pit__places_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__node_index *index, pit_run *run);

/* Groups of ranks and their collective calls. */
void pit__groups_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__node_index *index, pit_run *run);

/* Read messages to other ranks, and callers; after the threads. */
void pit__messages_read(const struct pit__image *image, struct pit__arena *arena,
                        const struct pit__node_index *index, pit_run *run);

/* The journal of the run. */
void pit__journal_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run);

/* Read how the process ended, if that was recorded. */
void pit__ended_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run);

/* Read one thread; the blocks are those of this thread, in file order. */
void pit__thread_read(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit__block *table, const struct pit__block *const *blocks,
                      size_t block_count, pit_thread *out);

/* Rereads one thread of a live run: its changing figures, and the identity of new nodes. */
struct pit__again {
    const struct pit__block *table;
    const struct pit__block *const *nodes; /* its NODES blocks, in file order */
    uint64_t *first_index;                 /* of each */
    size_t nodes_count;
    pit_raw_node *out; /* room for all nodes */
    size_t known;      /* nodes whose identity was read before */
    size_t count;      /* all nodes */
};
/* names: an arena that lives as long as the watch; moment: an arena that is cleared at the next reading. */
void pit__thread_again(const struct pit__image *image, struct pit__arena *names,
                       struct pit__arena *moment, const struct pit__again *again, pit_thread *out);

/* Parts of the model, in this order: header and clock, facts, and, after threads and samples, the end. */
void pit__head_read(const struct pit__image *image, pit_run *run);
void pit__facts_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run);
void pit__clock_read(const struct pit__image *image, pit_run *run);
void pit__end_read(pit_run *run);

/* Build the model of a walked image and free the image's blocks. Returns NULL with *error on failure. */
pit_run *pit__run_build(struct pit__image *image, pit_error *error);
char *pit__run_text(pit_run *run, const char *text);

/* Find the pages of a run. Returns 1 and `live` (a path below /dev/shm) if they are there, 0 if they are at
 * the path, or a code. May recover a dead run; *recovered is then 1. */
int pit__find_pages(const char *path, char *live, size_t room, int *recovered, pit_error *error);
/* The same without recovering. Returns 1 if its process is alive and its pages are in `live`. */
int pit__find_live_pages(const char *path, char *live, size_t room);
/* Open for reading; returns -1 with errno on failure. */
int pit__open_file(const char *path);
/* Does another process hold the lock of a live writer on this file? */
int pit__is_live(int fd);

/* parent_end.c. Did the process of `parent` start, or end, the process of `run`? The second needs the whole
 * `run`. */
int pit__is_child_of(const pit_run *run, const pit_run *parent);
int pit__was_ended_by(const pit_run *run, const pit_run *parent);
/* The same for a sub-run, whose parent is `run` or one of its sub-runs. Returns `sub`. */
pit_run *pit__judge_end(pit_run *sub, const pit_run *run, pit_run *const *below, size_t count);
/* The same for a run without its parent, which is searched for in the run's folder. Returns `run`, which
 * may be NULL. */
pit_run *pit__judge_alone(pit_run *run);
/* Neither live nor closed, and not ended by its parent. */
static inline int pit__has_died(const pit_run *run)
{
    return run->state == PIT_RUN_DIED && !run->ended_by_parent;
}

#endif
