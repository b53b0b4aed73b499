/* monitor.h: what the objects of this folder share: their clock, their lines, their rows, and the
 * measuring of one piece of work. */
#ifndef PIT_MONITOR_H
#define PIT_MONITOR_H

#include "pitwall_report.h"

#define PIT__MB (1024.0 * 1024.0)

/* ---- output.c: sources, verbosity, lines ---------------------------------------------------- */

uint64_t pit__source_ns(void);      /* the monotonic clock */
uint64_t pit__source_wall_ns(void); /* since 1970 */
uint64_t pit__source_rss(void);     /* bytes; 0: cannot be read */
int pit__source_has_rss(void);      /* 1: a test gives it */
int pit__source_waits(void);        /* 1: pit_set_wait asks for it */

/* A test's monotonic clock with its argument; NULL: there is none. For what reads the clock too often
 * for pit__source_ns. */
uint64_t (*pit__source_clock(void **arg))(void *arg);

/* end less begin in seconds; 0 where the clock stepped back. */
double pit__seconds_between(uint64_t begin_ns, uint64_t end_ns);

/* A number of this thread's own, never used again by another. */
uint64_t pit__thread_number(void);

/* Put the entries into the journal, all at the wall time of now, and print their lines. Called
 * without a lock of an object: a hook may come back. */
void pit__emit(pit_entry *entries, size_t count);

/* Print what `print` writes, line by line, to where the lines go; nothing while not verbose. */
void pit__emit_printed(void (*print)(FILE *out, void *arg), void *arg);

/* ---- track.c: time, memory and device around a piece of work --------------------------------- */

struct pit__taken {
    pit_row row;        /* seconds, cpu_…, gpu_…; name NULL, count 1 */
    double own_peak_mb; /* most that the work itself held; NaN: not to be had */
    double own_left_mb; /* what of it was left */
    int has_alloc; /* these two are libpitwall-alloc's, of this thread; else of resident memory */
};

/* flags: PIT_MEMORY, PIT_WAIT. A span of that name is recorded too. Reading memory is not in the
 * time, nor in that of the tracks around it on this thread. NULL without memory. */
struct pit__track *pit__track_begin(const char *name, unsigned flags);

/* End and free it; NULL: all figures are missing. On another thread than the begin's it keeps to
 * what is the process's: no span, no allocations. */
void pit__track_end(struct pit__track *track, struct pit__taken *taken);

/* ---- device_mark.c: a device's peak, for work inside work ------------------------------------ */

/* Begin watching. Its number, or 0: there is no device. *allocated: bytes now. */
uint64_t pit__device_mark(uint64_t *allocated);

/* End it. 0, or -1: there is nothing to be had. A peak that cannot be had is PIT_UNKNOWN. */
int pit__device_unmark(uint64_t mark, uint64_t *allocated, uint64_t *peak);

/* The device's memory now; -1: there is none. */
int pit__device_read(pit_device_memory *memory);

/* Until the device has done what was handed over to it. */
void pit__await_device(void);

double pit__mb(uint64_t bytes); /* NaN for PIT_UNKNOWN */

/* ---- row_table.c: rows by name --------------------------------------------------------------- */

struct pit__rows {
    pit_row *rows;
    size_t count, room;
    unsigned char *indexed; /* of each row: 1 if it is found by its name */
    uint32_t *slots;        /* hash of names; row number + 1, or 0 */
    size_t slot_count;      /* a power of two, or 0 */
};

/* The row of that name that is found by it, made if need be; NULL without memory. The name is
 * copied. */
pit_row *pit__rows_get(struct pit__rows *rows, const char *name, int nested);

/* One more row, that is not found by its name. */
pit_row *pit__rows_add(struct pit__rows *rows, const char *name);

/* Only look. */
const pit_row *pit__rows_find(const struct pit__rows *rows, const char *name, int nested);

void pit__rows_clear(struct pit__rows *rows); /* and frees */

/* Add a passage: times and memory deltas add up, of peaks the highest counts. */
void pit__row_take(pit_row *row, const pit_row *passage);

#endif
