/* See unmarked.h.
 *
 * The first span began when the first node was made. The last one ended with the newest event of the
 * flight recorder that has no parent: a span's event is written after those inside it, so they
 * cannot have pushed it out of the ring. The rest of the run lies between.
 */
#include "unmarked.h"

#include <math.h>

#define LEAST_SHARE 0.01
#define LEAST_NS 1e6

struct marked {
    double first, last; /* ticks since the run began; NaN: not known */
    double covered;     /* ticks in outermost spans */
};

/* The main thread of the process, else the thread with the first span. */
static const pit_thread *main_thread(const pit_run *run)
{
    for (size_t t = 0; t < run->thread_count; t++)
        if (run->threads[t].tid == run->pid)
            return &run->threads[t];
    return run->thread_count > 0 ? &run->threads[0] : NULL;
}

static double since_start(const pit_run *run, uint64_t ticks)
{
    return ticks > run->start_ticks ? (double)(ticks - run->start_ticks) : 0;
}

static int is_outermost(const pit_thread *thread, uint32_t node)
{
    return node < thread->node_count && thread->nodes[node].parent == PIT_NO_NODE &&
           !thread->nodes[node].detached;
}

static void add_finished(const pit_run *run, const pit_thread *thread, struct marked *marked)
{
    for (uint32_t i = 0; i < thread->node_count; i++) {
        if (!is_outermost(thread, i))
            continue;
        marked->first = fmin(marked->first, since_start(run, thread->nodes[i].first));
        marked->covered += (double)thread->nodes[i].total;
    }
    for (size_t i = 0; i < thread->event_count; i++)
        if (thread->events[i].depth == 1 && is_outermost(thread, thread->events[i].node))
            marked->last = since_start(run, thread->events[i].begin + thread->events[i].duration);
}

/* An open span lasts to the end of the run. */
static void add_open(const pit_run *run, const pit_thread *thread, struct marked *marked)
{
    double end = since_start(run, run->end_ticks);
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *open = &thread->open[i];
        if (open->object || !is_outermost(thread, open->node))
            continue;
        marked->covered += fmax(end - since_start(run, open->begin), 0);
        marked->last = end;
    }
}

void pit__unmarked_find(pit_tree *tree, const pit_run *const *runs, size_t run_count)
{
    tree->before_ns = tree->between_ns = tree->after_ns = NAN;
    const pit_run *run = run_count == 1 ? runs[0] : NULL;
    const pit_thread *thread = run ? main_thread(run) : NULL;
    if (!thread || thread->thread_count > 1) /* the table has figures of several threads */
        return;
    struct marked marked = {NAN, NAN, 0};
    add_finished(run, thread, &marked);
    add_open(run, thread, &marked);
    tree->before_ns = marked.first * run->ns_per_tick;
    if (isnan(marked.last))
        return;
    double end = since_start(run, run->end_ticks), last = fmin(marked.last, end);
    double between = last - marked.first - marked.covered; /* spans of tasks may overlap */
    tree->after_ns = (end - last) * run->ns_per_tick;
    tree->between_ns = fmax(between, 0) * run->ns_per_tick;
}

int pit__is_unmarked_much(const pit_tree *tree, double ns)
{
    return ns >= LEAST_NS && ns > LEAST_SHARE * tree->wall_ns;
}
