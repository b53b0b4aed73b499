/* tree_places.c: places in the code of a tree's nodes, over threads and runs.
 *
 * One place of one node is one entry for all runs. The entries of a node are adjacent, Python before
 * native code, hottest first.
 */
#include "tree_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b; /* a damaged run may contain any value */
}

static int is_elsewhere(const pit_tree_place *place)
{
    return !place->line && !*place->file && !*place->function;
}

/* ---- gathering ----------------------------------------------------------------------------- */

/* Outside all spans comes first: PIT_NO_NODE + 1 is 0. */
static int by_group(const pit_tree_place *x, const pit_tree_place *y)
{
    uint32_t a = x->node + 1, b = y->node + 1;
    if (a != b)
        return a < b ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_place(const void *a, const void *b)
{
    const pit_tree_place *x = a, *y = b;
    int order = by_group(x, y);
    if (!order)
        order = strcmp(x->file, y->file);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    return order ? order : strcmp(x->function, y->function);
}

static int by_samples(const void *a, const void *b)
{
    const pit_tree_place *x = a, *y = b;
    int order = by_group(x, y);
    if (!order)
        order = is_elsewhere(x) - is_elsewhere(y);
    if (!order)
        order = (x->samples < y->samples) - (x->samples > y->samples);
    return order ? order : by_place(a, b);
}

/* The tree's node of a raw node of a run; `map` is the run's part of the map. */
static uint32_t tree_node(const pit_run *run, const uint32_t *map, const pit_hot_place *place)
{
    size_t at = 0;
    if (place->node == PIT_NO_NODE || place->thread >= run->thread_count ||
        place->node >= run->threads[place->thread].node_count)
        return PIT_NO_NODE;
    for (size_t t = 0; t < place->thread; t++)
        at += run->threads[t].node_count;
    return map[at + place->node];
}

static size_t gather(const struct pit__tree_box *box, const pit_run *const *runs, size_t run_count,
                     pit_tree_place *to)
{
    const uint32_t *map = box->map;
    size_t count = 0;
    for (size_t r = 0; r < run_count; r++) {
        const pit_run *run = runs[r];
        for (size_t i = 0; i < run->place_count; i++) {
            const pit_hot_place *from = &run->places[i];
            to[count++] = (pit_tree_place){.function = from->function,
                                           .file = from->file,
                                           .line = from->line,
                                           .kind = from->kind,
                                           .node = tree_node(run, map, from),
                                           .samples = from->samples};
        }
        for (size_t t = 0; t < run->thread_count; t++)
            map += run->threads[t].node_count;
    }
    return count;
}

static size_t merge(pit_tree_place *places, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && by_place(&places[kept - 1], &places[i]) == 0)
            places[kept - 1].samples = sum(places[kept - 1].samples, places[i].samples);
        else
            places[kept++] = places[i];
    }
    return kept;
}

/* ---- the tree's own ------------------------------------------------------------------------ */

static void share_out(pit_tree_place *places, size_t count)
{
    uint64_t all[PIT_PLACE_KINDS] = {0};
    for (size_t i = 0; i < count; i++)
        all[places[i].kind % PIT_PLACE_KINDS] =
            sum(all[places[i].kind % PIT_PLACE_KINDS], places[i].samples);
    for (size_t first = 0, end; first < count; first = end) {
        uint64_t in_node = 0;
        for (end = first; end < count && by_group(&places[first], &places[end]) == 0; end++)
            in_node = sum(in_node, places[end].samples);
        for (size_t i = first; i < end; i++) {
            places[i].node_samples = in_node;
            places[i].share = (double)places[i].samples / (double)in_node;
            places[i].run_share =
                (double)places[i].samples / (double)all[places[i].kind % PIT_PLACE_KINDS];
        }
    }
}

/* Copy texts: the runs may be freed before the tree. */
static int copy_texts(struct pit__tree_box *box, pit_tree_place *places, size_t count)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(places[i].function) + strlen(places[i].file) + 2;
    char *to = box->place_texts = malloc(bytes);
    for (size_t i = 0; to && i < count; i++) {
        const char **texts[] = {&places[i].function, &places[i].file};
        for (int k = 0; k < 2; k++) {
            size_t length = strlen(*texts[k]) + 1;
            memcpy(to, *texts[k], length);
            *texts[k] = to;
            to += length;
        }
    }
    return box->place_texts != NULL;
}

static void give_to_nodes(struct pit__tree_box *box, const pit_tree_place *places, size_t count)
{
    pit_tree *tree = &box->tree;
    for (size_t i = 0; i < count; i++) {
        int is_outside = places[i].node == PIT_NO_NODE;
        const pit_tree_place **list =
            is_outside ? &tree->outside : &box->nodes[places[i].node].places;
        size_t *length =
            is_outside ? &tree->outside_count : &box->nodes[places[i].node].place_count;
        if (!*list)
            *list = &places[i];
        ++*length;
    }
}

int pit__tree_keep_places(struct pit__tree_box *box, const pit_run *const *runs, size_t run_count)
{
    size_t room = 0;
    pit_tree *tree = &box->tree;
    for (size_t r = 0; r < run_count; r++) {
        room += runs[r]->place_count;
        tree->place_samples = sum(tree->place_samples, runs[r]->place_samples);
    }
    if (!room)
        return 1;
    pit_tree_place *places = box->places = calloc(room, sizeof *places);
    if (!places)
        return 0;
    size_t count = gather(box, runs, run_count, places);
    qsort(places, count, sizeof *places, by_place);
    count = merge(places, count);
    qsort(places, count, sizeof *places, by_samples);
    share_out(places, count);
    if (!copy_texts(box, places, count))
        return 0;
    give_to_nodes(box, places, count);
    tree->places = places;
    tree->place_count = count;
    return 1;
}

/* ---- the calls ----------------------------------------------------------------------------- */

PIT_API const pit_tree_place *pit_tree_hottest(const pit_tree *tree, uint32_t node)
{
    if (!tree || (node != PIT_NO_NODE && node >= tree->node_count))
        return NULL;
    const pit_tree_place *list = node == PIT_NO_NODE ? tree->outside : tree->nodes[node].places;
    size_t count = node == PIT_NO_NODE ? tree->outside_count : tree->nodes[node].place_count;
    for (size_t i = 0; i < count; i++)
        if (!is_elsewhere(&list[i]))
            return &list[i];
    return NULL;
}

/* The file name without its folders, unless many folders have a file of that name; --json has the whole
 * path. */
static const char *short_file(const char *file)
{
    const char *slash = strrchr(file, '/');
    if (!slash || !slash[1])
        return file;
    int is_common = strncmp(slash + 1, "__", 2) == 0;
    const char *name = slash + 1;
    while (is_common && slash > file && slash[-1] != '/')
        name = --slash;
    return name;
}

PIT_API const char *pit_place_text(const pit_tree_place *place, char *words, size_t room)
{
    const char *file = short_file(place->file), *in = *place->function && *file ? " in " : "";
    char line[16] = "";
    if (place->line && *file)
        snprintf(line, sizeof line, ":%u", place->line);
    if (is_elsewhere(place))
        snprintf(words, room, "elsewhere");
    else if (place->kind == PIT_PLACE_PYTHON || !*place->function)
        snprintf(words, room, "%s%s%s%s", file, line, in, place->function);
    else
        snprintf(words, room, "%s%s%s%s%s", place->function, *file ? " (" : "", file, line,
                 *file ? ")" : "");
    return words;
}
