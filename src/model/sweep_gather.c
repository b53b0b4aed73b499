/* sweep_gather.c: the rows of a sweep, from runs.
 *
 * If several runs differ in labels, a row per setting; runs of the same setting are merged. Otherwise the
 * spans called PREFIX_NUMBER (batch_size_8, batch_size_16, …), of the prefix with the most time. */
#include "sweep_gather.h"

#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL "label."

size_t pit__sweep_prefix(const char *name, const char **number)
{
    size_t length = strlen(name), digits = length;
    while (digits > 0 && ((name[digits - 1] >= '0' && name[digits - 1] <= '9') ||
                          (name[digits - 1] == '.' && digits < length)))
        digits--;
    if (digits == length || digits < 2 || !strchr("_-= :", name[digits - 1]))
        return 0;
    *number = name + digits;
    return digits - 1;
}

static int nothing(struct pit__gathered *gathered, const char *why)
{
    snprintf(gathered->why, sizeof gathered->why, "%s", why);
    return PIT_NOTHING;
}

/* ---- runs and their labels ----------------------------------------------------------------- */

struct labels { /* of one run, sorted by key */
    const pit_fact **facts;
    size_t count;
};

struct keys {
    struct labels *of;  /* of each run */
    const char **names; /* keys of labels, without "label." */
    size_t count;
};

/* A label's key, or NULL if the fact is not a label. */
static const char *label_key(const pit_fact *fact)
{
    size_t bytes = sizeof LABEL - 1;
    return strncmp(fact->key, LABEL, bytes) == 0 ? fact->key + bytes : NULL;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const pit_fact *const *)a)->key, (*(const pit_fact *const *)b)->key);
}

/* The labels of one run, sorted: there may be 100,000. */
static int sort_labels(struct pit__gathered *gathered, const pit_run *run, struct labels *labels)
{
    labels->facts = pit__gather_alloc(gathered, run->fact_count + 1, sizeof *labels->facts);
    if (!labels->facts)
        return PIT_NO_MEMORY;
    labels->count = 0;
    for (size_t i = 0; i < run->fact_count; i++)
        if (label_key(&run->facts[i]))
            labels->facts[labels->count++] = &run->facts[i];
    qsort(labels->facts, labels->count, sizeof *labels->facts, by_key);
    return 0;
}

static const char *label_of(const struct labels *labels, const char *key)
{
    pit_fact wanted = {key - (sizeof LABEL - 1), NULL}; /* a name is the tail of a key */
    const pit_fact *pointer = &wanted, **found = NULL;
    if (labels->count > 0)
        found = bsearch(&pointer, labels->facts, labels->count, sizeof *labels->facts, by_key);
    return found ? (*found)->value : "";
}

static int differs(const struct pit__gathered *gathered, const struct keys *keys, const char *key)
{
    const char *first = label_of(&keys->of[0], key);
    for (size_t r = 1; r < gathered->run_count; r++)
        if (strcmp(label_of(&keys->of[r], key), first) != 0)
            return 1;
    return 0;
}

struct name { /* and its position, counted over all runs */
    const char *name;
    size_t order;
};

static int by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* The names of all labels, each once, in the order of their appearance. */
static size_t list_names(const struct pit__gathered *gathered, struct name *names)
{
    size_t count = 0, kept = 0;
    for (size_t r = 0; r < gathered->run_count; r++)
        for (size_t i = 0; i < gathered->runs[r]->fact_count; i++) {
            const char *key = label_key(&gathered->runs[r]->facts[i]);
            if (key) {
                names[count] = (struct name){key, count};
                count++;
            }
        }
    if (count > 0)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(names[kept - 1].name, names[i].name) != 0)
            names[kept++] = names[i];
    if (kept > 0)
        qsort(names, kept, sizeof *names, by_order);
    return kept;
}

/* The labels in which the runs differ. */
static int find_keys(struct pit__gathered *gathered, struct keys *keys)
{
    size_t room = 1;
    for (size_t r = 0; r < gathered->run_count; r++)
        room += gathered->runs[r]->fact_count;
    keys->names = pit__gather_alloc(gathered, room, sizeof *keys->names);
    keys->of = pit__gather_alloc(gathered, gathered->run_count + 1, sizeof *keys->of);
    struct name *names = pit__gather_alloc(gathered, room, sizeof *names);
    if (!keys->names || !keys->of || !names)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < gathered->run_count; r++)
        if (sort_labels(gathered, gathered->runs[r], &keys->of[r]) != 0)
            return PIT_NO_MEMORY;
    size_t count = list_names(gathered, names);
    for (size_t i = 0; i < count; i++)
        if (differs(gathered, keys, names[i].name))
            keys->names[keys->count++] = names[i].name;
    return 0;
}

/* The name of a run's setting: the value of the only label, or all labels with their names. */
static char *setting_of(struct pit__gathered *gathered, size_t run, const struct keys *keys)
{
    struct pit__text text = {0};
    for (size_t i = 0; i < keys->count; i++) {
        const char *value = label_of(&keys->of[run], keys->names[i]);
        if (keys->count > 1)
            pit__text_printf(&text, "%s%s=", i > 0 ? ", " : "", keys->names[i]);
        pit__text_puts(&text, *value ? value : "(none)");
    }
    char *kept = text.failed ? NULL : pit__gather_alloc(gathered, text.length + 1, 1);
    if (kept)
        memcpy(kept, pit__text_string(&text), text.length);
    pit__text_free(&text);
    return kept;
}

