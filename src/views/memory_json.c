/* memory_json.c: memory, allocations, records and readings in the JSON document. Unknown figures
 * are null. */
#include "report_view.h"

#include "reader/reader.h"
#include "report/json_writer.h"

#include <math.h>

static void write_known(struct pit__json *json, const char *key, uint64_t figure)
{
    if (figure == PIT_UNKNOWN)
        pit__json_null(json, key);
    else
        pit__json_uint(json, key, figure);
}

/* A limit; 0 is none. */
static void write_limit(struct pit__json *json, const char *key, uint64_t figure)
{
    write_known(json, key, figure == 0 ? PIT_UNKNOWN : figure);
}

/* Bytes as a double, rounded to whole ones. */
static void write_bytes(struct pit__json *json, const char *key, double bytes)
{
    if (bytes >= -9e18 && bytes <= 9e18)
        pit__json_int(json, key, (int64_t)bytes);
    else
        pit__json_null(json, key);
}

static const char *method_name(enum pit_peak_method method)
{
    return method == PIT_PEAK_RUSAGE ? "rusage" : method == PIT_PEAK_HWM ? "hwm" : NULL;
}

/* ---- records ------------------------------------------------------------------------------- */

static double since_start(const pit_run *run, uint64_t ticks)
{
    return ((double)ticks - (double)run->start_ticks) * run->ns_per_tick;
}

static void write_record(struct pit__json *json, const pit_run *run, const pit_thread *thread,
                         const pit_record *record)
{
    uint64_t none = record->has_memory ? 0 : PIT_UNKNOWN;
    uint64_t no_alloc = record->has_alloc ? 0 : PIT_UNKNOWN;
    int has_peak = record->has_memory && record->peak_method != PIT_PEAK_NONE;
    struct pit__text path = {0};
    pit__span_path(thread, record->node, &path);
    pit__json_flat_object(json, NULL);
    pit__json_string(json, "path", pit__text_string(&path));
    pit__json_milli(json, "at_ns", since_start(run, record->begin));
    pit__json_milli(json, "duration_ns", (double)record->duration * run->ns_per_tick);
    pit__json_uint(json, "depth", record->depth);
    pit__json_uint(json, "items", record->items);
    write_known(json, "rss_begin_bytes", none | record->rss_begin);
    write_known(json, "rss_end_bytes", none | record->rss_end);
    write_known(json, "rss_peak_bytes", has_peak ? record->rss_peak : PIT_UNKNOWN);
    write_known(json, "minor_faults", none | record->minor_faults);
    write_known(json, "major_faults", none | record->major_faults);
    write_known(json, "error_bytes", none | record->error_bytes);
    pit__json_string(json, "peak_method", has_peak ? method_name(record->peak_method) : NULL);
    write_known(json, "alloc_bytes", no_alloc | record->alloc_bytes);
    write_known(json, "freed_bytes", no_alloc | record->freed_bytes);
    pit__json_object_end(json);
    pit__text_free(&path);
}

void pit__json_records(struct pit__json *json, const pit_run *run, const pit_thread *thread)
{
    pit__json_uint(json, "records_dropped", thread->records_dropped);
    pit__json_array(json, "records");
    for (size_t i = 0; i < thread->record_count; i++)
        write_record(json, run, thread, &thread->records[i]);
    pit__json_array_end(json);
}

/* ---- the run ------------------------------------------------------------------------------- */

void pit__json_sample(struct pit__json *json, const char *key, const pit_run *run,
                      const pit_sample *sample)
{
    pit__json_flat_object(json, key);
    pit__json_milli(json, "time_ns", since_start(run, sample->ticks));
    for (size_t i = 0; i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        if (channel->per_unit == 1)
            write_known(json, channel->key, sample->values[i]);
        else
            pit__json_double(json, channel->key, pit_channel_figure(channel, sample->values[i]));
    }
    pit__json_object_end(json);
}

