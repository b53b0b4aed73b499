/* curves_gather.c: the named values of runs as curves over epochs.
 *
 * If the thread that recorded the value also has spans called epoch (or the requested spans), and the
 * flight recorder holds all of them, the curve has the value at the end of each epoch. Otherwise each value
 * is one epoch. A recorder keeps 512 points per value. A point that merges several values counts once for
 * each of them, with the point's mean, so the number of epochs is right. */
#include "analysis/advice.h"
#include "gather.h"
#include "series_gather.h"

#include <math.h>
#include <string.h>

#define VALUES_MOST 1000000 /* with more values, each point is one */

struct curve_builder {
    struct pit__gathered *gathered;
    const pit_run *run;
    const pit_thread *thread;
    const pit_raw_value *value;
    const char *path; /* path of the requested epoch spans; NULL: those found */
    double *values, *seconds;
    size_t count;
};

static double seconds_between(const pit_run *run, uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) * run->ns_per_tick / 1e9 : 0;
}

/* How well the value fits the node's spans: two for each point inside them, one if the first point lies
 * between the first begin and the last end. The flight recorder drops the oldest: spans of a node that it
 * no longer has were before all that it has. */
static size_t belonging(const pit_thread *thread, uint32_t node, const pit_raw_value *value)
{
    uint64_t begin = UINT64_MAX, end = 0;
    size_t seen = 0, inside = 0, at = 0;
    if (thread->event_count > 0)
        end = thread->events[0].begin + thread->events[0].duration;
    for (size_t i = 0; i < thread->event_count; i++) {
        const pit_event *event = &thread->events[i];
        if (event->node != node)
            continue;
        if (seen++ == 0)
            begin = event->begin;
        end = event->begin + event->duration;
        while (at < value->point_count && value->points[at].ticks < event->begin)
            at++;
        for (; at < value->point_count && value->points[at].ticks <= end; at++)
            inside++;
    }
    if (seen < thread->nodes[node].count)
        begin = 0;
    uint64_t first = value->points[0].ticks;
    return 2 * inside + (begin <= first && first <= end);
}

/* The node of the value's epochs, or PIT_NO_NODE. If a run trains several models, the epochs in which the
 * value was recorded count; of equal candidates, the node with the most epochs. */
static uint32_t epoch_node(const pit_thread *thread, const pit_raw_value *value)
{
    uint32_t best = PIT_NO_NODE;
    size_t best_fits = 0;
    for (uint32_t i = 0; i < thread->node_count; i++) {
        const pit_raw_node *node = &thread->nodes[i];
        if (!node->name || pit__role_of(node->name) != PIT__ROLE_EPOCH || node->count == 0)
            continue;
        size_t fits = belonging(thread, i, value);
        if (best != PIT_NO_NODE &&
            (fits < best_fits || (fits == best_fits && node->count <= thread->nodes[best].count)))
            continue;
        best = i;
        best_fits = fits;
    }
    return best;
}

/* The value at `ticks`; NaN before the first. */
static double value_at(const pit_raw_value *value, uint64_t ticks)
{
    double last = NAN;
    for (size_t i = 0; i < value->point_count && value->points[i].ticks <= ticks; i++)
        last = value->points[i].mean;
    return last;
}

/* Returns 1: done; 0: there are no epochs; or PIT_NO_MEMORY. */
static int by_epochs(struct curve_builder *b)
{
    uint32_t node = b->path ? pit__node_at(b->thread, b->path) : epoch_node(b->thread, b->value);
    size_t count = 0;
    for (size_t i = 0; node != PIT_NO_NODE && i < b->thread->event_count; i++)
        count += b->thread->events[i].node == node;
    if (count == 0 || count < b->thread->nodes[node].count)
        return 0;
    b->values = pit__gather_alloc(b->gathered, 2 * count, sizeof *b->values);
    if (!b->values)
        return PIT_NO_MEMORY;
    b->seconds = b->values + count;
    for (size_t i = 0; i < b->thread->event_count; i++) {
        const pit_event *event = &b->thread->events[i];
        if (event->node != node)
            continue;
        b->values[b->count] = value_at(b->value, event->begin + event->duration);
        b->seconds[b->count++] = (double)event->duration * b->run->ns_per_tick / 1e9;
    }
    return 1;
}

