/* advice_view.c: the findings of the rules in words: pit_advise and related functions. */
#include "model/advice_case.h"
#include "model/ranks.h"

#include "analysis/advice_rules.h"

#include "report/text.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_MOST 64
#define REST_PRESSURE 0.01 /* memory pressure below this is not mentioned */

/* The object behind pit_advice, with the memory that it owns. */
struct advice {
    pit_advice shown; /* first member: pointers to both are equal */
    pit_finding findings[FINDINGS_MOST];
    char *lead;
};

/* ---- filling in the words --------------------------------------------------------------------- */

/* The parent that distinguishes a part from another one of the same name; NULL: there is no
 * other. */
static const char *told_apart(const struct pit__case *all, size_t part)
{
    const struct pit__part *parts = all->parts;
    for (size_t other = 0; other < all->part_count; other++) {
        size_t mine = part, its = other;
        if (other == part)
            continue;
        while (mine != PIT__NO_PART && its != PIT__NO_PART && mine != its &&
               strcmp(parts[mine].name, parts[its].name) == 0) {
            mine = parts[mine].parent;
            its = parts[its].parent;
        }
        if (strcmp(parts[other].name, parts[part].name) == 0 && mine != PIT__NO_PART && mine != its)
            return parts[mine].name;
    }
    return NULL;
}

static void add_base(struct pit__text *text, const struct pit__case *all, size_t base)
{
    if (base == PIT__NO_PART || !all->parts) {
        pit__text_puts(text, "the total");
        return;
    }
    enum pit__role role = all->parts[base].role;
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_EPOCH)
        pit__text_puts(text, "the ");
    pit__text_add_visible(text, all->parts[base].name);
    const char *below = told_apart(all, base);
    if (below) {
        pit__text_puts(text, " of ");
        pit__text_add_visible(text, below);
    }
}

static void add_figure(struct pit__text *text, char kind, double figure, int ascii)
{
    char out[PIT__UNIT_BYTES];
    switch (kind) {
    case 'p':
        pit__text_puts(text, pit__unit_percent_words(out, figure));
        break;
    case 'f':
        pit__print_double(out, sizeof out, "%.1f%%", 100 * figure);
        pit__text_puts(text, out);
        break;
    case 'x':
        pit__print_double(out, sizeof out, "%.1fx", figure);
        pit__text_puts(text, out);
        break;
    case 't':
        pit__text_puts(text, pit__unit_duration(out, figure * 1e9, ascii));
        break;
    case 'b':
        pit__text_puts(text, pit__unit_bytes_words(out, figure));
        break;
    case 'c':
        pit__text_printf(text, "%s call%s", pit__unit_count(out, (uint64_t)figure),
                         (uint64_t)figure == 1 ? "" : "s");
        break;
    case 'o':
        pit__print_double(out, sizeof out, "%.1f", figure);
        pit__text_puts(text, out);
        break;
    default:
        pit__text_puts(text, figure >= 0 ? pit__unit_count(out, (uint64_t)llround(figure)) : "n/a");
        break;
    }
}

/* "forward 30 %, backward 48 %" */
static void add_list(struct pit__text *text, const struct pit__case *all,
                     const struct pit__match *match)
{
    char share[PIT__UNIT_BYTES];
    for (size_t i = 0; i < match->listed_count; i++) {
        const struct pit__part *part = &all->parts[match->listed[i]];
        pit__text_puts(text, i ? ", " : "");
        pit__text_add_visible(text, part->name);
        pit__text_printf(text, " %s", pit__unit_percent_words(share, match->shares[i]));
    }
}

/* The text of a rule with the figures of a match inserted; see analysis/advice.h. */
static void add_words(struct pit__text *text, const char *words, const struct pit__case *all,
                      const struct pit__match *match, int ascii)
{
    const struct pit__part *part = match->part == PIT__NO_PART ? NULL : &all->parts[match->part];
    while (*words) {
        size_t plain = strcspn(words, "{");
        pit__text_add(text, words, plain);
        words += plain;
        if (!*words)
            break;
        size_t bytes = strcspn(words, "}") + 1;
        if (strncmp(words, "{name}", bytes) == 0)
            pit__text_add_visible(text, part ? part->name : "batch");
        else if (strncmp(words, "{path}", bytes) == 0)
            pit__text_add_visible(text, part ? part->path : "");
        else if (strncmp(words, "{base}", bytes) == 0)
            add_base(text, all, match->base);
        else if (strncmp(words, "{list}", bytes) == 0)
            add_list(text, all, match);
        else if (words[1] == 's')
            pit__text_add_visible(text, match->texts[words[2] == '1']);
        else
            add_figure(text, words[1], match->figures[(words[2] - '0') % PIT__MATCH_FIGURES],
                       ascii);
        words += bytes;
    }
}

/* Readings of the sampler, after the evidence. */
static void add_around(struct pit__text *text, const struct pit__around *around)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    if (around->cpu >= 0)
        pit__text_printf(text, "; CPU %s of one core busy",
                         pit__unit_percent_words(a, around->cpu));
    if (around->read >= 1 || around->written >= 1)
        pit__text_printf(text, "; storage read %s/s, written %s/s",
                         pit__unit_bytes_words(a, around->read),
                         pit__unit_bytes_words(b, around->written));
    if (around->forced >= 1)
        pit__text_printf(text, "; preempted %s times a second", pit__unit_rate(a, around->forced));
    if (around->pressure >= REST_PRESSURE)
        pit__text_printf(text, "; memory pressure up to %s",
                         pit__unit_percent_words(a, around->pressure));
}

/* ---- findings ---------------------------------------------------------------------------------- */

