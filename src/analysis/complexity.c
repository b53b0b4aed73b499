/* complexity.c: the table of model kinds and their formulas.
 *
 * A formula is a function over the sizes; sums and products use `sum` and `product`, which note an
 * overflow, so formulas stay readable and are still checked. A new kind is a line of the table and a
 * formula. */
#include "complexity.h"

#include <string.h>
#include <strings.h>

/* ---- arithmetic that notes an overflow ------------------------------------------------------ */

struct checked {
    int overflow;
};

static uint64_t sum(struct checked *c, uint64_t a, uint64_t b)
{
    uint64_t result;
    c->overflow |= __builtin_add_overflow(a, b, &result);
    return result;
}

static uint64_t product(struct checked *c, uint64_t a, uint64_t b)
{
    uint64_t result;
    c->overflow |= __builtin_mul_overflow(a, b, &result);
    return result;
}

static uint64_t product3(struct checked *c, uint64_t a, uint64_t b, uint64_t d)
{
    return product(c, product(c, a, b), d);
}

static uint64_t product4(struct checked *c, uint64_t a, uint64_t b, uint64_t d, uint64_t e)
{
    return product(c, product3(c, a, b, d), e);
}

static uint64_t or_one(uint64_t n)
{
    return n ? n : 1;
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* x(t) = A_0 + A_1 x(t-1) + … + A_p x(t-p) */
static void mvar(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    costs->part = product(c, s->dim, s->dim);
    uint64_t weights = product(c, s->lag, costs->part);
    costs->parameters = sum(c, weights, s->dim);
    costs->flops = product(c, 2, weights);
}

/* Gated layers as in PyTorch: weight_ih (gates·h × in), weight_hh (gates·h × h), and a bias for each. From
 * the second layer on, the input is the hidden state below. A step reads `sequence` inputs: 1 if the state
 * is carried on, the window if it is rebuilt. */
static void gated(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs,
                  uint64_t gates)
{
    uint64_t h = s->hidden, more = or_one(s->layers) - 1;
    uint64_t first = product3(c, gates, h, sum(c, s->dim, h));
    uint64_t further = product4(c, gates, h, 2, h);
    uint64_t biases = product3(c, gates, 2, h);
    uint64_t weights = sum(c, first, product(c, more, further));
    costs->part = sum(c, first, biases);
    costs->parameters = sum(c, weights, product(c, sum(c, more, 1), biases));
    costs->flops = product3(c, 2, weights, or_one(s->sequence));
    if (s->output == PIT__NO_OUTPUT)
        return;
    uint64_t out = s->output ? s->output : s->dim, last = product(c, out, h);
    costs->parameters = sum(c, costs->parameters, sum(c, last, out));
    costs->flops = sum(c, costs->flops, product(c, 2, last));
}

static void lstm(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    gated(c, s, costs, 4);
}

static void gru(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    gated(c, s, costs, 3);
}

/* Edges between neighbouring layers, d → h → … → h → out, with `layers` hidden ones; *units: units of all
 * layers except the first. */
static uint64_t edges(struct checked *c, const struct pit__sizes *s, uint64_t *units)
{
    uint64_t h = s->hidden, more = or_one(s->layers) - 1;
    uint64_t inside = sum(c, product(c, s->dim, h), product3(c, more, h, h));
    *units = product(c, or_one(s->layers), h);
    if (s->output == PIT__NO_OUTPUT)
        return inside;
    uint64_t out = s->output ? s->output : s->dim;
    *units = sum(c, *units, out);
    return sum(c, inside, product(c, h, out));
}

/* Fully connected; with sines instead of ReLU it is a SIREN. */
static void mlp(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    uint64_t units, weights = edges(c, s, &units);
    costs->part = sum(c, product(c, s->dim, s->hidden), s->hidden);
    costs->parameters = sum(c, weights, units);
    costs->flops = product(c, 2, weights);
}

/* Each edge is a spline of grid + order coefficients with its own scale, plus a base function with a
 * weight; no biases. */
static void kan(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    uint64_t units, edge = sum(c, sum(c, s->grid, s->order), 2);
    costs->parameters = product(c, edges(c, s, &units), edge);
    costs->part = product3(c, s->dim, s->hidden, edge);
    costs->flops = product(c, 2, costs->parameters);
}

/* Square kernels, outputs of height × width; further layers keep their number of channels. */
static void cnn(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    uint64_t more = or_one(s->layers) - 1, out = s->channels_out;
    uint64_t first = product4(c, s->kernel, s->kernel, s->channels_in, out);
    uint64_t further = product4(c, s->kernel, s->kernel, out, out);
    uint64_t weights = sum(c, first, product(c, more, further));
    costs->part = sum(c, first, out);
    costs->parameters = sum(c, weights, product(c, sum(c, more, 1), out));
    costs->flops = product4(c, 2, weights, s->height, s->width);
}

/* Queries, keys, values and the output: d × d with a bias each. Scores and their sum: T² · d each. */
static void attention(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    uint64_t d = s->dim, t = s->sequence, l = or_one(s->layers);
    costs->part = sum(c, product3(c, 4, d, d), product(c, 4, d));
    costs->parameters = product(c, l, costs->part);
    uint64_t flops = sum(c, product4(c, 8, t, d, d), product4(c, 4, t, t, d));
    costs->flops = product(c, l, flops);
}

/* Encoder layers: attention, two linear layers of width h (0: 4 d), two norms of 2 d. An output layer
 * only where its size is given. A step is one pass over the sequence. */
static void transformer(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    uint64_t d = s->dim, t = s->sequence, l = or_one(s->layers);
    uint64_t h = s->hidden ? s->hidden : product(c, 4, d), linear = product3(c, 2, d, h);
    attention(c, s, costs);
    costs->part = sum(c, costs->part, sum(c, linear, sum(c, h, product(c, 5, d))));
    costs->parameters = product(c, l, costs->part);
    costs->flops = sum(c, costs->flops, product4(c, l, 2, t, linear));
    if (s->output && s->output != PIT__NO_OUTPUT) {
        uint64_t last = product(c, d, s->output);
        costs->parameters = sum(c, costs->parameters, sum(c, last, s->output));
        costs->flops = sum(c, costs->flops, product3(c, 2, t, last));
    }
}

static double graph_steps(const struct pit__sizes *s)
{
    return s->patterns * s->pattern_size * s->nodes * s->degree;
}

/* Counts patterns in a graph: its steps count as operations; it has no parameters. */
static void gpm(struct checked *c, const struct pit__sizes *s, struct pit__costs *costs)
{
    double steps = graph_steps(s);
    c->overflow |= !(steps < 0x1p63);
    costs->flops = c->overflow ? 0 : (uint64_t)(steps + 0.5);
}

/* ---- which sizes a formula cannot do without ------------------------------------------------- */

static int has_lags(const struct pit__sizes *s)
{
    return s->dim && s->lag;
}

static int has_layers(const struct pit__sizes *s)
{
    return s->dim && s->hidden;
}

static int has_splines(const struct pit__sizes *s)
{
    return has_layers(s) && s->grid;
}

static int has_pictures(const struct pit__sizes *s)
{
    return s->kernel && s->channels_in && s->channels_out && s->height && s->width;
}

static int has_sequence(const struct pit__sizes *s)
{
    return s->dim && s->sequence;
}

static int has_patterns(const struct pit__sizes *s)
{
    return s->patterns > 0 && s->pattern_size > 0 && s->nodes > 0 && s->degree > 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    enum pit__model_kind kind;
    int (*has_sizes)(const struct pit__sizes *sizes);
    void (*formula)(struct checked *c, const struct pit__sizes *sizes, struct pit__costs *costs);
    const char *training, *inference;
};

static const struct kind kinds[] = {
    {"MVAR", PIT__MODEL_LAGS, has_lags, mvar, "O(N_samples * p * d²)", "O(p * d²)"},
    {"LSTM", PIT__MODEL_LAYERS, has_layers, lstm, "O(N_samples * N_steps * L * h * (h + d))",
     "O(L * h * (h + d))"},
    {"GRU", PIT__MODEL_LAYERS, has_layers, gru, "O(N_samples * N_steps * L * h * (h + d))",
     "O(L * h * (h + d))"},
    {"MLP", PIT__MODEL_LAYERS, has_layers, mlp, "O(N_samples * h * (d + L * h))",
     "O(h * (d + L * h))"},
    {"SIREN", PIT__MODEL_LAYERS, has_layers, mlp, "O(N_samples * h * (d + L * h))",
     "O(h * (d + L * h))"},
    {"KAN", PIT__MODEL_LAYERS, has_splines, kan, "O(N_samples * h * (d + L * h) * (G + k))",
     "O(h * (d + L * h) * (G + k))"},
    {"CNN", PIT__MODEL_CONVOLUTION, has_pictures, cnn,
     "O(N_samples * L * K² * C_in * C_out * H * W)", "O(L * K² * C_in * C_out * H * W)"},
    {"Attention", PIT__MODEL_SEQUENCE, has_sequence, attention,
     "O(N_samples * L * (T² * d + T * d²))", "O(L * (T² * d + T * d²))"},
    {"Transformer", PIT__MODEL_SEQUENCE, has_sequence, transformer,
     "O(N_samples * L * (T² * d + T * d²))", "O(L * (T² * d + T * d²))"},
    {"LLM", PIT__MODEL_SEQUENCE, has_sequence, transformer, "O(N_samples * L * (T² * d + T * d²))",
     "O(L * (T² * d + T * d²))"},
    {"GPM", PIT__MODEL_PATTERNS, has_patterns, gpm,
     "O(N_samples * num_patterns * pattern_size * num_nodes * avg_degree)",
     "O(num_patterns * pattern_size * num_nodes * avg_degree)"},
};

static const struct kind *named(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == length && strncasecmp(kinds[i].name, word, length) == 0)
            return &kinds[i];
    return NULL;
}

