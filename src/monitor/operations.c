/* operations.c: operations with time and memory, kept individually or added up, and single ones that print
 * when they end. */
#include "monitor.h"
#include "monitor_lock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pit_monitor {
    struct pit__monitor_lock lock; /* owns the rows */
    struct pit__rows rows;
    pit_device_use use;
    int depth; /* tracks that are open */
    int disabled;
};

PIT_API pit_monitor *pit_monitor_new(void)
{
    pit_monitor *monitor = calloc(1, sizeof *monitor);
    if (monitor) {
        pthread_mutex_init(&monitor->lock.mutex, NULL);
        monitor->disabled = pit__setting("PITWALL_MONITOR", 1) == 0;
    }
    return monitor;
}

PIT_API void pit_monitor_enable(pit_monitor *monitor, int enabled)
{
    if (monitor)
        monitor->disabled = !enabled;
}

PIT_API void pit_monitor_set_device(pit_monitor *monitor, const pit_device_use *use)
{
    if (!monitor)
        return;
    pit__monitor_lock_take(&monitor->lock);
    monitor->use = use ? *use : (pit_device_use){0};
    pit__monitor_lock_give(&monitor->lock);
}

PIT_API void pit_monitor_free(pit_monitor *monitor)
{
    if (!monitor)
        return;
    pit__rows_clear(&monitor->rows);
    pthread_mutex_destroy(&monitor->lock.mutex);
    free(monitor);
}

/* The private part of a pit_track. */
struct pit__operation {
    struct pit__track *track;
    int aggregate;
    int depth; /* open tracks of the monitor at its begin */
    char name[];
};

static struct pit__operation *begin(pit_track *track, const char *name, const pit_device_use *use)
{
    name = name ? name : "";
    struct pit__operation *own = malloc(sizeof *own + strlen(name) + 1);
    if (own) {
        strcpy(own->name, name);
        own->aggregate = own->depth = 0;
        own->track = pit__track_begin(name, PIT_MEMORY, use);
    }
    track->own = own;
    return own;
}

PIT_API void pit_monitor_begin(pit_monitor *monitor, pit_track *track, const char *operation,
                               int aggregate)
{
    if (!track)
        return;
    track->own = NULL;
    if (!monitor || monitor->disabled)
        return;
    pit__monitor_lock_take(&monitor->lock);
    int depth = monitor->depth++;
    pit_device_use use = monitor->use;
    pit__monitor_lock_give(&monitor->lock);
    struct pit__operation *own = begin(track, operation, &use);
    if (own) {
        own->aggregate = aggregate;
        own->depth = depth;
    }
}

PIT_API void pit_monitor_end(pit_monitor *monitor, pit_track *track)
{
    struct pit__taken taken;
    struct pit__operation *own = monitor && track ? track->own : NULL;
    if (!own)
        return;
    pit__track_end(own->track, &taken);
    pit__monitor_lock_take(&monitor->lock);
    monitor->depth = own->depth; /* also those inside that were never ended are over */
    int nested = own->depth != 0;
    pit_row *row = isnan(taken.row.seconds) ? NULL
                   : own->aggregate         ? pit__rows_get(&monitor->rows, own->name, nested)
                                            : pit__rows_add(&monitor->rows, own->name);
    if (row) {
        row->nested = nested;
        pit__row_take(row, &taken.row);
    }
    pit__monitor_lock_give(&monitor->lock);
    free(own);
    track->own = NULL;
}

PIT_API const pit_row *pit_monitor_rows(pit_monitor *monitor, size_t *count)
{
    if (count)
        *count = monitor ? monitor->rows.count : 0;
    return monitor ? monitor->rows.rows : NULL;
}

PIT_API double pit_monitor_total(pit_monitor *monitor)
{
    double total = 0;
    if (!monitor)
        return 0;
    pit__monitor_lock_take(&monitor->lock);
    for (size_t i = 0; i < monitor->rows.count; i++)
        if (!monitor->rows.rows[i].nested)
            total += monitor->rows.rows[i].seconds;
    pit__monitor_lock_give(&monitor->lock);
    return total;
}

