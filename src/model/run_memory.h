/* run_memory.h: what views show about a run's memory as a whole: the sampler's readings, the growth
 * and its place, and the most likely reason why the run died. */
#ifndef PIT_RUN_MEMORY_H
#define PIT_RUN_MEMORY_H

#include "pitwall_report.h"

#include "analysis/growth.h"
#include "analysis/post_mortem.h"
#include "report/text.h"

struct pit__run_memory {
    struct pit__last_figures last;
    double peak;               /* highest known RSS; NaN: none */
    double least, most;        /* range of RSS over the readings; NaN without any */
    struct pit__growth growth; /* over the second half of its work, in bytes per nanosecond */
    int is_growing;
    struct pit__text where;      /* path of the node in which it grew; empty: not known */
    int where_is_open;           /* not from memory spans: the span that was open */
    struct pit__verdict verdict; /* only if the run died */
};

/* Returns 0 or PIT_NO_MEMORY. Free it in any case. */
int pit__run_memory_make(const pit_run *run, struct pit__run_memory *memory);
void pit__run_memory_free(struct pit__run_memory *memory);

/* How RSS grew between two times after the start, in bytes per nanosecond. Returns 1: growth; 0: noise or
 * not known; or PIT_NO_MEMORY. */
int pit__growth_between(const pit_run *run, double from_ns, double to_ns,
                        struct pit__growth *growth);

/* Is it a channel that every version has recorded? Views have a line of their own for each of these, and
 * list all others together. */
int pit__has_own_line(const char *key);

/* A figure as a double; NaN if it is unknown. */
double pit__known(uint64_t figure);

/* The same for a limit; 0 means none. */
double pit__known_limit(uint64_t figure);

/* "RSS 1.97 GB of a limit of 2.00 GB", by the last reading */
void pit__memory_words(const struct pit__run_memory *memory, struct pit__text *text);

/* ", growing 310 MB a minute inside epoch/batch", ", not growing", or nothing if it is not known. */
void pit__growth_words(const struct pit__run_memory *memory, struct pit__text *text);

/* ended_view.c: "SIGKILL"; "exit status 7" or "killed by SIGKILL". */
void pit__signal_words(int number, struct pit__text *text);
void pit__ending_words(const pit_ended *ended, struct pit__text *text);

/* The verdict of a run that died, in one sentence. */
void pit__verdict_words(const struct pit__run_memory *memory, struct pit__text *text);

double pit__growth_a_minute(const struct pit__run_memory *memory); /* bytes; NaN: not known */

#endif
