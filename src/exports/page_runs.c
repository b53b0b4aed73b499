/* page_runs.c: the "runs" of the page: facts, readings, threads, values and end of each run. */
#include "page_export.h"

#include "model/open_span.h"

#include <math.h>

/* ---- readings of the sampler ------------------------------------------------------------------- */

struct readings {
    const pit_run *run;
    size_t channel;
};

static void write_reading_time(struct pit__json *json, const void *arg, size_t row)
{
    const pit_run *run = ((const struct readings *)arg)->run;
    double ticks = (double)run->samples[row].ticks - (double)run->start_ticks;
    pit__json_milli(json, NULL, ticks * run->ns_per_tick);
}

static void write_reading(struct pit__json *json, const void *arg, size_t row)
{
    const struct readings *readings = arg;
    const pit_run *run = readings->run;
    pit__json_double(json, NULL,
                     pit_channel_figure(&run->channels[readings->channel],
                                        run->samples[row].values[readings->channel]));
}

static int write_samples(struct pit__page *page, const pit_run *run)
{
    struct pit__json *json = &page->json;
    struct pit__page_columns columns = {.json = json};
    struct readings readings = {.run = run};
    if (!run->has_samples) {
        pit__json_null(json, "samples");
        return 0;
    }
    pit__json_object(json, "samples");
    pit__json_uint(json, "count", run->sample_count);
    pit__json_uint(json, "stride", run->sample_stride);
    pit__json_sample(json, "newest", run, &run->newest);
    pit__page_column(&columns, "at_ns", run->sample_count, write_reading_time, &readings);
    pit__json_array(json, "channels");
    for (size_t i = 0; i < run->channel_count; i++) {
        pit__json_object(json, NULL);
        pit__json_channel(json, &run->channels[i]);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_object(json, "columns");
    for (readings.channel = 0; readings.channel < run->channel_count; readings.channel++)
        if (!run->channels[readings.channel].missing)
            pit__page_column(&columns, run->channels[readings.channel].key, run->sample_count,
                             write_reading, &readings);
    pit__json_object_end(json);
    pit__json_object_end(json);
    return pit__page_columns_end(&columns);
}

/* ---- values ------------------------------------------------------------------------------------ */

struct points {
    const pit_run *run;
    const pit_raw_value *value;
};

#define POINT_CELL(name_, call_, figure_)                                                          \
    static void name_(struct pit__json *json, const void *arg, size_t row)                         \
    {                                                                                              \
        const struct points *points = arg;                                                         \
        call_(json, NULL, points->value->points[row].figure_);                                     \
    }
POINT_CELL(write_mean, pit__json_double, mean)
POINT_CELL(write_min, pit__json_double, min)
POINT_CELL(write_max, pit__json_double, max)
POINT_CELL(write_values, pit__json_uint, values)

static void write_point_time(struct pit__json *json, const void *arg, size_t row)
{
    const struct points *points = arg;
    double ticks = (double)points->value->points[row].ticks - (double)points->run->start_ticks;
    pit__json_milli(json, NULL, fmax(ticks, 0) * points->run->ns_per_tick);
}

/* Points that JSON cannot represent: their index, and nan, inf or -inf. */
static void write_not_finite(struct pit__json *json, const pit_raw_value *value)
{
    pit__json_object(json, "reasons");
    for (size_t i = 0; i < value->point_count; i++) {
        char row[24];
        const char *reason = pit__not_finite(value->points[i].mean);
        if (!reason)
            continue;
        snprintf(row, sizeof row, "%zu", i);
        pit__json_string(json, row, reason);
    }
    pit__json_object_end(json);
}

static int write_value(struct pit__page *page, const pit_run *run, size_t thread,
                       const pit_raw_value *value)
{
    struct pit__json *json = &page->json;
    struct pit__page_columns columns = {.json = json};
    struct points points = {run, value};
    pit__json_object(json, NULL);
    pit__json_string(json, "name", value->name);
    pit__json_uint(json, "thread", thread);
    pit__json_uint(json, "count", value->count);
    pit__json_double(json, "last", value->last);
    pit__json_string(json, "reason", value->count > 0 ? pit__not_finite(value->last) : NULL);
    pit__json_object(json, "columns");
    pit__page_column(&columns, "at_ns", value->point_count, write_point_time, &points);
    pit__page_column(&columns, "mean", value->point_count, write_mean, &points);
    pit__page_column(&columns, "min", value->point_count, write_min, &points);
    pit__page_column(&columns, "max", value->point_count, write_max, &points);
    pit__page_column(&columns, "values", value->point_count, write_values, &points);
    pit__json_object_end(json);
    write_not_finite(json, value);
    pit__json_object_end(json);
    return pit__page_columns_end(&columns);
}

static int write_all_values(struct pit__page *page, const pit_run *run)
{
    int code = 0;
    pit__json_array(&page->json, "values");
    for (size_t t = 0; t < run->thread_count && !code; t++)
        for (size_t i = 0; i < run->threads[t].value_count && !code; i++)
            code = write_value(page, run, t, &run->threads[t].values[i]);
    pit__json_array_end(&page->json);
    return code;
}

/* ---- threads, and the run ---------------------------------------------------------------------- */

static void write_thread(struct pit__json *json, const pit_run *run, const pit_thread *thread)
{
    uint64_t spans = 0;
    for (size_t i = 0; i < thread->node_count; i++)
        spans += thread->nodes[i].count;
    pit__json_object(json, NULL);
    pit__json_string(json, "name", thread->name);
    pit__json_uint(json, "tid", thread->tid);
    pit__json_uint(json, "spans", spans);
    pit__json_uint(json, "events_kept", thread->event_count);
    pit__json_uint(json, "events_dropped", thread->events_dropped);
    pit__json_open(json, run, thread);
    pit__json_object_end(json);
}

static int write_run(struct pit__page *page, const pit_run *run,
                     const struct pit__run_memory *memory)
{
    struct pit__json *json = &page->json;
    struct pit__text growth = {0}, words = {0};
    pit__json_object(json, NULL);
    pit__json_run_facts(json, run);
    pit__json_memory(json, run, memory);
    pit__json_double(json, "limit_bytes", pit__memory_limit(&memory->last));
    pit__growth_words(memory, &growth);
    pit__json_string(json, "growth", growth.length > 0 ? pit__text_string(&growth) : NULL);
    if (run->ended)
        pit__ending_words(run->ended, &words);
    pit__json_string(json, "ended_words", run->ended ? pit__text_string(&words) : NULL);
    pit__json_post_mortem(json, run, memory);
    pit__json_array(json, "threads");
    for (size_t t = 0; t < run->thread_count; t++)
        write_thread(json, run, &run->threads[t]);
    pit__json_array_end(json);
    pit__json_stack_samples(json, run);
    pit__json_losses(json, &run->losses);
    int code = write_all_values(page, run);
    if (!code)
        code = write_samples(page, run);
    pit__json_object_end(json);
    code = growth.failed || words.failed ? PIT_NO_MEMORY : code;
    pit__text_free(&growth);
    pit__text_free(&words);
    return code;
}

int pit__page_runs(struct pit__page *page)
{
    int code = 0;
    pit__json_array(&page->json, "runs");
    for (size_t r = 0; r < page->report.run_count && !code; r++)
        code = write_run(page, page->report.runs[r], &page->report.memory[r]);
    pit__json_array_end(&page->json);
    return code;
}
