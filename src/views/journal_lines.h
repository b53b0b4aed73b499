/* journal_lines.h: entries of the journal as the lines that were printed live.
 *
 * The only place that knows how such a line reads. src/monitor/ makes an entry of its figures,
 * prints what this makes of it and keeps the entry; the views make the same lines of the kept ones.
 *
 * kind            text       figures
 * stage           stage
 * timing          stage      seconds [cpu_delta_mb cpu_peak_mb gpu_delta_mb gpu_peak_mb]
 * summary         stage      seconds share (in percent) a row of the block that ends with:
 * total                      seconds
 * batch                      epoch batch seconds [gpu_mb] [cpu_mb] [loss]
 * epoch                      epoch seconds [gpu_mb reserved_mb peak_mb]
 * batch-timing               epoch batches avg min max
 * window          tag        calls under the word for them, unit "count"; then the items, with
 *                            the unit "ms", none for a mean, or "kept"
 * profiling-step             step                       the head of the rows behind it:
 * profiling       operation  avg total count
 * complete        name       seconds [peak_memory_mb current_memory_mb] [gpu_peak_mb] [cpu_mode]
 * performance     operation  seconds [cpu_delta_mb] [gpu_delta_mb gpu_peak_mb]
 *
 * A figure in brackets is left out where it cannot be had, and reads n/a where a line has room for
 * it. Items of a window with the unit "kept" are not printed.
 */
#ifndef PIT_JOURNAL_LINES_H
#define PIT_JOURNAL_LINES_H

#include "pitwall_report.h"

#include "report/text.h"

/* The figure of that key, or NULL. */
const pit_figure *pit__entry_figure(const pit_entry *entry, const char *key);

/* Add the lines of the entries, each with its newline. Entries of other kinds are passed over. Rows
 * of one summary must be next to one another: its columns fit the longest name. Lack of memory is
 * in text->failed. */
void pit__journal_lines(struct pit__text *text, const pit_entry *entries, size_t count);

/* 2024-10-13 22:30:00 in the local time zone, into `out`. */
#define PIT__STAMP_BYTES 32
const char *pit__stamp(char *out, uint64_t wall_ns);

#endif
