/* compare_sides.c: compares all sides with the first: matches, judges and orders the figures. */
#include "compare.h"

#include "analysis/rank_test.h"
#include "reader/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what both have -------------------------------------------------------------------------- */

/* The figures of a side, sorted for lookup. */
struct index {
    const pit_figures **sorted;
    size_t count;
};

static int by_what(const void *a, const void *b)
{
    const pit_figures *x = *(const pit_figures *const *)a, *y = *(const pit_figures *const *)b;
    if (x->is_memory != y->is_memory)
        return x->is_memory - y->is_memory;
    if (x->is_whole != y->is_whole)
        return x->is_whole - y->is_whole;
    if (x->is_rate != y->is_rate)
        return x->is_rate - y->is_rate;
    return strcmp(x->what, y->what);
}

static int make_index(const pit_side *side, struct index *index)
{
    index->count = side->figure_count;
    index->sorted = malloc((side->figure_count + 1) * sizeof(const pit_figures *));
    for (size_t i = 0; index->sorted && i < side->figure_count; i++)
        index->sorted[i] = &side->figures[i];
    if (index->sorted)
        qsort(index->sorted, index->count, sizeof(const pit_figures *), by_what);
    return index->sorted != NULL;
}

static const pit_figures *find_figures(const struct index *index, const pit_figures *like)
{
    const pit_figures *const *found =
        bsearch(&like, index->sorted, index->count, sizeof(const pit_figures *), by_what);
    return found ? *found : NULL;
}

static int is_wanted(const pit_figures *figures, const pit_compare_options *options)
{
    return !options->node || strcmp(figures->what, options->node) == 0;
}

/* A pair of figures and its comparison. */
struct pair {
    const pit_figures *a, *b;
};

static int judge_all(struct pit__comparisons *all, const struct pair *pairs,
                     const pit_compare_options *options)
{
    for (size_t i = 0; i < all->shown.count; i++) {
        int code = pit__compare_figures(pairs[i].a, pairs[i].b, options, &all->items[i]);
        if (code)
            return code;
    }
    return 0;
}

static int leaves_out_zero(double low, double high)
{
    return low > 0 || high < 0;
}

/* The paired time of whole runs is the main question. Other comparisons must not weaken it, so
 * these form a separate family. */
static int is_question(const pit_comparison *item)
{
    return item->is_whole && !item->is_memory && pit__is_by_pairs(item);
}

/* Among many comparisons some differ by chance. A comparison that differs by its own interval,
 * but not after the Holm correction within its family, gets the interval that is valid for that
 * many comparisons. */
static int hold_together(struct pit__comparisons *all, const struct pair *pairs, int family,
                         const pit_compare_options *options)
{
    size_t count = all->shown.count, tested = 0;
    double *p = malloc((count + 1) * sizeof *p);
    int *kept = malloc((count + 1) * sizeof *kept), code = p && kept ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; !code && i < count; i++)
        if (is_question(&all->items[i]) == family && !isnan(all->items[i].low))
            /* the others are not alarms */
            p[tested++] = all->items[i].p;
    if (!code && pit__holm(p, tested, options->level, kept) != 0)
        code = PIT_NO_MEMORY;
    for (size_t i = 0, k = 0; !code && tested > 1 && i < count; i++) {
        pit_comparison *item = &all->items[i];
        if (is_question(item) != family || isnan(item->low))
            continue;
        int differs = leaves_out_zero(item->low, item->high) ||
                      leaves_out_zero(item->other_low, item->other_high);
        if (!kept[k++] && differs) {
            pit_compare_options stricter = *options;
            stricter.level /= (double)tested;
            code = pit__compare_figures(pairs[i].a, pairs[i].b, &stricter, item);
            if (item->verdict == PIT_NO_VERDICT)
                snprintf(item->reason, sizeof item->reason,
                         "among %zu comparisons it can be chance", tested);
        }
    }
    free(p);
    free(kept);
    return code;
}

/* ---- order ----------------------------------------------------------------------------------- */

static int rank_of_kind(const pit_comparison *c)
{
    return c->is_memory ? (c->is_whole ? 3 : 4) : c->is_whole ? 0 : c->is_rate ? 1 : 2;
}

