/* prog_dump RUN: prints a run as pit_run_open reads it, as one JSON document of the shape that
 * tests/pit_reader.py prints, as far as the library's model has the figures.
 */
#include "pitwall_report.h"

#include <math.h>
#include <string.h>

static void text(const char *from)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)from; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 32)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void comma(size_t i)
{
    if (i)
        putchar(',');
}

static void number(const char *key, uint64_t value)
{
    printf("\"%s\":%llu,", key, (unsigned long long)value);
}

static void real(double value)
{
    if (isfinite(value))
        printf("%.17g", value);
    else
        printf("\"%s\"", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static void id(const char *key, const unsigned char bytes[16])
{
    printf("\"%s\":\"", key);
    for (int i = 0; i < 16; i++)
        printf("%02x", bytes[i]);
    printf("\",");
}

static void path_of(const pit_thread *thread, uint32_t node)
{
    if (thread->nodes[node].parent != PIT_NO_NODE) {
        path_of(thread, thread->nodes[node].parent);
        putchar('/');
    }
    printf("%s", thread->nodes[node].name); /* the tests' names need no escapes */
}

static void path(const pit_thread *thread, uint32_t node)
{
    printf("\"path\":\"");
    path_of(thread, node);
    printf("\",");
}

/* The bucket that starts at this duration. */
static unsigned bucket_at(uint64_t low)
{
    unsigned shift = 0;
    while (low >> shift >= 64)
        shift++;
    return (unsigned)(32 * shift + (low >> shift));
}

static void squares(uint64_t high, uint64_t low)
{
    __extension__ unsigned __int128 value = (unsigned __int128)high << 64 | low;
    char digits[48];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do {
        digits[--at] = (char)('0' + (int)(value % 10));
        value /= 10;
    } while (value);
    printf("\"squares\":%s,", digits + at);
}

static void print_node(const pit_thread *thread, uint32_t i)
{
    const pit_raw_node *node = &thread->nodes[i];
    putchar('{');
    path(thread, i);
    if (node->parent == PIT_NO_NODE)
        printf("\"parent\":null,");
    else
        number("parent", node->parent);
    printf("\"detached\":%s,", node->detached ? "true" : "false");
    number("count", node->count);
    number("total", node->total);
    number("child", node->child);
    number("min", node->min);
    number("max", node->max);
    squares(node->sq_hi, node->sq_lo);
    number("items", node->items);
    number("bytes", node->bytes);
    number("flops", node->flops);
    printf("\"histogram\":{");
    for (size_t k = 0; k < node->hist_count; k++) {
        comma(k);
        printf("\"%u\":%llu", bucket_at(node->hist[k].low),
               (unsigned long long)node->hist[k].count);
    }
    printf("},\"series\":[");
    for (size_t k = 0; k < node->series_count; k++) {
        const pit_series_bin *b = &node->series[k];
        comma(k);
        printf("[%llu,%llu,%llu,%llu,%llu,%llu]", (unsigned long long)b->start,
               (unsigned long long)b->width, (unsigned long long)b->count,
               (unsigned long long)b->total, (unsigned long long)b->min,
               (unsigned long long)b->max);
    }
    printf("]}");
}

static void print_open(const pit_thread *thread)
{
    printf("\"open\":[");
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *span = &thread->open[i];
        comma(i);
        putchar('{');
        path(thread, span->node);
        number("node", span->node);
        number("begin", span->begin);
        number("child", span->child);
        printf("\"phase\":%s,\"object\":%s}", span->phase ? "true" : "false",
               span->object ? "true" : "false");
    }
    printf("],");
}

static void print_events(const pit_thread *thread)
{
    printf("\"events\":[");
    for (size_t i = 0; i < thread->event_count; i++) {
        const pit_event *event = &thread->events[i];
        comma(i);
        printf("[\"");
        path_of(thread, event->node);
        printf("\",%llu,%llu,%u]", (unsigned long long)event->begin,
               (unsigned long long)event->duration, event->depth);
    }
    printf("],");
}

static void print_values(const pit_thread *thread)
{
    printf("\"values\":[");
    for (size_t i = 0; i < thread->value_count; i++) {
        const pit_raw_value *value = &thread->values[i];
        comma(i);
        printf("{\"name\":");
        text(value->name);
        printf(",\"count\":%llu,\"last\":", (unsigned long long)value->count);
        if (value->count)
            real(value->last);
        else
            printf("null");
        printf(",\"points\":[");
        for (size_t k = 0; k < value->point_count; k++) {
            const pit_point *p = &value->points[k];
            comma(k);
            printf("[%llu,%llu,", (unsigned long long)p->ticks, (unsigned long long)p->values);
            real(p->mean);
            putchar(',');
            real(p->min);
            putchar(',');
            real(p->max);
            putchar(']');
        }
        printf("]}");
    }
    printf("],");
}

static void print_thread(const pit_thread *thread)
{
    const pit_losses *l = &thread->losses;
    printf("{\"name\":");
    text(thread->name);
    putchar(',');
    number("tid", thread->tid);
    number("tenants", thread->tenants);
    printf("\"attached\":%s,", thread->attached ? "true" : "false");
    print_open(thread);
    print_events(thread);
    print_values(thread);
    printf("\"counters\":{");
    number("end_without_begin", l->end_without_begin);
    number("abandoned", l->abandoned);
    number("wrong_thread", l->wrong_thread);
    number("too_deep", l->too_deep);
    number("table_full", l->table_full);
    number("signal", l->in_signal);
    number("clock_back", l->clock_back);
    printf("\"left_open\":%llu},\"nodes\":[", (unsigned long long)l->left_open);
    for (uint32_t i = 0; i < thread->node_count; i++) {
        comma(i);
        print_node(thread, i);
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    static const char *const states[] = {"live", "closed", "died"};
    pit_error error;
    pit_run *run = argc == 2 ? pit_run_open(argv[1], &error) : NULL;
    if (!run) {
        if (argc == 2)
            fprintf(stderr, "prog_dump: %d: %s\n", error.code, error.message);
        return argc == 2 ? 1 : 64;
    }
    printf("{\"state\":\"%s\",", states[run->state]);
    number("pid", run->pid);
    id("run_id", run->run_id);
    id("parent_run_id", run->parent_run_id);
    number("used_bytes", run->used_bytes);
    number("file_bytes", run->file_bytes);
    number("start_ticks", run->start_ticks);
    number("start_wall_ns", run->start_wall_ns);
    uint64_t in_signal = run->losses.in_signal, no_table = run->losses.table_full;
    for (size_t i = 0; i < run->thread_count; i++) { /* the run's own part */
        in_signal -= run->threads[i].losses.in_signal;
        no_table -= run->threads[i].losses.table_full;
    }
    number("in_signal", in_signal);
    number("no_table", no_table);
    number("values_lost", run->losses.values);
    printf("\"facts\":{");
    for (size_t i = 0; i < run->fact_count; i++) {
        comma(i);
        text(run->facts[i].key);
        putchar(':');
        text(pit_run_fact(run, run->facts[i].key));
    }
    printf("},\"threads\":[\n");
    for (size_t i = 0; i < run->thread_count; i++) {
        comma(i);
        print_thread(&run->threads[i]);
    }
    printf("]}\n");
    pit_run_free(run);
    return 0;
}
