/* view_forms.c: what the views over rows share. */
#include "view_forms.h"

#include <math.h>
#include <stdlib.h>

int pit__table_done(struct pit__table *table, int code)
{
    pit__table_free(table);
    return code ? PIT_NO_MEMORY : 0;
}

static int print_json(const struct pit__view_call *call, struct pit__table *table,
                      pit__extras *extras, const void *arg)
{
    struct pit__json json;
    pit__json_init(&json, call->out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "view", call->options->view);
    pit__json_string(&json, "title", call->title);
    int code = pit__table_json(table, &json, "rows");
    if (extras)
        extras(&json, arg);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return code;
}

int pit__view_form(const struct pit__view_call *call, struct pit__table *table, const char *heading,
                   pit__extras *extras, const void *arg)
{
    int code;
    switch (call->options->form) {
    case PIT_JSON:
        code = print_json(call, table, extras, arg);
        break;
    case PIT_CSV:
        code = pit__table_csv(table, call->out);
        break;
    case PIT_MARKDOWN:
        fputs("### ", call->out);
        pit__print_markdown_text(call->out, heading);
        fputs("\n\n", call->out);
        code = pit__table_markdown(table, call->out, &call->look);
        break;
    case PIT_TEXT:
    default:
        pit__table_free(table);
        return PIT_BAD_ARGUMENT;
    }
    return pit__table_done(table, code);
}

int pit__print_named(const struct pit__view_call *call, const char *before, const char *name,
                     const char *after, int columns)
{
    struct pit__text visible = {0}, line = {0};
    pit__text_add_visible(&visible, name);
    pit__text_puts(&line, before);
    size_t around = pit__text_width(before) + pit__text_width(after);
    size_t room = pit__text_width(pit__text_string(&visible));
    if (columns > 0 && around + room > (size_t)columns)
        room = (size_t)columns > around ? (size_t)columns - around : 1;
    pit__text_add_cut(&line, pit__text_string(&visible), room, call->look.ascii);
    pit__text_puts(&line, after);
    fprintf(call->out, "%s\n", pit__text_string(&line));
    int code = visible.failed || line.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&visible);
    pit__text_free(&line);
    return code;
}

uint64_t pit__row_count(const pit_row *row)
{
    return row->count > 0 ? row->count : 1;
}

double pit__row_mean(const pit_row *row)
{
    return row->seconds / (double)pit__row_count(row);
}

double pit__row_min(const pit_row *row)
{
    return row->count <= 1 && row->min_seconds == 0 ? row->seconds : row->min_seconds;
}

double pit__row_max(const pit_row *row)
{
    return row->count <= 1 && row->max_seconds == 0 ? row->seconds : row->max_seconds;
}

double pit__rows_total(const pit_data *data)
{
    double total = 0;
    for (size_t i = 0; i < data->row_count; i++)
        if (!data->rows[i].nested && isfinite(data->rows[i].seconds))
            total += data->rows[i].seconds;
    return total;
}

static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}

static int by_longest(const void *a, const void *b)
{
    const pit_row *x = *(const pit_row *const *)a, *y = *(const pit_row *const *)b;
    int order = compare(x->seconds, y->seconds);
    return order ? order : (x > y) - (x < y);
}

static double positive(double seconds)
{
    return seconds > 0 && isfinite(seconds) ? seconds : NAN;
}

static int by_shortest(const void *a, const void *b)
{
    const pit_row *x = *(const pit_row *const *)a, *y = *(const pit_row *const *)b;
    int order = compare(-positive(pit__row_mean(x)), -positive(pit__row_mean(y)));
    return order ? order : (x > y) - (x < y);
}

const pit_row **pit__rows_ranked(const pit_data *data, int shortest)
{
    const pit_row **rows = calloc(data->row_count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < data->row_count; i++)
        rows[i] = &data->rows[i];
    if (rows)
        qsort(rows, data->row_count, sizeof *rows, shortest ? by_shortest : by_longest);
    return rows;
}

struct pit__cell pit__cell_name(const char *name)
{
    struct pit__cell cell = pit__cell_text(name && !*name ? "\"\"" : name);
    cell.raw = name;
    return cell;
}

struct pit__cell pit__cell_row_name(const pit_row *row, struct pit__text *room)
{
    struct pit__cell cell = pit__cell_name(row->name);
    if (!row->nested)
        return cell;
    room->length = 0;
    pit__text_puts(room, "  ");
    pit__text_puts(room, cell.string ? cell.string : "");
    cell.string = pit__text_string(room);
    return cell;
}

struct pit__cell pit__cell_share(double part, double total)
{
    double share = total > 0 ? part / total : NAN;
    return pit__cell_real(share <= 1 + 1e-9 ? share : NAN);
}
