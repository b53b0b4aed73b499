/* timers.c: named times that add up, and timed calls. */
#include "monitor.h"
#include "monitor_lock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

struct pit_timers {
    struct pit__monitor_lock lock; /* owns the rows */
    struct pit__rows rows;
    pit_device_use use;
};

PIT_API pit_timers *pit_timers_new(void)
{
    pit_timers *timers = calloc(1, sizeof *timers);
    if (timers)
        pthread_mutex_init(&timers->lock.mutex, NULL);
    return timers;
}

PIT_API void pit_timers_free(pit_timers *timers)
{
    if (!timers)
        return;
    pit__rows_clear(&timers->rows);
    pthread_mutex_destroy(&timers->lock.mutex);
    free(timers);
}

PIT_API void pit_timers_set_device(pit_timers *timers, const pit_device_use *use)
{
    if (!timers)
        return;
    pit__monitor_lock_take(&timers->lock);
    timers->use = use ? *use : (pit_device_use){0};
    pit__monitor_lock_give(&timers->lock);
}

static pit_device_use use_of(pit_timers *timers)
{
    pit_device_use use = {0};
    if (!timers)
        return use;
    pit__monitor_lock_take(&timers->lock);
    use = timers->use;
    pit__monitor_lock_give(&timers->lock);
    return use;
}

/* Memory as the utilities show it: the peak of all calls, and the rest after the last one. */
static void add(pit_timers *timers, const char *name, const pit_row *call)
{
    pit__monitor_lock_take(&timers->lock);
    pit_row *row = pit__rows_get(&timers->rows, name, 0);
    if (row) {
        pit__row_take(row, call);
        if (call->has_memory)
            row->cpu_delta_mb = call->cpu_delta_mb;
        if (call->has_device)
            row->gpu_delta_mb = call->gpu_delta_mb;
    }
    pit__monitor_lock_give(&timers->lock);
}

PIT_API void pit_timers_add(pit_timers *timers, const char *name, double seconds)
{
    if (!timers || !name || !isfinite(seconds))
        return;
    pit_row call = {.seconds = seconds > 0 ? seconds : 0};
    add(timers, name, &call);
}

PIT_API const pit_row *pit_timers_rows(pit_timers *timers, size_t *count)
{
    if (count)
        *count = timers ? timers->rows.count : 0;
    return timers ? timers->rows.rows : NULL;
}

/* Reports of the function that pit_time calls on this thread. */
struct said {
    int failed, counted;
    pit_counted figures;
};
static _Thread_local __attribute__((tls_model("initial-exec"))) struct said said;

PIT_API void pit_time_failed(void)
{
    said.failed = 1;
}

PIT_API void pit_time_counted(const pit_counted *counted)
{
    said.counted = counted != NULL;
    if (counted)
        said.figures = *counted;
}

/* Resident memory includes the counted memory, except pages that were resident before; so the higher of the
 * two is closer. libpitwall-alloc counts other memory: both are added. */
static void count_in(struct pit__taken *taken, const pit_counted *counted)
{
    double peak = pit__mb(counted->peak), live = pit__mb(counted->live);
    double beside = pit__mb(counted->overhead);
    if (taken->has_alloc) {
        taken->own_peak_mb += peak;
        taken->own_left_mb += live;
    } else { /* fmax ignores NaN, which means not available */
        taken->own_peak_mb = fmax(taken->own_peak_mb - beside, peak);
        taken->own_left_mb = fmax(taken->own_left_mb - beside, live);
    }
}

/* NAME complete: …, or NAME failed after … */
static void emit_complete(const char *name, unsigned flags, const struct pit__taken *taken,
                          int failed)
{
    pit_figure figures[5];
    size_t count = 0;
    figures[count++] = (pit_figure){"seconds", taken->row.seconds, "s"};
    if (flags & PIT_MEMORY) {
        figures[count++] = (pit_figure){"peak_memory_mb", taken->own_peak_mb, "MB"};
        figures[count++] = (pit_figure){"current_memory_mb", taken->own_left_mb, "MB"};
    }
    if ((flags & PIT_WAIT) && taken->row.has_device)
        figures[count++] = (pit_figure){"gpu_peak_mb", taken->row.gpu_peak_mb, "MB"};
    else if (flags & PIT_WAIT)
        figures[count++] = (pit_figure){"cpu_mode", 1, NULL};
    pit_entry entry = {.kind = failed ? "failed" : "complete",
                       .text = name,
                       .figures = figures,
                       .figure_count = count};
    pit__emit(&entry, 1);
}

PIT_API void *pit_time(pit_timers *timers, const char *name, unsigned flags,
                       void *(*function)(void *argument), void *argument)
{
    struct pit__taken taken;
    if (!function)
        return NULL;
    name = name ? name : "";
    pit_device_use use = use_of(timers);
    struct pit__track *track = pit__track_begin(name, flags & (PIT_MEMORY | PIT_WAIT), &use);
    struct said outer = said;
    said = (struct said){.failed = 0};
    void *result = function(argument);
    struct said inner = said;
    said = outer;
    pit__track_end(track, &taken);
    if (inner.counted && (flags & PIT_MEMORY))
        count_in(&taken, &inner.figures);
    pit_row call = taken.row;
    call.has_memory = isfinite(taken.own_left_mb);
    call.cpu_peak_mb = taken.own_peak_mb;
    call.cpu_delta_mb = taken.own_left_mb;
    if (timers && isfinite(call.seconds))
        add(timers, name, &call);
    emit_complete(name, flags, &taken, inner.failed);
    return result;
}