void pit__json_channel(struct pit__json *json, const pit_channel *channel)
{
    pit__json_string(json, "key", channel->key);
    pit__json_string(json, "unit", channel->unit);
    pit__json_string(json, "help", channel->help);
    pit__json_string(json, "source", channel->source);
    pit__json_string(json, "kind", channel->is_counter ? "counter" : "gauge");
    pit__json_string(json, "over_time", channel->over_time);
    pit__json_string(json, "over_runs", channel->over_runs);
    pit__json_string(json, "missing", channel->missing);
}

static void write_channels(struct pit__json *json, const pit_run *run)
{
    pit__json_array(json, "channels");
    for (size_t i = 0; i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        pit__json_flat_object(json, NULL);
        pit__json_channel(json, channel);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_samples(struct pit__json *json, const pit_run *run)
{
    if (!run->has_samples) {
        pit__json_null(json, "samples");
        return;
    }
    pit__json_object(json, "samples");
    pit__json_uint(json, "stride", run->sample_stride);
    write_channels(json, run);
    pit__json_sample(json, "newest", run, &run->newest);
    pit__json_array(json, "points");
    for (size_t i = 0; i < run->sample_count; i++)
        pit__json_sample(json, NULL, run, &run->samples[i]);
    pit__json_array_end(json);
    pit__json_object_end(json);
}

static void write_growth(struct pit__json *json, const struct pit__run_memory *memory)
{
    int known = !isnan(memory->growth.slope);
    pit__json_flat_object(json, "growth");
    pit__json_string(json, "method", "theil-sen, second half of the work");
    pit__json_uint(json, "points", memory->growth.points);
    write_bytes(json, "bytes_a_minute", pit__growth_a_minute(memory));
    if (known)
        pit__json_bool(json, "is_growing", memory->is_growing);
    else
        pit__json_null(json, "is_growing");
    pit__json_string(json, "where",
                     memory->where.length > 0 ? pit__text_string(&memory->where) : NULL);
    pit__json_string(json, "where_by",
                     memory->where.length == 0 ? NULL
                     : memory->where_is_open   ? "open span"
                                               : "memory spans");
    pit__json_object_end(json);
}

void pit__json_post_mortem(struct pit__json *json, const pit_run *run,
                           const struct pit__run_memory *memory)
{
    if (!pit__has_died(run)) {
        pit__json_null(json, "post_mortem");
        return;
    }
    struct pit__text words = {0};
    double last_ns = (double)run->end_ticks - (double)run->newest.ticks;
    pit__verdict_words(memory, &words);
    pit__json_object(json, "post_mortem");
    pit__json_string(json, "verdict", pit__text_string(&words));
    pit__json_string(json, "cause", memory->verdict.key);
    pit__json_bool(json, "is_memory", memory->verdict.is_memory);
    pit__json_milli(json, "last_reading_before_end_ns",
                    run->has_samples ? fmax(last_ns, 0) * run->ns_per_tick : NAN);
    pit__json_object_end(json);
    pit__text_free(&words);
}

void pit__json_memory(struct pit__json *json, const pit_run *run,
                      const struct pit__run_memory *memory)
{
    pit__json_object(json, "memory");
    write_bytes(json, "rss_peak_bytes", memory->peak);
    write_limit(json, "machine_bytes", run->machine_bytes);
    write_limit(json, "cgroup_limit_bytes", run->cgroup_limit);
    write_limit(json, "cgroup_version", (uint64_t)run->cgroup_version);
    write_known(json, "oom_kills_at_start", run->oom_kills);
    write_growth(json, memory);
    pit__json_object_end(json);
}

void pit__json_run_memory(struct pit__json *json, const pit_run *run,
                          const struct pit__run_memory *memory)
{
    pit__json_memory(json, run, memory);
    write_samples(json, run);
    pit__json_post_mortem(json, run, memory);
}
