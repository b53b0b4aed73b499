/* monitor.h: shared by the monitors of this folder: clock, printed lines, rows, and the measuring of
 * one piece of work. */
#ifndef PIT_MONITOR_H
#define PIT_MONITOR_H

#include "pitwall_report.h"

#define PIT__MB (1024.0 * 1024.0)

/* ---- output.c: sources, verbosity, lines ---------------------------------------------------- */

uint64_t pit__source_ns(void); /* the monotonic clock */
/* The same, after waiting for the device if `use` requires it. */
uint64_t pit__source_ns_on(const pit_device_use *use);
uint64_t pit__source_wall_ns(void); /* since 1970 */
uint64_t pit__source_rss(void);     /* bytes; 0: cannot be read */
int pit__source_has_rss(void);      /* 1: a test provides it */
int pit__source_waits(void);        /* 1: pit_set_wait requires it */

/* Energy counters; NaN if there are none. */
void pit__source_energy(pit_energy_now *now);
/* The monotonic clock that a test has set, with its argument, or NULL. For code that reads the clock too
 * often to call pit__source_ns. */
uint64_t (*pit__source_clock(void **arg))(void *arg);

/* end minus begin in seconds; 0 if the clock stepped back. */
double pit__seconds_between(uint64_t begin_ns, uint64_t end_ns);
/* Seconds of a span that has just ended: the recorded duration, so that printed and recorded figures
 * agree; from our own clock if nothing was recorded (span_ns is 0) or a test set the clock. */
double pit__seconds_taken(uint64_t span_ns, uint64_t begin_ns, uint64_t end_ns);

/* An integer from the environment; `missing` if the variable is unset or not an integer. */
int pit__setting(const char *name, int missing);

/* A number that is unique to this thread and never reused. */
uint64_t pit__thread_number(void);

/* Puts the entries into the journal with the current wall time, and prints their lines. The caller must
 * not hold an object's lock: a hook may call back into it. */
void pit__emit(pit_entry *entries, size_t count);

/* The same for output that the program requested: PITWALL_VERBOSE=0 does not silence it. */
void pit__emit_asked(pit_entry *entries, size_t count);

/* Prints the output of `print` line by line, as requested output. */
void pit__emit_printed(void (*print)(FILE *out, void *arg), void *arg);

/* ---- track.c: time, memory and device around a piece of work --------------------------------- */

struct pit__taken {
    pit_row row;        /* seconds, cpu_…, gpu_…; name NULL, count 1 */
    double own_peak_mb; /* peak memory of the work itself; NaN: not available */
    double own_left_mb; /* memory that the work kept */
    int has_alloc;      /* these two come from libpitwall-alloc, for this thread; else from RSS */
};

/* flags: PIT_MEMORY, PIT_WAIT. use: the device, and whether to wait without PIT_WAIT; NULL means zeroed. Also
 * records a span of that name. The time to read memory is excluded, here and in the tracks around it on this
 * thread. NULL without memory. */
struct pit__track *pit__track_begin(const char *name, unsigned flags, const pit_device_use *use);

/* The time between pause and resume is excluded. */
void pit__track_pause(struct pit__track *track);
void pit__track_resume(struct pit__track *track);

/* Ends and frees it; NULL: all figures are missing. On another thread than that of the begin, only the
 * process's figures are available: no span, no allocations. */
void pit__track_end(struct pit__track *track, struct pit__taken *taken);

/* ---- device_mark.c: a device's peak, for work inside work ------------------------------------ */

/* The device of `use`, else the process's default device, else NULL. use may be NULL. */
const pit_device *pit__device_of(const pit_device_use *use);

/* Start to follow a device (NULL: none). Returns the number of the mark, or 0: no memory to read.
 * *allocated: bytes now. */
uint64_t pit__device_mark(const pit_device *device, uint64_t *allocated);

/* Start to follow the device's own mark as if no mark here reset it. Returns 0 if the device has no reset. */
uint64_t pit__device_watch(const pit_device *device);

/* End it. Returns 0, or -1 if the memory cannot be read. memory->peak is the peak of the work, or
 * PIT_UNKNOWN. */
int pit__device_unmark(const pit_device *device, uint64_t mark, pit_device_memory *memory);

/* Read the device's memory; returns -1 if there is none. */
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

/* The indexed row of that name; created if missing. Returns NULL if memory is exhausted. The name is
 * copied. */
pit_row *pit__rows_get(struct pit__rows *rows, const char *name, int nested);

/* Adds a row that is not indexed by its name. */
pit_row *pit__rows_add(struct pit__rows *rows, const char *name);

/* Finds an indexed row without creating it. */
const pit_row *pit__rows_find(const struct pit__rows *rows, const char *name, int nested);

void pit__rows_clear(struct pit__rows *rows); /* and frees */

/* Work that is still running, as the row "NAME (open)"; the longest if there are several. Returns NULL if
 * memory is exhausted. */
pit_row *pit__rows_take_open(struct pit__rows *rows, const char *name, int nested, double seconds);

/* Adds a call: times and memory deltas add up, the highest peak counts. */
void pit__row_take(pit_row *row, const pit_row *call);

#endif
