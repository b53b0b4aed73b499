/* compare_gate.c: limits that fail a comparison: slower:5%, memory:10%, for one node or the
 * whole run.
 *
 * A gate fails if the difference is real and at least the threshold. It passes if the interval
 * is below the threshold. It has no verdict in between, without data, and for advisory figures.
 * A gate without data has not passed.
 */
#include "compare.h"

#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts below this share of the run do not fail a gate without a node. */
#define SHARE_THAT_COUNTS 0.01

struct gate {
    int is_memory;
    double threshold, floor;
    const char *node; /* not zero-terminated; NULL: the whole run */
    size_t node_length;
    int every; /* node */
};

/* ---- reading a gate -------------------------------------------------------------------------- */

static const char *const kinds[] = {"slower:", "memory:"};

static int parse_unit(const char *text, size_t length, int is_memory, double *factor)
{
    static const struct {
        const char *name;
        double factor;
        int is_memory;
    } units[] = {{"ns", 1e-9, 0},    {"us", 1e-6, 0},       {"\302\265s", 1e-6, 0}, {"ms", 1e-3, 0},
                 {"s", 1, 0},        {"B", 1, 1},           {"KB", 1024, 1},        {"kB", 1024, 1},
                 {"MB", 1048576, 1}, {"GB", 1073741824., 1}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].is_memory == is_memory && strlen(units[i].name) == length &&
            memcmp(units[i].name, text, length) == 0) {
            *factor = units[i].factor;
            return 1;
        }
    return 0;
}

/* Parse digits, a point and digits by hand, because a locale may expect a comma. */
static const char *parse_number(const char *at, double *value)
{
    const char *start = at;
    double scale = 1;
    *value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        *value = 10 * *value + (*at - '0');
    if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++)
            *value += (*at - '0') * (scale /= 10);
    return at > start && (at[-1] != '.' || at - start > 1) ? at : NULL;
}

/* 5%, 5%:2ms, 5%@NODE, 5%:2ms@NODE */
static int parse_rest(const char *at, struct gate *gate)
{
    double factor;
    at = parse_number(at, &gate->threshold);
    if (!at || *at++ != '%')
        return 0;
    gate->threshold /= 100;
    if (*at == ':') {
        at = parse_number(at + 1, &gate->floor);
        if (!at)
            return 0;
        at += strspn(at, " ");
        size_t length = strcspn(at, "@");
        if (!parse_unit(at, length, gate->is_memory, &factor))
            return 0;
        gate->floor *= factor;
        at += length;
    }
    if (*at == '@' && !gate->node) {
        gate->node = at + 1;
        gate->node_length = strlen(at + 1);
        return gate->node_length > 0;
    }
    return *at == 0;
}

static int parse_gate(const char *spec, struct gate *gate)
{
    *gate = (struct gate){0};
    for (int kind = 0; kind < 2; kind++)
        if (strncmp(spec, kinds[kind], strlen(kinds[kind])) == 0) {
            gate->is_memory = kind;
            if (!parse_rest(spec + strlen(kinds[kind]), gate))
                return 0;
            gate->every = gate->node && gate->node_length == 1 && *gate->node == '*';
            return 1;
        }
    for (size_t at = strlen(spec);
         at-- > 1;) /* NODE:slower:5%: use the last colon, because a name may contain colons */
        for (int kind = 0; kind < 2; kind++)
            if (spec[at - 1] == ':' && at > 1 &&
                strncmp(spec + at, kinds[kind], strlen(kinds[kind])) == 0) {
                *gate = (struct gate){.is_memory = kind, .node = spec, .node_length = at - 1};
                gate->every = gate->node_length == 1 && *spec == '*';
                return parse_rest(spec + at + strlen(kinds[kind]), gate);
            }
    return 0;
}

PIT_API int pit_gate_check(const char *spec)
{
    struct gate gate;
    return spec && parse_gate(spec, &gate) ? 0 : PIT_BAD_ARGUMENT;
}

/* ---- looking --------------------------------------------------------------------------------- */

static enum pit_gate_state look_at(const pit_comparison *c, const struct gate *gate)
{
    const double tests[2][3] = {{c->change, c->low, c->high},
                                {c->other, c->other_low, c->other_high}};
    if (c->verdict == PIT_SAME && *c->reason) /* within the measuring error */
        return PIT_GATE_PASSED;
    if (c->is_indicative || isnan(c->low) || c->a_runs < 5 || c->b_runs < 5 ||
        (c->verdict == PIT_NO_VERDICT && strncmp(c->reason, "the shape", 9) == 0))
        return PIT_GATE_NO_VERDICT;
    int is_worse = 0;
    double highest = -1;
    for (int i = 0; i < 2; i++) {
        if (isnan(tests[i][0]))
            continue;
        is_worse |= tests[i][1] > 0 && tests[i][0] >= gate->threshold;
        highest = fmax(highest, tests[i][2]);
    }
    if (is_worse)
        return fabs(c->b - c->a) < gate->floor ? PIT_GATE_PASSED : PIT_GATE_FAILED;
    if (highest < gate->threshold || highest * c->a < gate->floor)
        return PIT_GATE_PASSED;
    return PIT_GATE_NO_VERDICT;
}