/* Moves the text to the caller; NULL and *failed without memory. */
static char *take(struct pit__text *text, int *failed)
{
    char *string = text->data ? text->data : calloc(1, 1);
    *failed |= text->failed || !string;
    *text = (struct pit__text){0};
    return string;
}

/* "; at most 31 % shorter without it" */
static void add_stake(struct pit__text *text, const struct pit__case *all,
                      const struct pit__advised *advised)
{
    char share[PIT__UNIT_BYTES];
    const struct pit__match *match = &advised->match;
    double run = all->wall > all->total ? all->wall : all->total;
    if (match->stake > 0 && run > 0 && !advised->rule->says_stake)
        pit__text_printf(text, "; at most %s shorter without it",
                         pit__unit_percent_words(share, fmin(match->stake / run, 1)));
}

static void fill(pit_finding *finding, const struct pit__advised *advised,
                 const struct pit__case *all, int ascii, int *failed)
{
    const struct pit__rule *rule = advised->rule;
    const struct pit__match *match = &advised->match;
    struct pit__text text = {0};
    finding->rule = rule->key;
    finding->severity = match->severity;
    finding->share = match->share;
    finding->savings_ns = match->stake * 1e9;
    if (!ascii && rule->mark)
        pit__text_puts(&text, rule->mark);
    add_words(&text, match->headline, all, match, ascii);
    finding->headline = take(&text, failed);
    add_words(&text, match->evidence, all, match, ascii);
    if (match->path)
        pit__text_printf(&text, ", in %s", match->path);
    add_stake(&text, all, advised);
    if (rule->wants_around)
        add_around(&text, &all->around);
    finding->evidence = take(&text, failed);
    if (match->remedy)
        add_words(&text, match->remedy, all, match, ascii);
    if (match->more)
        add_words(&text, match->more, all, match, ascii);
    finding->remedy = take(&text, failed);
    if (match->path)
        pit__text_puts(&text, match->path);
    else if (match->part != PIT__NO_PART)
        pit__text_puts(&text, all->parts[match->part].path);
    finding->path = take(&text, failed);
}

/* "headline; what is at stake; the first remedies." Without a severity mark: the text is used as
 * the first line. */
static char *make_lead(const struct pit__advised *advised, const struct pit__case *all, int ascii,
                       int *failed)
{
    struct pit__text text = {0};
    const struct pit__match *match = &advised->match;
    add_words(&text, match->headline, all, match, ascii);
    add_stake(&text, all, advised);
    if (match->remedy && (match->severity > 0 || match->stake > 0)) {
        pit__text_puts(&text, "; ");
        add_words(&text, match->remedy, all, match, ascii);
    }
    pit__text_puts(&text, ".");
    return take(&text, failed);
}

/* Does it say more than which part took the most time? */
static int leads(const struct pit__advised *advised)
{
    return advised->rule != &pit__cache_rule &&
           (advised->rule != &pit__compute_rule || advised->match.texts[0]);
}

/* NULL without memory. */
static pit_advice *advise(const struct pit__advice_case *made, int ascii)
{
    struct pit__advised found[FINDINGS_MOST];
    struct advice *advice = calloc(1, sizeof *advice);
    int failed = 0, count = 0;
    if (!advice)
        return NULL;
    advice->shown.findings = advice->findings;
    advice->shown.too_little_data = *made->reason != 0;
    strcpy(advice->shown.reason, made->reason);
    count = made->by_letter ? pit__advise_by_letter(&made->all, found, FINDINGS_MOST)
                            : pit__advise(&made->all, found, FINDINGS_MOST);
    for (int i = 0; i < count; i++) {
        fill(&advice->findings[advice->shown.count++], &found[i], &made->all, ascii, &failed);
        if (i == 0 && !made->by_letter && leads(&found[i]))
            advice->lead = make_lead(&found[i], &made->all, ascii, &failed);
    }
    if (failed || count < 0) {
        pit_advice_free(&advice->shown);
        return NULL;
    }
    return &advice->shown;
}

PIT_API void pit_advice_free(pit_advice *shown)
{
    struct advice *advice = (struct advice *)(void *)shown;
    if (!advice)
        return;
    for (size_t i = 0; i < shown->count; i++) {
        free((char *)(uintptr_t)advice->findings[i].headline);
        free((char *)(uintptr_t)advice->findings[i].evidence);
        free((char *)(uintptr_t)advice->findings[i].remedy);
        free((char *)(uintptr_t)advice->findings[i].path);
    }
    free(advice->lead);
    free(advice);
}

const char *pit__advice_lead(const pit_advice *shown)
{
    return ((const struct advice *)(const void *)shown)->lead;
}

pit_advice *pit__advise_tree(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                             const struct pit__rank_case *ranks, int ascii)
{
    struct pit__advice_case made;
    int code = pit__case_of_runs(runs, run_count, tree, &made);
    made.all.ranks = ranks;
    pit_advice *advice = code ? NULL : advise(&made, ascii);
    pit__case_free(&made);
    return advice;
}

PIT_API pit_advice *pit_advise(const pit_run *const *runs, size_t run_count, int ascii)
{
    pit_tree *tree = pit_tree_build(runs, run_count);
    pit_ranks *ranks = pit_ranks_of(runs, run_count);
    pit_advice *advice =
        tree ? pit__advise_tree(runs, run_count, tree, pit__ranks_case(ranks), ascii) : NULL;
    pit_ranks_free(ranks);
    pit_tree_free(tree);
    return advice;
}

PIT_API pit_advice *pit_advise_rows(const pit_row *rows, size_t count, const double *batches,
                                    size_t batch_count, int ascii)
{
    struct pit__advice_case made;
    int code = pit__case_of_rows(rows, count, batches, batch_count, &made);
    pit_advice *advice = code ? NULL : advise(&made, ascii);
    pit__case_free(&made);
    return advice;
}
