/* node_fields.c: the field table of nodes, in the order of columns. To add a figure, write
 * a getter and an entry here; text, CSV, Markdown, JSON, Python and docs/fields.md follow. */
#include "fields.h"

#include <math.h>
#include <stddef.h>

#define NO_SPAN "none of its spans has ended"
#define NO_MEMORY "none of its spans measures memory (PIT_MEMORY)"
#define NO_PEAK "the kernel's high-water mark cannot be reset here"
#define NO_ALLOC "allocations were not counted (pitwall run --alloc)"
#define NO_LEAKS "none of its spans looks for leaks (PIT_LEAKS)"
#define NO_DEVICE "no device work was recorded in it (docs/devices.md)"
#define NO_WAIT "the waiting time of its device work was not recorded"
#define NO_ENERGY "none of its spans measures energy (PIT_ENERGY)"
#define NO_JOULES "no energy counter could be read: pitwall doctor says why"
#define NO_TEAMS "no parallel region was seen in it (pitwall run --openmp)"
#define NO_PLACE "the row merges several nodes of one name"

/* ---- getters --------------------------------------------------------------------------------- */

#define GETTER(name_, call_, figure_)                                                              \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_node *node = row;                                                                \
        call_(value, figure_);                                                                     \
    }
#define FINISHED(name_, figure_)                                                                   \
    GETTER(name_, pit__value_real, node->count > 0 ? node->figure_ : NAN)
/* For memory and allocations: no value if nothing was measured. */
#define GETTER_IF(name_, condition_, call_, figure_)                                               \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_node *node = row;                                                                \
        if (condition_)                                                                            \
            call_(value, figure_);                                                                 \
    }
#define HAS_MEMORY (node->memory && node->memory->count > 0)
#define HAS_ALLOC (node->alloc && node->alloc->count > 0)
#define MEMORY(name_, call_, figure_) GETTER_IF(name_, HAS_MEMORY, call_, node->memory->figure_)
#define ALLOC(name_, figure_) GETTER_IF(name_, HAS_ALLOC, pit__value_whole, node->alloc->figure_)
#define LEAKS(name_, figure_)                                                                      \
    GETTER_IF(name_, HAS_ALLOC && node->alloc->leak_spans > 0, pit__value_whole,                   \
              node->alloc->figure_)

static void set_peak(pit_field_value *value, const pit_memory *memory, uint64_t bytes)
{
    pit__value_whole(value, bytes);
    if (memory->peak_method == PIT_PEAK_NONE) {
        value->type = PIT_VALUE_UNKNOWN;
        value->reason = NO_PEAK;
    }
}
#define PEAK(name_, figure_)                                                                       \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_node *node = row;                                                                \
        if (HAS_MEMORY)                                                                            \
            set_peak(value, node->memory, node->memory->figure_);                                  \
    }

static void set_rate(pit_field_value *value, uint64_t amount, double ns)
{
    if (amount > 0)
        pit__value_real(value, ns > 0 ? (double)amount * 1e9 / ns : NAN);
}
#define RATE(name_, member_)                                                                       \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_node *node = row;                                                                \
        set_rate(value, node->member_, node->total_ns);                                            \
    }

/* A share of the time. Detached spans overlap others, so they have no share. */
#define SHARE(name_, member_)                                                                      \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_node *node = row;                                                                \
        if (!node->detached)                                                                       \
            pit__value_real(value, node->member_);                                                 \
    }

GETTER(name, pit__value_text, node->name)
GETTER(path, pit__value_text, node->path)
GETTER_IF(depth, node->path, pit__value_whole, node->depth)
GETTER_IF(parent, node->parent != PIT_NO_NODE, pit__value_whole, node->parent)
GETTER(detached, pit__value_flag, node->detached)
GETTER(comm, pit__value_flag, node->is_comm)
GETTER(total, pit__value_real, node->total_ns)
GETTER(self, pit__value_real, node->self_ns)
GETTER(finished, pit__value_real, node->finished_ns)
GETTER(open_time, pit__value_real, node->open_ns)
SHARE(share, share)
SHARE(self_share, self_share)
FINISHED(mean, mean_ns)
FINISHED(std, std_ns)
FINISHED(min, min_ns)
FINISHED(max, max_ns)
FINISHED(p50, p50_ns)
FINISHED(p95, p95_ns)
FINISHED(p99, p99_ns)
RATE(items_rate, items)
RATE(bytes_rate, bytes)
RATE(flops_rate, flops)
MEMORY(memory_spans, pit__value_whole, count)
MEMORY(delta, pit__value_signed, delta_sum)
MEMORY(delta_last, pit__value_signed, delta_last)
MEMORY(delta_max, pit__value_signed, delta_max)
MEMORY(rss_last, pit__value_whole, rss_last)
MEMORY(minor_faults, pit__value_whole, minor_faults)
MEMORY(major_faults, pit__value_whole, major_faults)
MEMORY(error_bytes, pit__value_whole, error_bytes)
PEAK(peak, peak_max)
PEAK(peak_last, peak_last)
PEAK(rss_max, rss_max)
GETTER_IF(device_peak, HAS_MEMORY && node->memory->device_max > 0, pit__value_whole,
          node->memory->device_max)
