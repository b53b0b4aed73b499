/* See advice.h. The roles of parts, derived from their names, and the order in which rules are tried; the rules themselves are in
 * advice_rules.c. */
#include "advice_rules.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

#define NAME_MOST 64

/* A role is decided by the whole name, else by one word of it: the first line that contains it. */
static const struct word {
    enum pit__role role;
    const char *words; /* each word between blanks */
} wholes[] =
    {
        {PIT__ROLE_STEP, " make_step make_step_total training_step train_step model_update "},
        {PIT__ROLE_BATCH,
         " batch minibatch mini_batch train_batch batch_total step iteration iter "},
        {PIT__ROLE_EPOCH, " epoch train_epoch training_epoch "},
        {PIT__ROLE_DATA, " get_batch next_batch read_batch make_batch sample_batch input inputs "},
        {PIT__ROLE_LOADER, " loader_start start_workers "},
        {PIT__ROLE_OPTIMIZER, " update update_weights weight_update update_parameters opt_step "
                              "apply_gradients apply_updates "},
        {PIT__ROLE_CHECKPOINT, " save save_model save_state save_weights torch_save "},
        {PIT__ROLE_LOGGING, " log logs log_metrics log_step write_log print plot summary metrics "},
},
  words[] = {
      {PIT__ROLE_EVALUATION, " eval evaluation evaluate validation validate valid val "},
      {PIT__ROLE_FORWARD, " forward fwd "},
      {PIT__ROLE_BACKWARD, " backward bwd backprop backpropagation "},
      {PIT__ROLE_LOSS, " loss criterion "},
      {PIT__ROLE_COMPILE, " compile compilation compiling jit "},
      {PIT__ROLE_OPTIMIZER, " optimizer optimiser optim adam adamw sgd "},
      {PIT__ROLE_NONE, " load_model restore resume "},
      {PIT__ROLE_CHECKPOINT, " checkpoint ckpt snapshot "},
      {PIT__ROLE_NONE,
       " model weights config state save "}, /* loading one of these is not loading data */
      {PIT__ROLE_LOGGING, " logging logger wandb tensorboard histogram histograms "
                          "print printing plot plots dump write writing report reporting "},
      {PIT__ROLE_DATA, " data dataloader dataloading loader loading load fetch prefetch dataset "
                       "collate augment augmentation read reading reader "},
};

/* Every node's name is searched in every list, so libc's fast search is used. */
static int has_word(const char *list, const char *word, size_t bytes)
{
    char sought[NAME_MOST + 3] = {' '};
    memcpy(sought + 1, word, bytes);
    memcpy(sought + 1 + bytes, " ", 2);
    return strstr(list, sought) != NULL;
}

/* Letters and digits in lower case; any other characters become one '_'. */
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

static int has_any(const char *list, const char *plain)
{
    for (const char *at = plain; *at; at += *at == '_') {
        size_t bytes = strcspn(at, "_");
        if (has_word(list, at, bytes))
            return 1;
        at += bytes;
    }
    return 0;
}

enum pit__role pit__role_of(const char *name)
{
    char plain[NAME_MOST + 1];
    plain_name(name, plain);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0] && *plain; i++)
        if (has_word(wholes[i].words, plain, strlen(plain)))
            return wholes[i].role;
    if (has_any(" save saving write writing dump store ", plain) &&
        has_any(" state states model weights params parameters restart ", plain))
        return PIT__ROLE_CHECKPOINT;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has_any(words[i].words, plain)) /* loading a checkpoint is not saving one */
            return words[i].role == PIT__ROLE_CHECKPOINT && has_any(" load loading ", plain)
                       ? PIT__ROLE_NONE
                       : words[i].role;
    return PIT__ROLE_NONE;
}

