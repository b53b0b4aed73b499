/* epoch_monitor.c: epochs and batches of a training loop: one line for each of the first batches of an
 * epoch, and two lines at its end. Recorded as the span "epoch" with "batch" inside. */
#include "monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BATCHES 5

/* Times of some batches. */
struct times {
    uint64_t count;
    double total, min, max;
};

struct pit_epoch_monitor {
    uint64_t verbose_batches;
    int disabled;
    int in_epoch, in_batch;
    pit_device_use use;
    uint64_t epoch_ns, batch_ns; /* when they began */
    const pit_device *marked;    /* the device on which the epoch began */
    uint64_t mark;               /* follows its peak since then; 0: nothing resets it */
    pit_energy_now energy;       /* at the begin of the epoch */
    pit_token epoch, batch;
    struct times of_epoch, of_all;
    uint64_t epochs; /* epochs that ended */
    double epochs_total;
};

PIT_API pit_epoch_monitor *pit_epoch_monitor_new(const pit_epoch_options *options)
{
    pit_epoch_monitor *monitor = calloc(1, sizeof *monitor);
    if (!monitor)
        return NULL;
    int batches = DEFAULT_BATCHES;
    if (options) {
        monitor->disabled = options->disabled;
        batches = options->verbose_batches ? options->verbose_batches : DEFAULT_BATCHES;
    } else {
        monitor->disabled = pit__setting("PITWALL_MONITOR", 1) == 0;
        batches = pit__setting("PITWALL_MONITOR_BATCHES", DEFAULT_BATCHES);
    }
    monitor->verbose_batches = batches > 0 ? (uint64_t)batches : 0;
    return monitor;
}

PIT_API void pit_epoch_monitor_set_device(pit_epoch_monitor *monitor, const pit_device_use *use)
{
    if (monitor)
        monitor->use = use ? *use : (pit_device_use){0};
}

/* Both return the duration of the span; 0 if nothing is recorded. */
static uint64_t leave_batch(pit_epoch_monitor *monitor)
{
    uint64_t took_ns = monitor->in_batch ? pit_end_ns(monitor->batch) : 0;
    monitor->in_batch = 0;
    return took_ns;
}

static uint64_t leave_epoch(pit_epoch_monitor *monitor)
{
    leave_batch(monitor);
    uint64_t took_ns = monitor->in_epoch ? pit_end_ns(monitor->epoch) : 0;
    monitor->in_epoch = 0;
    return took_ns;
}

PIT_API void pit_epoch_monitor_free(pit_epoch_monitor *monitor)
{
    if (monitor)
        leave_epoch(monitor);
    free(monitor);
}

static void add_time(struct times *times, double seconds)
{
    times->min = times->count == 0 || seconds < times->min ? seconds : times->min;
    times->max = times->count == 0 || seconds > times->max ? seconds : times->max;
    times->total += seconds;
    times->count++;
}

/* An epoch or batch that is begun again without an end is not counted: its time is unknown. */
PIT_API void pit_epoch_begin(pit_epoch_monitor *monitor)
{
    if (!monitor || monitor->disabled)
        return;
    leave_epoch(monitor);
    monitor->of_epoch = (struct times){0};
    monitor->in_epoch = 1;
    monitor->marked = pit__device_of(&monitor->use);
    monitor->mark = pit__device_watch(monitor->marked);
    pit__source_energy(&monitor->energy);
    monitor->epoch_ns = pit__source_ns_on(&monitor->use);
    monitor->epoch = pit_begin_name("epoch");
}

PIT_API void pit_epoch_batch_begin(pit_epoch_monitor *monitor, uint64_t batch)
{
    (void)batch; /* the end tells which batch it was */
    if (!monitor || monitor->disabled)
        return;
    leave_batch(monitor);
    monitor->in_batch = 1;
    monitor->batch_ns = pit__source_ns_on(&monitor->use);
    monitor->batch = pit_begin_name("batch");
}

static void emit_batch(const pit_epoch_monitor *monitor, uint64_t batch, double seconds,
                       const double *loss)
{
    pit_figure figures[6];
    size_t count = 0;
    pit_device_memory device;
    uint64_t rss = pit__source_rss();
    figures[count++] = (pit_figure){"epoch", (double)monitor->epochs, NULL};
    figures[count++] = (pit_figure){"batch", (double)batch, NULL};
    figures[count++] = (pit_figure){"seconds", seconds, "s"};
    if (pit__device_read(pit__device_of(&monitor->use), &device) == 0)
        figures[count++] = (pit_figure){"gpu_mb", pit__mb(device.allocated), "MB"};
    if (rss)
        figures[count++] = (pit_figure){"cpu_mb", pit__mb(rss), "MB"};
    if (loss)
        figures[count++] = (pit_figure){"loss", *loss, NULL};
    pit_entry entry = {.kind = "batch", .text = "", .figures = figures, .figure_count = count};
    pit__emit(&entry, 1);
}

