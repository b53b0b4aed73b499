/* log_scan.h: the pieces of a log's line: colours taken out, durations, times, heads of windows.
 * Texts are not ended where a length goes with them. */
#ifndef PIT_LOG_SCAN_H
#define PIT_LOG_SCAN_H

#include "pitwall_report.h"

struct pit__arena;

#define PIT__WINDOW_ITEMS 32

/* Take escape codes, a launcher's prefix ("[rank0]: ") and blanks at the end out of a line, in place.
 * Where the text begins. */
char *pit__scan_clean(char *line, size_t length);

/* "name: 2345.67s (39.09min)  (97.3%)": 1 if it is that; percent (may be NULL) is left alone where
 * there is none. The name is what stands before the last colon that a duration follows. */
int pit__scan_named_duration(const char *text, size_t *name_length, double *seconds,
                             double *percent);

/* The last "[2024-10-13 22:30:00]" that ends before `mark`, local time; 0 if there is none. */
uint64_t pit__scan_wall_time(const char *line, const char *mark);

struct pit__scan_window {
    const char *tag, *unit, *items;
    size_t tag_length, unit_length;
    double calls;
};

/* "[TAG] Last 100 graphs: " anywhere in the line. */
int pit__scan_window_head(const char *line, struct pit__scan_window *window);

/* "Pattern gen=123.45ms": label, figure and unit; durations become ms. */
int pit__scan_item(struct pit__arena *arena, const char *text, size_t length, pit_figure *figure);

#endif