GETTER_IF(delta_mean, HAS_MEMORY, pit__value_real,
          (double)node->memory->delta_sum / (double)node->memory->count)
ALLOC(alloc_spans, count)
ALLOC(allocs, allocs)
ALLOC(frees, frees)
ALLOC(alloc_bytes, alloc_bytes)
ALLOC(freed_bytes, freed_bytes)
ALLOC(alloc_peak, peak_max)
ALLOC(alloc_peak_last, peak_last)
ALLOC(leak_spans, leak_spans)
GETTER_IF(live, HAS_ALLOC, pit__value_signed, node->alloc->live_sum)
GETTER_IF(live_last, HAS_ALLOC, pit__value_signed, node->alloc->live_last)
LEAKS(leaked_bytes, leaked_bytes)
LEAKS(leaked_blocks, leaked_blocks)

#define HAS_DEVICE (node->device.count > 0)
#define DEVICE(name_, figure_) GETTER_IF(name_, HAS_DEVICE, pit__value_real, node->device.figure_)
GETTER(is_device, pit__value_flag, node->detached == PIT_ON_DEVICE)
GETTER_IF(device_count, HAS_DEVICE, pit__value_whole, node->device.count)
GETTER_IF(device_wait, node->device.wait_count > 0, pit__value_real, node->device.wait_ns)
DEVICE(device_total, run_ns)
DEVICE(device_p50, p50_ns)
DEVICE(device_p95, p95_ns)
DEVICE(device_p99, p99_ns)
DEVICE(device_max, max_ns)

#define ENERGY(name_, figure_)                                                                     \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_energy *energy = ((const pit_node *)row)->energy;                                \
        if (!energy)                                                                               \
            return;                                                                                \
        pit__value_real(value, figure_);                                                           \
        if (value->type == PIT_VALUE_UNKNOWN)                                                      \
            value->reason = NO_JOULES;                                                             \
    }
GETTER_IF(energy_spans, node->energy, pit__value_whole, node->energy->count)
GETTER_IF(energy_unknown, node->energy, pit__value_whole, node->energy->unknown)
ENERGY(energy, energy->joules)
ENERGY(energy_each, energy->count > energy->unknown
                        ? energy->joules / (double)(energy->count - energy->unknown)
                        : NAN)
ENERGY(energy_power, energy->time_ns > 0 ? energy->joules * 1e9 / energy->time_ns : NAN)
ENERGY(energy_processors, energy->processors_j)
ENERGY(energy_devices, energy->devices_j)
ENERGY(energy_estimated, isnan(energy->joules) ? (double)NAN : energy->estimated_j)

static void energy_item(const void *row, pit_field_value *value)
{
    const pit_node *node = row;
    if (!node->energy)
        return;
    value->reason = "its spans counted no items";
    if (node->items > 0)
        pit__value_real(value, node->energy->joules / (double)node->items);
}

static void energy_how(const void *row, pit_field_value *value)
{
    const pit_energy *energy = ((const pit_node *)row)->energy;
    if (!energy)
        return;
    value->reason = NO_JOULES;
    if (!isnan(energy->joules))
        pit__value_text(value, energy->estimated_j <= 0               ? "measured"
                               : energy->estimated_j < energy->joules ? "part estimated"
                                                                      : "estimated");
}

#define TEAMS(name_, figure_) GETTER_IF(name_, node->teams, pit__value_whole, node->teams->figure_)
TEAMS(team_regions, count)
TEAMS(team_threads_max, threads_max)
GETTER_IF(team_threads_mean, node->teams && node->teams->count > 0, pit__value_real,
          (double)node->teams->threads / (double)node->teams->count)
TEAMS(team_elapsed, elapsed_ns)
TEAMS(team_busy, busy_ns)
TEAMS(team_slowest, slowest_ns)
TEAMS(team_wait, wait_ns)

