/* row_table.c: rows in the order of their creation, some of them found by name. */
#include "monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(const char *name, int nested)
{
    uint64_t hash = 14695981039346656037u ^ (uint64_t)(nested != 0);
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        hash = (hash ^ *at) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of the name, or the free one where it would be. slot_count must not be 0. */
static uint32_t *slot_of(const struct pit__rows *rows, const char *name, int nested)
{
    size_t at = hash_of(name, nested) & (rows->slot_count - 1);
    for (;; at = (at + 1) & (rows->slot_count - 1)) {
        uint32_t *slot = &rows->slots[at];
        if (*slot == 0)
            return slot;
        const pit_row *row = &rows->rows[*slot - 1];
        if ((row->nested != 0) == (nested != 0) && strcmp(row->name, name) == 0)
            return slot;
    }
}

/* Room for one more row; slots are kept at least half empty. */
static int grow(struct pit__rows *rows)
{
    if (rows->count < rows->room)
        return 1;
    size_t room = rows->room ? 2 * rows->room : 16;
    if (room > UINT32_MAX / 4)
        return 0;
    pit_row *more = realloc(rows->rows, room * sizeof *more);
    if (!more)
        return 0;
    rows->rows = more;
    unsigned char *indexed = realloc(rows->indexed, room);
    if (!indexed)
        return 0;
    rows->indexed = indexed;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!slots)
        return 0;
    free(rows->slots);
    rows->slots = slots;
    rows->slot_count = 2 * room;
    rows->room = room;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->indexed[i])
            *slot_of(rows, rows->rows[i].name, rows->rows[i].nested) = (uint32_t)i + 1;
    return 1;
}

pit_row *pit__rows_add(struct pit__rows *rows, const char *name)
{
    char *copy = grow(rows) ? strdup(name) : NULL;
    if (!copy)
        return NULL;
    rows->rows[rows->count] = (pit_row){.name = copy};
    rows->indexed[rows->count] = 0;
    return &rows->rows[rows->count++];
}

const pit_row *pit__rows_find(const struct pit__rows *rows, const char *name, int nested)
{
    uint32_t at = rows->slot_count ? *slot_of(rows, name, nested) : 0;
    return at ? &rows->rows[at - 1] : NULL;
}

pit_row *pit__rows_get(struct pit__rows *rows, const char *name, int nested)
{
    uint32_t at = rows->slot_count ? *slot_of(rows, name, nested) : 0;
    if (at)
        return &rows->rows[at - 1];
    pit_row *row = pit__rows_add(rows, name);
    if (!row)
        return NULL;
    row->nested = nested != 0;
    *slot_of(rows, name, nested) = (uint32_t)rows->count;
    rows->indexed[rows->count - 1] = 1;
    return row;
}

pit_row *pit__rows_take_open(struct pit__rows *rows, const char *name, int nested, double seconds)
{
    static const char suffix[] = " (open)";
    size_t length = strlen(name);
    char *open = malloc(length + sizeof suffix);
    if (!open)
        return NULL;
    memcpy(open, name, length);
    memcpy(open + length, suffix, sizeof suffix);
    pit_row *row = pit__rows_get(rows, open, nested);
    free(open);
    if (row) {
        row->count = 1;
        row->seconds = fmax(row->seconds, seconds);
    }
    return row;
}

void pit__rows_clear(struct pit__rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free((char *)(uintptr_t)rows->rows[i].name);
    free(rows->rows);
    free(rows->indexed);
    free(rows->slots);
    *rows = (struct pit__rows){0};
}

/* If one part has no peak, the sum has none. */
static double higher(double one, double other)
{
    return isnan(one) || isnan(other) ? (double)NAN : fmax(one, other);
}

static void take_memory(pit_row *row, const pit_row *call)
{
    if (!call->has_memory)
        return;
    if (!row->has_memory) {
        row->has_memory = 1;
        row->cpu_start_mb = call->cpu_start_mb;
        row->cpu_peak_mb = call->cpu_peak_mb;
    }
    row->cpu_peak_mb = higher(row->cpu_peak_mb, call->cpu_peak_mb);
    row->cpu_end_mb = call->cpu_end_mb;
    row->cpu_delta_mb += call->cpu_delta_mb;
}

static void take_device(pit_row *row, const pit_row *call)
{
    if (!call->has_device)
        return;
    if (!row->has_device) {
        row->has_device = 1;
        row->gpu_start_mb = call->gpu_start_mb;
        row->gpu_peak_mb = call->gpu_peak_mb;
    }
    row->gpu_peak_mb = higher(row->gpu_peak_mb, call->gpu_peak_mb);
    row->gpu_end_mb = call->gpu_end_mb;
    row->gpu_delta_mb += call->gpu_delta_mb;
}

void pit__row_take(pit_row *row, const pit_row *call)
{
    double seconds = call->seconds;
    row->min_seconds = row->count == 0 || seconds < row->min_seconds ? seconds : row->min_seconds;
    row->max_seconds = row->count == 0 || seconds > row->max_seconds ? seconds : row->max_seconds;
    row->seconds += seconds;
    row->count++;
    take_memory(row, call);
    take_device(row, call);
}