/* The name without the words for forward and backward. */
static void stem_of(const char *name, char out[NAME_MOST + 1])
{
    char plain[NAME_MOST + 1];
    size_t n = 0;
    plain_name(name, plain);
    for (const char *at = plain; *at; at += *at == '_') {
        size_t bytes = strcspn(at, "_");
        if (!has_word(" forward fwd backward bwd backprop ", at, bytes)) {
            memcpy(out + n, at, bytes + (at[bytes] == '_'));
            n += bytes + (at[bytes] == '_');
        }
        at += bytes;
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    out[n] = 0;
}

int pit__is_backward_of(const char *backward, const char *forward)
{
    char a[NAME_MOST + 1], b[NAME_MOST + 1];
    stem_of(backward, a);
    stem_of(forward, b);
    return strcmp(a, b) == 0;
}

/* ---- the repeated part ---------------------------------------------------------------------- */

static int is_inner_role(enum pit__role role)
{
    return role == PIT__ROLE_DATA || role == PIT__ROLE_FORWARD || role == PIT__ROLE_BACKWARD ||
           role == PIT__ROLE_LOSS || role == PIT__ROLE_OPTIMIZER;
}

enum fitness { UNFIT, REPEATED, AROUND_WORK, NAMED_STEP, NAMED_BATCH };

static enum fitness fitness_of(const struct pit__part *part, enum pit__role role)
{
    if (part->apart || part->count == 0 || role == PIT__ROLE_EVALUATION)
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
        enum fitness fit = fitness_of(&parts[k], parts[k].role);
        if (fit < AROUND_WORK && around != PIT__NO_PART && is_inner_role(parts[k].role) &&
            parts[around].role == PIT__ROLE_NONE &&
            fitness_of(&parts[around], PIT__ROLE_NONE) == REPEATED) {
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

/* ---- what rules ask -------------------------------------------------------------------------- */

#define MUCH 0.25 /* share of a whole that deserves action */

struct pit__match pit__match_of(size_t part)
{
    return (struct pit__match){
        .part = part, .base = PIT__NO_PART, .share = NAN, .stake = NAN, .severity = 1};
}

int pit__severity_of(double share)
{
    return share >= MUCH ? 2 : 1;
}

int pit__is_inside(const struct pit__case *all, size_t part, enum pit__role role)
{
    for (size_t i = all->parts[part].parent; i != PIT__NO_PART; i = all->parts[i].parent)
        if (all->parts[i].role == role)
            return 1;
    return 0;
}

int pit__is_outermost(const struct pit__case *all, size_t part, enum pit__role role)
{
    return all->parts[part].role == role && !pit__is_inside(all, part, role);
}

size_t pit__base_of(const struct pit__case *all, size_t part)
{
    for (size_t i = all->parts[part].parent; i != PIT__NO_PART; i = all->parts[i].parent)
        if (i == all->unit || all->parts[i].role == PIT__ROLE_BATCH ||
            all->parts[i].role == PIT__ROLE_STEP)
            return i;
    return all->parts[part].parent;
}

double pit__base_seconds(const struct pit__case *all, size_t base)
{
    return base == PIT__NO_PART ? all->total : all->parts[base].seconds;
}

int pit__is_loop(const struct pit__case *all)
{
    /* plain durations: the caller says that they are iterations */
    if (all->unit == PIT__NO_PART)
        return 1;
    const struct pit__part *unit = &all->parts[all->unit];
    return unit->children > 0 || unit->role == PIT__ROLE_BATCH || unit->role == PIT__ROLE_STEP ||
           unit->role == PIT__ROLE_EPOCH;
}

double pit__role_seconds(const struct pit__case *all, enum pit__role role, size_t *part,
                         uint64_t *count)
{
    double seconds = 0;
    *part = PIT__NO_PART;
    *count = 0;
    for (size_t i = 0; i < all->part_count; i++) {
        if (all->parts[i].apart || !pit__is_outermost(all, i, role))
            continue;
        seconds += all->parts[i].seconds;
        *count += all->parts[i].count;
        if (*part == PIT__NO_PART || all->parts[i].seconds > all->parts[*part].seconds)
            *part = i;
    }
    return seconds;
}

double pit__waited(const struct pit__case *all)
{
    const struct pit__around *around = &all->around;
    if (!isnan(all->idle)) /* waiting at the start is not part of the loop */
        return all->idle * (all->total + (all->between > 0 ? all->between : 0));
    double share = 1 - around->main_cpu - around->delayed;
    return share < 0 ? 0 : share * around->seconds;
}

#define THREADS_SEEN 3.0 /* threads that a reading looks at, besides the main one */
#define LOOKS_LEAST 8    /* looks at the main thread that found it waiting */

double pit__threads_working(const struct pit__looks *looks)
{
    double waits =
        looks->lock + looks->sleep + looks->transfer + looks->disk + looks->sync + looks->child;
    return waits < LOOKS_LEAST ? NAN : (looks->working - looks->mutex - looks->python) / waits;
}

/* The share of looks at threads other than the main one, while that one waited, which found no work; NaN. */
static double idle_looks(const struct pit__case *all)
{
    double seen = fmin((double)all->span_threads, THREADS_SEEN);
    double idle = 1 - pit__threads_working(&all->around.looks) / seen;
    return isnan(idle) ? NAN : fmax(idle, 0);
}

/* On a machine in use, threads without a processor may be ready to run. */
double pit__part_waited(const struct pit__case *all, const struct pit__part *part)
{
    if (!pit__is_elsewhere(part) || isnan(all->threads_idle))
        return pit__waited(all);
    double idle = all->pressed > PIT__PRESSED_LEAST ? fmin(all->threads_idle, idle_looks(all))
                                                    : all->threads_idle;
    return idle * all->total;
}

/* ---- trying the rules ------------------------------------------------------------------------ */

void pit__find_add(struct pit__finds *finds, const struct pit__match *match)
{
    const struct pit__rule *rule = finds->rule;
    int is_part = match->part != PIT__NO_PART && !rule->is_course;
    /* whatever its share of a part, the run would hardly become shorter */
    if (finds->said && rule->kind == PIT__KIND_STAKE && match->stake < finds->least)
        return;
    if (finds->count >= finds->room || (finds->said && is_part && finds->said[match->part]))
        return;
    if (finds->said && is_part && rule->kind != PIT__KIND_KNOW)
        finds->said[match->part] = 1;
    finds->has_cause |= rule->kind == PIT__KIND_CAUSE;
    finds->has_course |= rule->is_course;
    finds->found[finds->count++] = (struct pit__advised){rule, *match};
}

static double stake_of(const struct pit__advised *advised)
{
    return isnan(advised->match.stake) ? 0 : advised->match.stake;
}

static int by_stake(const void *a, const void *b)
{
    const struct pit__advised *x = a, *y = b;
    if (x->rule->kind != y->rule->kind)
        return x->rule->kind < y->rule->kind ? -1 : 1;
    return (stake_of(x) < stake_of(y)) - (stake_of(x) > stake_of(y));
}

#define DRIFT_FIRST 0.25 /* of the total: what a drift costs to come before the memory that grows */
#define DRIFT_SAME                                                                                 \
    0.5 /* of what the unmarked time costs: then the drift is what is wrong with it */

static size_t find_rule(const struct pit__finds *finds, const struct pit__rule *rule)
{
    size_t i = 0;
    while (i < finds->count && finds->found[i].rule != rule)
        i++;
    return i;
}

/* Work that grows with the run keeps memory too. If it costs much and its place is known, the drift says more
 * than the memory, or the unmarked time at the same place: it is moved before them. */
static void put_drift_first(const struct pit__case *all, struct pit__finds *finds)
{
    size_t drift = find_rule(finds, &pit__drift_rule), to = drift;
    if (drift == finds->count || !finds->found[drift].match.texts[0] ||
        !(finds->found[drift].match.stake > DRIFT_FIRST * all->total))
        return;
    struct pit__advised moved = finds->found[drift];
    size_t leak = find_rule(finds, &pit__leak_rule), open = find_rule(finds, &pit__unmarked_rule);
    if (open < to && all->later.is_unmarked && finds->found[open].match.part == all->unit &&
        moved.match.stake > DRIFT_SAME * finds->found[open].match.stake)
        to = open;
    size_t few = find_rule(finds, &pit__concentrated_rule);
    if (few < to && finds->found[few].match.part == all->later.part)
        to = few;                    /* its late calls are the long ones */
    if (leak < to && to - leak == 1) /* nothing else that matters is in between */
        to = leak;
    for (size_t i = drift; i > to; i--)
        finds->found[i] = finds->found[i - 1];
    finds->found[to] = moved;
}

int pit__advise(const struct pit__case *all, struct pit__advised *found, size_t room)
{
    struct pit__finds finds = {.found = found, .room = room};
    finds.least = fmax(PIT__MATTERS * all->total, PIT__RUN_MATTERS * all->wall);
    finds.said = calloc(all->part_count + 1, 1);
    if (!finds.said)
        return -1;
    for (size_t i = 0; pit__rules[i]; i++) {
        finds.rule = pit__rules[i];
        /* another rule explains it */
        if (finds.rule->is_course && finds.has_course)
            continue;
        if (finds.rule->kind == PIT__KIND_STAKE && all->is_short && all->part_count > 0)
            continue;
        finds.rule->find(all, &finds);
    }
    free(finds.said);
    qsort(found, finds.count, sizeof *found, by_stake);
    put_drift_first(all, &finds);
    return (int)finds.count;
}

/* By severity, then the order of the table, then the larger share. */
static int by_table(const void *a, const void *b)
{
    const struct pit__advised *x = a, *y = b;
    if (x->match.severity != y->match.severity)
        return y->match.severity - x->match.severity;
    size_t at_x = 0, at_y = 0;
    while (pit__row_rules[at_x] != x->rule)
        at_x++;
    while (pit__row_rules[at_y] != y->rule)
        at_y++;
    if (at_x != at_y)
        return at_x < at_y ? -1 : 1;
    return (x->match.share < y->match.share) - (x->match.share > y->match.share);
}

int pit__advise_by_letter(const struct pit__case *all, struct pit__advised *found, size_t room)
{
    struct pit__finds finds = {.found = found, .room = room};
    for (size_t i = 0; pit__row_rules[i]; i++) {
        finds.rule = pit__row_rules[i];
        finds.rule->find(all, &finds);
    }
    qsort(found, finds.count, sizeof *found, by_table);
    return (int)finds.count;
}
