/* series_gather.c: see series_gather.h; also provides the series as the data of a view. */
#include "series_gather.h"

#include "advice_case.h"
#include "gather.h"
#include "report/span_path.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding the node ----------------------------------------------------------------------- */

/* Is the path exactly the node's names, compared from the innermost outwards? */
static int is_path_of(const pit_thread *thread, uint32_t node, const char *path)
{
    size_t left = strlen(path);
    while (node < thread->node_count) {
        const char *name = thread->nodes[node].name ? thread->nodes[node].name : "";
        size_t bytes = pit__path_name_bytes(name);
        uint32_t parent = thread->nodes[node].parent;
        if (bytes > left || !pit__path_has_name(path + left - bytes, name))
            return 0;
        left -= bytes;
        if (parent == PIT_NO_NODE || parent >= node)
            return left == 0;
        if (left == 0 || path[left - 1] != '/')
            return 0;
        left--;
        node = parent;
    }
    return 0;
}

uint32_t pit__node_at(const pit_thread *thread, const char *path)
{
    for (uint32_t i = 0; i < thread->node_count; i++)
        if (is_path_of(thread, i, path))
            return i;
    return PIT_NO_NODE;
}

struct place {
    const pit_run *run;
    const pit_thread *thread;
    uint32_t node;
};

static struct place find_place(const pit_run *const *runs, size_t run_count, const char *path)
{
    struct place best = {0};
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++) {
            const pit_thread *thread = &runs[r]->threads[t];
            for (uint32_t i = 0; i < thread->node_count; i++) {
                uint64_t most = best.thread ? best.thread->nodes[best.node].count : 0;
                if (thread->nodes[i].count > most && is_path_of(thread, i, path))
                    best = (struct place){runs[r], thread, i};
            }
        }
    return best;
}

/* ---- the durations --------------------------------------------------------------------------- */

static int take_events(const struct place *place, double *seconds, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < place->thread->event_count; i++)
        if (place->thread->events[i].node == place->node)
            seconds[(*count)++] =
                (double)place->thread->events[i].duration * place->run->ns_per_tick / 1e9;
    return *count > 0 && (place->thread->events_dropped == 0 ||
                          *count >= place->thread->nodes[place->node].count);
}

static int take_records(const struct place *place, double *seconds, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < place->thread->record_count; i++)
        if (place->thread->records[i].node == place->node)
            seconds[(*count)++] =
                (double)place->thread->records[i].duration * place->run->ns_per_tick / 1e9;
    return *count > 0 && *count >= place->thread->nodes[place->node].count;
}

static void take_bins(const struct place *place, double *seconds, size_t *count)
{
    const pit_raw_node *node = &place->thread->nodes[place->node];
    *count = 0;
    for (size_t i = 0; i < node->series_count; i++)
        if (node->series[i].count > 0)
            seconds[(*count)++] = (double)node->series[i].total / (double)node->series[i].count *
                                  place->run->ns_per_tick / 1e9;
}

int pit__series_of(const pit_run *const *runs, size_t run_count, const char *path,
                   struct pit__series *series)
{
    *series = (struct pit__series){.source = ""};
    struct place place = find_place(runs, run_count, path);
    if (!place.thread)
        return 0;
    const pit_raw_node *node = &place.thread->nodes[place.node];
    size_t room = place.thread->event_count;
    room = room > place.thread->record_count ? room : place.thread->record_count;
    room = room > node->series_count ? room : node->series_count;
    series->run = place.run;
    series->thread = place.thread;
    series->node = place.node;
    series->seconds = malloc((room + 1) * sizeof *series->seconds);
    if (!series->seconds)
        return PIT_NO_MEMORY;
    series->in_order = 1;
    series->source = "events";
    series->is_events = take_events(&place, series->seconds, &series->count);
    if (series->is_events)
        return 0;
    series->source = "records";
    if (take_records(&place, series->seconds, &series->count))
        return 0;
    take_bins(&place, series->seconds, &series->count);
    series->source = "series";
    series->in_order = series->count == node->count;
    return 0;
}

/* ---- which node ------------------------------------------------------------------------------- */

int pit__course_node(const pit_tree *tree, uint32_t *node)
{
    *node = PIT_NO_NODE;
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (pit__role_of(tree->nodes[i].name) == PIT__ROLE_EPOCH && tree->nodes[i].count > 1 &&
            (*node == PIT_NO_NODE || tree->nodes[i].total_ns > tree->nodes[*node].total_ns))
            *node = i;
    if (*node != PIT_NO_NODE)
        return 0;
    struct pit__part *parts = pit__parts_of(tree);
    if (!parts)
        return PIT_NO_MEMORY;
    size_t unit = pit__find_unit(parts, tree->node_count);
    if (unit != PIT__NO_PART)
        *node = (uint32_t)unit;
    free(parts);
    return 0;
}

int pit__gather_series(struct pit__gathered *gathered)
{
    uint32_t node;
    int code = pit__gather_node(gathered, &node);
    if (!code && node == PIT_NO_NODE)
        code = pit__course_node(gathered->tree, &node);
    if (code)
        return code;
    if (node == PIT_NO_NODE) {
        snprintf(gathered->why, sizeof gathered->why,
                 "no span was repeated, so there is no course to look at");
        return PIT_NOTHING;
    }
    struct pit__series series;
    const char *path = gathered->tree->nodes[node].path;
    code = pit__series_of(gathered->runs, gathered->run_count, path, &series);
    double *seconds = pit__gather_alloc(gathered, series.count + 1, sizeof *seconds);
    if (!code && seconds) {
        if (series.count > 0)
            memcpy(seconds, series.seconds, series.count * sizeof *seconds);
        gathered->data.series = seconds;
        gathered->data.series_count = series.count;
        if (!gathered->options->title)
            gathered->data.title = path;
    }
    free(series.seconds);
    if (code || !seconds)
        return PIT_NO_MEMORY;
    if (series.count == 0) {
        snprintf(gathered->why, sizeof gathered->why, "this span never ended");
        return PIT_NOTHING;
    }
    return 0;
}
