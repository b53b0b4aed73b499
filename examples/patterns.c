/* patterns: tell random graphs of three kinds apart by the patterns of walks in them; a pipeline with a
 * stage log, windows over the last hundred graphs, and its growth with the size of a graph.
 *
 *     patterns -o patterns.pit | tee patterns.log && pitwall log patterns.log
 *
 * A walk over six nodes is written down as which node is met for the first, second, third time: 0 1 2 0 is
 * a triangle. How often each pattern comes up is what a small network learns from. Shows stages
 * (pit_stage_begin, pit_stages_summary, pit_stages_save), windows (pit_window_add), named threads
 * (pit_thread_name) and a scaling (pit_scale, pit_model_complexity). Writes patterns.json (the stages) and
 * patterns.weights beside the run. */
#include "options.h"
#include "small_net.h"

#include <pthread.h>

enum {
    KINDS = 3,  /* random, small world, preferential attachment */
    DEGREE = 6, /* on average, of each */
    LEAST_NODES = 64,
    MOST_NODES = 256,
    SIZE = 6,      /* nodes of a walk */
    PER_NODE = 48, /* walks from each node */
    MAKERS = 2,    /* threads that make graphs */
    SIZES = 8,     /* of graphs, to see how it grows */
    TEST = 120     /* graphs that are not trained on */
};

static int graph_count;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--graphs", "to learn from", &graph_count, 100, 100000, 1500, 300),
};
static struct example example = {
    .name = "patterns",
    .what = "Tell kinds of random graphs apart by the patterns of walks in them.",
    .next = " --view stages",
    .options = options,
    .option_count = 1,
};

/* ---- graphs ---------------------------------------------------------------------------------- */

struct graph {
    uint32_t nodes;
    uint8_t kind;
    uint32_t *first; /* nodes + 1: where a node's neighbours begin */
    uint32_t *next;  /* neighbours */
};

struct edges {
    uint32_t (*ends)[2];
    size_t count;
};

/* For each kind, nodes × DEGREE / 2 edges; a few may be double. */
static void draw_edges(struct edges *edges, uint32_t nodes, int kind, uint64_t *random)
{
    edges->count = 0;
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t k = 1; k <= DEGREE / 2; k++) {
            uint32_t from = i, to = (i + k) % nodes;
            if (kind == 0 || (kind == 1 && net_pick(random, 5) == 0))
                to = (uint32_t)net_pick(random, nodes);
            if (kind == 0)
                from = (uint32_t)net_pick(random, nodes);
            if (kind == 2 &&
                edges->count > DEGREE) /* an end of an edge: those with many get more */
                to = edges->ends[net_pick(random, edges->count)][net_pick(random, 2)];
            if (from == to)
                to = (to + 1) % nodes;
            edges->ends[edges->count][0] = from;
            edges->ends[edges->count++][1] = to;
        }
}

/* Neighbours of each node in a row. A node without any gets itself, so that a walk can stay. */
static void connect_nodes(struct graph *graph, const struct edges *edges)
{
    uint32_t *degree = graph->first + 1;
    for (size_t e = 0; e < edges->count; e++)
        for (int end = 0; end < 2; end++)
            degree[edges->ends[e][end]]++;
    for (uint32_t i = 0; i < graph->nodes; i++)
        degree[i] += degree[i] == 0;
    for (uint32_t i = 1; i < graph->nodes; i++)
        degree[i] += degree[i - 1];
    for (uint32_t i = 0; i < graph->nodes; i++)
        for (uint32_t at = graph->first[i]; at < graph->first[i + 1]; at++)
            graph->next[at] = i;
    uint32_t *filled = graph->next + graph->first[graph->nodes];
    memcpy(filled, graph->first, graph->nodes * sizeof *filled);
    for (size_t e = 0; e < edges->count; e++)
        for (int end = 0; end < 2; end++)
            graph->next[filled[edges->ends[e][end]]++] = edges->ends[e][!end];
}

