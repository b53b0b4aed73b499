/* live_tree.c: see live_tree.h.
 *
 * Only the figures of a node change. So a raw node is looked up by parent and name once, and by its
 * number at every later reading.
 */
#include "live_tree.h"

#include "tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding nodes --------------------------------------------------------------------------- */

static int grow_slots(struct pit__live *live)
{
    size_t slot_count = live->slot_count ? live->slot_count * 2 : 256;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < live->count; i++) {
        const struct pit__live_node *node = &live->nodes[i];
        size_t at = pit__path_hash(node->parent, node->detached, node->name) & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(live->slots);
    live->slots = slots;
    live->slot_count = slot_count;
    return 1;
}

static int grow_nodes(struct pit__live *live)
{
    size_t room = live->room ? live->room * 2 : 64;
    struct pit__live_node *nodes =
        room > PIT_NO_NODE / 2 ? NULL : realloc(live->nodes, room * sizeof *nodes);
    if (!nodes)
        return 0;
    live->nodes = nodes;
    live->room = room;
    return 1;
}

static void link_child(struct pit__live *live, uint32_t parent, uint32_t child)
{
    uint32_t *first = &live->nodes[parent].first_child;
    live->nodes[child].next_sibling = *first;
    *first = child;
}

static uint32_t make(struct pit__live *live, uint32_t parent, int detached, const char *name)
{
    if (live->count == live->room && !grow_nodes(live))
        return PIT_NO_NODE;
    char *copy = strdup(name);
    if (!copy)
        return PIT_NO_NODE;
    uint32_t own = (uint32_t)live->count++;
    live->nodes[own] =
        (struct pit__live_node){.name = copy,
                                .parent = parent,
                                .depth = parent == PIT_NO_NODE ? 0 : live->nodes[parent].depth + 1,
                                .first_child = PIT_NO_NODE,
                                .next_sibling = PIT_NO_NODE,
                                .detached = detached,
                                .first_raw = PIT__NO_RAW};
    if (parent != PIT_NO_NODE)
        link_child(live, parent, own);
    return own;
}

/* The node of a path, created if necessary; PIT_NO_NODE if memory is exhausted. */
static uint32_t find(struct pit__live *live, uint32_t parent, int detached, const char *name)
{
    if (live->count * 2 >= live->slot_count && !grow_slots(live))
        return PIT_NO_NODE;
    size_t at = pit__path_hash(parent, detached, name) & (live->slot_count - 1);
    for (; live->slots[at]; at = (at + 1) & (live->slot_count - 1)) {
        const struct pit__live_node *node = &live->nodes[live->slots[at] - 1];
        if (node->parent == parent && node->detached == detached && strcmp(node->name, name) == 0)
            return live->slots[at] - 1;
    }
    uint32_t made = make(live, parent, detached, name);
    if (made != PIT_NO_NODE)
        live->slots[at] = made + 1;
    return made;
}

/* ---- raw nodes to nodes ---------------------------------------------------------------------- */

static void forget_maps(struct pit__live *live)
{
    for (size_t i = 0; i < live->map_count; i++)
        live->maps[i].count = 0;
    for (size_t i = 0; i < live->count; i++)
        live->nodes[i].first_raw = PIT__NO_RAW;
}

static int map_thread(struct pit__live *live, const pit_thread *thread, size_t number)
{
    struct pit__live_map *map = &live->maps[number];
    if (thread->node_count > map->room) {
        size_t room = thread->node_count * 2;
        struct pit__live_raw *raw = realloc(map->raw, room * sizeof *raw);
        if (!raw)
            return 0;
        map->raw = raw;
        map->room = room;
    }
    for (; map->count < thread->node_count; map->count++) {
        const pit_raw_node *raw = &thread->nodes[map->count];
        uint32_t parent = raw->parent < map->count ? map->raw[raw->parent].node : PIT_NO_NODE;
        uint32_t node = find(live, parent, raw->detached, raw->name ? raw->name : "");
        if (node == PIT_NO_NODE)
            return 0;
        live->nodes[node].is_comm |= raw->is_comm;
        map->raw[map->count] = (struct pit__live_raw){node, live->nodes[node].first_raw};
        live->nodes[node].first_raw = (uint64_t)number << 32 | map->count;
    }
    return 1;
}

