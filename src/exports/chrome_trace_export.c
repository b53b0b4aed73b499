/* chrome_trace_export.c: runs as a trace for Perfetto, chrome://tracing and similar viewers.
 *
 * A span is a complete event (X) on its thread. An open span extends to the last known time and
 * is marked as open. Span objects overlap, so they are pairs of async events (b, e). Values and
 * readings of the sampler are counters (C), lines of the journal are instants (i). Times are
 * microseconds with nanoseconds as decimals, from the start of the first run. Runs of several
 * hosts are aligned by their collectives if they have any (model/ranks.h), else by the clocks of
 * the hosts.
 */
#include "export.h"

#include "model/ranks.h"
#include "model/run_memory.h"
#include "model/slices.h"

#include "report/json_writer.h"
#include "views/report_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_IDS ((uint64_t)1 << 22) /* ids of the kernel are below this */

struct trace {
    struct pit__json json;
    const pit_run *run;
    uint64_t offset_ns; /* of the run's start from that of the first */
    double drift;       /* drift of its host's clock against the first host */
    uint64_t pid;
    const uint64_t *tids; /* of its threads */
    uint64_t objects;     /* written so far, for their ids */
};

static void write_us(struct trace *trace, const char *key, uint64_t ns)
{
    pit__json_micro(&trace->json, key, ns);
}

/* A time of the run on the common time line. */
static uint64_t common_ns(const struct trace *trace, uint64_t ns)
{
    double gained = (double)ns * trace->drift;
    return trace->offset_ns + (gained > (double)ns ? 0 : (uint64_t)((int64_t)ns - llround(gained)));
}

static void begin_event(struct trace *trace, const char *phase, const char *name,
                        const char *category, uint64_t tid, uint64_t ns)
{
    struct pit__json *json = &trace->json;
    pit__json_flat_object(json, NULL);
    pit__json_string(json, "name", name);
    pit__json_string(json, "cat", category);
    pit__json_string(json, "ph", phase);
    write_us(trace, "ts", common_ns(trace, ns));
    pit__json_uint(json, "pid", trace->pid);
    pit__json_uint(json, "tid", tid);
}

/* ---- spans ---------------------------------------------------------------------------------- */

/* Details that are not visible from the position of the slice. */
static void write_span_args(struct trace *trace, const struct pit__slice *slice)
{
    struct pit__json *json = &trace->json;
    double took_ns = (double)slice->took * trace->run->ns_per_tick;
    double shown_ns = (double)(slice->end - slice->begin);
    int differs = fabs(took_ns - shown_ns) > 1;
    if (!slice->open && !differs)
        return;
    pit__json_object(json, "args");
    if (slice->open)
        pit__json_bool(json, "open", 1);
    else
        pit__json_milli(json, "measured_ns", took_ns);
    pit__json_object_end(json);
}

static void write_slice(struct trace *trace, const pit_thread *thread, uint64_t tid,
                        const struct pit__slice *slice)
{
    begin_event(trace, "X", thread->nodes[slice->node].name, "span", tid, slice->begin);
    write_us(trace, "dur", common_ns(trace, slice->end) - common_ns(trace, slice->begin));
    write_span_args(trace, slice);
    pit__json_object_end(&trace->json);
}

static void write_object(struct trace *trace, const pit_thread *thread, uint64_t tid,
                         const struct pit__slice *slice)
{
    char id[40];
    const char *name = thread->nodes[slice->node].name;
    snprintf(id, sizeof id, "%" PRIu64 ".%" PRIu64, trace->pid, trace->objects++);
    begin_event(trace, "b", name, "object", tid, slice->begin);
    pit__json_string(&trace->json, "id", id);
    if (slice->open) {
        pit__json_object(&trace->json, "args");
        pit__json_bool(&trace->json, "open", 1);
        pit__json_object_end(&trace->json);
    }
    pit__json_object_end(&trace->json);
    begin_event(trace, "e", name, "object", tid, slice->end);
    pit__json_string(&trace->json, "id", id);
    pit__json_object_end(&trace->json);
}