PIT_API void pit_epoch_batch_end(pit_epoch_monitor *monitor, uint64_t batch, const double *loss)
{
    if (!monitor || monitor->disabled || !monitor->in_batch)
        return;
    uint64_t now_ns = pit__source_ns_on(&monitor->use);
    double seconds = pit__seconds_taken(leave_batch(monitor), monitor->batch_ns, now_ns);
    add_time(&monitor->of_epoch, seconds);
    add_time(&monitor->of_all, seconds);
    if (loss)
        pit_value("loss", *loss);
    if (batch < monitor->verbose_batches)
        emit_batch(monitor, batch, seconds, loss);
}

/* Read the device at the end of an epoch; its peak as if operations inside had not reset it. */
static int read_epoch(pit_epoch_monitor *monitor, pit_device_memory *memory)
{
    uint64_t mark = monitor->mark;
    monitor->mark = 0;
    return mark ? pit__device_unmark(monitor->marked, mark, memory)
                : pit__device_read(monitor->marked, memory);
}

/* Joules since the epoch began, from counters for which it was long enough; NaN. */
static double joules_of_epoch(const pit_epoch_monitor *monitor, double seconds)
{
    pit_energy_now now;
    pit__source_energy(&now);
    double processors = seconds >= now.processors_min_s
                            ? now.processors_j - monitor->energy.processors_j
                            : (double)NAN;
    double devices =
        seconds >= now.devices_min_s ? now.devices_j - monitor->energy.devices_j : (double)NAN;
    int has_devices = !isnan(now.devices_j);
    return !has_devices ? processors : isnan(now.processors_j) ? devices : processors + devices;
}

static void emit_epoch(pit_epoch_monitor *monitor, double seconds)
{
    const struct times *times = &monitor->of_epoch;
    pit_device_memory device;
    double joules = joules_of_epoch(monitor, seconds);
    pit_figure ending[6] = {{"epoch", (double)monitor->epochs, NULL}, {"seconds", seconds, "s"}};
    size_t count = 2;
    if (read_epoch(monitor, &device) == 0) {
        ending[count++] = (pit_figure){"gpu_mb", pit__mb(device.allocated), "MB"};
        ending[count++] = (pit_figure){"reserved_mb", pit__mb(device.reserved), "MB"};
        ending[count++] = (pit_figure){"peak_mb", pit__mb(device.peak), "MB"};
    }
    if (joules >= 0)
        ending[count++] = (pit_figure){"energy_j", joules, "J"};
    pit_figure batches[] = {{"epoch", (double)monitor->epochs, NULL},
                            {"batches", (double)times->count, NULL},
                            {"avg", times->total / (double)times->count, "s"},
                            {"min", times->min, "s"},
                            {"max", times->max, "s"}};
    pit_entry entries[] = {
        {.kind = "epoch", .text = "", .figures = ending, .figure_count = count},
        {.kind = "batch-timing", .text = "", .figures = batches, .figure_count = 5},
    };
    pit__emit(entries, times->count ? 2 : 1);
}

PIT_API void pit_epoch_end(pit_epoch_monitor *monitor)
{
    if (!monitor || monitor->disabled || !monitor->in_epoch)
        return;
    uint64_t now_ns = pit__source_ns_on(&monitor->use);
    double seconds = pit__seconds_taken(leave_epoch(monitor), monitor->epoch_ns, now_ns);
    emit_epoch(monitor, seconds);
    monitor->epochs++;
    monitor->epochs_total += seconds;
}

PIT_API int pit_epoch_statistics_of(pit_epoch_monitor *monitor, pit_epoch_statistics *statistics)
{
    if (!monitor || !statistics || monitor->disabled || monitor->of_all.count == 0)
        return PIT_NOTHING;
    const struct times *all = &monitor->of_all;
    *statistics = (pit_epoch_statistics){
        .total_epoch_time = monitor->epochs_total,
        .avg_epoch_time =
            monitor->epochs ? monitor->epochs_total / (double)monitor->epochs : (double)NAN,
        .total_batch_time = all->total,
        .avg_batch_time = all->total / (double)all->count,
        .min_batch_time = all->min,
        .max_batch_time = all->max,
        .num_batches = all->count,
        .num_epochs = monitor->epochs,
    };
    return 0;
}
