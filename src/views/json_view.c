/* json_view.c: the whole report as one JSON document.
 *
 * Times are nanoseconds. docs/report.md names the fields; schema_version changes when a field
 * changes its meaning or is removed, not when one is added.
 */
#include "report_view.h"

#include "model/fields.h"
#include "model/node_series.h"
#include "report/json_writer.h"

#include <math.h>
#include <string.h>

#define SCHEMA_VERSION 2
#define TIME_BYTES 40

void pit__json_losses(struct pit__json *json, const pit_losses *losses)
{
    pit__json_object(json, "losses");
    pit__json_fields(json, &pit__losses_fields, losses);
    pit__json_object_end(json);
}

/* Write the names of ancestors: the node indices of a thread are internal. */
void pit__json_open(struct pit__json *json, const pit_run *run, const pit_thread *thread)
{
    pit__json_array(json, "open");
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *open = &thread->open[i];
        if (open->node >= thread->node_count)
            continue;
        struct pit__text path = {0};
        pit__span_path(thread, open->node, &path);
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "name", thread->nodes[open->node].name);
        pit__json_string(json, "path", pit__text_string(&path));
        pit__json_bool(json, "phase", open->phase);
        pit__json_bool(json, "detached", open->object);
        pit__json_milli(json, "open_ns", pit__open_age_ns(run, open));
        pit__json_object_end(json);
        pit__text_free(&path);
    }
    pit__json_array_end(json);
}

/* Why a figure is null: JSON cannot represent it. NULL if it is a number. */
const char *pit__not_finite(double figure)
{
    return isnan(figure) ? "nan" : isfinite(figure) ? NULL : figure > 0 ? "inf" : "-inf";
}

/* A null figure has its reason next to it; a mean is not finite if one of its values is not. */
static void write_point(struct pit__json *json, const pit_run *run, const pit_point *point)
{
    uint64_t ticks = point->ticks > run->start_ticks ? point->ticks - run->start_ticks : 0;
    const char *reason = pit__not_finite(point->mean);
    pit__json_flat_object(json, NULL);
    pit__json_milli(json, "at_ns", (double)ticks * run->ns_per_tick);
    pit__json_uint(json, "values", point->values);
    pit__json_double(json, "mean", point->mean);
    pit__json_double(json, "min", point->min);
    pit__json_double(json, "max", point->max);
    if (reason)
        pit__json_string(json, "reason", reason);
    pit__json_object_end(json);
}

static void write_value(struct pit__json *json, const pit_run *run, const pit_raw_value *value)
{
    pit__json_object(json, NULL);
    pit__json_string(json, "name", value->name);
    pit__json_uint(json, "count", value->count);
    pit__json_double(json, "last", value->last);
    if (value->count > 0 && pit__not_finite(value->last))
        pit__json_string(json, "reason", pit__not_finite(value->last));
    pit__json_array(json, "points");
    for (size_t i = 0; i < value->point_count; i++)
        write_point(json, run, &value->points[i]);
    pit__json_array_end(json);
    pit__json_object_end(json);
}

/* The newest event of the flight recorder; null if there is none. */
static void write_last(struct pit__json *json, const pit_run *run, const pit_thread *thread)
{
    const pit_event *event =
        thread->event_count > 0 ? &thread->events[thread->event_count - 1] : NULL;
    if (!event || event->node >= thread->node_count) {
        pit__json_null(json, "last_finished");
        return;
    }
    struct pit__text path = {0};
    double end = (double)event->begin - (double)run->start_ticks + (double)event->duration;
    pit__span_path(thread, event->node, &path);
    pit__json_flat_object(json, "last_finished");
    pit__json_string(json, "path", pit__text_string(&path));
    pit__json_milli(json, "end_ns", end * run->ns_per_tick);
    pit__json_milli(json, "duration_ns", (double)event->duration * run->ns_per_tick);
    pit__json_object_end(json);
    pit__text_free(&path);
}

static void write_thread(struct pit__json *json, const pit_run *run, const pit_thread *thread)
{
    uint64_t spans = 0;
    for (size_t i = 0; i < thread->node_count; i++)
        spans += thread->nodes[i].count;
    pit__json_object(json, NULL);
    pit__json_string(json, "name", thread->name);
    pit__json_uint(json, "tid", thread->tid);
    pit__json_uint(json, "thread_count", thread->thread_count);
    pit__json_bool(json, "attached", thread->attached);
    pit__json_uint(json, "nodes", thread->node_count);
    pit__json_uint(json, "spans", spans);
    pit__json_uint(json, "events_kept", thread->event_count);
    pit__json_uint(json, "events_dropped", thread->events_dropped);
    write_last(json, run, thread);
    pit__json_open(json, run, thread);
    pit__json_array(json, "values");
    for (size_t i = 0; i < thread->value_count; i++)
        write_value(json, run, &thread->values[i]);
    pit__json_array_end(json);
    pit__json_records(json, run, thread);
    pit__json_losses(json, &thread->losses);
    pit__json_object_end(json);
}