static int write_spans(struct trace *trace, size_t index)
{
    const pit_thread *thread = &trace->run->threads[index];
    struct pit__slices slices;
    int code = pit__slices_make(trace->run, thread, &slices);
    if (code)
        return code;
    for (size_t i = 0; i < slices.nested_count; i++)
        write_slice(trace, thread, trace->tids[index], &slices.nested[i]);
    for (size_t i = 0; i < slices.detached_count; i++)
        write_object(trace, thread, trace->tids[index], &slices.detached[i]);
    pit__slices_free(&slices);
    return 0;
}

/* ---- counters ------------------------------------------------------------------------------- */

static void write_counter(struct trace *trace, const char *name, const char *series, uint64_t tid,
                          uint64_t ns, double value, const char *id)
{
    if (!isfinite(value)) /* a counter cannot represent it */
        return;
    begin_event(trace, "C", name, "counter", tid, ns);
    if (id)
        pit__json_string(&trace->json, "id", id);
    pit__json_object(&trace->json, "args");
    pit__json_double(&trace->json, series, value);
    pit__json_object_end(&trace->json);
    pit__json_object_end(&trace->json);
}

/* Counters belong to a process: the same name on a second thread needs an id to be distinct. */
static int is_known_before(const pit_run *run, size_t thread, const char *name)
{
    for (size_t t = 0; t < thread; t++)
        for (size_t i = 0; i < run->threads[t].value_count; i++)
            if (strcmp(run->threads[t].values[i].name, name) == 0)
                return 1;
    return 0;
}

static void write_values(struct trace *trace, size_t index)
{
    const pit_thread *thread = &trace->run->threads[index];
    for (size_t i = 0; i < thread->value_count; i++) {
        const pit_raw_value *value = &thread->values[i];
        char id[24];
        snprintf(id, sizeof id, "%" PRIu64, trace->tids[index]);
        int again = is_known_before(trace->run, index, value->name);
        for (size_t k = 0; k < value->point_count; k++)
            write_counter(trace, value->name, "value", trace->tids[index],
                          pit__run_ns(trace->run, value->points[k].ticks), value->points[k].mean,
                          again ? id : NULL);
    }
}

/* Processors in use since the previous reading. */
static double cpus_between(const pit_run *run, const pit_sample *a, const pit_sample *b)
{
    double ns = b->ticks > a->ticks ? (double)(b->ticks - a->ticks) * run->ns_per_tick : 0;
    double used = pit_sample_figure(run, b, "cpu_ns") - pit_sample_figure(run, a, "cpu_ns");
    return ns > 0 && used >= 0 ? used / ns : NAN;
}

static void write_sample(struct trace *trace, const pit_sample *sample, const pit_sample *before)
{
    const pit_run *run = trace->run;
    uint64_t ns = pit__run_ns(run, sample->ticks), tid = trace->pid;
    write_counter(trace, "RSS", "bytes", tid, ns, pit_sample_figure(run, sample, "rss_bytes"),
                  NULL);
    if (before)
        write_counter(trace, "CPUs in use", "cpus", tid, ns, cpus_between(run, before, sample),
                      NULL);
    write_counter(trace, "threads", "threads", tid, ns, pit_sample_figure(run, sample, "threads"),
                  NULL);
    write_counter(trace, "memory of the cgroup", "bytes", tid, ns,
                  pit_sample_figure(run, sample, "cgroup_used_bytes"), NULL);
    for (size_t i = 0; i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        if (!pit__has_own_line(channel->key) && !channel->missing)
            write_counter(trace, channel->key, *channel->unit ? channel->unit : "count", tid, ns,
                          pit_channel_figure(channel, sample->values[i]), NULL);
    }
}

static void write_samples(struct trace *trace)
{
    const pit_run *run = trace->run;
    const pit_sample *before = NULL;
    for (size_t i = 0; i < run->sample_count; i++) {
        write_sample(trace, &run->samples[i], before);
        before = &run->samples[i];
    }
    if (run->has_samples && (!before || run->newest.ticks > before->ticks))
        write_sample(trace, &run->newest, before);
}

/* ---- journal and names ---------------------------------------------------------------------- */