static int by_values(struct curve_builder *b)
{
    const pit_raw_value *value = b->value;
    uint64_t all = 0;
    for (size_t i = 0; i < value->point_count; i++)
        all += value->points[i].values;
    int each = all <= VALUES_MOST;
    size_t room = each ? (size_t)all : value->point_count;
    b->values = pit__gather_alloc(b->gathered, 2 * room + 1, sizeof *b->values);
    if (!b->values)
        return PIT_NO_MEMORY;
    b->seconds = b->values + room;
    uint64_t before = b->run->start_ticks;
    for (size_t i = 0; i < value->point_count; i++) {
        const pit_point *point = &value->points[i];
        uint64_t end = i + 1 < value->point_count ? value->points[i + 1].ticks : b->run->end_ticks;
        size_t copies = each ? (size_t)point->values : 1;
        for (size_t k = 0; k < copies && b->count < room; k++) {
            b->values[b->count] = point->mean;
            b->seconds[b->count++] =
                k == 0 ? seconds_between(b->run, before, point->ticks)
                       : seconds_between(b->run, point->ticks, end) / (double)copies;
        }
        before = copies < 2 ? point->ticks
                            : point->ticks + (end > point->ticks ? end - point->ticks : 0) /
                                                 copies * (copies - 1);
    }
    return 0;
}

static int add_curve(struct curve_builder *b, pit_curve *curve)
{
    int code = by_epochs(b);
    if (code == 0 && b->path) {
        snprintf(b->gathered->why, sizeof b->gathered->why,
                 "the run does not have every span of this node");
        return PIT_NOTHING;
    }
    if (code == 0)
        code = by_values(b);
    if (code < 0)
        return code;
    *curve = (pit_curve){.name = b->gathered->run_count > 1 ? b->run->path : b->value->name,
                         .values = b->values,
                         .seconds = b->seconds,
                         .count = b->count};
    return 0;
}

/* The name of the requested value; NULL if no run has any. */
static const char *wanted(const struct pit__gathered *gathered)
{
    if (gathered->options->value)
        return gathered->options->value;
    for (size_t r = 0; r < gathered->run_count; r++)
        for (size_t t = 0; t < gathered->runs[r]->thread_count; t++)
            if (gathered->runs[r]->threads[t].value_count > 0)
                return gathered->runs[r]->threads[t].values[0].name;
    return NULL;
}

int pit__gather_curves(struct pit__gathered *gathered)
{
    const char *name = wanted(gathered), *path = NULL;
    uint32_t node;
    size_t room = 0;
    if (pit__gather_node(gathered, &node))
        return PIT_NOTHING;
    if (node != PIT_NO_NODE)
        path = gathered->tree->nodes[node].path;
    for (size_t r = 0; r < gathered->run_count; r++)
        for (size_t t = 0; t < gathered->runs[r]->thread_count; t++)
            room += gathered->runs[r]->threads[t].value_count;
    pit_curve *curves = pit__gather_alloc(gathered, room + 1, sizeof *curves);
    if (!curves)
        return PIT_NO_MEMORY;
    gathered->data.curves = curves;
    for (size_t r = 0; name && r < gathered->run_count; r++)
        for (size_t t = 0; t < gathered->runs[r]->thread_count; t++) {
            const pit_thread *thread = &gathered->runs[r]->threads[t];
            for (size_t i = 0; i < thread->value_count; i++) {
                struct curve_builder b = {.gathered = gathered,
                                          .run = gathered->runs[r],
                                          .thread = thread,
                                          .value = &thread->values[i],
                                          .path = path};
                if (strcmp(thread->values[i].name, name) != 0 || b.value->point_count == 0)
                    continue;
                int code = add_curve(&b, &curves[gathered->data.curve_count++]);
                if (code)
                    return code;
            }
        }
    if (gathered->data.curve_count == 0) {
        snprintf(gathered->why, sizeof gathered->why,
                 name ? "no value of this name was recorded"
                      : "no value was recorded: pit_value records one");
        return PIT_NOTHING;
    }
    if (!gathered->options->title)
        gathered->data.title = name;
    return 0;
}
