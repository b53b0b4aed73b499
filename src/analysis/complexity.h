/* complexity.h: the cost of a model of a known kind, by formula: parameters, floating-point operations of
 * an inference step, complexity classes, components. Pure functions: no I/O, no runs.
 *
 * Operations are two for every weight that a step uses (a multiplication and an addition); biases,
 * activations, norms and basis functions are left out, as is usual. docs/profile.md has the table. */
#ifndef PIT_COMPLEXITY_H
#define PIT_COMPLEXITY_H

#include <stddef.h>
#include <stdint.h>

#define PIT__NO_OUTPUT UINT64_MAX
#define PIT__COMPONENTS 3

/* As pit_model in the public header; sizes that do not apply to a kind are 0. */
struct pit__sizes {
    uint64_t dim;      /* d: of the state, the input, the model */
    uint64_t lag;      /* p */
    uint64_t hidden;   /* h */
    uint64_t layers;   /* L; 0: 1 */
    uint64_t output;   /* 0: as dim; PIT__NO_OUTPUT: no output layer */
    uint64_t sequence; /* T; 0: 1 */
    uint64_t heads;    /* 0: not given; must divide dim */
    uint64_t kernel, channels_in, channels_out, height, width;
    uint64_t grid, order;
    double patterns, pattern_size, nodes,
        degree;     /* means over many graphs, not necessarily integers */
    uint64_t batch; /* samples per step; 0: 1 */
};

struct pit__costs {
    uint64_t parameters; /* by the formula; 0: the kind has no formula */
    uint64_t part;  /* of these, in one lag or in the first layer; 0: the kind has no such part */
    uint64_t flops; /* of one step; 0: not known */
    const char *training, *inference; /* NULL: not known */
    double components[PIT__COMPONENTS];
    const char *component_names[PIT__COMPONENTS];
    size_t component_count;
};

enum pit__model_kind { /* determines the names of the figures and the sizes that apply */
                       PIT__MODEL_NONE, /* not in the table, or its sizes are not known */
                       PIT__MODEL_LAGS,
                       PIT__MODEL_LAYERS,
                       PIT__MODEL_CONVOLUTION,
                       PIT__MODEL_SEQUENCE,
                       PIT__MODEL_PATTERNS
};

/* The kind that a name contains, in any case: the whole name, or one of its words (MVAR-p5, lstm_2layer) if
 * no other word is a kind. PIT__MODEL_NONE also if a size that its formula needs is 0. */
enum pit__model_kind pit__find_model_kind(const char *name, const struct pit__sizes *sizes);

/* Is the whole name the name of a kind? */
int pit__is_model_kind(const char *name);

/* Returns 0, or -1 if a figure overflows 64 bits or heads do not divide the model's dimension. For an
 * unknown kind all figures are 0. */
int pit__model_costs(const char *name, const struct pit__sizes *sizes, struct pit__costs *costs);

#endif
