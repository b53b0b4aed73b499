/* tree_memory.c: memory, allocation and team figures of nodes, merged over threads and runs.
 *
 * Counts and sums are added; maxima and error bounds are the largest; _last figures come from the thread
 * that ended last. Sums are unsigned and wrap, because a damaged run may contain any value. */
#include "tree_builder.h"

#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

void pit__memory_join(struct pit__memory_sum *to, const pit_memory *from, double at)
{
    pit_memory *m = &to->memory;
    int first = m->count == 0;
    if (!from || from->count == 0)
        return;
    if (first || at >= to->memory_at) {
        m->delta_last = from->delta_last;
        m->peak_last = from->peak_last;
        m->rss_last = from->rss_last;
        to->memory_at = at;
    }
    if (first || from->delta_max > m->delta_max)
        m->delta_max = from->delta_max;
    /* If one peak is not available, the merged peak would be incomplete, so it is not available either. */
    if (first || from->peak_method == PIT_PEAK_NONE)
        m->peak_method = from->peak_method;
    else if (m->peak_method != PIT_PEAK_NONE && from->peak_method == PIT_PEAK_HWM)
        m->peak_method = PIT_PEAK_HWM;
    m->count += from->count;
    m->delta_sum = sum(m->delta_sum, from->delta_sum);
    m->peak_sum += from->peak_sum;
    m->peak_max = larger(m->peak_max, from->peak_max);
    m->rss_max = larger(m->rss_max, from->rss_max);
    m->device_max = larger(m->device_max, from->device_max);
    m->minor_faults += from->minor_faults;
    m->major_faults += from->major_faults;
    m->error_bytes = larger(m->error_bytes, from->error_bytes);
}

void pit__alloc_join(struct pit__memory_sum *to, const pit_alloc *from, double at)
{
    pit_alloc *a = &to->alloc;
    if (!from || from->count == 0)
        return;
    if (a->count == 0 || at >= to->alloc_at) {
        a->peak_last = from->peak_last;
        a->live_last = from->live_last;
        to->alloc_at = at;
    }
    a->count += from->count;
    a->allocs += from->allocs;
    a->frees += from->frees;
    a->alloc_bytes += from->alloc_bytes;
    a->freed_bytes += from->freed_bytes;
    a->peak_max = larger(a->peak_max, from->peak_max);
    a->live_sum = sum(a->live_sum, from->live_sum);
    a->leak_spans += from->leak_spans;
    a->leaked_bytes += from->leaked_bytes;
    a->leaked_blocks += from->leaked_blocks;
}

void pit__teams_join(struct pit__memory_sum *to, const pit_teams *from)
{
    pit_teams *t = &to->teams;
    if (!from)
        return;
    t->count += from->count;
    t->threads += from->threads;
    t->threads_max = larger(t->threads_max, from->threads_max);
    t->busy_ns += from->busy_ns;
    t->slowest_ns += from->slowest_ns;
    t->elapsed_ns += from->elapsed_ns;
    t->wait_ns += from->wait_ns;
    t->lag_ns += from->lag_ns;
}

int pit__tree_add_memory(struct pit__merged *to, const pit_raw_node *raw, double at)
{
    if (!to->sum)
        to->sum = calloc(1, sizeof *to->sum);
    if (!to->sum)
        return 0;
    pit__memory_join(to->sum, raw->memory, at);
    pit__alloc_join(to->sum, raw->alloc, at);
    pit__teams_join(to->sum, raw->teams);
    return 1;
}

double pit__thread_end(const pit_run *run, const pit_thread *thread)
{
    double ticks = (double)run->end_ticks;
    if (thread->event_count > 0) {
        const pit_event *event = &thread->events[thread->event_count - 1];
        ticks = (double)event->begin + (double)event->duration;
    }
    return (double)run->start_wall_ns + (ticks - (double)run->start_ticks) * run->ns_per_tick;
}

int pit__tree_keep_memory(struct pit__builder *b, struct pit__tree_box *box)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < b->count; i++)
        count += b->nodes[i].sum != NULL;
    if (count == 0)
        return 1;
    box->sums = calloc(count, sizeof *box->sums);
    for (size_t i = 0; box->sums && i < b->count; i++) {
        const struct pit__merged *m = &b->nodes[b->order[i]];
        if (!m->sum)
            continue;
        struct pit__memory_sum *own = &box->sums[at++];
        *own = *m->sum;
        box->nodes[i].memory = own->memory.count > 0 ? &own->memory : NULL;
        box->nodes[i].alloc = own->alloc.count > 0 ? &own->alloc : NULL;
        box->nodes[i].teams = own->teams.count > 0 ? &own->teams : NULL;
    }
    return box->sums != NULL;
}

void pit__tree_drop_memory(struct pit__builder *b)
{
    for (size_t i = 0; i < b->count; i++)
        free(b->nodes[i].sum);
}
