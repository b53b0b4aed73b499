/* row_figures.c: figures computed from those of rows. */
#include "gather.h"

#include <math.h>
#include <stdlib.h>

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