static int by_order(const void *a, const void *b)
{
    const pit_comparison *x = a, *y = b;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (rank_of_kind(x) != rank_of_kind(y))
        return rank_of_kind(x) - rank_of_kind(y);
    double took_x = fmax(x->a_total, x->b_total), took_y = fmax(y->a_total, y->b_total);
    if (took_x != took_y)
        return took_x > took_y ? -1 : 1;
    return strcmp(x->what, y->what);
}

const pit_comparison *pit__whole_of(const pit_comparisons *all, size_t side)
{
    const pit_comparison *memory = NULL;
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].side != side)
            continue;
        /* the items are in that order */
        if (!all->items[i].is_memory)
            return &all->items[i];
        if (!memory)
            memory = &all->items[i];
    }
    return memory;
}

/* Fastest first, by comparison with the first side; sides without a comparison are last. */
static void rank_sides(struct pit__comparisons *all, size_t *ranking)
{
    for (size_t s = 0; s < all->shown.side_count; s++) {
        const pit_comparison *c = s ? pit__whole_of(&all->shown, s) : NULL;
        double change = s == 0 ? 0 : c && !isnan(c->change) ? c->change : INFINITY;
        size_t at = s;
        for (; at > 0; at--) {
            size_t other = ranking[at - 1];
            const pit_comparison *o = other ? pit__whole_of(&all->shown, other) : NULL;
            double others = other == 0 ? 0 : o && !isnan(o->change) ? o->change : INFINITY;
            if (others <= change)
                break;
            ranking[at] = other;
        }
        ranking[at] = s;
    }
    all->shown.ranking = ranking;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static const char *keep_text(struct pit__comparisons *all, const char *text)
{
    const char *copy = pit__arena_text(&all->arena, text, strlen(text));
    return copy ? copy : "";
}

/* Match the figures of two sides, and list figures that only one side has. With `back` (second
 * pass) only figures that A does not have are left. */
static void match_side(struct pit__comparisons *all, const pit_side *from, const struct index *to,
                       size_t side, int back, const pit_compare_options *options,
                       struct pair *pairs, pit_unmatched *lone)
{
    for (size_t i = 0; i < from->figure_count; i++) {
        const pit_figures *a = &from->figures[i], *b = find_figures(to, a);
        if (!is_wanted(a, options) || (b && back))
            continue;
        const char *what = keep_text(all, a->what);
        if (!b) {
            lone[all->shown.unmatched_count++] =
                (pit_unmatched){what, a->is_memory, back ? side : 0, back ? 0 : side};
            continue;
        }
        pairs[all->shown.count] = (struct pair){a, b};
        all->items[all->shown.count++] = (pit_comparison){.what = what,
                                                          .is_memory = a->is_memory,
                                                          .is_energy = a->is_energy,
                                                          .is_rate = a->is_rate,
                                                          .is_whole = a->is_whole,
                                                          .side = side};
    }
}

/* Make pairs of figures with comparisons that are not judged yet, and the list of figures
 * without a partner. */
static int match(struct pit__comparisons *all, const pit_side *const *sides,
                 const pit_compare_options *options, struct pair **pairs)
{
    size_t most = 0, others = all->shown.side_count - 1;
    for (size_t s = 0; s < all->shown.side_count; s++)
        most += sides[s]->figure_count;
    size_t room = others * sides[0]->figure_count;
    all->items = pit__arena_array(&all->arena, room + 1, sizeof *all->items);
    pit_unmatched *lone = pit__arena_array(&all->arena, room + most + 1, sizeof *lone);
    *pairs = calloc(room + 1, sizeof **pairs);
    struct index first = {NULL, 0};
    int good = all->items && lone && *pairs && make_index(sides[0], &first);
    for (size_t s = 1; good && s < all->shown.side_count; s++) {
        struct index other;
        good = make_index(sides[s], &other);
        if (good) {
            match_side(all, sides[0], &other, s, 0, options, *pairs, lone);
            match_side(all, sides[s], &first, s, 1, options, *pairs, lone);
        }
        free(other.sorted);
    }
    free(first.sorted);
    all->shown.items = all->items;
    all->shown.unmatched = lone;
    return good ? 0 : PIT_NO_MEMORY;
}

static int keep_sides(struct pit__comparisons *all, const pit_side *const *sides, size_t count)
{
    const char **names = pit__arena_array(&all->arena, count, sizeof *names);
    size_t *runs = pit__arena_array(&all->arena, count, sizeof *runs);
    for (size_t i = 0; names && runs && i < count; i++) {
        char letter[24];
        names[i] = keep_text(all, sides[i]->name ? sides[i]->name : pit__side_letter(i, letter));
        runs[i] = sides[i]->runs;
    }
    all->shown.names = names;
    all->shown.runs = runs;
    all->shown.side_count = count;
    return names && runs ? 0 : PIT_NO_MEMORY;
}

/* Blocks of one process are advisory unless they were interleaved. The whole result is not
 * advisory if all judged figures were interleaved. */
static void mark_advisory(struct pit__comparisons *all)
{
    size_t judged = 0, in_turn = 0;
    for (size_t i = 0; i < all->shown.count; i++) {
        const pit_comparison *item = &all->items[i];
        all->shown.advisory |= item->is_series && !item->is_in_turn;
        if (isnan(item->low))
            continue;
        judged++;
        if (item->is_in_turn)
            in_turn++;
    }
    if (judged > 0 && in_turn == judged)
        all->shown.advisory = 0;
}

static int compare_all(struct pit__comparisons *all, const pit_side *const *sides, size_t count,
                       const pit_compare_options *options)
{
    struct pair *pairs = NULL;
    int code = keep_sides(all, sides, count);
    if (!code)
        code = match(all, sides, options, &pairs);
    if (!code)
        code = judge_all(all, pairs, options);
    for (int family = 0; family < 2 && !code; family++)
        code = hold_together(all, pairs, family, options);
    free(pairs);
    size_t *ranking = pit__arena_array(&all->arena, count, sizeof *ranking);
    all->gates = pit__arena_array(&all->arena, options->gate_count + 1, sizeof *all->gates);
    if (code || !ranking || !all->gates)
        return code ? code : PIT_NO_MEMORY;
    if (all->shown.count > 0)
        qsort(all->items, all->shown.count, sizeof *all->items, by_order);
    for (size_t i = 0; i < all->shown.count; i++)
        if (all->items[i].is_rate)
            pit__show_rate(&all->items[i]);
    rank_sides(all, ranking);
    mark_advisory(all);
    for (size_t i = 0; i < options->gate_count; i++)
        all->gates[i].spec = keep_text(all, options->gates[i]);
    pit__compare_headline(all);
    pit__compare_gates(all, options);
    return all->arena.failed ? PIT_NO_MEMORY : 0;
}

PIT_API pit_comparisons *pit_compare_sides(const pit_side *const *sides, size_t count,
                                           const pit_compare_options *options, pit_error *error)
{
    pit_compare_options filled;
    int code = sides && count >= 2 ? pit__compare_options(options, &filled) : PIT_BAD_ARGUMENT;
    for (size_t i = 0; !code && i < count; i++)
        code = sides[i] ? 0 : PIT_BAD_ARGUMENT;
    struct pit__comparisons *all = code ? NULL : calloc(1, sizeof *all);
    if (!code && !all)
        code = PIT_NO_MEMORY;
    if (!code) {
        all->shown.level = filled.level;
        all->shown.effect = filled.effect;
        all->shown.advisory = !filled.interleaved;
        all->shown.interleaved = filled.interleaved;
        code = compare_all(all, sides, count, &filled);
    }
    if (code) {
        pit__fail(error, code, 0, "%s", pit_strerror(code));
        pit_comparisons_free(all ? &all->shown : NULL);
        return NULL;
    }
    return &all->shown;
}

PIT_API void pit_comparisons_free(pit_comparisons *comparisons)
{
    struct pit__comparisons *all = (struct pit__comparisons *)(void *)comparisons;
    if (!all)
        return;
    pit__arena_free(&all->arena);
    free(all);
}