/* The time of a run: of the requested node, or of the whole run. NaN: it has no such node; *code is set if
 * memory is exhausted. */
static double time_of(const struct pit__gathered *gathered, const pit_run *run, int *code)
{
    if (!gathered->options->node)
        return run->duration_ns / 1e9;
    pit_tree *tree = pit_tree_build(&run, 1);
    if (!tree) {
        *code = PIT_NO_MEMORY;
        return NAN;
    }
    struct pit__gathered own = *gathered;
    own.tree = tree;
    uint32_t node;
    double seconds = NAN;
    if (pit__gather_node(&own, &node) == 0)
        seconds = tree->nodes[node].total_ns / 1e9;
    pit_tree_free(tree);
    return seconds;
}

static void add_run(pit_row *rows, size_t *count, const char *name, double seconds)
{
    size_t at = 0;
    while (at < *count && strcmp(rows[at].name, name) != 0)
        at++;
    if (at == *count) {
        rows[at] = (pit_row){.name = name,
                             .seconds = seconds,
                             .count = 1,
                             .min_seconds = seconds,
                             .max_seconds = seconds};
        ++*count;
        return;
    }
    rows[at].seconds += seconds;
    rows[at].count++;
    rows[at].min_seconds = fmin(rows[at].min_seconds, seconds);
    rows[at].max_seconds = fmax(rows[at].max_seconds, seconds);
}

static int gather_runs(struct pit__gathered *gathered, const struct keys *keys)
{
    pit_row *rows = pit__gather_alloc(gathered, gathered->run_count, sizeof *rows);
    size_t count = 0;
    int code = rows ? 0 : PIT_NO_MEMORY;
    for (size_t r = 0; r < gathered->run_count && !code; r++) {
        const char *name = setting_of(gathered, r, keys);
        double seconds = time_of(gathered, gathered->runs[r], &code);
        if (!name)
            code = PIT_NO_MEMORY;
        if (!code)
            add_run(rows, &count, name, seconds);
    }
    gathered->data.title = keys->count == 1 ? keys->names[0] : "configuration";
    gathered->data.rows = rows;
    gathered->data.row_count = count;
    return code;
}

/* ---- spans and their numbers --------------------------------------------------------------- */

struct setting {
    const pit_node *node;
    size_t prefix; /* in bytes */
};

static int by_prefix(const void *a, const void *b)
{
    const struct setting *x = a, *y = b;
    size_t bytes = x->prefix < y->prefix ? x->prefix : y->prefix;
    int order = memcmp(x->node->name, y->node->name, bytes);
    if (order == 0)
        order = (x->prefix > y->prefix) - (x->prefix < y->prefix);
    if (order == 0)
        order = strcmp(x->node->name, y->node->name);
    return order ? order : (x->node->seen > y->node->seen) - (x->node->seen < y->node->seen);
}

static int same_prefix(const struct setting *a, const struct setting *b)
{
    return a->prefix == b->prefix && memcmp(a->node->name, b->node->name, a->prefix) == 0;
}

/* Rows of the settings first … end, which have the same prefix; the same name at several places is one row. */
static size_t fill_rows(const struct setting *settings, size_t count, pit_row *rows)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        pit_row row;
        pit__fill_row(&row, settings[i].node, settings[i].node->name, 0);
        if (filled > 0 && strcmp(rows[filled - 1].name, row.name) == 0) {
            rows[filled - 1].seconds += row.seconds;
            rows[filled - 1].count += row.count;
            rows[filled - 1].items += row.items;
        } else {
            rows[filled++] = row;
        }
    }
    return filled;
}

static int gather_spans(struct pit__gathered *gathered, uint32_t inside)
{
    const pit_tree *tree = gathered->tree;
    struct setting *settings = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *settings);
    pit_row *rows = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *rows);
    pit_row *trial = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *trial);
    size_t count = 0;
    double most = -1;
    const char *number;
    if (!settings || !rows || !trial)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < tree->node_count; i++) {
        const pit_node *node = &tree->nodes[i];
        size_t prefix = pit__sweep_prefix(node->name, &number);
        if (prefix > 0 && node->count > 0 && (inside == PIT_NO_NODE || node->parent == inside))
            settings[count++] = (struct setting){node, prefix};
    }
    qsort(settings, count, sizeof *settings, by_prefix);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && same_prefix(&settings[i], &settings[end]);)
            end++;
        size_t filled = fill_rows(settings + i, end - i, trial);
        pit_data data = {.rows = trial, .row_count = filled};
        if (filled < 2 || pit__rows_total(&data) <= most)
            continue;
        most = pit__rows_total(&data);
        memcpy(rows, trial, filled * sizeof *rows);
        gathered->data.rows = rows;
        gathered->data.row_count = filled;
    }
    gathered->data.title = ""; /* the rows' names describe the settings */
    return gathered->data.row_count > 0
               ? 0
               : nothing(gathered,
                         "no sweep: give several runs that differ in a label, or a run with"
                         " spans called NAME_NUMBER (batch_size_8, batch_size_16)");
}

int pit__gather_sweep(struct pit__gathered *gathered)
{
    struct keys keys = {0};
    int code = find_keys(gathered, &keys);
    if (code)
        return code;
    if (keys.count > 0)
        return gather_runs(gathered, &keys);
    uint32_t inside;
    code = pit__gather_node(gathered, &inside);
    return code ? code : gather_spans(gathered, inside);
}
