/* See advice.h. What parts are by their names, and how rules are tried; the rules themselves are in
 * advice_rules.c. */
#include "advice.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

#define NAME_MOST 64

/* A name as a whole decides, else one word of it: the first line that has it. */
static const struct word {
    enum pit__role role;
    const char *words; /* each between blanks */
} wholes[] =
    {
        {PIT__ROLE_STEP, " make_step make_step_total training_step train_step model_update "},
        {PIT__ROLE_BATCH,
         " batch minibatch mini_batch train_batch batch_total step iteration iter "},
        {PIT__ROLE_EPOCH, " epoch train_epoch training_epoch "},
},
  words[] = {
      {PIT__ROLE_FORWARD, " forward fwd "},
      {PIT__ROLE_BACKWARD, " backward bwd backprop backpropagation "},
      {PIT__ROLE_LOSS, " loss criterion "},
      {PIT__ROLE_NONE, " model checkpoint ckpt weights config state save "}, /* loading these */
      {PIT__ROLE_DATA, " data dataloader dataloading loader loading load fetch prefetch dataset "},
};

static int has_word(const char *list, const char *word, size_t bytes)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (strncmp(at + 1, word, bytes) == 0 && at[1 + bytes] == ' ')
            return 1;
    return 0;
}

/* Letters and digits in small letters, anything else as one '_'. */
static void plain_name(const char *name, char out[NAME_MOST + 1])
{
    size_t n = 0;
    for (; *name && n < NAME_MOST; name++) {
        unsigned char c = (unsigned char)*name;
        if (isalnum(c))
            out[n++] = (char)tolower(c);
        else if (n > 0 && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    out[n] = 0;
}

enum pit__role pit__role_of(const char *name)
{
    char plain[NAME_MOST + 1];
    plain_name(name, plain);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0] && *plain; i++)
        if (has_word(wholes[i].words, plain, strlen(plain)))
            return wholes[i].role;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (const char *at = plain; *at; at += *at == '_') {
            size_t bytes = strcspn(at, "_");
            if (has_word(words[i].words, at, bytes))
                return words[i].role;
            at += bytes;
        }
    return PIT__ROLE_NONE;
}

/* ---- the repeated part ---------------------------------------------------------------------- */

static int is_inner_role(enum pit__role role)
{
    return role == PIT__ROLE_DATA || role == PIT__ROLE_FORWARD || role == PIT__ROLE_BACKWARD ||
           role == PIT__ROLE_LOSS;
}

enum fitness { UNFIT, REPEATED, AROUND_WORK, NAMED_STEP, NAMED_BATCH };

static enum fitness fitness_of(const struct pit__part *part)
{
    enum pit__role role = pit__role_of(part->name);
    if (part->apart || part->count == 0)
        return UNFIT;
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP)
        return role == PIT__ROLE_BATCH ? NAMED_BATCH : NAMED_STEP;
    return part->count > 1 ? REPEATED : UNFIT;
}

size_t pit__find_unit(const struct pit__part *parts, size_t count)
{
    size_t best = PIT__NO_PART;
    enum fitness best_fit = UNFIT;
    for (size_t k = 0; k < count; k++) {
        size_t candidate = k, around = parts[k].parent;
        enum fitness fit = fitness_of(&parts[k]);
        if (fit < AROUND_WORK && around != PIT__NO_PART &&
            is_inner_role(pit__role_of(parts[k].name)) && fitness_of(&parts[around]) == REPEATED &&
            pit__role_of(parts[around].name) == PIT__ROLE_NONE) {
            fit = AROUND_WORK;
            candidate = around;
        }
        if (fit > best_fit ||
            (fit > UNFIT && fit == best_fit && parts[candidate].seconds > parts[best].seconds)) {
            best = candidate;
            best_fit = fit;
        }
    }
    return best;
}

/* ---- trying the rules ------------------------------------------------------------------------ */

struct trial {
    const struct pit__case *all;
    struct pit__advised *found;
    size_t room, count;
    unsigned char *said; /* of each part: a rule has spoken of it */
};

static void try_rule(struct trial *trial, const struct pit__rule *rule, size_t part)
{
    struct pit__match match = {.part = part, .base = PIT__NO_PART, .share = NAN};
    if (trial->count < trial->room && rule->holds(trial->all, part, &match))
        trial->found[trial->count++] = (struct pit__advised){rule, match};
}

static void try_parts(struct trial *trial, const struct pit__rule *rule)
{
    for (size_t i = 0; i < trial->all->part_count; i++) {
        size_t before = trial->count;
        if (!trial->all->by_letter && (trial->all->parts[i].apart || trial->said[i]))
            continue;
        try_rule(trial, rule, i);
        trial->said[i] |= trial->count > before;
    }
}

/* Severity first, then the order of the table, then the larger share. */
static int by_table(const void *a, const void *b)
{
    const struct pit__advised *x = a, *y = b;
    if (x->rule->severity != y->rule->severity)
        return y->rule->severity - x->rule->severity;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return (x->match.share < y->match.share) - (x->match.share > y->match.share);
}

/* Where there are several batches or steps, what is wrong with the one that took the most comes first,
 * whatever it is. Rules of shares are neighbours in the table, of one severity: no other is between. */
static int by_weight(const void *a, const void *b)
{
    const struct pit__advised *x = a, *y = b;
    double around_x = x->match.figures[2], around_y = y->match.figures[2];
    if (x->rule->is_share && y->rule->is_share && around_x != around_y)
        return around_x > around_y ? -1 : 1;
    return by_table(a, b);
}

int pit__advise(const struct pit__case *all, struct pit__advised *found, size_t room)
{
    struct trial trial = {all, found, room, 0, calloc(all->part_count + 1, 1)};
    int topics = 0;
    if (!trial.said)
        return -1;
    for (const struct pit__rule *rule = pit__rules; rule->key; rule++) {
        size_t before = trial.count;
        if (rule->topic == PIT__TOPIC_PART)
            try_parts(&trial, rule);
        else if (all->by_letter || !(topics & 1 << rule->topic))
            try_rule(&trial, rule, PIT__NO_PART);
        if (trial.count > before)
            topics |= 1 << rule->topic;
    }
    free(trial.said);
    qsort(found, trial.count, sizeof *found, all->by_letter ? by_table : by_weight);
    return (int)trial.count;
}