PIT_API double pit_monitor_time(pit_monitor *monitor, const char *operation)
{
    double seconds = 0;
    int found = 0;
    if (!monitor || !operation)
        return (double)NAN;
    pit__monitor_lock_take(&monitor->lock);
    for (size_t i = 0; i < monitor->rows.count; i++)
        if (strcmp(monitor->rows.rows[i].name, operation) == 0) {
            seconds += monitor->rows.rows[i].seconds;
            found = 1;
        }
    pit__monitor_lock_give(&monitor->lock);
    return found ? seconds : (double)NAN;
}

PIT_API void pit_monitor_clear(pit_monitor *monitor)
{
    if (!monitor)
        return;
    pit__monitor_lock_take(&monitor->lock);
    pit__rows_clear(&monitor->rows);
    pit__monitor_lock_give(&monitor->lock);
}

/* ---- printing ------------------------------------------------------------------------------- */

struct printing {
    pit_monitor *monitor;
    int show_aggregate;
};

/* The statistics of aggregated operations. */
static void print_aggregate(FILE *out, const struct pit__rows *rows)
{
    pit_row *repeated = calloc(rows->count, sizeof *repeated);
    size_t count = 0;
    for (size_t i = 0; repeated && i < rows->count; i++)
        if (rows->indexed[i] && rows->rows[i].count > 1)
            repeated[count++] = rows->rows[i];
    if (count > 0) {
        pit_data data = {.rows = repeated, .row_count = count};
        putc('\n', out);
        pit_view_print(out, "aggregate", &data, NULL);
    }
    free(repeated);
}

static void print_tables(FILE *out, void *arg)
{
    const struct printing *printing = arg;
    pit_monitor *monitor = printing->monitor;
    pit__monitor_lock_take(&monitor->lock);
    const struct pit__rows *rows = &monitor->rows;
    if (rows->count == 0) {
        fputs("No performance metrics recorded\n", out);
    } else {
        pit_data data = {.rows = rows->rows, .row_count = rows->count};
        pit_view_print(out, "performance", &data, NULL);
        if (printing->show_aggregate)
            print_aggregate(out, rows);
    }
    pit__monitor_lock_give(&monitor->lock);
}

PIT_API void pit_monitor_print(pit_monitor *monitor, int show_aggregate)
{
    struct printing printing = {monitor, show_aggregate};
    if (monitor && !monitor->disabled)
        pit__emit_printed(print_tables, &printing);
}

/* ---- one alone ------------------------------------------------------------------------------ */

PIT_API void pit_performance_begin_on(pit_track *track, const char *operation,
                                      const pit_device_use *use)
{
    if (track)
        begin(track, operation, use);
}

PIT_API void pit_performance_begin(pit_track *track, const char *operation)
{
    pit_performance_begin_on(track, operation, NULL);
}

PIT_API void pit_track_pause(pit_track *track)
{
    if (track && track->own)
        pit__track_pause(track->own->track);
}

PIT_API void pit_track_resume(pit_track *track)
{
    if (track && track->own)
        pit__track_resume(track->own->track);
}

PIT_API void pit_performance_end(pit_track *track, int print)
{
    struct pit__taken taken;
    pit_figure figures[4];
    size_t count = 0;
    struct pit__operation *own = track ? track->own : NULL;
    if (!own)
        return;
    pit__track_end(own->track, &taken);
    figures[count++] = (pit_figure){"seconds", taken.row.seconds, "s"};
    if (taken.row.has_memory)
        figures[count++] = (pit_figure){"cpu_delta_mb", taken.row.cpu_delta_mb, "MB"};
    if (taken.row.has_device) {
        figures[count++] = (pit_figure){"gpu_delta_mb", taken.row.gpu_delta_mb, "MB"};
        figures[count++] = (pit_figure){"gpu_peak_mb", taken.row.gpu_peak_mb, "MB"};
    }
    pit_entry entry = {
        .kind = "performance", .text = own->name, .figures = figures, .figure_count = count};
    if (print)
        pit__emit(&entry, 1);
    free(own);
    track->own = NULL;
}
