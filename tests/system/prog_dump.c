/* prog_dump RUN [clock]: prints a run as pit_run_open reads it, as one JSON document of the shape that
 * tests/pit_reader.py prints, as far as the library's model has the figures. With `clock` also what
 * the library makes of the clock: its rate and the run's end.
 */
#include "pitwall_ranks.h"

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
    if (node->detached == PIT_ON_DEVICE)
        printf("\"on_device\":true,");
    if (node->is_comm)
        printf("\"comm\":true,");
    number("count", node->count);
    number("total", node->total);
    number("child", node->child);
    number("min", node->min);
    number("max", node->max);
    squares(node->sq_hi, node->sq_lo);
    number("items", node->items);
    number("bytes", node->bytes);
    number("flops", node->flops);
    number("first", node->first);
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

/* ---- memory -------------------------------------------------------------------------------- */

static void signed_number(const char *key, int64_t value)
{
    printf("\"%s\":%lld,", key, (long long)value);
}

static void known(const char *key, uint64_t value)
{
    if (value == PIT_UNKNOWN)
        printf("\"%s\":null,", key);
    else
        number(key, value);
}

static void method(enum pit_peak_method value)
{
    static const char *const names[] = {"null", "\"rusage\"", "\"hwm\""};
    printf("\"peak_method\":%s", names[value]);
}

static void print_memory(const pit_thread *thread)
{
    int printed = 0;
    printf("\"memory\":[");
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_memory *m = thread->nodes[i].memory;
        if (!m)
            continue;
        printf(printed++ ? ",{" : "{");
        path(thread, i);
        number("node", i);
        number("count", m->count);
        signed_number("delta_last", m->delta_last);
        signed_number("delta_sum", m->delta_sum);
        signed_number("delta_max", m->delta_max);
        number("peak_last", m->peak_last);
        number("peak_sum", m->peak_sum);
        number("peak_max", m->peak_max);
        number("rss_max", m->rss_max);
        number("rss_last", m->rss_last);
        number("minor_faults", m->minor_faults);
        number("major_faults", m->major_faults);
        number("error_bytes", m->error_bytes);
        number("device_max", m->device_max);
        method(m->peak_method);
        putchar('}');
    }
    printf("],");
}

static void print_energies(const char *of, const pit_raw_energy *e, const char *after)
{
    printf("\"%s_microjoules\":%llu,\"%s_measured\":%llu,\"%s_estimated\":%llu,"
           "\"%s_unknown\":%llu%s",
           of, (unsigned long long)e->microjoules, of, (unsigned long long)e->measured, of,
           (unsigned long long)e->estimated, of, (unsigned long long)e->unknown, after);
}

static void print_energy(const pit_thread *thread)
{
    int printed = 0;
    printf("\"energy\":[");
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_raw_energies *e = thread->nodes[i].energy;
        if (!e)
            continue;
        printf(printed++ ? ",{" : "{");
        path(thread, i);
        number("node", i);
        number("count", e->count);
        print_energies("processors", &e->processors, ",");
        print_energies("devices", &e->devices, "}");
    }
    printf("],");
}

static void print_teams(const pit_thread *thread)
{
    int printed = 0;
    printf("\"teams\":[");
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_teams *t = thread->nodes[i].teams;
        if (!t)
            continue;
        printf(printed++ ? ",{" : "{");
        path(thread, i);
        number("node", i);
        number("count", t->count);
        number("threads", t->threads);
        number("threads_max", t->threads_max);
        number("busy_ns", t->busy_ns);
        number("slowest_ns", t->slowest_ns);
        number("elapsed_ns", t->elapsed_ns);
        number("wait_ns", t->wait_ns);
        printf("\"lag_ns\":%llu}", (unsigned long long)t->lag_ns);
    }
    printf("],");
}