static void write_id(struct pit__json *json, const char *key, const unsigned char id[16])
{
    char hex[33];
    int any = 0;
    for (int i = 0; i < 16; i++) {
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
        any |= id[i];
    }
    pit__json_string(json, key, any ? hex : NULL);
}

static void write_wall(struct pit__json *json, const char *key, const char *key_ns,
                       uint64_t wall_ns)
{
    char time[TIME_BYTES];
    pit__wall_time(wall_ns, 1, time, sizeof time);
    pit__json_string(json, key, *time ? time : NULL);
    pit__json_uint(json, key_ns, wall_ns);
}

/* The reason of an errno; null for none. */
static void write_reason(struct pit__json *json, const char *key, int reason)
{
    pit__json_string(json, key, reason > 0 ? strerror(reason) : NULL);
}

static void write_facts(struct pit__json *json, const pit_run *run)
{
    pit__json_object(json, "facts");
    for (size_t i = 0; i < run->fact_count; i++)
        pit__json_string(json, run->facts[i].key, run->facts[i].value);
    pit__json_object_end(json);
}

void pit__json_run_facts(struct pit__json *json, const pit_run *run)
{
    static const char *const clocks[] = {"unknown", "monotonic", "tsc", "cntvct"};
    static const char *const places[] = {"file", "shm", "unknown", "memory"};
    pit__json_string(json, "path", run->path);
    pit__json_string(json, "state", pit__state_word(run));
    pit__json_string(json, "storage", places[run->storage & 3]);
    pit__json_bool(json, "is_mirror", run->is_mirror);
    pit__json_bool(json, "recovered", run->recovered);
    write_reason(json, "growth_error", run->growth_errno);
    write_reason(json, "open_error", run->open_errno);
    pit__json_uint(json, "file_bytes", run->file_bytes);
    pit__json_uint(json, "used_bytes", run->used_bytes);
    pit__json_uint(json, "skipped_blocks", run->skipped_blocks);
    write_id(json, "run_id", run->run_id);
    write_id(json, "parent_run_id", run->parent_run_id);
    pit__json_uint(json, "depth", run->depth);
    pit__json_uint(json, "pid", run->pid);
    pit__json_uint(json, "uid", run->uid);
    pit__json_string(json, "clock", clocks[run->clock >= 1 && run->clock <= 3 ? run->clock : 0]);
    pit__json_double(json, "ns_per_tick", run->ns_per_tick);
    pit__json_double(json, "ns_per_tick_error", run->ns_per_tick_error);
    write_wall(json, "start", "start_wall_ns", run->start_wall_ns);
    write_wall(json, "end", "end_wall_ns", run->end_wall_ns);
    pit__json_milli(json, "duration_ns", run->duration_ns);
    pit__json_double(json, "span_cost_ns", run->span_cost_ns > 0 ? run->span_cost_ns : NAN);
    write_facts(json, run);
    pit__json_ended(json, run);
}

static void write_run(struct pit__json *json, const pit_run *run,
                      const struct pit__run_memory *memory)
{
    pit__json_object(json, NULL);
    pit__json_run_facts(json, run);
    pit__json_run_memory(json, run, memory);
    pit__json_array(json, "threads");
    for (size_t t = 0; t < run->thread_count; t++)
        write_thread(json, run, &run->threads[t]);
    pit__json_array_end(json);
    pit__json_hooks(json, run);
    pit__json_stack_samples(json, run);
    pit__json_losses(json, &run->losses);
    pit__json_object_end(json);
}

