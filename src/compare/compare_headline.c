/* compare_headline.c: the answer in one line: which side is faster, by how much, where, and with
 * which confidence. */
#include "compare.h"

#include "report/units.h"

#include <math.h>
#include <string.h>

const char *pit__side_letter(size_t side, char *out)
{
    if (side < 26)
        snprintf(out, 24, "%c", (char)('A' + (int)side));
    else
        snprintf(out, 24, "%zu", side + 1);
    return out;
}

const char *pit__kind_word(const pit_comparison *c)
{
    return c->is_rate ? "rate" : c->is_energy ? "energy" : c->is_memory ? "memory" : "time";
}

const char *pit__verdict_word(const pit_comparison *c)
{
    switch (c->verdict) {
    case PIT_FASTER:
        return c->is_memory ? "less" : "faster";
    case PIT_SLOWER:
        return c->is_memory ? "more" : "slower";
    case PIT_SAME:
        return "same";
    default:
        return "no verdict";
    }
}

const char *pit__decided_by(const pit_comparison *c)
{
    static const char *const names[] = {"figure", "p10", "median", "lowest third", "mean"};
    return names[c->decided_by];
}

static int has_moved(const pit_comparison *c)
{
    return c->verdict == PIT_FASTER || c->verdict == PIT_SLOWER;
}

/* Is one path inside the other? */
static int is_inside(const char *path, const char *parent)
{
    size_t length = strlen(parent);
    return strncmp(path, parent, length) == 0 && path[length] == '/';
}

static double moved_by(const pit_comparison *c)
{
    return fabs(c->b_total - c->a_total);
}

/* Where the change is: the node whose time changed the most, then down the tree while one child
 * has four fifths of the change. */
static const pit_comparison *find_place(const pit_comparisons *all, size_t side)
{
    const pit_comparison *place = NULL, *whole = pit__whole_of(all, side);
    int has_whole = whole && whole->is_whole;
    for (size_t i = 0; i < all->count; i++) {
        const pit_comparison *c = &all->items[i];
        /* not a part of the whole, but another figure of it */
        if (has_whole && c->a_total == 0 && c->b_total == 0)
            continue;
        if (c->side == side && !c->is_memory && !c->is_rate && !c->is_whole && has_moved(c) &&
            (!place || moved_by(c) > moved_by(place)))
            place = c;
    }
    for (int is_deeper = place != NULL; is_deeper;) {
        is_deeper = 0;
        for (size_t i = 0; i < all->count && !is_deeper; i++) {
            const pit_comparison *c = &all->items[i];
            if (c->side == side && !c->is_memory && has_moved(c) && c->verdict == place->verdict &&
                is_inside(c->what, place->what) && moved_by(c) >= 0.8 * moved_by(place)) {
                place = c;
                is_deeper = 1;
            }
        }
    }
    return place;
}

static void add_percent(struct pit__text *text, double share)
{
    char out[PIT__UNIT_BYTES];
    const char *percent = pit__signed_percent(share, out);
    pit__text_puts(text, *percent == '+' ? percent + 1 : percent);
}

static void add_interval(struct pit__text *text, double low, double high)
{
    if (isnan(low) || isnan(high))
        return;
    pit__text_puts(text, " [");
    add_percent(text, low);
    pit__text_puts(text, ", ");
    add_percent(text, high);
    pit__text_puts(text, "]");
}

static void add_runs(struct pit__text *text, const pit_comparison *c)
{
    const char *unit = c->is_series ? "block" : "run";
    if (c->a_runs == c->b_runs)
        pit__text_printf(text, "%zu %s%s a side", c->a_runs, unit, c->a_runs == 1 ? "" : "s");
    else
        pit__text_printf(text, "%zu and %zu %ss", c->a_runs, c->b_runs, unit);
}

/* A path may be long, but a headline is one line: keep the inner end of the path. */
static void add_where(struct pit__text *text, const pit_comparison *c)
{
    struct pit__text visible = {0};
    if (c->is_whole || !*c->what)
        return;
    pit__text_add_visible(&visible, c->what);
    pit__text_puts(text, " in ");
    pit__text_add_tail(text, pit__text_string(&visible), 80, 1);
    text->failed |= visible.failed;
    pit__text_free(&visible);
}

static void say_moved(const pit_comparison *c, const char *who, struct pit__text *text)
{
    int less = c->verdict == PIT_FASTER;
    pit__text_printf(text, c->is_memory ? "%s takes " : "%s is ", who);
    add_percent(text, fabs(c->change));
    pit__text_printf(text, " %% %s", pit__verdict_word(c));
    if (c->is_memory)
        pit__text_printf(text, " %s", pit__kind_word(c));
    add_interval(text, less ? -c->high : c->low, less ? -c->low : c->high);
    add_where(text, c);
    pit__text_puts(text, " (");
    add_runs(text, c);
    pit__text_puts(text, ")");
}

