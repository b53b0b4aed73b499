/* monitor.h: what the objects of this folder share: their clock, their lines, their rows, and the
 * measuring of one piece of work. */
#ifndef PIT_MONITOR_H
#define PIT_MONITOR_H

#include "pitwall_report.h"

#define PIT__MB (1024.0 * 1024.0)

/* ---- output.c: sources, verbosity, lines ---------------------------------------------------- */

uint64_t pit__source_ns(void); /* the monotonic clock */
/* The same when the device's work is done, where `use` asks for that. */
uint64_t pit__source_ns_on(const pit_device_use *use);
uint64_t pit__source_wall_ns(void); /* since 1970 */
uint64_t pit__source_rss(void);     /* bytes; 0: cannot be read */
int pit__source_has_rss(void);      /* 1: a test gives it */
int pit__source_waits(void);        /* 1: pit_set_wait asks for it */

/* Energy counters; NaN where there are none. */
void pit__source_energy(pit_energy_now *now);
/* A test's monotonic clock with its argument; NULL: there is none. For what reads the clock too often
 * for pit__source_ns. */
uint64_t (*pit__source_clock(void **arg))(void *arg);

/* end less begin in seconds; 0 where the clock stepped back. */
double pit__seconds_between(uint64_t begin_ns, uint64_t end_ns);
/* Seconds of a span that has just ended: as the run has them, so that what is printed is what was
 * recorded; by our own clock where nothing is recorded (span_ns is 0) or a test gave the clock. */
double pit__seconds_taken(uint64_t span_ns, uint64_t begin_ns, uint64_t end_ns);

/* A whole number of the environment; `missing` where it is not there or is none. */
int pit__setting(const char *name, int missing);

/* A number of this thread's own, never used again by another. */
uint64_t pit__thread_number(void);

/* Put the entries into the journal, all at the wall time of now, and print their lines. Called
 * without a lock of an object: a hook may come back. */
void pit__emit(pit_entry *entries, size_t count);

/* The same for what the program asked for: PITWALL_VERBOSE=0 does not silence it. */
void pit__emit_asked(pit_entry *entries, size_t count);

/* Print what `print` writes, line by line, to where the lines go; it was asked for, too. */
void pit__emit_printed(void (*print)(FILE *out, void *arg), void *arg);

/* ---- track.c: time, memory and device around a piece of work --------------------------------- */

struct pit__taken {
    pit_row row;        /* seconds, cpu_…, gpu_…; name NULL, count 1 */
    double own_peak_mb; /* most that the work itself held; NaN: not available */
    double own_left_mb; /* what of it was left */
    int has_alloc; /* these two are libpitwall-alloc's, of this thread; else of resident memory */
};

/* flags: PIT_MEMORY, PIT_WAIT. use: its device, and waiting without PIT_WAIT; NULL: zeroed. A span of
 * that name is recorded too. Reading memory is not in the time, nor in that of the tracks around it on
 * this thread. NULL without memory. */
struct pit__track *pit__track_begin(const char *name, unsigned flags, const pit_device_use *use);

/* Leave out the time between the two. */
void pit__track_pause(struct pit__track *track);
void pit__track_resume(struct pit__track *track);

/* End and free it; NULL: all figures are missing. On another thread than the begin's it keeps to
 * what is the process's: no span, no allocations. */
void pit__track_end(struct pit__track *track, struct pit__taken *taken);

/* ---- device_mark.c: a device's peak, for work inside work ------------------------------------ */

/* What `use` means now: its device or the process's, NULL if there is none. use may be NULL. */
const pit_device *pit__device_of(const pit_device_use *use);

/* Begin watching a device (NULL: none). Its number, or 0: no memory to read. *allocated: bytes now. */
uint64_t pit__device_mark(const pit_device *device, uint64_t *allocated);

/* Begin watching a device's own mark, as it would be if nobody reset it here. 0: nobody can. */
uint64_t pit__device_watch(const pit_device *device);

/* End it. 0, or -1: the memory cannot be read. memory->peak is that of the work, or PIT_UNKNOWN. */
int pit__device_unmark(const pit_device *device, uint64_t mark, pit_device_memory *memory);

/* The device's memory now; -1: there is none. */
int pit__device_read(const pit_device *device, pit_device_memory *memory);

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

/* What runs still, as the row "NAME (open)"; of several the longest. NULL without memory. */
pit_row *pit__rows_take_open(struct pit__rows *rows, const char *name, int nested, double seconds);

/* Add a call: times and memory deltas add up, of peaks the highest counts. */
void pit__row_take(pit_row *row, const pit_row *call);

#endif
