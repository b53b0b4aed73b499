/* live_places.c: the place in the code where the main thread of a live run is most often. */
#include "live_tree.h"

/* The live tree's node of a place; PIT_NO_NODE outside all spans. */
static uint32_t node_of(const struct pit__live *live, const pit_hot_place *place)
{
    if (place->node == PIT_NO_NODE || place->thread >= live->map_count ||
        place->node >= live->maps[place->thread].count)
        return PIT_NO_NODE;
    return live->maps[place->thread].raw[place->node].node;
}

static int is_known(const pit_hot_place *place)
{
    return place->line || *place->file || *place->function;
}

/* The same for one kind; returns 0 if the node has no sample. */
static int hottest_of(const struct pit__live *live, uint32_t node, uint32_t kind,
                      pit_tree_place *found)
{
    uint64_t all = 0, of_kind = 0;
    const pit_hot_place *hottest = NULL;
    for (size_t i = 0; i < live->run->place_count; i++) {
        const pit_hot_place *place = &live->run->places[i];
        if (place->kind != kind)
            continue;
        of_kind += place->samples;
        if (node_of(live, place) != node)
            continue;
        all += place->samples;
        if (is_known(place) && (!hottest || place->samples > hottest->samples))
            hottest = place;
    }
    if (!hottest || !all)
        return 0;
    *found = (pit_tree_place){.function = hottest->function,
                              .file = hottest->file,
                              .line = hottest->line,
                              .kind = kind,
                              .node = node,
                              .samples = hottest->samples,
                              .node_samples = all,
                              .share = (double)hottest->samples / (double)all,
                              .run_share = (double)hottest->samples / (double)of_kind};
    return 1;
}

int pit__live_hottest(const struct pit__live *live, uint32_t node, pit_tree_place *found)
{
    int is_found = 0;
    for (uint32_t kind = 0; live->run && kind < PIT_PLACE_KINDS && !is_found; kind++)
        is_found = hottest_of(live, node, kind, found);
    return is_found;
}
