/* compare_json.c: a comparison as JSON. Shares, not percent; seconds and bytes; unknown figures
 * are null. */
#include "compare/compare.h"

#include "report/json_writer.h"

#include <math.h>

#define SCHEMA_VERSION 2

static const char *verdict_key(const pit_comparison *c)
{
    static const char *const keys[] = {"none", "faster", "slower", "same"};
    static const char *const memory_keys[] = {"none", "less", "more", "same"};
    return (c->is_memory ? memory_keys : keys)[c->verdict];
}

static void write_change(struct pit__json *json, const char *key, double change, double low,
                         double high)
{
    pit__json_flat_object(json, key);
    pit__json_double(json, "change", change);
    pit__json_double(json, "low", low);
    pit__json_double(json, "high", high);
    pit__json_object_end(json);
}

static void write_item(struct pit__json *json, const pit_comparison *c)
{
    char letter[24];
    pit__json_object(json, NULL);
    pit__json_string(json, "what", c->what);
    pit__json_string(json, "kind", pit__kind_word(c));
    pit__json_bool(json, "is_whole", c->is_whole);
    pit__json_string(json, "side", pit__side_letter(c->side, letter));
    pit__json_string(json, "verdict", verdict_key(c));
    pit__json_double(json, "change", c->change);
    pit__json_double(json, "low", c->low);
    pit__json_double(json, "high", c->high);
    pit__json_double(json, "p", c->p);
    pit__json_bool(json, "is_real",
                   c->verdict == PIT_FASTER || c->verdict == PIT_SLOWER ||
                       (c->verdict == PIT_SAME && c->is_real));
    pit__json_string(json, "decided_by", pit__decided_by(c));
    write_change(json, "other", c->other, c->other_low, c->other_high);
    pit__json_double(json, "a", c->a);
    pit__json_double(json, "b", c->b);
    pit__json_string(json, "unit",
                     c->is_rate     ? "items/s"
                     : c->is_energy ? "joules"
                     : c->is_memory ? "bytes"
                                    : "seconds");
    pit__json_double(json, "ratio", c->a > 0 ? c->b / c->a : NAN);
    pit__json_double(json, "speedup",
                     c->b > 0 && !c->is_memory ? (c->is_rate ? c->b / c->a : c->a / c->b) : NAN);
    pit__json_uint(json, "a_runs", c->a_runs);
    pit__json_uint(json, "b_runs", c->b_runs);
    pit__json_bool(json, "runs_are_blocks", c->is_series);
    pit__json_bool(json, "is_indicative", c->is_indicative);
    pit__json_uint(json, "more_runs", c->more_runs);
    pit__json_object(json, "beside");
    write_change(json, "mean", c->mean.change, c->mean.low, c->mean.high);
    write_change(json, "p90", c->p90.change, c->p90.low, c->p90.high);
    write_change(json, "p99", c->p99.change, c->p99.low, c->p99.high);
    pit__json_object_end(json);
    pit__json_string(json, "reason", *c->reason ? c->reason : NULL);
    pit__json_object_end(json);
}

/* The side that is best by a real difference; null if there is none. */
static void write_winner(struct pit__json *json, const pit_comparisons *all, const char *key,
                         int is_memory)
{
    const pit_comparison *best = NULL;
    int any_worse = 0, any_other = 0;
    char letter[24];
    for (size_t i = 0; i < all->count; i++) {
        const pit_comparison *c = &all->items[i];
        const pit_comparison *whole = pit__whole_of(all, c->side);
        if (c->is_energy || c->is_memory != is_memory || (is_memory ? !c->is_whole : c != whole))
            continue;
        if (c->verdict == PIT_FASTER && (!best || c->change < best->change))
            best = c;
        any_worse |= c->verdict == PIT_SLOWER;
        any_other |= c->verdict == PIT_NO_VERDICT || c->verdict == PIT_SAME;
    }
    if (best)
        pit__json_string(json, key, pit__side_letter(best->side, letter));
    else
        pit__json_string(json, key, any_worse && !any_other ? "A" : NULL);
}

static void write_sides(struct pit__json *json, const pit_comparisons *all)
{
    char letter[24];
    pit__json_array(json, "sides");
    for (size_t i = 0; i < all->side_count; i++) {
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "side", pit__side_letter(i, letter));
        pit__json_string(json, "name", all->names[i]);
        pit__json_uint(json, "runs", all->runs[i]);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_flat_array(json, "ranking");
    for (size_t i = 0; i < all->side_count; i++)
        pit__json_string(json, NULL, pit__side_letter(all->ranking[i], letter));
    pit__json_array_end(json);
    pit__json_flat_object(json, "winners");
    write_winner(json, all, "time", 0);
    write_winner(json, all, "memory", 1);
    pit__json_object_end(json);
}

static void write_gates(struct pit__json *json, const pit_comparisons *all)
{
    static const char *const states[] = {"passed", "failed", "no verdict"};
    pit__json_array(json, "gates");
    for (size_t i = 0; i < all->gate_count; i++) {
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "gate", all->gates[i].spec);
        pit__json_string(json, "state", states[all->gates[i].state]);
        pit__json_string(json, "why", all->gates[i].why);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_lone(struct pit__json *json, const pit_comparisons *all)
{
    char letter[24];
    pit__json_array(json, "only");
    for (size_t i = 0; i < all->unmatched_count; i++) {
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "what", all->unmatched[i].what);
        pit__json_string(json, "kind", all->unmatched[i].is_memory ? "memory" : "time");
        pit__json_string(json, "side", pit__side_letter(all->unmatched[i].side, letter));
        pit__json_string(json, "not_in", pit__side_letter(all->unmatched[i].missing, letter));
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

int pit__comparisons_json(FILE *out, const pit_comparisons *all)
{
    struct pit__json json;
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_uint(&json, "schema_version", SCHEMA_VERSION);
    pit__json_string(&json, "pitwall_version", PITWALL_VERSION);
    pit__json_string(&json, "headline", all->headline);
    pit__json_int(&json, "status", all->status);
    pit__json_bool(&json, "advisory", all->advisory);
    pit__json_bool(&json, "indicative", all->indicative);
    pit__json_string(&json, "interleaved",
                     all->interleaved == 2 ? "by start times"
                     : all->interleaved    ? "told"
                                           : NULL);
    pit__json_double(&json, "level", all->level);
    pit__json_double(&json, "effect", all->effect);
    write_sides(&json, all);
    write_gates(&json, all);
    pit__json_array(&json, "comparisons");
    for (size_t i = 0; i < all->count; i++)
        write_item(&json, &all->items[i]);
    pit__json_array_end(&json);
    write_lone(&json, all);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return 0;
}