static int is_of(const pit_comparison *c, const struct gate *gate)
{
    if (c->is_memory != gate->is_memory || c->is_energy || c->is_rate)
        return 0;
    if (gate->every)
        return !c->is_whole;
    return !gate->node || (strlen(c->what) == gate->node_length &&
                           memcmp(c->what, gate->node, gate->node_length) == 0);
}

static const pit_comparison *find_whole(const pit_comparisons *all, const struct gate *gate,
                                        size_t side)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].is_whole && all->items[i].is_memory == gate->is_memory &&
            !all->items[i].is_energy && all->items[i].side == side)
            return &all->items[i];
    return NULL;
}

static void say_why(const pit_comparison *c, enum pit_gate_state state, char *why, size_t room)
{
    char change[PIT__UNIT_BYTES], low[PIT__UNIT_BYTES], high[PIT__UNIT_BYTES], letter[24];
    struct pit__text text = {0}, visible = {0};
    pit__text_add_visible(&visible, c->what);
    pit__text_add_tail(&text, pit__text_string(&visible), 60, 1);
    if (isnan(c->low))
        pit__text_printf(&text, ": %s", *c->reason ? c->reason : "no figures");
    else
        pit__text_printf(&text, " of %s: %s %% [%s, %s]%s%s", pit__side_letter(c->side, letter),
                         pit__signed_percent(c->change, change), pit__signed_percent(c->low, low),
                         pit__signed_percent(c->high, high),
                         state == PIT_GATE_NO_VERDICT && *c->reason ? ", " : "",
                         state == PIT_GATE_NO_VERDICT ? c->reason : "");
    snprintf(why, room, "%s", pit__text_string(&text));
    pit__text_free(&text);
    pit__text_free(&visible);
}

/* For one side: the worst of the comparisons that the gate covers. Without a node that is the
 * whole run. A part that is proven worse also fails the gate, but a part that is merely noisy
 * does not leave it without a verdict. */
static void look_at_side(const pit_comparisons *all, const struct gate *gate, size_t side,
                         pit_gate *result)
{
    static const int severity[] = {
        [PIT_GATE_PASSED] = 0, [PIT_GATE_NO_VERDICT] = 1, [PIT_GATE_FAILED] = 2};
    const pit_comparison *whole = gate->node ? NULL : find_whole(all, gate, side);
    const pit_comparison *worst = NULL;
    enum pit_gate_state worst_state = PIT_GATE_PASSED;
    for (size_t i = 0; i < all->count; i++) {
        const pit_comparison *c = &all->items[i];
        if (c->side != side || !is_of(c, gate))
            continue;
        enum pit_gate_state state = look_at(c, gate);
        double share = whole ? fmax(c->a_total / whole->a_total, c->b_total / whole->b_total) : 1;
        if (whole && c != whole && (state != PIT_GATE_FAILED || share < SHARE_THAT_COUNTS))
            continue;
        if (!worst || severity[state] > severity[worst_state] ||
            (state == PIT_GATE_FAILED && state == worst_state && c->change > worst->change)) {
            worst = c;
            worst_state = state;
        }
    }
    if (!worst) {
        worst_state = PIT_GATE_NO_VERDICT;
        if (severity[worst_state] > severity[result->state])
            snprintf(result->why, sizeof result->why, "not measured on both sides");
    } else if (!*result->why || severity[worst_state] > severity[result->state]) {
        say_why(worst, worst_state, result->why, sizeof result->why);
    }
    if (severity[worst_state] > severity[result->state])
        result->state = worst_state;
}

void pit__compare_gates(struct pit__comparisons *all, const pit_compare_options *options)
{
    int failed = 0, unsure = 0;
    for (size_t i = 0; i < options->gate_count; i++) {
        pit_gate *result = &all->gates[i];
        struct gate gate;
        parse_gate(options->gates[i], &gate); /* already checked with the options */
        for (size_t side = 1; side < all->shown.side_count; side++)
            look_at_side(&all->shown, &gate, side, result);
        if (result->state == PIT_GATE_FAILED && all->shown.advisory && !options->trust) {
            size_t length = strlen(result->why);
            result->state = PIT_GATE_NO_VERDICT;
            snprintf(result->why + length, sizeof result->why - length,
                     "; advisory figures fail no gate unless they are trusted");
        }
        failed |= result->state == PIT_GATE_FAILED;
        unsure |= result->state == PIT_GATE_NO_VERDICT;
    }
    all->shown.gates = all->gates;
    all->shown.gate_count = options->gate_count;
    if (options->gate_count > 0)
        all->shown.status = failed ? 1 : unsure ? 2 : 0;
}