static void write_journal(struct trace *trace)
{
    struct pit__json *json = &trace->json;
    const pit_run *run = trace->run;
    uint64_t tid = run->thread_count ? trace->tids[0] : trace->pid;
    for (size_t i = 0; i < run->journal_count; i++) {
        const pit_entry *entry = &run->journal[i];
        begin_event(trace, "i", entry->text, entry->kind, tid, pit__run_ns(run, entry->ticks));
        pit__json_string(json, "s", "p");
        pit__json_object(json, "args");
        for (size_t k = 0; k < entry->figure_count; k++) {
            char key[160];
            snprintf(key, sizeof key, "%s%s%s", entry->figures[k].key,
                     *entry->figures[k].unit ? "_" : "", entry->figures[k].unit);
            pit__json_double(json, key, entry->figures[k].value);
        }
        pit__json_object_end(json);
        pit__json_object_end(json);
    }
}

static void begin_metadata(struct trace *trace, const char *what, uint64_t tid)
{
    struct pit__json *json = &trace->json;
    pit__json_flat_object(json, NULL);
    pit__json_string(json, "name", what);
    pit__json_string(json, "ph", "M");
    pit__json_uint(json, "pid", trace->pid);
    pit__json_uint(json, "tid", tid);
    pit__json_object(json, "args");
}

static void end_metadata(struct trace *trace)
{
    pit__json_object_end(&trace->json);
    pit__json_object_end(&trace->json);
}

static int write_names(struct trace *trace, size_t run_index)
{
    const pit_run *run = trace->run;
    struct pit__text labels = {0};
    const char *program = pit_run_fact(run, "program"), *rank = pit_run_fact(run, "rank");
    const char *host = pit_run_fact(run, "host");
    uint64_t main_tid = run->thread_count ? trace->tids[0] : trace->pid;
    begin_metadata(trace, "process_name", main_tid);
    pit__json_string(&trace->json, "name", program ? program : run->path);
    end_metadata(trace);
    pit__text_printf(&labels, "%s%s%spid %" PRIu32 "%s%s, %s", rank ? "rank " : "",
                     rank ? rank : "", rank ? ", " : "", run->pid, host ? " on " : "",
                     host ? host : "", pit__state_word(run));
    begin_metadata(trace, "process_labels", main_tid);
    pit__json_string(&trace->json, "labels", pit__text_string(&labels));
    end_metadata(trace);
    begin_metadata(trace, "process_sort_index", main_tid);
    pit__json_uint(&trace->json, "sort_index", run_index);
    end_metadata(trace);
    for (size_t t = 0; t < run->thread_count; t++) {
        begin_metadata(trace, "thread_name", trace->tids[t]);
        pit__json_string(&trace->json, "name", run->threads[t].name);
        end_metadata(trace);
        begin_metadata(trace, "thread_sort_index", trace->tids[t]);
        pit__json_uint(&trace->json, "sort_index", t);
        end_metadata(trace);
    }
    int code = labels.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&labels);
    return code;
}

/* ---- ids ------------------------------------------------------------------------------------ */

struct id {
    uint64_t id;
    size_t index;
};

