/* tools.h: shared by the files tools_*.c of the Python extension.
 *
 *   tools_module.c    their functions in the module; lines to sys.stdout; small helpers
 *   tools_rows.c      rows, entries, curves: Python's lists and dicts as the library's arrays
 *   tools_views.c     views over plain data, and the figures behind them
 *   tools_monitor.c   timers, phases, operations, epochs, stages, windows, the profiler
 *   tools_bench.c     benchmarks, comparisons, growth
 *   tools_profile.c   models' profiles
 *   tools_device.c    a device whose memory and work Python functions report
 *
 * The functions are for the package's own modules: arguments by position, checked for their types. */
#ifndef PITPY_TOOLS_H
#define PITPY_TOOLS_H

#include "pitpy.h"
#include "pitwall_bench.h"

int pitpy_add_views(PyObject *module);
int pitpy_add_monitors(PyObject *module);
int pitpy_add_benches(PyObject *module);
int pitpy_add_profiles(PyObject *module);
int pitpy_add_device(PyObject *module);

/* ---- lines ----------------------------------------------------------------------------------- */

/* Not 0: lines of the monitors on this thread are dropped. */
extern __thread int pitpy_quiet;

/* Called after something may have been printed: returns object (stolen), or NULL if sys.stdout raised. */
PyObject *pitpy_printed(PyObject *object);

/* ---- values ---------------------------------------------------------------------------------- */

/* dict[key] = value, which is stolen; NULL counts as a failure. */
int pitpy_put(PyObject *dict, const char *key, PyObject *value);
PyObject *pitpy_text_of(const char *text); /* None for NULL */

/* For "O&": an integer from 0 as unsigned long long; accepts NumPy types. */
int pitpy_whole(PyObject *number, void *to);

/* The numbers of a sequence, to be freed. Returns NULL with an exception. */
double *pitpy_doubles(PyObject *sequence, size_t *count);
PyObject *pitpy_list_of_doubles(const double *numbers, size_t count);

/* The text written to an open_memstream, as str; closes and frees it. code: result of the printing; codes
 * other than 0 and PIT_NOTHING raise. */
PyObject *pitpy_written(pitpy_state *state, FILE *out, char **bytes, size_t *length, int code,
                        const char *what);

/* Make sure that the recorder is open, if it is wanted, and that the open spans are the calling task's. */
void pitpy_ready(PyObject *module);

/* Hold a flow while something of ours is open on it; pitpy_leave releases it. */
pitpy_flow *pitpy_hold(PyObject *module);
int pitpy_take_up(pitpy_flow *flow); /* 1: it runs on this thread now */
void pitpy_leave(pitpy_flow *flow, int is_here);

/* For "O&": a device of _device_new as const pit_device *, None as NULL. */
int pitpy_device(PyObject *capsule, void *to);

/* ---- rows and their like (tools_rows.c) -------------------------------------------------------- */

typedef struct pitpy_data {
    pit_data data;
    pit_row *rows;
    double *series;
    pit_curve *curves;
    pit_entry *entries;
    void **kept; /* freed together with it */
    size_t kept_count, kept_room;
} pitpy_data;

/* Rows: a list of dicts with the members of pit_row, or of tuples (name, seconds, …). None: no rows.
 * Returns 0, or -1 with an exception. */
int pitpy_data_rows(pitpy_data *data, PyObject *rows);
int pitpy_data_series(pitpy_data *data, PyObject *series);
int pitpy_data_curves(pitpy_data *data, PyObject *curves);
int pitpy_data_entries(pitpy_data *data, PyObject *entries);
void pitpy_data_free(pitpy_data *data);

PyObject *pitpy_row_dict(const pit_row *row);
PyObject *pitpy_row_list(const pit_row *rows, size_t count);
PyObject *pitpy_entry_list(const pit_entry *entries, size_t count);

/* Options of a report from a dict; strings live as long as the dict. The struct of a view defines its
 * options; `view` applies unless the dict has one. Returns 0, or -1. */
int pitpy_report_options(PyObject *dict, const char *view, pit_report_options *options);
PyObject *pitpy_view_names(void);
/* The options of a view (NULL: the report): a list of dicts with name, kind, default, help, words. */
PyObject *pitpy_view_options(const char *name);

/* Members of a struct by name, for dicts: kind is d (double), u (uint64), i (int), b (bool as int), s
 * (str). */
typedef struct pitpy_member {
    const char *key;
    char kind;
    size_t offset;
} pitpy_member;
/* Set the members that the dict has; None and missing ones are unchanged. Returns 0, or -1. */
int pitpy_fill(void *to, const pitpy_member *members, PyObject *dict);
PyObject *pitpy_dict(const void *from, const pitpy_member *members);

/* ---- results of benchmarks (tools_bench.c) ----------------------------------------------------- */

PyObject *pitpy_result_dict(const pit_bench_result *result);
/* Its times must be freed by pit_bench_free. None: all members are 0. */
int pitpy_result_fill(pit_bench_result *result, PyObject *dict);

#endif