static void print_alloc(const pit_thread *thread)
{
    int printed = 0;
    printf("\"alloc\":[");
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_alloc *a = thread->nodes[i].alloc;
        if (!a)
            continue;
        printf(printed++ ? ",{" : "{");
        path(thread, i);
        number("node", i);
        number("count", a->count);
        number("allocs", a->allocs);
        number("frees", a->frees);
        number("alloc_bytes", a->alloc_bytes);
        number("freed_bytes", a->freed_bytes);
        number("peak_last", a->peak_last);
        number("peak_max", a->peak_max);
        signed_number("live_last", a->live_last);
        signed_number("live_sum", a->live_sum);
        number("leaked_bytes", a->leaked_bytes);
        number("leaked_blocks", a->leaked_blocks);
        printf("\"leak_spans\":%llu}", (unsigned long long)a->leak_spans);
    }
    printf("],");
}

static void print_records(const pit_thread *thread)
{
    printf("\"records\":[");
    for (size_t i = 0; i < thread->record_count; i++) {
        const pit_record *r = &thread->records[i];
        comma(i);
        putchar('{');
        path(thread, r->node);
        number("depth", r->depth);
        number("begin", r->begin);
        number("duration", r->duration);
        number("items", r->items);
        printf("\"has_memory\":%s,", r->has_memory ? "true" : "false");
        printf("\"has_alloc\":%s,", r->has_alloc ? "true" : "false");
        number("rss_begin", r->rss_begin);
        number("rss_end", r->rss_end);
        number("rss_peak", r->rss_peak);
        number("error_bytes", r->error_bytes);
        number("minor_faults", r->minor_faults);
        number("major_faults", r->major_faults);
        number("alloc_bytes", r->alloc_bytes);
        number("freed_bytes", r->freed_bytes);
        method(r->peak_method);
        putchar('}');
    }
    printf("],");
    number("records_dropped", thread->records_dropped);
}

static void print_sample(const pit_run *run, const pit_sample *sample)
{
    putchar('{');
    for (size_t i = 0; i < run->channel_count; i++)
        known(run->channels[i].key, sample->values[i]);
    printf("\"ticks\":%llu}", (unsigned long long)sample->ticks);
}

static void print_channels(const pit_run *run)
{
    printf("\"channels\":[");
    for (size_t i = 0; i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        comma(i);
        printf("{\"key\":");
        text(channel->key);
        printf(",\"unit\":");
        text(channel->unit);
        printf(",\"help\":");
        text(channel->help);
        printf(",\"source\":");
        text(channel->source);
        printf(",\"missing\":");
        if (channel->missing)
            text(channel->missing);
        else
            printf("null");
        putchar(',');
        if (channel->first != PIT_UNKNOWN)
            known("first", channel->first);
        printf("\"per_unit\":%llu,\"is_counter\":%s,\"over_time\":\"%s\",\"over_runs\":\"%s\"}",
               (unsigned long long)channel->per_unit, channel->is_counter ? "true" : "false",
               channel->over_time, channel->over_runs);
    }
    printf("],");
}

static void print_samples(const pit_run *run)
{
    printf("\"samples\":");
    if (!run->has_samples) {
        printf("null,");
        return;
    }
    putchar('{');
    known("machine_bytes", run->machine_bytes);
    known("cgroup_limit", run->cgroup_limit);
    number("cgroup_version", (uint64_t)run->cgroup_version);
    known("oom_kills", run->oom_kills);
    number("rss_peak", run->rss_peak);
    number("stride", run->sample_stride);
    print_channels(run);
    printf("\"newest\":");
    print_sample(run, &run->newest);
    printf(",\"points\":[");
    for (size_t i = 0; i < run->sample_count; i++) {
        comma(i);
        print_sample(run, &run->samples[i]);
    }
    printf("]},");
}