/* 0, or -1 without memory. */
static int graph_make(struct graph *graph, uint32_t nodes, int kind, uint64_t *random)
{
    size_t ends = (size_t)nodes * DEGREE;
    struct edges edges = {malloc(ends / 2 * sizeof *edges.ends), 0};
    graph->nodes = nodes;
    graph->kind = (uint8_t)kind;
    graph->first = calloc(nodes + 1, sizeof *graph->first);
    graph->next = malloc((ends + 2 * (size_t)nodes) * sizeof *graph->next);
    int failed = !edges.ends || !graph->first || !graph->next;
    if (!failed) {
        draw_edges(&edges, nodes, kind, random);
        connect_nodes(graph, &edges);
    }
    free(edges.ends);
    return failed ? -1 : 0;
}

static void graph_free(struct graph *graph)
{
    free(graph->first);
    free(graph->next);
}

/* ---- patterns -------------------------------------------------------------------------------- */

#define WALK_CODES 46656 /* SIZE to the power SIZE */

struct patterns {
    uint16_t number[WALK_CODES]; /* of a pattern, from 1 */
    size_t count, room;          /* room: count in whole lanes */
};

/* Give a number to every pattern: the first node is 0, each next one is known or the next new one. */
static void number_patterns(struct patterns *p, unsigned code, unsigned known, int left)
{
    if (left == 0) {
        p->number[code] = (uint16_t)++p->count;
        return;
    }
    for (unsigned node = 0; node <= known; node++)
        number_patterns(p, code * SIZE + node, known + (node == known), left - 1);
}

static void patterns_init(struct patterns *p)
{
    number_patterns(p, 0, 1, SIZE - 1);
    p->room = net_whole_lanes(p->count);
}

/* The pattern of a walk from `node`. */
static unsigned walk(const struct graph *graph, uint32_t node, uint64_t *random)
{
    uint32_t met[SIZE] = {node};
    unsigned known = 1, code = 0;
    for (int i = 1; i < SIZE; i++) {
        uint32_t begin = graph->first[node];
        node = graph->next[begin + net_pick(random, graph->first[node + 1] - begin)];
        unsigned place = 0;
        while (place < known && met[place] != node)
            place++;
        if (place == known)
            met[known++] = node;
        code = code * SIZE + place;
    }
    return code;
}