static int map_run(struct pit__live *live, const pit_run *run)
{
    if (run->thread_count > live->map_count) {
        struct pit__live_map *maps = realloc(live->maps, run->thread_count * sizeof *maps);
        if (!maps)
            return 0;
        memset(maps + live->map_count, 0, (run->thread_count - live->map_count) * sizeof *maps);
        live->maps = maps;
        live->map_count = run->thread_count;
    }
    for (size_t i = 0; i < run->thread_count; i++)
        if (!map_thread(live, &run->threads[i], i))
            return 0;
    return 1;
}

/* ---- adding up ------------------------------------------------------------------------------- */

static void begin_look(struct pit__live *live)
{
    for (size_t i = 0; i < live->count; i++) {
        struct pit__live_node *node = &live->nodes[i];
        node->count_before = node->count;
        node->items_before = node->items;
        node->total_before = node->total_ns;
        node->all_before = node->all_ns;
        node->count = node->items = node->open = 0;
        node->total_ns = node->all_ns = node->max_ns = 0;
        node->device_ns = node->device_wait_ns = 0;
        node->device_count = 0;
    }
    live->spans_before = live->spans;
    live->spans = 0;
    live->busy_threads = 0;
}

static void add_thread(struct pit__live *live, const pit_run *run, size_t number)
{
    const pit_thread *thread = &run->threads[number];
    const struct pit__live_raw *map = live->maps[number].raw;
    double tick = run->ns_per_tick;
    uint64_t spans = 0;
    for (size_t i = 0; i < thread->node_count; i++) {
        const pit_raw_node *raw = &thread->nodes[i];
        struct pit__live_node *node = &live->nodes[map[i].node];
        double total_ns = (double)raw->total * tick, max_ns = (double)raw->max * tick;
        node->count += raw->count;
        node->items += raw->items;
        node->total_ns += total_ns;
        node->all_ns += total_ns;
        if (max_ns > node->max_ns)
            node->max_ns = max_ns;
        spans += raw->count;
    }
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *open = &thread->open[i];
        if (open->node >= thread->node_count)
            continue;
        struct pit__live_node *node = &live->nodes[map[open->node].node];
        node->open++;
        if (run->end_ticks > open->begin)
            node->all_ns += (double)(run->end_ticks - open->begin) * tick;
    }
    live->spans += spans;
    live->busy_threads += spans > 0 || thread->open_count > 0;
}

/* Never negative: a live run continues while it is read, so figures of one refresh may be some spans apart. */
static double gain(double now, double before)
{
    return now > before ? now - before : 0;
}

static void compare_looks(struct pit__live *live)
{
    double seconds = live->interval_ns / 1e9;
    live->rate = gain((double)live->spans, (double)live->spans_before) / seconds;
    for (size_t i = 0; i < live->count; i++) {
        struct pit__live_node *node = &live->nodes[i];
        uint64_t ended = node->count > node->count_before ? node->count - node->count_before : 0;
        node->rate = (double)ended / seconds;
        node->item_rate = gain((double)node->items, (double)node->items_before) / seconds;
        node->now_ns = node->now_self_ns = gain(node->all_ns, node->all_before);
        node->now_mean_ns = ended ? gain(node->total_ns, node->total_before) / (double)ended : NAN;
    }
}

static void no_rates(struct pit__live *live)
{
    live->rate = live->interval_ns = NAN;
    for (size_t i = 0; i < live->count; i++) {
        struct pit__live_node *node = &live->nodes[i];
        node->rate = node->item_rate = node->now_ns = node->now_self_ns = node->now_mean_ns = NAN;
    }
}

/* Subtract the time of children from their parents, and sum up the outermost nodes. */
static void share_out(struct pit__live *live)
{
    live->in_spans_ns = 0;
    live->now_in_spans_ns = live->looks < 2 ? NAN : 0;
    for (size_t i = 0; i < live->count; i++)
        live->nodes[i].self_ns = live->nodes[i].all_ns;
    for (size_t i = 0; i < live->count; i++) {
        const struct pit__live_node *node = &live->nodes[i];
        if (node->detached)
            continue;
        if (node->parent == PIT_NO_NODE) {
            live->in_spans_ns += node->all_ns;
            live->now_in_spans_ns += node->now_ns;
            continue;
        }
        struct pit__live_node *parent = &live->nodes[node->parent];
        parent->self_ns = gain(parent->self_ns, node->all_ns);
        parent->now_self_ns = gain(parent->now_self_ns, node->now_ns);
    }
}

