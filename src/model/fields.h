/* fields.h: the field tables. Each figure of a row is defined once: its key, how it is read from the row,
 * how it merges and how it is shown. All output walks these tables, so a new figure needs one entry.
 */
#ifndef PIT_FIELDS_H
#define PIT_FIELDS_H

#include "pitwall_fields.h"

#include "report/table.h"

enum pit__merge {
    PIT__MERGE_NONE, /* rows are not merged */
    PIT__MERGE_SAME, /* rows with the same value are merged */
    PIT__MERGE_SUM,
    PIT__MERGE_SMALLEST,
    PIT__MERGE_LARGEST,
    PIT__MERGE_LAST,
    PIT__MERGE_COMPUTED,
    PIT__MERGE_ONCE /* sum, but rows measured on one machine at the same time count once */
};

/* Fills in the value; a getter that leaves it unchanged gives PIT_VALUE_NONE. */
typedef void pit__field_getter(const void *row, pit_field_value *value);

struct pit__field {
    pit_field field; /* first: a pit_field is cast back to this */
    enum pit__kind kind;
    pit__field_getter *get; /* NULL: reads the uint64_t at `at`; PIT_UNKNOWN means not available */
    size_t at;
    enum pit__merge merge;
    const char *why; /* reason why there may be no value; NULL: there always is one */
    /* in a table of text */
    int shown;                                 /* 0: only for programs */
    int drop;                                  /* as in struct pit__column */
    int min_width, max_width;                  /* the same */
    int optional;                              /* column is left out if no row has a value */
    enum pit__style (*style)(const void *row); /* highlighting; NULL: plain */
    int live;                                  /* also available for a running run: pitwall top */
};

struct pit__loss {
    struct pit__field field;
    const char *one, *many; /* after the number */
    const char *advice;     /* what to do */
};

/* Entries begin with a struct pit__field and are `stride` bytes apart. */
struct pit__field_table {
    const void *entries;
    size_t count, stride;
};

#define PIT__NODE_NAME 0         /* index of the name field */
#define PIT__NODE_FIELDS_MOST 96 /* capacity of a row */
#define PIT__RANK_FIELDS_MOST 32

extern const struct pit__field_table pit__node_fields;
extern const struct pit__field_table pit__ended_fields;
extern const struct pit__field_table pit__losses_fields;
extern const struct pit__field_table pit__rank_fields;

const struct pit__field *pit__field_entry(const struct pit__field_table *table, size_t index);
const struct pit__field *pit__field_named(const struct pit__field_table *table, const char *key);
void pit__field_read(const struct pit__field *field, const void *row, pit_field_value *value);

/* ---- getters' short forms -------------------------------------------------------------------- */

void pit__value_real(pit_field_value *value, double real); /* NaN: not available */
void pit__value_whole(pit_field_value *value, uint64_t whole);
void pit__value_signed(pit_field_value *value, int64_t whole);
void pit__value_text(pit_field_value *value, const char *text); /* NULL: none */
void pit__value_flag(pit_field_value *value, int flag);

/* ---- writing --------------------------------------------------------------------------------- */

struct pit__column pit__field_column(const struct pit__field *field);
struct pit__cell pit__field_cell(const struct pit__field *field, const void *row);

/* The figure formatted for people; n/a if not available. `out` has PIT__UNIT_BYTES. Not for text fields. */
void pit__field_text(char *out, const struct pit__field *field, const void *row, int ascii);

/* A table with a column for each field. NULL without memory. */
struct pit__table *pit__field_table_new(const struct pit__field_table *table);

/* Writes every figure of a row into the open JSON object. */
struct pit__json;
void pit__json_value(struct pit__json *json, const char *key, enum pit__kind kind,
                     const pit_field_value *value);
void pit__json_field(struct pit__json *json, const struct pit__field *field, const void *row);
void pit__json_fields(struct pit__json *json, const struct pit__field_table *table,
                      const void *row);

#endif
