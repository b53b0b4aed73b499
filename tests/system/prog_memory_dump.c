/* prog_memory_dump RUN: prints what pit_run_open reads of memory, records and samples, as one JSON
 * document. A figure that is not known is null.
 */
#include "pitwall_report.h"

static void comma(size_t i)
{
    if (i)
        putchar(',');
}

static void number(const char *key, uint64_t value)
{
    if (value == PIT_UNKNOWN)
        printf("\"%s\":null,", key);
    else
        printf("\"%s\":%llu,", key, (unsigned long long)value);
}

static void signed_number(const char *key, int64_t value)
{
    printf("\"%s\":%lld,", key, (long long)value);
}

static void path_of(const pit_thread *thread, uint32_t node)
{
    if (thread->nodes[node].parent != PIT_NO_NODE) {
        path_of(thread, thread->nodes[node].parent);
        putchar('/');
    }
    printf("%s", thread->nodes[node].name); /* the tests' names need no escapes */
}

static void print_memory(const pit_memory *memory)
{
    if (!memory) {
        printf("\"memory\":null}");
        return;
    }
    printf("\"memory\":{");
    number("count", memory->count);
    signed_number("delta_last", memory->delta_last);
    signed_number("delta_sum", memory->delta_sum);
    signed_number("delta_max", memory->delta_max);
    number("peak_last", memory->peak_last);
    number("peak_sum", memory->peak_sum);
    number("peak_max", memory->peak_max);
    number("rss_max", memory->rss_max);
    number("rss_last", memory->rss_last);
    number("minor_faults", memory->minor_faults);
    number("major_faults", memory->major_faults);
    number("error_bytes", memory->error_bytes);
    printf("\"peak_method\":%d}}", (int)memory->peak_method);
}

static void print_nodes(const pit_thread *thread)
{
    printf("\"nodes\":[");
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_raw_node *node = &thread->nodes[i];
        comma(i);
        printf("{\"path\":\"");
        path_of(thread, i);
        printf("\",");
        number("count", node->count);
        number("total", node->total);
        number("child", node->child);
        number("items", node->items);
        print_memory(node->memory);
    }
    printf("],");
}

static void print_records(const pit_thread *thread)
{
    printf("\"records\":[");
    for (size_t i = 0; i < thread->record_count; i++) {
        const pit_record *r = &thread->records[i];
        comma(i);
        printf("{\"path\":\"");
        path_of(thread, r->node);
        printf("\",");
        number("depth", r->depth);
        number("begin", r->begin);
        number("duration", r->duration);
        number("items", r->items);
        number("has_memory", (uint64_t)r->has_memory);
        number("rss_begin", r->rss_begin);
        number("rss_end", r->rss_end);
        number("rss_peak", r->rss_peak);
        number("error_bytes", r->error_bytes);
        number("minor_faults", r->minor_faults);
        number("major_faults", r->major_faults);
        printf("\"peak_method\":%d}", (int)r->peak_method);
    }
    printf("],");
}

static void print_thread(const pit_thread *thread)
{
    printf("{\"name\":\"%s\",", thread->name);
    print_nodes(thread);
    print_records(thread);
    number("records_dropped", thread->records_dropped);
    printf("\"events\":[");
    for (size_t i = 0; i < thread->event_count; i++) {
        comma(i);
        printf("[%llu,%llu]", (unsigned long long)thread->events[i].begin,
               (unsigned long long)thread->events[i].duration);
    }
    printf("],\"open\":[");
    for (size_t i = 0; i < thread->open_count; i++) {
        comma(i);
        putchar('"');
        path_of(thread, thread->open[i].node);
        putchar('"');
    }
    printf("],\"abandoned\":%llu,\"left_open\":%llu}", (unsigned long long)thread->losses.abandoned,
           (unsigned long long)thread->losses.left_open);
}

static void print_sample(const pit_sample *sample)
{
    putchar('{');
    number("rss", sample->rss);
    number("rss_max", sample->rss_max);
    number("cpu_ns", sample->cpu_ns);
    number("threads", sample->threads);
    number("minor_faults", sample->minor_faults);
    number("major_faults", sample->major_faults);
    number("switches", sample->switches);
    number("forced_switches", sample->forced_switches);
    number("read_bytes", sample->read_bytes);
    number("write_bytes", sample->write_bytes);
    number("available", sample->available);
    number("cgroup_used", sample->cgroup_used);
    number("pressure", sample->pressure);
    printf("\"ticks\":%llu}", (unsigned long long)sample->ticks);
}

static void print_run(const pit_run *run)
{
    putchar('{');
    printf("\"state\":%d,\"ns_per_tick\":%.17g,", (int)run->state, run->ns_per_tick);
    number("start_ticks", run->start_ticks);
    number("end_ticks", run->end_ticks);
    number("file_bytes", run->file_bytes);
    number("sample_stride", run->sample_stride);
    number("machine_bytes", run->machine_bytes);
    number("cgroup_limit", run->cgroup_limit);
    number("cgroup_version", (uint64_t)run->cgroup_version);
    number("oom_kills", run->oom_kills);
    number("rss_peak", run->rss_peak);
    printf("\"threads\":[");
    for (size_t i = 0; i < run->thread_count; i++) {
        comma(i);
        print_thread(&run->threads[i]);
    }
    printf("],\"samples\":[");
    for (size_t i = 0; i < run->sample_count; i++) {
        comma(i);
        print_sample(&run->samples[i]);
    }
    printf("],\"newest\":");
    if (run->has_samples)
        print_sample(&run->newest);
    else
        printf("null");
    printf("}\n");
}

int main(int argc, char **argv)
{
    pit_error error = {0, "", 0};
    pit_run *run = argc == 2 ? pit_run_open(argv[1], &error) : NULL;
    if (!run) {
        fprintf(stderr, "prog_memory_dump: %s\n", argc == 2 ? error.message : "usage: RUN");
        return 1;
    }
    print_run(run);
    pit_run_free(run);
    return 0;
}