static void print_journal(const pit_run *run)
{
    number("journal_dropped", run->journal_dropped);
    printf("\"journal\":[");
    for (size_t i = 0; i < run->journal_count; i++) {
        const pit_entry *entry = &run->journal[i];
        comma(i);
        printf("{\"kind\":");
        text(entry->kind);
        printf(",\"text\":");
        text(entry->text);
        putchar(',');
        number("wall_ns", entry->wall_ns);
        printf("\"ticks\":%llu,\"figures\":[", (unsigned long long)entry->ticks);
        for (size_t k = 0; k < entry->figure_count; k++) {
            comma(k);
            putchar('[');
            text(entry->figures[k].key);
            printf(",%.17g,", entry->figures[k].value);
            text(entry->figures[k].unit);
            putchar(']');
        }
        printf("]}");
    }
    printf("],");
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void print_thread(const pit_thread *thread)
{
    const pit_losses *l = &thread->losses;
    printf("{\"name\":");
    text(thread->name);
    putchar(',');
    number("tid", thread->tid);
    number("thread_count", thread->thread_count);
    printf("\"attached\":%s,", thread->attached ? "true" : "false");
    print_open(thread);
    print_events(thread);
    print_values(thread);
    print_memory(thread);
    print_alloc(thread);
    print_energy(thread);
    print_teams(thread);
    print_records(thread);
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

/* Only if it was recorded: PIT_UNKNOWN is null. */
static void print_ended(const pit_ended *e)
{
    if (!e)
        return;
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {
        {"pid", (uint64_t)e->pid},
        {"start_wall_ns", e->start_wall_ns},
        {"duration_ns", e->duration_ns},
        {"exit_status", e->exit_status < 0 ? PIT_UNKNOWN : (uint64_t)e->exit_status},
        {"exit_signal", (uint64_t)e->exit_signal},
        {"dumped_core", (uint64_t)e->dumped_core},
        {"user_ns", e->user_ns},
        {"system_ns", e->system_ns},
        {"rss_peak", e->rss_peak},
        {"minor_faults", e->minor_faults},
        {"major_faults", e->major_faults},
        {"switches", e->switches},
        {"forced_switches", e->forced_switches},
        {"read_bytes", e->read_bytes},
        {"write_bytes", e->write_bytes},
        {"read_chars", e->read_chars},
        {"write_chars", e->write_chars},
        {"children", e->children},
        {"oom_kills", e->oom_kills},
    };
    printf("\"ended\":{");
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        comma(i);
        if (figures[i].value == PIT_UNKNOWN)
            printf("\"%s\":null", figures[i].key);
        else
            printf("\"%s\":%llu", figures[i].key, (unsigned long long)figures[i].value);
    }
    printf("},");
}

static void print_place(const pit_run *run, const pit_hot_place *place)
{
    static const char *const kinds[] = {"python", "native"};
    printf("{\"kind\":\"%s\",\"line\":%u,\"samples\":%llu,", kinds[place->kind], place->line,
           (unsigned long long)place->samples);
    if (place->node == PIT_NO_NODE)
        printf("\"path\":null,");
    else
        path(&run->threads[place->thread], place->node);
    if (place->thread == PIT_NO_NODE)
        printf("\"thread\":null,");
    else
        number("thread", place->thread);
    printf("\"function\":");
    text(place->function);
    printf(",\"file\":");
    text(place->file);
    putchar('}');
}

/* Only if the run has such blocks, which describe how samples are taken. */
static void print_places(const pit_run *run)
{
    static const char *const kinds[] = {"python", "native"};
    int is_there = run->place_count > 0;
    for (size_t i = 0; i < PIT_PLACE_KINDS; i++)
        is_there |= run->place_sources[i].hz > 0 || run->place_sources[i].reason;
    if (!is_there)
        return;
    printf("\"places\":{\"sources\":{");
    for (size_t i = 0; i < PIT_PLACE_KINDS; i++) {
        const pit_place_source *source = &run->place_sources[i];
        comma(i);
        printf("\"%s\":{\"hz\":%.17g,\"samples\":%llu,\"dropped\":%llu,\"reason\":", kinds[i],
               source->hz, (unsigned long long)source->samples,
               (unsigned long long)source->dropped);
        text(source->reason ? source->reason : "");
        putchar('}');
    }
    printf("},\"entries\":[");
    for (size_t i = 0; i < run->place_count; i++) {
        comma(i);
        print_place(run, &run->places[i]);
    }
    printf("]},");
}

/* Only if the run has groups. */
static void print_groups(const pit_run *run, int with_clock)
{
    if (!run->group_count)
        return;
    printf("\"groups\":[");
    for (size_t i = 0; i < run->group_count; i++) {
        const pit_group *group = &run->groups[i];
        comma(i);
        putchar('{');
        number("id", group->id);
        number("size", group->size);
        number("rank", group->rank);
        number("calls", group->calls);
        number("stride", group->stride);
        printf("\"points\":[");
        for (size_t k = 0; k < group->point_count; k++) {
            const pit_collective *call = &group->points[k];
            comma(k);
            putchar('{');
            number("seq", call->seq);
            printf("\"is_inside\":%s,", call->duration_ns == PIT_UNKNOWN ? "true" : "false");
            if (with_clock)
                printf("\"enter_ns\":%lld,\"duration_ns\":%llu,", (long long)call->enter_ns,
                       (unsigned long long)call->duration_ns);
            number("bytes", call->bytes);
            if (call->node == PIT_NO_NODE)
                printf("\"path\":null,\"thread\":null,");
            else
                path(&run->threads[call->thread], call->node);
            if (call->node != PIT_NO_NODE)
                number("thread", call->thread);
            printf("\"is_sync\":%s}", call->is_sync ? "true" : "false");
        }
        printf("]}");
    }
    printf("],");
}

static void print_sizes(const char *key, const pit_message_sum *sizes)
{
    int is_first = 1;
    printf("\"%s\":[", key);
    for (int i = 0; i < PIT_MESSAGE_SIZES; i++) {
        if (!sizes[i].count && !sizes[i].bytes)
            continue;
        comma(!is_first);
        printf("[%d,%llu,%llu]", i, (unsigned long long)sizes[i].count,
               (unsigned long long)sizes[i].bytes);
        is_first = 0;
    }
    printf("],");
}

static void print_caller(const pit_run *run, const pit_caller *caller)
{
    putchar('{');
    path(&run->threads[caller->thread], caller->node);
    number("thread", caller->thread);
    number("address", caller->address);
    number("calls", caller->calls);
    number("offset", caller->offset);
    if (caller->function) {
        printf("\"function\":");
        text(caller->function);
        printf(",\"file\":");
        text(caller->file);
    } else {
        printf("\"function\":null,\"file\":null");
    }
    putchar('}');
}

/* Only if the run has messages. */
static void print_messages(const pit_messages *messages, const pit_run *run)
{
    if (!messages)
        return;
    printf("\"messages\":{");
    print_sizes("sizes", messages->sizes);
    print_sizes("collective_sizes", messages->collective_sizes);
    printf("\"partners\":[");
    for (size_t i = 0; i < messages->partner_count; i++) {
        const pit_partner *partner = &messages->partners[i];
        comma(i);
        printf("[%llu,%llu,%llu]", (unsigned long long)partner->rank,
               (unsigned long long)partner->sent.count, (unsigned long long)partner->sent.bytes);
    }
    printf("],\"others\":[%llu,%llu],", (unsigned long long)messages->others.count,
           (unsigned long long)messages->others.bytes);
    number("calls_lost", messages->calls_lost);
    printf("\"callers\":[");
    for (size_t i = 0; i < messages->caller_count; i++) {
        comma(i);
        print_caller(run, &messages->callers[i]);
    }
    printf("]},");
}

int main(int argc, char **argv)
{
    static const char *const states[] = {"live", "closed", "died"};
    pit_error error;
    int with_clock = argc == 3 && strcmp(argv[2], "clock") == 0, is_usage = argc == 2 || with_clock;
    pit_run *run = is_usage ? pit_run_open(argv[1], &error) : NULL;
    if (!run) {
        if (is_usage)
            fprintf(stderr, "prog_dump: %d: %s\n", error.code, error.message);
        return is_usage ? 1 : 64;
    }
    printf("{\"state\":\"%s\",", states[run->state]);
    if (with_clock) {
        printf("\"ns_per_tick\":%.17g,", run->ns_per_tick);
        number("end_ticks", run->end_ticks);
    }
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
    number("values_lost", run->losses.values_lost);
    print_ended(run->ended);
    print_samples(run);
    print_journal(run);
    print_places(run);
    print_groups(run, with_clock);
    print_messages(run->messages, run);
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
