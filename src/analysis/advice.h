/* advice.h: what is wrong with a program's course, by rules. Pure; knows nothing of runs.
 *
 * A rule is a line of one table in advice_rules.c: its key, when it holds, and the words for what it
 * says, for the figures behind it and for what to try. The words have places for figures, filled in
 * by whoever prints them:
 *   {name} {path}   of the part        {base}  what its share is of: "the batch", "the total"
 *   {pN}  64 %      {fN}  64.0%        {xN}  6.6x        {nN}  150
 *   {tN}  538 ms    {bN}  12.3 MB      {cN}  150 passages     where N is the number of the match's figure
 */
#ifndef PIT_ADVICE_H
#define PIT_ADVICE_H

#include "variance.h"
#include "warmup.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__NO_PART SIZE_MAX
#define PIT__ADVICE_PASSES 5      /* passages of the repeated part, below which nothing is said */
#define PIT__ADVICE_SECONDS 0.001 /* in all, likewise */

/* What a part does, by its name. */
enum pit__role {
    PIT__ROLE_NONE,
    PIT__ROLE_DATA, /* getting the data */
    PIT__ROLE_FORWARD,
    PIT__ROLE_BACKWARD,
    PIT__ROLE_LOSS,
    PIT__ROLE_STEP,  /* a training step as a whole, by the names profilers give it */
    PIT__ROLE_BATCH, /* the repeated unit */
    PIT__ROLE_EPOCH
};
enum pit__role pit__role_of(const char *name);

struct pit__part {
    const char *name, *path;
    double seconds, self_seconds;
    uint64_t count;
    size_t parent;   /* index, below its own; or PIT__NO_PART */
    size_t children; /* that are not apart */
    int apart;       /* overlaps or lies inside others: not part of the total */
};

/* What the sampler saw along the run; NaN where it did not. */
struct pit__around {
    double cpu;      /* cores busy */
    double read;     /* bytes a second, from storage */
    double written;  /* likewise, to it */
    double forced;   /* times a second that the system took the processor away */
    double pressure; /* on memory, at most, a share */
};

/* All that rules look at. */
struct pit__case {
    const struct pit__part *parts;
    size_t part_count;
    double total;  /* seconds of all parts that are not apart */
    int by_letter; /* plain figures: each rule that holds is said, even where another says why */
    size_t unit;   /* the repeated part whose course is known; PIT__NO_PART */
    int has_course;
    int in_order; /* the series has every passage: indices and periods mean something */
    struct pit__warmup warmup;
    double first;                 /* seconds of the first passage */
    struct pit__variation all;    /* of all passages */
    struct pit__variation steady; /* of those after the warm-up */
    size_t steady_from;
    double held, grown; /* bytes: RSS at last, and how much it grew over the run's second half */
    double grown_on;    /* bytes, since the first passages too; 0: it did not grow on */
    double growth_a_minute; /* bytes; NaN: not known */
    double held_at_first;   /* bytes */
    int is_growing;
    const char *grows_in;            /* path, or NULL */
    size_t run_count;                /* that have the unit */
    double slowest_run, fastest_run; /* seconds: the median of the unit in each run */
    struct pit__around around;
};

#define PIT__MATCH_FIGURES 6
struct pit__match {
    size_t part; /* PIT__NO_PART: the run as a whole */
    size_t base; /* what figure 0 is a share of: a part, or PIT__NO_PART for the total */
    double figures[PIT__MATCH_FIGURES];
    double share;     /* NaN: not a share */
    const char *path; /* where it is not the part's; else NULL */
};

/* Rules of one topic explain one thing: of a part, or of the course, only the first is said. */
enum pit__topic {
    PIT__TOPIC_PART,
    PIT__TOPIC_START,
    PIT__TOPIC_COURSE,
    PIT__TOPIC_MEMORY,
    PIT__TOPIC_RUNS
};

struct pit__rule {
    const char *key;
    int severity; /* 2 act, 1 consider, 0 good to know */
    enum pit__topic topic;
    int leads; /* says more than "took the most": fit for a report's first line */
    /* Does it hold, for this part if the topic is PIT__TOPIC_PART? Fills in the figures. */
    int (*holds)(const struct pit__case *all, size_t part, struct pit__match *match);
    const char *mark; /* before the headline, "" where only ASCII is shown */
    const char *headline, *evidence, *remedy;
    int wants_around; /* the sampler's figures are evidence too */
    int is_share; /* of a batch or step: of several such, the one that took the most comes first */
    const char *more; /* further remedies, for which a first line has no room; or NULL */
};

/* The rules, the weightiest first; ended by a rule without key. */
extern const struct pit__rule pit__rules[];

struct pit__advised {
    const struct pit__rule *rule;
    struct pit__match match;
};

/* What holds, the most severe first, to `found` (room for `room`); how many. -1 without memory. */
int pit__advise(const struct pit__case *all, struct pit__advised *found, size_t room);

/* The part whose course counts: a batch or step by its name, else the one inside which data is
 * loaded or a model is run, else the largest that is repeated. PIT__NO_PART: none is. */
size_t pit__find_unit(const struct pit__part *parts, size_t count);

#endif
