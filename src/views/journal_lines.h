/* journal_lines.h: journal entries as the lines that were printed live.
 *
 * Only this module knows the format of these lines. src/monitor/ turns its figures into an
 * entry, prints the lines made here, and stores the entry; the views make the same lines from
 * the stored entries.
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
 * A figure in brackets is omitted if it is not available; lines with a place for it print n/a.
 * Items of a window with the unit "kept" are not printed.
 */
#ifndef PIT_JOURNAL_LINES_H
#define PIT_JOURNAL_LINES_H

#include "pitwall_report.h"

#include "report/text.h"

/* The figure of that key, or NULL. */
const pit_figure *pit__entry_figure(const pit_entry *entry, const char *key);

/* Add the lines of the entries, each with its newline. Entries of other kinds are skipped. The
 * rows of one summary must be adjacent: its columns fit the longest name. On lack of memory
 * text->failed is set. */
void pit__journal_lines(struct pit__text *text, const pit_entry *entries, size_t count);

/* 2024-10-13 22:30:00 in the local time zone, into `out`. */
#define PIT__STAMP_BYTES 32
const char *pit__stamp(char *out, uint64_t wall_ns);

#endif