static void say_same(const pit_comparison *c, double effect, const char *who,
                     struct pit__text *text)
{
    pit__text_printf(text, "%s is the same within ", who);
    pit__text_printf(text, "%g %%: ", effect * 100);
    add_percent(text, c->change);
    pit__text_puts(text, " %");
    add_interval(text, c->low, c->high);
    add_where(text, c);
    pit__text_puts(text, " (");
    add_runs(text, c);
    pit__text_puts(text, ")");
}

static void say_nothing(const pit_comparison *c, struct pit__text *text)
{
    pit__text_puts(text, "no verdict: ");
    if (strcmp(c->reason, PIT__ONE_AFTER_OTHER) == 0)
        pit__text_printf(text, "%s: ", c->reason);
    if (strncmp(c->reason, "the shape", 9) == 0 || isnan(c->change)) {
        pit__text_puts(text, *c->reason ? c->reason : "nothing to compare");
        add_where(text, c);
    } else {
        add_percent(text, c->change);
        pit__text_puts(text, " %");
        add_interval(text, c->low, c->high);
        add_where(text, c);
        if (isnan(c->low) && strcmp(c->reason, PIT__ONE_AFTER_OTHER) != 0) {
            pit__text_puts(text, " with ");
            add_runs(text, c);
        }
    }
    if (c->is_too_noisy)
        pit__text_puts(text, "; " PIT__TOO_NOISY
                             ": try --cpu, a quiet hour, or more iterations inside one run");
    else if (c->more_runs > 0)
        pit__text_printf(text, "; about %zu more run%s a side", c->more_runs,
                         c->more_runs == 1 ? "" : "s");
}

/* "B (KAN)"; only "B" if the name is a command or a path. */
static void name_side(const pit_comparisons *all, size_t side, struct pit__text *who)
{
    char letter[24];
    const char *name = all->names[side];
    pit__text_puts(who, pit__side_letter(side, letter));
    if (*name && strcmp(name, letter) != 0 && !strpbrk(name, " /") && pit__text_width(name) <= 24) {
        pit__text_puts(who, " (");
        pit__text_add_visible(who, name);
        pit__text_puts(who, ")");
    }
}

/* With one run per side the whole run cannot be judged: use the iterations of the node that took
 * the most time. */
static const pit_comparison *find_indicative(const pit_comparisons *all, size_t side)
{
    const pit_comparison *first = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const pit_comparison *c = &all->items[i];
        if (c->side != side || !c->is_indicative)
            continue;
        if (c->verdict == PIT_SAME)
            return c;
        if (!first && !isnan(c->low))
            first = c;
    }
    return first;
}

void pit__side_headline(const pit_comparisons *all, size_t side, struct pit__text *text)
{
    struct pit__text subject = {0};
    const pit_comparison *whole = pit__whole_of(all, side), *place = find_place(all, side);
    const pit_comparison *indicative = find_indicative(all, side);
    if (indicative && whole && whole->verdict == PIT_NO_VERDICT)
        whole = indicative;
    if (place ? place->is_indicative : whole && whole->is_indicative)
        pit__text_puts(text, "indicative: ");
    name_side(all, side, &subject);
    const char *who = pit__text_string(&subject);
    if (!whole)
        pit__text_puts(text, "no verdict: the sides have nothing in common");
    else if (place)
        say_moved(place, who, text);
    else if (has_moved(whole))
        say_moved(whole, who, text);
    else if (whole->verdict == PIT_SAME)
        say_same(whole, all->effect, who, text);
    else
        say_nothing(whole, text);
    text->failed |= subject.failed;
    pit__text_free(&subject);
}

static int has_verdict(const pit_comparisons *all, size_t side)
{
    struct pit__text text = {0};
    pit__side_headline(all, side, &text);
    int is_none = strstr(pit__text_string(&text), "no verdict: ") != NULL;
    pit__text_free(&text);
    return !is_none;
}

/* Of several sides, the fastest that differs from the first; if none does, the fastest. */
void pit__compare_headline(struct pit__comparisons *all)
{
    struct pit__text text = {0};
    const pit_comparisons *shown = &all->shown;
    size_t side = 0;
    for (size_t i = 0; i < shown->side_count && !side; i++)
        if (shown->ranking[i] > 0 && has_verdict(shown, shown->ranking[i]))
            side = shown->ranking[i];
    if (!side)
        side = shown->ranking[0] ? shown->ranking[0] : shown->ranking[1];
    all->shown.status = has_verdict(shown, side) ? 0 : 2;
    pit__side_headline(shown, side, &text);
    const char *string = pit__text_string(&text);
    all->shown.indicative = strncmp(string, "indicative: ", 12) == 0;
    if (all->shown.indicative)
        all->shown.status = 2;
    size_t bytes = strlen(string), most = sizeof shown->headline - 1;
    if (bytes > most)
        for (bytes = most; bytes > 0 && ((unsigned char)string[bytes] & 0xc0) == 0x80;)
            bytes--; /* not in the middle of a character */
    memcpy(all->shown.headline, string, bytes);
    all->arena.failed |= text.failed;
    pit__text_free(&text);
}