/* How often each pattern came up, as a root: rare ones matter too. */
static uint64_t count_patterns(const struct patterns *p, const struct graph *graph, float *counts,
                               uint64_t *random)
{
    uint64_t walks = (uint64_t)graph->nodes * PER_NODE;
    memset(counts, 0, p->room * sizeof *counts);
    for (uint32_t node = 0; node < graph->nodes; node++)
        for (int i = 0; i < PER_NODE; i++)
            counts[p->number[walk(graph, node, random)] - 1]++;
    for (size_t i = 0; i < p->count; i++)
        counts[i] = 4 * sqrtf(counts[i] / (float)walks);
    return walks;
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

struct pipeline {
    struct graph *graphs; /* the last TEST are not trained on */
    size_t count;
    struct patterns patterns;
    struct net net;
    float *counts;
    pit_stages *stages;
    pit_window *window;
};

struct maker {
    pthread_t thread;
    struct pipeline *pipeline;
    size_t number;
    int failed;
};

/* Every MAKERS-th graph. */
static void *make_graphs(void *argument)
{
    struct maker *maker = argument;
    struct pipeline *p = maker->pipeline;
    char name[16];
    snprintf(name, sizeof name, "maker %zu", maker->number);
    pit_thread_name(name);
    for (size_t i = maker->number; i < p->count && !maker->failed; i += MAKERS)
        PIT_SPAN("make graph") {
            uint64_t random = i + 1;
            for (int k = 0; k < 8; k++) /* seeds that lie close give numbers that do not */
                net_random(&random);
            uint32_t nodes = LEAST_NODES + (uint32_t)net_pick(&random, MOST_NODES - LEAST_NODES);
            maker->failed = graph_make(&p->graphs[i], nodes, (int)(i % KINDS), &random);
            pit_items(nodes);
        }
    return NULL;
}

static int load_graphs(struct pipeline *p)
{
    struct maker makers[MAKERS] = {0};
    int failed = 0;
    for (size_t i = 0; i < MAKERS; i++) {
        makers[i] = (struct maker){.pipeline = p, .number = i};
        int code = pthread_create(&makers[i].thread, NULL, make_graphs, &makers[i]);
        if (code) { /* this one does it, then */
            makers[i].thread = pthread_self();
            make_graphs(&makers[i]);
        }
    }
    for (size_t i = 0; i < MAKERS; i++) {
        if (!pthread_equal(makers[i].thread, pthread_self()))
            pthread_join(makers[i].thread, NULL);
        failed |= makers[i].failed;
    }
    return failed;
}

static void train_graph(struct pipeline *p, const struct graph *graph, uint64_t *random)
{
    double begin = example_seconds(), generated = 0;
    uint64_t walks = 0;
    size_t correct;
    PIT_SPAN("graph") {
        PIT_SPAN("pattern gen") {
            walks = count_patterns(&p->patterns, graph, p->counts, random);
            pit_items(walks);
        }
        generated = example_seconds() - begin;
        PIT_SPAN("forward") {
            net_forward(&p->net, p->counts, 1);
            pit_value("loss", net_class_loss(&p->net, &graph->kind, 1, KINDS, &correct));
        }
        PIT_SPAN("backward") {
            net_backward(&p->net, p->counts, 1);
            net_adam(&p->net.weights, 0.002f);
        }
        pit_items(graph->nodes);
    }
    double figures[] = {generated, example_seconds() - begin, graph->nodes, (double)walks};
    pit_window_add(p->window, figures); /* every hundredth prints the line */
}

/* The mean loss on graphs that were not trained on; *share: share of correct answers. */
static double test_loss(struct pipeline *p, double *share)
{
    uint64_t random = 77;
    double sum = 0;
    size_t right = 0;
    for (size_t i = p->count - TEST; i < p->count; i++) {
        size_t correct;
        count_patterns(&p->patterns, &p->graphs[i], p->counts, &random);
        net_forward(&p->net, p->counts, 1);
        sum += net_class_loss(&p->net, &p->graphs[i].kind, 1, KINDS, &correct);
        right += correct;
    }
    *share = (double)right / TEST;
    return sum / TEST;
}

static int write_weights(FILE *out, void *argument)
{
    const struct net_weights *w = argument;
    return fwrite(w->value, sizeof *w->value, w->count, out) == w->count ? 0 : PIT_CANNOT_WRITE;
}

/* ---- how it grows ---------------------------------------------------------------------------- */

struct growing {
    struct pipeline *pipeline;
    struct graph graphs[SIZES];
};

static void count_in_size(void *argument, uint64_t size)
{
    struct growing *growing = argument;
    uint64_t random = 5;
    for (size_t i = 0; i < SIZES; i++)
        if (growing->graphs[i].nodes == size)
            count_patterns(&growing->pipeline->patterns, &growing->graphs[i],
                           growing->pipeline->counts, &random);
    PIT_CLOBBER();
}

/* The time of counting against the size of a graph, and the formula's prediction. */
static int measure_growth(struct pipeline *p)
{
    static const uint64_t sizes[SIZES] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
    static const double predict[] = {1e6};
    struct growing growing = {.pipeline = p};
    double as_numbers[SIZES], costs[SIZES];
    uint64_t random = 9;
    pit_scaling scaling;
    int code = 0;
    for (size_t i = 0; i < SIZES && !code; i++) {
        as_numbers[i] = (double)sizes[i];
        code = graph_make(&growing.graphs[i], (uint32_t)sizes[i], 0, &random) ? PIT_NO_MEMORY : 0;
    }
    if (!code)
        code = pit_scale(count_in_size, &growing, sizes, SIZES, 0, costs, &scaling);
    for (size_t i = 0; i < SIZES; i++)
        graph_free(&growing.graphs[i]);
    if (code)
        return example_fail(&example, "scaling", code);
    if (example.is_quiet)
        return 0;
    pit_model model = {.name = "GPM",
                       .patterns = PER_NODE,
                       .pattern_size = SIZE,
                       .nodes = (double)sizes[SIZES - 1],
                       .degree = DEGREE};
    pit_complexity complexity;
    putchar('\n');
    pit_scaling_print(stdout, &scaling, as_numbers, costs, SIZES, predict, 1, NULL, NULL);
    if (pit_model_complexity(&model, &complexity) == 0 && complexity.component_count)
        printf("by the formula, patterns x size x nodes x degree: %.3g at %llu nodes\n",
               complexity.components[0], (unsigned long long)sizes[SIZES - 1]);
    return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int make_trainer(struct pipeline *p)
{
    static const pit_window_item items[] = {{"Pattern gen", PIT_WINDOW_MS},
                                            {"Total", PIT_WINDOW_MS},
                                            {"Avg nodes", PIT_WINDOW_MEAN},
                                            {"patterns", PIT_WINDOW_HIDDEN}};
    const size_t widths[] = {p->patterns.room, 32, NET_LANES};
    static const enum net_kind kinds[] = {NET_RELU, NET_LINEAR};
    p->counts = malloc(p->patterns.room * sizeof *p->counts);
    p->window = pit_window_new("GPM TIMING", "graphs", 100, items, 4);
    return net_create(&p->net, widths, kinds, 2, 1, 1) || !p->counts || !p->window;
}

static int train(struct pipeline *p)
{
    uint64_t random = 3;
    pit_stage(p->stages, "=== TRAINING PIPELINE START ===");
    pit_stage_begin(p->stages, "Dataset loading and preprocessing", 1);
    if (load_graphs(p))
        return 1;
    pit_stage_begin(p->stages, "Graph tower initialization (gpm)", 1);
    patterns_init(&p->patterns);
    pit_stage_begin(p->stages, "Trainer initialization", 1);
    if (make_trainer(p))
        return 1;
    pit_stage_begin(p->stages, "Main training loop", 1);
    for (size_t i = 0; i < p->count - TEST; i++) {
        train_graph(p, &p->graphs[i], &random);
        if (!example.is_quiet && (i + 1) % 100 == 0)
            example_progress(&example, (double)(i + 1) / (double)(p->count - TEST), "%s", "");
    }
    pit_stage_begin(p->stages, "State saving", 0);
    const char *path = example_beside(&example, "weights");
    int code = pit_save(path, write_weights, &p->net.weights);
    pit_stage_end(p->stages);
    return code ? example_fail(&example, path, code) : 0;
}

static int run(struct pipeline *p)
{
    double share;
    if (train(p))
        return 1;
    if (!example.is_quiet)
        putchar('\n');
    pit_stages_summary(p->stages);
    const char *path = example_beside(&example, "json");
    int code = pit_stages_save(p->stages, path);
    if (code)
        return example_fail(&example, path, code);
    if (measure_growth(p))
        return 1;
    double loss = test_loss(p, &share);
    if (!example.is_quiet)
        printf("\n%.1f million patterns of %zu kinds in %llu graphs; %.1f %% of %d new graphs told "
               "right\n",
               pit_window_sum(p->window, 3) / 1e6, p->patterns.count,
               (unsigned long long)pit_window_count(p->window), 100 * share, TEST);
    return example_prove(&example, "patterns", loss, example.is_quick ? 0.7 : 0.4);
}

int main(int argc, char **argv)
{
    static struct pipeline p;
    example_begin(&example, argc, argv);
    p.count = (size_t)graph_count + TEST;
    p.stages = pit_stages_new();
    p.graphs = calloc(p.count, sizeof *p.graphs);
    int failed = p.stages && p.graphs ? run(&p) : example_fail(&example, "graphs", PIT_NO_MEMORY);
    for (size_t i = 0; p.graphs && i < p.count; i++)
        graph_free(&p.graphs[i]);
    free(p.graphs);
    free(p.counts);
    net_free(&p.net);
    pit_window_free(p.window);
    pit_stages_free(p.stages);
    return example_end(&example, failed);
}
