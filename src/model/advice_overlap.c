/* Spans of one thread that overlap: tasks of an event loop, greenlets, span objects. Their times add up to more
 * than the time that passed. Rules compare times with what passed, so each part gets its share of it. */
#include "advice_case.h"

#include <math.h>
#include <stdlib.h>

#define WITHIN 0.99 /* of its longest call lies within one call of its parent */
#define MORE 1.05   /* times the time that passed; less may be rounding */
#define MUCH 0.2    /* of the time in spans */

static int is_overlapping(const pit_node *node)
{
    return node->detached == PIT_DETACHED && node->parent != PIT_NO_NODE;
}

/* Do its spans end before the span in which they began? Then they had the time of that span to run. */
static int is_within(const struct pit__part *part, const struct pit__part *parent)
{
    double calls = parent->count > 0 ? (double)parent->count : 1;
    return parent->seconds / calls >= WITHIN * part->longest;
}

static double at_least_one(double overlap)
{
    return overlap > MORE && isfinite(overlap) ? overlap : 1;
}

int pit__divide_overlap(struct pit__part *parts, const pit_tree *tree, double passed)
{
    double *inside = calloc(tree->node_count + 1, sizeof *inside), top = 0;
    if (!inside)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < tree->node_count; i++)
        if (is_overlapping(&tree->nodes[i]))
            inside[parts[i].parent] += parts[i].seconds;
        else if (parts[i].parent == PIT__NO_PART)
            top += parts[i].seconds;
    for (size_t i = 0; i < tree->node_count; i++) { /* parents come before their children */
        size_t parent = parts[i].parent;
        parts[i].overlap = at_least_one(top / passed);
        if (parent == PIT__NO_PART)
            continue;
        const struct pit__part *above = &parts[parent];
        parts[i].overlap = above->overlap;
        if (is_overlapping(&tree->nodes[i]) && is_within(&parts[i], above))
            parts[i].overlap *= at_least_one(inside[parent] / above->seconds);
        else if (is_overlapping(&tree->nodes[i]))
            parts[i].overlap = at_least_one(inside[parent] / passed);
    }
    free(inside);
    for (size_t i = 0; i < tree->node_count; i++) {
        parts[i].seconds /= parts[i].overlap;
        parts[i].self_seconds /= parts[i].overlap;
        parts[i].half_seconds /= parts[i].overlap;
    }
    return 0;
}

/* NULL: it recorded no span. */
static const pit_thread *main_thread(const pit_run *run)
{
    for (size_t t = 0; t < run->thread_count; t++)
        if (run->threads[t].tid == run->pid)
            return &run->threads[t];
    return NULL;
}

void pit__find_elsewhere(struct pit__advice_case *made, const pit_run *const *runs,
                         size_t run_count)
{
    for (size_t i = 0; i < made->all.part_count; i++) {
        struct pit__part *part = &made->parts[i];
        uint64_t count = 0;
        for (size_t r = 0; r < run_count; r++) {
            const pit_thread *main = main_thread(runs[r]);
            uint32_t node = part->seconds > MUCH * made->all.total && main
                                ? pit__node_at(main, part->path)
                                : PIT_NO_NODE;
            count += node == PIT_NO_NODE ? 0 : main->nodes[node].count;
        }
        if (part->seconds > MUCH * made->all.total && part->count > 0)
            part->elsewhere = 1 - (double)count / (double)part->count;
    }
}
