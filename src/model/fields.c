/* fields.c: operations on field tables: public access, table cells, JSON members. */
#include "fields.h"

#include "report/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct pit__field *pit__field_entry(const struct pit__field_table *table, size_t index)
{
    return index < table->count
               ? (const void *)((const char *)table->entries + index * table->stride)
               : NULL;
}

const struct pit__field *pit__field_named(const struct pit__field_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(pit__field_entry(table, i)->field.key, key) == 0)
            return pit__field_entry(table, i);
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

void pit__value_real(pit_field_value *value, double real)
{
    value->type = isfinite(real) ? PIT_VALUE_REAL : PIT_VALUE_UNKNOWN;
    value->real = real;
}

void pit__value_whole(pit_field_value *value, uint64_t whole)
{
    value->type = PIT_VALUE_WHOLE;
    value->whole = whole;
}

void pit__value_signed(pit_field_value *value, int64_t whole)
{
    value->type = PIT_VALUE_SIGNED;
    value->signed_whole = whole;
}

void pit__value_text(pit_field_value *value, const char *text)
{
    value->type = text ? PIT_VALUE_TEXT : PIT_VALUE_NONE;
    value->text = text;
}

void pit__value_flag(pit_field_value *value, int flag)
{
    value->type = PIT_VALUE_FLAG;
    value->whole = flag != 0;
}

void pit__field_read(const struct pit__field *field, const void *row, pit_field_value *value)
{
    *value = (pit_field_value){.type = PIT_VALUE_NONE};
    if (field->get) {
        field->get(row, value);
    } else {
        uint64_t whole;
        memcpy(&whole, (const char *)row + field->at, sizeof whole);
        pit__value_whole(value, whole);
        if (whole == PIT_UNKNOWN)
            value->type = PIT_VALUE_UNKNOWN;
    }
    if (value->type <= PIT_VALUE_UNKNOWN && !value->reason)
        value->reason = field->why ? field->why : "";
}

/* ---- the public walk ------------------------------------------------------------------------- */

static const struct pit__field_table *table_of(enum pit_row_kind of)
{
    static const struct pit__field_table *const tables[] = {
        [PIT_OF_NODE] = &pit__node_fields,
        [PIT_OF_ENDED] = &pit__ended_fields,
        [PIT_OF_LOSSES] = &pit__losses_fields,
        [PIT_OF_RANK] = &pit__rank_fields,
    };
    return (size_t)of < sizeof tables / sizeof tables[0] ? tables[of] : NULL;
}

/* A pit_field is the first member of its entry, so the entry has the same address. */
static const struct pit__field *whole(const pit_field *field)
{
    return (const void *)field;
}

PIT_API const pit_field *pit_field_at(enum pit_row_kind of, size_t index)
{
    const struct pit__field_table *table = table_of(of);
    const struct pit__field *entry = table ? pit__field_entry(table, index) : NULL;
    return entry ? &entry->field : NULL;
}

PIT_API const pit_field *pit_field_find(enum pit_row_kind of, const char *key)
{
    const struct pit__field_table *table = table_of(of);
    const struct pit__field *entry = table && key ? pit__field_named(table, key) : NULL;
    return entry ? &entry->field : NULL;
}

PIT_API const char *pit_field_kind(const pit_field *field)
{
    static const char *const names[] = {
        [PIT__TEXT] = "text",         [PIT__COUNT] = "count",
        [PIT__DURATION] = "duration", [PIT__PERCENT] = "share",
        [PIT__BYTES] = "bytes",       [PIT__BYTES_SIGNED] = "signed bytes",
        [PIT__RATE] = "rate",         [PIT__BYTE_RATE] = "byte rate",
        [PIT__ENERGY] = "energy",     [PIT__POWER] = "power",
        [PIT__RATIO] = "ratio",       [PIT__NUMBER] = "number",
        [PIT__FLAG] = "flag",
    };
    return names[whole(field)->kind];
}

