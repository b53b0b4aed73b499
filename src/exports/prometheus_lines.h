/* prometheus_lines.h: shared by the two files that make metrics. */
#ifndef PIT_PROMETHEUS_LINES_H
#define PIT_PROMETHEUS_LINES_H

#include "prometheus.h"

#include "report/text.h"

/* In the order of the document. X(enumerator, name, type, field, help): metrics of a node field
 * use the help of the field. */
/* clang-format off */
#define PIT__METRICS(X)                                                                              \
    X(INFO, "run_info", "gauge", NULL, "facts of the run as labels; always 1")                       \
    X(STATE, "run_state", "gauge", NULL, "1 for the current state: live, done or died")              \
    X(START, "run_start_time_seconds", "gauge", NULL, "start time, seconds since 1970")              \
    X(ELAPSED, "run_elapsed_seconds", "gauge", NULL, "elapsed time of the run")                      \
    X(LAST_SPAN, "run_last_span_age_seconds", "gauge", NULL,                                         \
      "time since a span of the live run last began or ended")                                       \
    X(RSS, "run_resident_memory_bytes", "gauge", NULL, "resident memory at the last reading")        \
    X(PEAK, "run_peak_memory_bytes", "gauge", NULL, "highest known resident memory")                 \
    X(LIMIT, "run_memory_limit_bytes", "gauge", NULL,                                                \
      "memory limit of the cgroup, or memory of the machine")                                        \
    X(THREADS, "run_threads", "gauge", NULL, "threads of the process at the last reading")           \
    X(CPU, "run_cpu_seconds_total", "counter", NULL, "processor time, user and system")              \
    X(READ, "run_read_bytes_total", "counter", NULL, "read from storage")                            \
    X(WRITTEN, "run_written_bytes_total", "counter", NULL, "written to storage")                     \
    X(DURATION, "span_duration_seconds", "summary", NULL,                                            \
      "durations of the spans that ended; quantiles within 1.6 %")                                   \
    X(SELF, "span_self_seconds_total", "counter", "self_ns", NULL)                                   \
    X(ITEMS, "span_items_total", "counter", "items", NULL)                                           \
    X(BYTES, "span_bytes_total", "counter", "bytes", NULL)                                           \
    X(FLOPS, "span_flops_total", "counter", "flops", NULL)                                           \
    X(OPEN, "span_open", "gauge", "open", NULL)                                                      \
    X(SPAN_PEAK, "span_peak_memory_bytes", "gauge", "memory_peak_bytes", NULL)                       \
    X(VALUE, "value", "gauge", NULL, "last value that the program recorded under this name")         \
    X(FINDING, "finding", "gauge", NULL, "number of findings of the advice, by rule and severity")   \
    X(OMITTED, "spans_omitted", "gauge", NULL, "span paths left out of this output")
/* clang-format on */

enum pit__metric {
#define ENTRY(enumerator_, name_, type_, field_, help_) PIT__METRIC_##enumerator_,
    PIT__METRICS(ENTRY)
#undef ENTRY
        PIT__METRIC_COUNT
};

struct pit__metrics {
    char id[33];
    struct pit__text lines[PIT__METRIC_COUNT];
    int failed;
};

/* Add one line; unknown figures get none. labels: each preceded by a comma, or "". */
void pit__metrics_line(struct pit__metrics *metrics, enum pit__metric metric, const char *suffix,
                       const char *labels, double figure);

/* A label's value between its quotes: escaped, with invalid UTF-8 replaced. */
void pit__metrics_label(struct pit__text *text, const char *value);

/* prometheus_spans.c: the lines of the spans with the largest totals. */
void pit__metrics_spans(struct pit__metrics *metrics, const pit_run *run, const pit_tree *tree,
                        size_t spans, struct pit__metrics_floor *floor);

#endif