static void team_imbalance(const void *row, pit_field_value *value)
{
    const pit_teams *teams = ((const pit_node *)row)->teams;
    if (!teams)
        return;
    double until_slowest = (double)teams->busy_ns + (double)teams->lag_ns;
    pit__value_real(value, until_slowest > 0 ? (double)teams->lag_ns / until_slowest : NAN);
    if (value->type == PIT_VALUE_UNKNOWN)
        value->reason = "its regions took no time at all";
}

static void peak_mean(const void *row, pit_field_value *value)
{
    const pit_memory *memory = ((const pit_node *)row)->memory;
    if (!memory || memory->count == 0)
        return;
    pit__value_real(value, memory->peak_method == PIT_PEAK_NONE
                               ? NAN
                               : (double)memory->peak_sum / (double)memory->count);
    if (value->type == PIT_VALUE_UNKNOWN)
        value->reason = NO_PEAK;
}

static void peak_method(const void *row, pit_field_value *value)
{
    static const char *const names[] = {
        [PIT_PEAK_NONE] = NULL, [PIT_PEAK_RUSAGE] = "rusage", [PIT_PEAK_HWM] = "hwm"};
    const pit_node *node = row;
    if (!HAS_MEMORY)
        return;
    pit__value_text(value, names[node->memory->peak_method]);
    if (value->type == PIT_VALUE_NONE)
        value->reason = NO_PEAK;
}

/* Highlights nodes by their own time, because that is what can be made faster. */
static enum pit__style heat(const void *row)
{
    const pit_node *node = row;
    if (node->detached || !(node->self_share >= 0.05))
        return PIT__PLAIN;
    return node->self_share >= 0.25 ? PIT__HOT : PIT__WARM;
}