PIT_API const char *pit_field_merge(const pit_field *field)
{
    static const char *const names[] = {
        [PIT__MERGE_NONE] = "",
        [PIT__MERGE_SAME] = "same",
        [PIT__MERGE_SUM] = "sum",
        [PIT__MERGE_SMALLEST] = "smallest",
        [PIT__MERGE_LARGEST] = "largest",
        [PIT__MERGE_LAST] = "last",
        [PIT__MERGE_COMPUTED] = "computed",
        [PIT__MERGE_ONCE] = "once a machine",
    };
    return names[whole(field)->merge];
}

PIT_API const char *pit_field_reason(const pit_field *field)
{
    return whole(field)->why ? whole(field)->why : "";
}

PIT_API int pit_field_is_shown(const pit_field *field)
{
    return whole(field)->shown;
}

PIT_API void pit_field_get(const pit_field *field, const void *row, pit_field_value *value)
{
    pit__field_read(whole(field), row, value);
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct pit__column pit__field_column(const struct pit__field *field)
{
    return (struct pit__column){.title = field->field.title,
                                .key = field->field.key,
                                .kind = field->kind,
                                .min_width = field->min_width,
                                .max_width = field->max_width,
                                .drop = field->drop,
                                .optional = field->optional,
                                .machine = !field->shown};
}

static struct pit__cell cell_of(const pit_field_value *value)
{
    switch (value->type) {
    case PIT_VALUE_NONE:
        return pit__cell_empty();
    case PIT_VALUE_UNKNOWN:
        return pit__cell_real(NAN);
    case PIT_VALUE_WHOLE:
    case PIT_VALUE_FLAG:
        return pit__cell_whole(value->whole);
    case PIT_VALUE_SIGNED:
        return pit__cell_real((double)value->signed_whole);
    case PIT_VALUE_REAL:
        return pit__cell_real(value->real);
    case PIT_VALUE_TEXT:
        return pit__cell_text(value->text);
    }
    return pit__cell_empty();
}

struct pit__cell pit__field_cell(const struct pit__field *field, const void *row)
{
    pit_field_value value;
    pit__field_read(field, row, &value);
    struct pit__cell cell = cell_of(&value);
    if (field->style)
        cell.style = field->style(row);
    return cell;
}

void pit__field_text(char *out, const struct pit__field *field, const void *row, int ascii)
{
    struct pit__cell cell = pit__field_cell(field, row);
    pit__cell_figure(out, field->kind, &cell, ascii);
}

struct pit__table *pit__field_table_new(const struct pit__field_table *table)
{
    struct pit__column *columns = calloc(table->count, sizeof *columns);
    if (!columns)
        return NULL;
    for (size_t i = 0; i < table->count; i++)
        columns[i] = pit__field_column(pit__field_entry(table, i));
    struct pit__table *made = pit__table_new_owning(columns, table->count);
    if (!made)
        free(columns);
    return made;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void pit__json_value(struct pit__json *json, const char *key, enum pit__kind kind,
                     const pit_field_value *value)
{
    switch (value->type) {
    case PIT_VALUE_NONE:
    case PIT_VALUE_UNKNOWN:
        pit__json_null(json, key);
        return;
    case PIT_VALUE_WHOLE:
        pit__json_uint(json, key, value->whole);
        return;
    case PIT_VALUE_FLAG:
        pit__json_bool(json, key, value->whole != 0);
        return;
    case PIT_VALUE_SIGNED:
        pit__json_int(json, key, value->signed_whole);
        return;
    case PIT_VALUE_REAL:
        if (kind == PIT__DURATION)
            pit__json_milli(json, key, value->real);
        else
            pit__json_double(json, key, value->real);
        return;
    case PIT_VALUE_TEXT:
        pit__json_string(json, key, value->text);
        return;
    }
}

void pit__json_field(struct pit__json *json, const struct pit__field *field, const void *row)
{
    pit_field_value value;
    pit__field_read(field, row, &value);
    pit__json_value(json, field->field.key, field->kind, &value);
}

void pit__json_fields(struct pit__json *json, const struct pit__field_table *table, const void *row)
{
    for (size_t i = 0; i < table->count; i++)
        pit__json_field(json, pit__field_entry(table, i), row);
}