int pit__is_model_kind(const char *name)
{
    return named(name, strlen(name)) != NULL;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The only kind among the words of a name; NULL if there is none, or several. */
static const struct kind *only_kind(const char *name)
{
    const struct kind *only = NULL;
    while (*name) {
        size_t length = 0;
        while (is_letter(name[length]))
            length++;
        const struct kind *kind = length ? named(name, length) : NULL;
        if (kind && only && kind != only)
            return NULL;
        only = kind ? kind : only;
        name += length ? length : 1;
    }
    return only;
}

static const struct kind *find(const char *name, const struct pit__sizes *sizes)
{
    const struct kind *kind = name ? only_kind(name) : NULL;
    return kind && kind->has_sizes(sizes) ? kind : NULL;
}

enum pit__model_kind pit__find_model_kind(const char *name, const struct pit__sizes *sizes)
{
    const struct kind *kind = find(name, sizes);
    return kind ? kind->kind : PIT__MODEL_NONE;
}

static void add_component(struct pit__costs *costs, const char *name, double value)
{
    costs->component_names[costs->component_count] = name;
    costs->components[costs->component_count++] = value;
}

/* Pattern counting: patterns × size × nodes × degree. Language model: layers × length² × hidden. And their
 * sum if there are both. For a language model, hidden is the dimension of its states, not of its linear
 * layers. */
static void fill_components(struct checked *c, enum pit__model_kind kind,
                            const struct pit__sizes *s, struct pit__costs *costs)
{
    if (kind != PIT__MODEL_PATTERNS && kind != PIT__MODEL_SEQUENCE)
        return;
    double graphs = 0, language = 0;
    uint64_t hidden = kind == PIT__MODEL_PATTERNS && s->hidden ? s->hidden : s->dim;
    if (has_patterns(s)) {
        graphs = graph_steps(s);
        add_component(costs, "gpm", graphs);
    }
    if (hidden && s->sequence && (s->layers || kind == PIT__MODEL_SEQUENCE)) {
        language = (double)product4(c, or_one(s->layers), s->sequence, s->sequence, hidden);
        add_component(costs, "llm", language);
    }
    if (costs->component_count == 2)
        add_component(costs, "total", graphs + language);
}

int pit__model_costs(const char *name, const struct pit__sizes *sizes, struct pit__costs *costs)
{
    memset(costs, 0, sizeof *costs);
    const struct kind *kind = find(name, sizes);
    if (!kind)
        return 0;
    struct checked c = {0};
    if (kind->kind == PIT__MODEL_SEQUENCE && sizes->heads && sizes->dim % sizes->heads)
        return -1;
    kind->formula(&c, sizes, costs);
    costs->flops = product(&c, costs->flops, or_one(sizes->batch));
    costs->training = kind->training;
    costs->inference = kind->inference;
    fill_components(&c, kind->kind, sizes, costs);
    if (c.overflow)
        memset(costs, 0, sizeof *costs);
    return c.overflow ? -1 : 0;
}
