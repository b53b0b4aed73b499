/* memory_json.c: memory, allocations, records and readings in the JSON document. What is not known
 * is null. */
#include "report_view.h"

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

/* Figures of a peak that could not be had are null, as its method is. */
static void write_peak(struct pit__json *json, const char *key, enum pit_peak_method method,
                       uint64_t bytes)
{
    write_known(json, key, method == PIT_PEAK_NONE ? PIT_UNKNOWN : bytes);
}

static void write_memory(struct pit__json *json, const pit_memory *m)
{
    if (!m) {
        pit__json_null(json, "memory");
        return;
    }
    pit__json_object(json, "memory");
    pit__json_uint(json, "spans", m->count);
    pit__json_int(json, "delta_last_bytes", m->delta_last);
    pit__json_int(json, "delta_sum_bytes", m->delta_sum);
    pit__json_int(json, "delta_max_bytes", m->delta_max);
    write_peak(json, "peak_last_bytes", m->peak_method, m->peak_last);
    write_peak(json, "peak_sum_bytes", m->peak_method, m->peak_sum);
    write_peak(json, "peak_max_bytes", m->peak_method, m->peak_max);
    write_peak(json, "rss_max_bytes", m->peak_method, m->rss_max);
    pit__json_uint(json, "rss_last_bytes", m->rss_last);
    pit__json_uint(json, "minor_faults", m->minor_faults);
    pit__json_uint(json, "major_faults", m->major_faults);
    pit__json_uint(json, "error_bytes", m->error_bytes);
    pit__json_string(json, "peak_method", method_name(m->peak_method));
    pit__json_object_end(json);
}

static void write_alloc(struct pit__json *json, const pit_alloc *a)
{
    if (!a) {
        pit__json_null(json, "alloc");
        return;
    }
    uint64_t known = a->leak_spans > 0 ? 0 : PIT_UNKNOWN;
    pit__json_object(json, "alloc");
    pit__json_uint(json, "spans", a->count);
    pit__json_uint(json, "allocs", a->allocs);
    pit__json_uint(json, "frees", a->frees);
    pit__json_uint(json, "alloc_bytes", a->alloc_bytes);
    pit__json_uint(json, "freed_bytes", a->freed_bytes);
    pit__json_uint(json, "peak_last_bytes", a->peak_last);
    pit__json_uint(json, "peak_max_bytes", a->peak_max);
    pit__json_int(json, "live_last_bytes", a->live_last);
    pit__json_int(json, "live_sum_bytes", a->live_sum);
    pit__json_uint(json, "leak_spans", a->leak_spans);
    write_known(json, "leaked_bytes", known ? known : a->leaked_bytes);
    write_known(json, "leaked_blocks", known ? known : a->leaked_blocks);
    pit__json_object_end(json);
}

void pit__json_node_memory(struct pit__json *json, const pit_node *node)
{
    write_memory(json, node->memory);
    write_alloc(json, node->alloc);
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

static void write_sample(struct pit__json *json, const char *key, const pit_run *run,
                         const pit_sample *sample)
{
    pit__json_flat_object(json, key);
    pit__json_milli(json, "at_ns", since_start(run, sample->ticks));
    write_known(json, "rss_bytes", sample->rss);
    write_known(json, "rss_max_bytes", sample->rss_max);
    write_known(json, "cpu_ns", sample->cpu_ns);
    write_known(json, "threads", sample->threads);
    write_known(json, "minor_faults", sample->minor_faults);
    write_known(json, "major_faults", sample->major_faults);
    write_known(json, "switches", sample->switches);
    write_known(json, "forced_switches", sample->forced_switches);
    write_known(json, "read_bytes", sample->read_bytes);
    write_known(json, "write_bytes", sample->write_bytes);
    write_known(json, "available_bytes", sample->available);
    write_known(json, "cgroup_used_bytes", sample->cgroup_used);
    pit__json_double(json, "pressure", pit__known(sample->pressure) / 10000);
    pit__json_object_end(json);
}

static void write_samples(struct pit__json *json, const pit_run *run)
{
    if (!run->has_samples) {
        pit__json_null(json, "samples");
        return;
    }
    pit__json_object(json, "samples");
    pit__json_uint(json, "stride", run->sample_stride);
    write_sample(json, "newest", run, &run->newest);
    pit__json_array(json, "points");
    for (size_t i = 0; i < run->sample_count; i++)
        write_sample(json, NULL, run, &run->samples[i]);
    pit__json_array_end(json);
    pit__json_object_end(json);
}

static void write_growth(struct pit__json *json, const struct pit__run_memory *memory)
{
    int known = !isnan(memory->growth.slope);
    pit__json_flat_object(json, "growth");
    pit__json_string(json, "method", "theil-sen, second half of the run");
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

static void write_post_mortem(struct pit__json *json, const pit_run *run,
                              const struct pit__run_memory *memory)
{
    if (run->state != PIT_RUN_DIED) {
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

void pit__json_run_memory(struct pit__json *json, const pit_run *run,
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
    write_samples(json, run);
    write_post_mortem(json, run, memory);
}
