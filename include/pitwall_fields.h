/* pitwall_fields.h: every figure of a row by its key, for programs that show or store all of them.
 *
 * Rows are nodes (pit_node), ends of processes (pit_ended), losses (pit_losses) and ranks (pit_rank).
 * Nothing here allocates. Texts live as long as the program, except the text of a value, which lives as
 * long as its row. */
#ifndef PITWALL_FIELDS_H
#define PITWALL_FIELDS_H

#include "pitwall_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- fields -------------------------------------------------------------------------------- */

/* Every figure of a row has one key, the same in CSV, JSON and Python, with the unit in it: total_ns,
 * memory_peak_bytes, items_per_s. docs/fields.md lists them all. */
typedef struct pit_field {
    const char *key;
    const char *title; /* column title in a text table */
    const char *help;  /* one line */
} pit_field;

enum pit_row_kind {
    PIT_OF_NODE = 0,   /* a row is a pit_node */
    PIT_OF_ENDED = 1,  /* a pit_ended */
    PIT_OF_LOSSES = 2, /* a pit_losses */
    PIT_OF_RANK = 3    /* a pit_rank */
};

enum pit_value_type {
    PIT_VALUE_NONE = 0,    /* does not apply to this row: see `reason` */
    PIT_VALUE_UNKNOWN = 1, /* applies but is not available: see `reason` */
    PIT_VALUE_WHOLE = 2,
    PIT_VALUE_SIGNED = 3,
    PIT_VALUE_REAL = 4,
    PIT_VALUE_TEXT = 5,
    PIT_VALUE_FLAG = 6 /* in `whole`: 0 or 1 */
};

typedef struct pit_field_value {
    enum pit_value_type type;
    uint64_t whole;
    int64_t signed_whole;
    double real;
    const char *text; /* lives as long as the row */
    const char *reason;
} pit_field_value;

/* ---- walking them ---------------------------------------------------------------------------- */

/* Field number `index` of rows of this kind, in column order; NULL past the last. */
PIT_API const pit_field *pit_field_at(enum pit_row_kind of, size_t index);

/* The field with this key, or NULL. */
PIT_API const pit_field *pit_field_find(enum pit_row_kind of, const char *key);

/* The kind of its values: "duration", "bytes", "signed bytes", "count", "rate", "byte rate", "share",
 * "ratio", "text", "flag" or "number". */
PIT_API const char *pit_field_kind(const pit_field *field);

/* How threads and runs are merged: "sum", "smallest", "largest", "last", "same", "computed" (from other
 * merged figures), or "" where rows are not merged. */
PIT_API const char *pit_field_merge(const pit_field *field);

/* Why it may have no value, or "" if it always has one. */
PIT_API const char *pit_field_reason(const pit_field *field);

/* 1: a column of text and Markdown tables; 0: only in CSV, JSON and Python. */
PIT_API int pit_field_is_shown(const pit_field *field);

/* Read the figure from a row; the row must be of the kind for which the field was found. */
PIT_API void pit_field_get(const pit_field *field, const void *row, pit_field_value *value);

#ifdef __cplusplus
}
#endif

#endif