static enum pit__style leak_style(const void *row)
{
    const pit_node *node = row;
    return node->alloc && node->alloc->leaked_bytes > 0 ? PIT__HOT : PIT__PLAIN;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(member_) .at = offsetof(pit_node, member_)
#define FIELD(key_, title_, kind_, merge_, help_)                                                  \
    .field = {key_, title_, help_}, .kind = PIT__##kind_, .merge = PIT__MERGE_##merge_

static const struct pit__field fields[] = {
    {FIELD("name", "span", TEXT, SAME, "name of the span"), .get = name, .shown = 1,
     .min_width = 26, .max_width = 100, .live = 1},
    {FIELD("path", "path", TEXT, SAME,
           "names from the outermost span inwards, joined by /; a / or \\ in a name is escaped "
           "with \\"),
     .get = path, .why = NO_PLACE, .live = 1},
    {FIELD("depth", "depth", COUNT, SAME, "spans around it; 0 for a span without parent"),
     .get = depth, .why = NO_PLACE, .live = 1},
    {FIELD("parent", "parent", COUNT, COMPUTED,
           "number of the node around it, counted from 0 in the whole tree"),
     .get = parent, .why = "it has no parent", .live = 1},
    {FIELD("detached", "detached", FLAG, SAME,
           "begun as an object: may overlap other spans, and does not count in its parent's time"),
     .get = detached, .live = 1},
    {FIELD("count", "count", COUNT, SUM, "spans that ended"), AT(count), .shown = 1, .drop = 1,
     .live = 1},
    {FIELD("total_ns", "total", DURATION, SUM,
           "time of all its spans, including the time that open ones have taken so far"),
     .get = total, .shown = 1, .live = 1},
    {FIELD("self_ns", "self", DURATION, SUM, "total_ns without the time in spans inside it"),
     .get = self, .style = heat, .shown = 1, .drop = 2, .live = 1},
    {FIELD("share", "share", PERCENT, COMPUTED, "total_ns as a share of the time in all spans"),
     .get = share, .why = "it is detached, or no time was spent in spans", .shown = 1, .live = 1},
    {FIELD("self_share", "self share", PERCENT, COMPUTED,
           "self_ns as a share of the time in all spans"),
     .get = self_share, .why = "it is detached, or no time was spent in spans", .live = 1},
    {FIELD("mean_ns", "mean", DURATION, COMPUTED, "mean duration of the spans that ended"),
     .get = mean, .why = NO_SPAN, .shown = 1, .drop = 3, .live = 1},
    {FIELD("std_ns", "std", DURATION, COMPUTED, "population standard deviation of the durations"),
     .get = std, .why = NO_SPAN},
    {FIELD("min_ns", "min", DURATION, SMALLEST, "shortest span that ended"), .get = min,
     .why = NO_SPAN},
    {FIELD("p50_ns", "p50", DURATION, COMPUTED, "median duration, within 1.6 %"), .get = p50,
     .why = NO_SPAN, .shown = 1, .drop = 9},
    {FIELD("p95_ns", "p95", DURATION, COMPUTED, "95 % of the spans took at most this long"),
     .get = p95, .why = NO_SPAN, .shown = 1, .drop = 8},
    {FIELD("p99_ns", "p99", DURATION, COMPUTED, "99 % of the spans took at most this long"),
     .get = p99, .why = NO_SPAN, .shown = 1, .drop = 4},
    {FIELD("max_ns", "max", DURATION, LARGEST, "longest span that ended"), .get = max,
     .why = NO_SPAN, .shown = 1, .drop = 7, .live = 1},
    {FIELD("device_total_ns", "device", DURATION, SUM,
           "time that devices worked for it and the spans inside it; not part of total_ns, and may "
           "exceed the time that passed where work overlaps"),
     .get = device_total, .why = NO_DEVICE, .shown = 1, .optional = 1, .live = 1},
    {FIELD("device_wait_ns", "dev wait", DURATION, SUM,
           "time that this work waited before the device started it"),
     .get = device_wait, .why = NO_WAIT, .shown = 1, .drop = 5, .optional = 1, .live = 1},
    {FIELD("device_count", "dev count", COUNT, SUM,
           "pieces of device work: kernels, transfers, spans with PIT_DEVICE"),
     .get = device_count, .why = NO_DEVICE, .shown = 1, .drop = 6, .optional = 1, .live = 1},
    {FIELD("device_p50_ns", "dev p50", DURATION, COMPUTED, "median of these pieces, within 1.6 %"),
     .get = device_p50, .why = NO_DEVICE, .shown = 1, .drop = 9, .optional = 1},
    {FIELD("device_p95_ns", "dev p95", DURATION, COMPUTED,
           "95 % of these pieces took at most this long"),
     .get = device_p95, .why = NO_DEVICE},
    {FIELD("device_p99_ns", "dev p99", DURATION, COMPUTED,
           "99 % of these pieces took at most this long"),
     .get = device_p99, .why = NO_DEVICE, .shown = 1, .drop = 8, .optional = 1},
    {FIELD("device_max_ns", "dev max", DURATION, LARGEST, "the longest of these pieces"),
     .get = device_max, .why = NO_DEVICE},
    {FIELD("items_per_s", "items/s", RATE, COMPUTED, "items divided by total_ns"),
     .get = items_rate, .why = "its spans counted no items", .shown = 1, .drop = 5, .optional = 1},
    {FIELD("bytes_per_s", "bytes/s", BYTE_RATE, COMPUTED, "bytes divided by total_ns"),
     .get = bytes_rate, .why = "its spans counted no bytes", .shown = 1, .drop = 6, .optional = 1},
    {FIELD("flop_per_s", "FLOP/s", RATE, COMPUTED, "flops divided by total_ns"), .get = flops_rate,
     .why = "its spans counted no operations", .shown = 1, .drop = 6, .optional = 1},
    {FIELD("items", "items", COUNT, SUM, "items that its spans counted (pit_items)"), AT(items),
     .live = 1},
    {FIELD("bytes", "bytes", COUNT, SUM, "bytes that its spans counted (pit_bytes)"), AT(bytes)},
    {FIELD("flops", "flops", COUNT, SUM, "operations that its spans counted (pit_flops)"),
     AT(flops)},
    {FIELD("open", "open", COUNT, SUM, "spans that are open, or were open when the run ended"),
     AT(open), .live = 1},
    {FIELD("open_ns", "open time", DURATION, SUM, "time that the open spans have taken so far"),
     .get = open_time},
    {FIELD("finished_ns", "finished", DURATION, SUM, "time of the spans that ended"),
     .get = finished},
    {FIELD("comm", "comm", FLAG, SAME, "communication with other processes, such as MPI calls"),
     .get = comm, .live = 1},
    {FIELD("on_device", "on device", FLAG, SAME,
           "work of a device, timed by the device. A row below another such row is how long that "
           "work waited"),
     .get = is_device, .live = 1},
    {FIELD("memory_spans", "mem spans", COUNT, SUM, "spans whose memory was measured"),
     .get = memory_spans, .why = NO_MEMORY},
    {FIELD("memory_delta_bytes", "mem delta", BYTES_SIGNED, SUM,
           "RSS at the end minus RSS at the beginning, summed over all spans"),
     .get = delta, .why = NO_MEMORY, .shown = 1, .drop = 4, .optional = 1},
    {FIELD(
         "memory_peak_bytes", "mem peak", BYTES_SIGNED, LARGEST,
         "highest RSS of the process during a span minus RSS at its beginning; the largest of all "
         "spans"),
     .get = peak, .why = NO_MEMORY, .shown = 1, .drop = 4, .optional = 1},
    {FIELD("memory_delta_mean_bytes", "mean delta", BYTES_SIGNED, COMPUTED,
           "memory_delta_bytes divided by memory_spans"),
     .get = delta_mean, .why = NO_MEMORY},
    {FIELD("memory_delta_max_bytes", "max delta", BYTES_SIGNED, LARGEST,
           "largest growth of RSS in one span"),
     .get = delta_max, .why = NO_MEMORY},
    {FIELD("memory_delta_last_bytes", "last delta", BYTES_SIGNED, LAST,
           "growth of RSS in the last span"),
     .get = delta_last, .why = NO_MEMORY},
    {FIELD("memory_peak_mean_bytes", "mean peak", BYTES_SIGNED, COMPUTED,
           "mean of the spans' peaks above RSS at their beginning"),
     .get = peak_mean, .why = NO_MEMORY},
    {FIELD("memory_peak_last_bytes", "last peak", BYTES_SIGNED, LAST,
           "the last span's peak above RSS at its beginning"),
     .get = peak_last, .why = NO_MEMORY},
    {FIELD("memory_rss_max_bytes", "max RSS", BYTES, LARGEST,
           "highest RSS of the process during a span"),
     .get = rss_max, .why = NO_MEMORY},
    {FIELD("memory_rss_last_bytes", "last RSS", BYTES, LAST, "RSS at the end of the last span"),
     .get = rss_last, .why = NO_MEMORY},
    {FIELD("device_memory_max_bytes", "GPU memory", BYTES, LARGEST,
           "most GPU memory in use in a reading during a span: that of the process, if known"),
     .get = device_peak, .why = "no GPU was read during a span that measures memory"},
    {FIELD("memory_error_bytes", "mem error", BYTES, LARGEST, "error bound of each memory figure"),
     .get = error_bytes, .why = NO_MEMORY},
    {FIELD("memory_peak_method", "peak method", TEXT, COMPUTED,
           "rusage or hwm: how the kernel's high-water mark was read"),
     .get = peak_method, .why = NO_MEMORY},
    {FIELD("minor_faults", "minor faults", COUNT, SUM,
           "page faults that did not read from storage, in spans whose memory was measured"),
     .get = minor_faults, .why = NO_MEMORY},
    {FIELD("major_faults", "major faults", COUNT, SUM,
           "page faults that read from storage, in spans whose memory was measured"),
     .get = major_faults, .why = NO_MEMORY},
    {FIELD("alloc_spans", "alloc spans", COUNT, SUM, "spans whose allocations were counted"),
     .get = alloc_spans, .why = NO_ALLOC},
    {FIELD("alloc_bytes", "allocated", BYTES, SUM, "bytes that its spans allocated"),
     .get = alloc_bytes, .why = NO_ALLOC, .shown = 1, .drop = 5, .optional = 1},
    {FIELD("live_bytes", "live", BYTES_SIGNED, SUM, "bytes allocated minus bytes freed"),
     .get = live, .why = NO_ALLOC, .shown = 1, .drop = 5, .optional = 1},
    {FIELD("live_last_bytes", "last live", BYTES_SIGNED, LAST,
           "bytes allocated minus bytes freed in the last span"),
     .get = live_last, .why = NO_ALLOC},
    {FIELD("allocs", "allocs", COUNT, SUM, "blocks that its spans allocated"), .get = allocs,
     .why = NO_ALLOC},
    {FIELD("frees", "frees", COUNT, SUM, "blocks that its spans freed"), .get = frees,
     .why = NO_ALLOC},
    {FIELD("freed_bytes", "freed", BYTES, SUM, "bytes that its spans freed"), .get = freed_bytes,
     .why = NO_ALLOC},
    {FIELD("alloc_peak_bytes", "peak live", BYTES, LARGEST,
           "most live bytes during a span, above those at its beginning"),
     .get = alloc_peak, .why = NO_ALLOC},
    {FIELD("alloc_peak_last_bytes", "last peak live", BYTES, LAST, "the same for the last span"),
     .get = alloc_peak_last, .why = NO_ALLOC},
    {FIELD("leak_spans", "leak spans", COUNT, SUM, "spans that looked for leaks (PIT_LEAKS)"),
     .get = leak_spans, .why = NO_ALLOC},
    {FIELD("leaked_bytes", "leaked", BYTES, SUM,
           "bytes that those spans allocated and did not free"),
     .get = leaked_bytes, .style = leak_style, .why = NO_LEAKS},
    {FIELD("leaked_blocks", "leaked blocks", COUNT, SUM,
           "blocks that those spans allocated and did not free"),
     .get = leaked_blocks, .why = NO_LEAKS},
    {FIELD("energy_spans", "energy spans", COUNT, ONCE, "spans whose energy was counted"),
     .get = energy_spans, .why = NO_ENERGY},
    {FIELD(
         "energy_j", "energy", ENERGY, ONCE,
         "energy that the machine's counters measured during its spans, for all programs together"),
     .get = energy, .why = NO_ENERGY, .shown = 1, .drop = 5, .optional = 1},
    {FIELD("energy_per_span_j", "J/span", ENERGY, COMPUTED, "energy_j divided by energy_spans"),
     .get = energy_each, .why = NO_ENERGY},
    {FIELD("energy_per_item_j", "J/item", ENERGY, COMPUTED, "energy_j divided by items"),
     .get = energy_item, .why = NO_ENERGY},
    {FIELD("power_w", "power", POWER, COMPUTED,
           "energy_j divided by the time of the spans it was measured for"),
     .get = energy_power, .why = NO_ENERGY},
    {FIELD("processors_energy_j", "processors", ENERGY, ONCE,
           "the part of energy_j used by processors and their memory"),
     .get = energy_processors, .why = NO_ENERGY},
    {FIELD("devices_energy_j", "devices", ENERGY, ONCE, "the part of energy_j used by GPUs"),
     .get = energy_devices, .why = NO_ENERGY},
    {FIELD("energy_estimated_j", "estimated", ENERGY, ONCE,
           "the part of energy_j that is mean power x time: spans shorter than 20 counter updates"),
     .get = energy_estimated, .why = NO_ENERGY},
    {FIELD("energy_unknown_spans", "not read", COUNT, ONCE,
           "spans that are not in energy_j: a counter could not be read"),
     .get = energy_unknown, .why = NO_ENERGY},
    {FIELD("energy_how", "how", TEXT, COMPUTED,
           "how energy_j was obtained: measured, estimated, or part estimated"),
     .get = energy_how, .why = NO_ENERGY},
    {FIELD("team_regions", "regions", COUNT, SUM,
           "parallel regions that were entered in its spans"),
     .get = team_regions, .why = NO_TEAMS},
    {FIELD("team_threads_max", "team", COUNT, LARGEST, "number of threads in the largest team"),
     .get = team_threads_max, .why = NO_TEAMS, .shown = 1, .drop = 5, .optional = 1},
    {FIELD("team_threads_mean", "mean team", NUMBER, COMPUTED, "mean number of threads in a team"),
     .get = team_threads_mean, .why = NO_TEAMS},
    {FIELD("team_elapsed_ns", "in regions", DURATION, SUM,
           "time from the beginning to the end of its regions"),
     .get = team_elapsed, .why = NO_TEAMS},
    {FIELD("team_busy_ns", "team busy", DURATION, SUM,
           "time that the threads of the teams worked, summed over threads"),
     .get = team_busy, .why = NO_TEAMS},
    {FIELD("team_slowest_ns", "slowest", DURATION, SUM,
           "time of the thread that worked longest in each team"),
     .get = team_slowest, .why = NO_TEAMS},
    {FIELD("team_wait_ns", "team wait", DURATION, SUM,
           "time that the threads of the teams spent waiting, starting and ending"),
     .get = team_wait, .why = NO_TEAMS},
    {FIELD(
         "team_imbalance_share", "imbalance", PERCENT, COMPUTED,
         "share of the teams' thread time that was lost because other threads finished before the "
         "slowest"),
     .get = team_imbalance, .why = NO_TEAMS, .shown = 1, .drop = 5, .optional = 1},
};

_Static_assert(sizeof fields / sizeof fields[0] <= PIT__NODE_FIELDS_MOST, "rows have room");

const struct pit__field_table pit__node_fields = {fields, sizeof fields / sizeof fields[0],
                                                  sizeof fields[0]};