static void write_series(struct pit__json *json, const struct pit__node_series *series, size_t node)
{
    pit__json_array(json, "series");
    for (size_t i = series->first[node]; i < series->first[node + 1]; i++) {
        const struct pit__stretch *stretch = &series->stretches[i];
        pit__json_flat_object(json, NULL);
        pit__json_milli(json, "start_ns", stretch->start_ns);
        pit__json_milli(json, "width_ns", stretch->width_ns);
        pit__json_uint(json, "count", stretch->count);
        pit__json_milli(json, "total_ns", stretch->total_ns);
        pit__json_milli(json, "min_ns", stretch->min_ns);
        pit__json_milli(json, "max_ns", stretch->max_ns);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_node(struct pit__json *json, const pit_node *node)
{
    pit__json_fields(json, &pit__node_fields, node);
    pit__json_flat_array(json, "bins");
    for (size_t i = 0; i < node->bin_count; i++) {
        pit__json_array(json, NULL);
        pit__json_milli(json, NULL, node->bins[i].low_ns);
        pit__json_milli(json, NULL, node->bins[i].high_ns);
        pit__json_uint(json, NULL, node->bins[i].count);
        pit__json_array_end(json);
    }
    pit__json_array_end(json);
}

static int write_nodes(struct pit__json *json, const struct pit__report *report)
{
    struct pit__node_series series;
    int code = pit__node_series_make(report->tree, report->runs, report->run_count, &series);
    pit__json_array(json, "nodes");
    for (size_t i = 0; i < report->tree->node_count && !code; i++) {
        pit__json_object(json, NULL);
        write_node(json, &report->tree->nodes[i]);
        write_series(json, &series, i);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__node_series_free(&series);
    return code;
}

/* For the main thread; null if unknown. */
void pit__json_unmarked(struct pit__json *json, const pit_tree *tree)
{
    pit__json_object(json, "unmarked");
    pit__json_milli(json, "before_ns", tree->before_ns);
    pit__json_milli(json, "between_ns", tree->between_ns);
    pit__json_milli(json, "after_ns", tree->after_ns);
    pit__json_object_end(json);
}

static int write_summary(struct pit__json *json, const struct pit__report *report)
{
    struct pit__text headline = {0};
    size_t threads;
    double cost_share = pit__cost_share(report->runs, report->run_count, &threads);
    pit__headline(report, &headline);
    pit__json_object(json, "summary");
    pit__json_string(json, "headline", pit__text_string(&headline));
    pit__json_milli(json, "wall_ns", report->tree->wall_ns);
    pit__json_milli(json, "in_spans_ns", report->tree->total_ns);
    pit__json_milli(json, "finished_ns", report->tree->finished_ns);
    pit__json_unmarked(json, report->tree);
    pit__json_uint(json, "spans", report->tree->spans);
    pit__json_milli(json, "cost_ns", isnan(cost_share) ? NAN : report->tree->cost_ns);
    pit__json_double(json, "cost_share", cost_share);
    pit__json_losses(json, &report->tree->losses);
    pit__json_object_end(json);
    int code = headline.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&headline);
    return code;
}

static int write_runs(struct pit__json *json, const struct pit__report *report)
{
    pit__json_array(json, "runs");
    for (size_t r = 0; r < report->run_count; r++)
        write_run(json, report->runs[r], &report->memory[r]);
    pit__json_array_end(json);
    pit__json_places(json, report->tree);
    return write_nodes(json, report);
}

/* null: every run is in memory, so child processes had no folder for their files. */
static int write_sub_runs(struct pit__json *json, const struct pit__report *report)
{
    struct pit__report below;
    size_t unread = 0, with_file = 0;
    for (size_t r = 0; r < report->run_count; r++) {
        unread += report->runs[r]->below_unread;
        with_file += report->runs[r]->storage != PIT_STORAGE_MEMORY;
    }
    if (with_file == 0) {
        pit__json_null(json, "sub_runs");
        return 0;
    }
    int code = pit__report_below(report, &below);
    if (!code) {
        pit__json_object(json, "sub_runs");
        pit__json_uint(json, "count", below.run_count);
        pit__json_uint(json, "unread", unread);
        pit__json_uint(json, "spans", below.tree->spans);
        pit__json_milli(json, "in_spans_ns", below.tree->total_ns);
        code = write_runs(json, &below);
        pit__json_object_end(json);
    }
    pit__report_below_free(&below);
    return code;
}

int pit__print_json(const struct pit__report *report)
{
    struct pit__json json;
    pit__json_init(&json, report->out);
    pit__json_object(&json, NULL);
    pit__json_uint(&json, "schema_version", SCHEMA_VERSION);
    pit__json_string(&json, "pitwall_version", PITWALL_VERSION);
    int code = write_summary(&json, report);
    pit__json_advice(&json, report->advice);
    pit__json_ranks(&json, report->ranks);
    if (!code)
        code = pit__json_energy(&json, report);
    if (!code)
        code = write_runs(&json, report);
    if (!code)
        code = write_sub_runs(&json, report);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return code;
}