/* Device work counts for all spans around it; its waiting time is separate (enum pit_detached). */
static void add_devices(struct pit__live *live)
{
    for (size_t i = 0; i < live->count; i++) {
        const struct pit__live_node *own = &live->nodes[i];
        uint32_t above = own->parent;
        if (own->detached != PIT_ON_DEVICE)
            continue;
        int waits = above != PIT_NO_NODE && live->nodes[above].detached == PIT_ON_DEVICE;
        for (uint32_t at = waits ? above : (uint32_t)i; at != PIT_NO_NODE;
             at = live->nodes[at].parent) {
            live->nodes[at].device_count += waits ? 0 : own->count;
            *(waits ? &live->nodes[at].device_wait_ns : &live->nodes[at].device_ns) +=
                own->total_ns;
        }
    }
}

/* The sampler has its own pace: between two readings the last figure stays. */
static void read_cpu(struct pit__live *live, const pit_run *run)
{
    double cpu_ns = run->has_samples ? pit_sample_figure(run, &run->newest, "cpu_ns") : NAN;
    if (isnan(cpu_ns)) {
        live->cores = live->waited = NAN;
        live->cpu_at = 0;
        return;
    }
    if (run->newest.ticks == live->cpu_at)
        return;
    double delay_ns = pit_sample_figure(run, &run->newest, "run_delay_ns");
    if (live->cpu_at && run->newest.ticks > live->cpu_at) {
        double passed_ns = (double)(run->newest.ticks - live->cpu_at) * run->ns_per_tick;
        live->cores = gain(cpu_ns, (double)live->cpu_ns) / passed_ns;
        live->waited = (delay_ns - live->delay_ns) / passed_ns;
    }
    live->delay_ns = delay_ns;
    live->cpu_ns = (uint64_t)cpu_ns;
    live->cpu_at = run->newest.ticks;
}

int pit__live_look(struct pit__live *live, const pit_run *run, size_t thread)
{
    if (thread >= run->thread_count)
        thread = PIT__ALL_THREADS;
    if (live->run != run) {
        forget_maps(live);
        live->looks = 0;
        live->cores = live->waited = NAN;
        live->cpu_at = 0;
    }
    if (live->thread != thread)
        live->looks = 0;
    live->run = run;
    live->thread = thread;
    if (!map_run(live, run))
        return PIT_NO_MEMORY;
    begin_look(live);
    for (size_t i = 0; i < run->thread_count; i++)
        if (thread == PIT__ALL_THREADS || thread == i)
            add_thread(live, run, i);
    double interval_ns = run->duration_ns - live->at_ns;
    live->at_ns = run->duration_ns;
    live->looks = live->looks == 0 ? 1 : interval_ns > 0 ? 2 : live->looks;
    live->interval_ns = interval_ns;
    if (live->looks == 2 && interval_ns > 0)
        compare_looks(live);
    else
        no_rates(live);
    share_out(live);
    add_devices(live);
    read_cpu(live, run);
    return 0;
}

void pit__live_free(struct pit__live *live)
{
    for (size_t i = 0; i < live->count; i++)
        free(live->nodes[i].name);
    for (size_t i = 0; i < live->map_count; i++)
        free(live->maps[i].raw);
    free(live->maps);
    free(live->nodes);
    free(live->slots);
    *live = (struct pit__live){0};
}

/* ---- figures of one node --------------------------------------------------------------------- */

double pit__live_share(const struct pit__live *live, const struct pit__live_node *node)
{
    return live->in_spans_ns > 0 ? node->all_ns / live->in_spans_ns : NAN;
}

double pit__live_now_share(const struct pit__live *live, const struct pit__live_node *node)
{
    return live->now_in_spans_ns > 0 ? node->now_ns / live->now_in_spans_ns : NAN;
}

void pit__live_path(const struct pit__live *live, uint32_t node, char *path, size_t size)
{
    const char *names[256] = {0}; /* the depth limit of trees */
    size_t count = 0, used = 0;
    for (uint32_t i = node; i != PIT_NO_NODE && count < 256; i = live->nodes[i].parent)
        names[count++] = live->nodes[i].name;
    path[0] = '\0';
    for (; count > 0 && used + 1 < size; count--) {
        const char *name = names[count - 1];
        for (; *name && used + 1 < size; name++) {
            if ((*name == '/' || *name == '\\') && used + 2 < size)
                path[used++] = '\\';
            path[used++] = *name;
        }
        if (count > 1 && used + 1 < size)
            path[used++] = '/';
        path[used] = '\0';
    }
}