static int by_id(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Make ids unique: the first keeps its id, the others get ids that no process has. Several hosts
 * may use the same pid, and a tid may be reused. */
static int make_unique(struct id *ids, size_t count, uint64_t *unique)
{
    if (!ids || !unique)
        return PIT_NO_MEMORY;
    qsort(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++) {
        int taken = ids[i].id == 0 || ids[i].id > OWN_IDS || (i > 0 && ids[i].id == ids[i - 1].id);
        unique[ids[i].index] = taken ? OWN_IDS + 1 + ids[i].index : ids[i].id;
    }
    return 0;
}

static int make_tids(const pit_run *run, uint64_t **tids)
{
    struct id *ids = calloc(run->thread_count + 1, sizeof *ids);
    *tids = calloc(run->thread_count + 1, sizeof **tids);
    for (size_t i = 0; ids && i < run->thread_count; i++)
        ids[i] = (struct id){run->threads[i].tid, i};
    int code = make_unique(ids, run->thread_count, *tids);
    free(ids);
    return code;
}

static int make_pids(const pit_run *const *runs, size_t count, uint64_t **pids)
{
    struct id *ids = calloc(count + 1, sizeof *ids);
    *pids = calloc(count + 1, sizeof **pids);
    for (size_t i = 0; ids && i < count; i++)
        ids[i] = (struct id){runs[i]->pid, i};
    int code = make_unique(ids, count, *pids);
    free(ids);
    return code;
}

/* ---- the document --------------------------------------------------------------------------- */

static int write_run(struct trace *trace, size_t run_index)
{
    uint64_t *tids = NULL;
    int code = make_tids(trace->run, &tids);
    trace->tids = tids;
    if (!code)
        code = write_names(trace, run_index);
    for (size_t t = 0; t < trace->run->thread_count && !code; t++) {
        code = write_spans(trace, t);
        write_values(trace, t);
    }
    if (!code) {
        write_samples(trace);
        write_journal(trace);
    }
    free(tids);
    return code;
}

static int whole_number(const char *text, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9')
        return 0;
    *number = strtoull(text, &end, 10);
    return *end == '\0';
}

/* Only for one rank: several ranks in one file are distinguished by their processes. */
static void write_rank(struct pit__json *json, const pit_run *run)
{
    uint64_t rank, size;
    if (!whole_number(pit_run_fact(run, "rank"), &rank))
        return;
    pit__json_flat_object(json, "distributedInfo");
    pit__json_uint(json, "rank", rank);
    if (whole_number(pit_run_fact(run, "world_size"), &size))
        pit__json_uint(json, "world_size", size);
    pit__json_object_end(json);
}

/* A note for readers of the trace if it does not hold the whole run. */
static void write_other(struct pit__json *json, const pit_run *const *runs, size_t count,
                        uint64_t first_wall_ns)
{
    uint64_t dropped = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < runs[i]->thread_count; t++)
            dropped += runs[i]->threads[t].events_dropped;
    pit__json_flat_object(json, "otherData");
    pit__json_string(json, "exporter", "pitwall " PITWALL_VERSION);
    pit__json_uint(json, "start_wall_ns", first_wall_ns);
    pit__json_uint(json, "older_spans_not_kept", dropped);
    pit__json_object_end(json);
}

/* When a run began, by the clock of the host of the first run. */
static uint64_t start_of(const pit_run *run, const struct pit__run_clock *clock)
{
    return run->start_wall_ns - (uint64_t)llround(clock->ahead);
}

static int write_trace(FILE *out, const pit_run *const *runs, size_t count)
{
    struct trace trace = {0};
    uint64_t *pids = NULL, first = UINT64_MAX;
    struct pit__run_clock *clocks = calloc(count + 1, sizeof *clocks);
    int code = clocks ? pit__run_clocks(runs, count, clocks) : PIT_NO_MEMORY;
    if (!code)
        code = make_pids(runs, count, &pids);
    for (size_t i = 0; i < count && !code; i++)
        first = start_of(runs[i], &clocks[i]) < first ? start_of(runs[i], &clocks[i]) : first;
    pit__json_init(&trace.json, out);
    pit__json_object(&trace.json, NULL);
    pit__json_string(&trace.json, "displayTimeUnit", "ms");
    write_other(&trace.json, runs, count, first);
    if (count == 1)
        write_rank(&trace.json, runs[0]);
    pit__json_array(&trace.json, "traceEvents");
    for (size_t i = 0; i < count && !code; i++) {
        trace.run = runs[i];
        trace.pid = pids[i];
        trace.offset_ns = start_of(runs[i], &clocks[i]) - first;
        trace.drift = clocks[i].drift;
        code = write_run(&trace, i);
    }
    pit__json_array_end(&trace.json);
    pit__json_object_end(&trace.json);
    pit__json_finish(&trace.json);
    free(pids);
    free(clocks);
    return code;
}

const struct pit__export pit__chrome_trace_export = {
    .told = {.name = "chrome-trace",
             .help = "single spans, for Perfetto and chrome://tracing",
             .endings = PIT__ENDINGS(".trace.json")},
    .write = write_trace,
};
