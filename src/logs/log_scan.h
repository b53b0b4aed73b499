/* log_scan.h: parses the pieces of a log line: removes colours, reads durations, times and heads
 * of windows. Texts with a length are not zero-terminated. */
#ifndef PIT_LOG_SCAN_H
#define PIT_LOG_SCAN_H

#include "pitwall_report.h"

struct pit__arena;

#define PIT__WINDOW_ITEMS 32

/* Remove escape codes, the prefix of a launcher ("[rank0]: ") and trailing blanks from a line,
 * in place. Returns where the text begins. */
char *pit__scan_clean(char *line, size_t length);

/* "name: 2345.67s (39.09min)  (97.3%)": 1 if the text has this form; percent (may be NULL) is
 * unchanged if there is none. The name ends at the last colon that is followed by a duration. */
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
