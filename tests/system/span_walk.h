/* A thread that records random spans and keeps the truth about them in a shared file that survives a kill:
 * for each path how many spans were about to end and how many had ended, and in which span the thread is.
 * The system tests compare the run with it; pit_runs.py reads it.
 */
#ifndef SPAN_WALK_H
#define SPAN_WALK_H

#include "pitwall.h"

#define WALK_SLOTS 4096u
#define WALK_AREAS 80u
#define WALK_STACK 320u

struct walk_slot {             /* one path; slot 0 is the root */
    uint64_t ending, ended;    /* counted before and after an end */
    uint64_t beginning, begun; /* the same for span objects */
    uint64_t items_before, items_after;
    uint32_t parent, detached;
    char name[72];
};

struct walk_area { /* one thread's */
    uint64_t tid;
    uint64_t now, mid, next; /* the innermost open span is the one of these slots */
    uint64_t value_before, value_after;
    uint64_t slots_used;
    uint64_t failed; /* begins that gave no token */
    struct walk_slot slots[WALK_SLOTS];
};

struct walk_truth {           /* the file */
    uint64_t opening, opened; /* before and after pit_open */
    uint64_t exiting;         /* set before exit: later ends may not be recorded */
    uint64_t areas_used;
    uint64_t area_bytes, slot_bytes;
    uint64_t spare[506];
    struct walk_area areas[WALK_AREAS];
};

/* WALK_BUSY: as mixed, without the work in between. */
enum walk_mode { WALK_MIXED, WALK_BUSY, WALK_DEEP, WALK_MANY_NAMES, WALK_SPANS_ONLY };

struct walk_open { /* a span of the walker's own stack */
    pit_token token;
    uint32_t slot;
    int is_phase;
};

struct walk_object {
    pit_object object;
    struct walk_slot *slot;
};

struct walk {
    struct walk_truth *truth;
    struct walk_area *area;
    uint64_t random;
    enum walk_mode mode;
    int descending; /* WALK_DEEP */
    uint32_t depth;
    struct walk_open stack[WALK_STACK];
    struct walk_object objects[4];
    uint32_t hash[4 * WALK_SLOTS]; /* (parent, name) → slot */
};

/* Creates or opens the file of the truth. NULL on failure, with errno. */
struct walk_truth *walk_truth_open(const char *path);
/* Start on area `index`; a later walk of the same area continues counting. */
void walk_start(struct walk *walk, struct walk_truth *truth, uint32_t index, uint64_t seed,
                enum walk_mode mode);
/* Do one random step. */
void walk_step(struct walk *walk);
/* End everything that is open. */
void walk_unwind(struct walk *walk);
/* Begin and end one span by name, at the current position of the walk. */
void walk_span(struct walk *walk, const char *name);
/* Begin and end one span by hand, and count it; the end takes the innermost span. */
void walk_begin(struct walk *walk, const char *name);
void walk_end(struct walk *walk);
uint64_t walk_random(struct walk *walk);

#endif
