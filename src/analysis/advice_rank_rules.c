/* advice_rank_rules.c: differences between the ranks of a job. They come before findings about single ranks:
 * if a rank waits for another one, its own shares do not show the cause. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

static struct pit__match match_of_job(const struct pit__case *all, double share)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.share = share;
    match.stake = share * (all->wall > 0 ? all->wall : all->total);
    match.severity = pit__severity_of(share);
    return match;
}

static int has_hang(const struct pit__case *all)
{
    return all->ranks && all->ranks->standstill != PIT__GOES_ON;
}

/* Ranks that wait for a processor are late in turn, and transfers take long: other rules name the cause. */
static int is_starved(const struct pit__rank_case *ranks)
{
    return ranks->delayed > PIT__STARVED_LEAST;
}

/* Figures: waiting ranks, ranks, seconds. */
static void find_hang(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__rank_case *ranks = all->ranks;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (!has_hang(all))
        return;
    match.severity = 2;
    match.figures[0] = (double)ranks->waiting;
    match.figures[1] = (double)ranks->ranks;
    match.figures[2] = ranks->waited;
    match.texts[0] = ranks->meeting;
    match.texts[1] = ranks->absent;
    match.headline =
        ranks->standstill == PIT__DIED ? "DIED: {s1}; {n0} of {n1} ranks waited in {s0}"
        : ranks->waiting == 1          ? "HANG?: 1 of {n1} ranks has waited {t2} in {s0}; {s1}"
                                       : "HANG?: {n0} of {n1} ranks have waited {t2} in {s0}; {s1}";
    match.evidence = "from the spans that are still open and the collectives that each rank began";
    pit__find_add(finds, &match);
}

/* Only a framework's loader has workers; other programs load in their own code. */
static const char *remedy_for(const struct pit__case *all, enum pit__role role)
{
    switch (role) {
    case PIT__ROLE_DATA:
        return pit__has_loader(all)
                   ? "try more loader workers on that rank"
                   : "look at where that rank's data comes from and how much it gets, or load "
                     "ahead in another thread";
    case PIT__ROLE_CHECKPOINT:
    case PIT__ROLE_LOGGING:
        return "spread that work over the ranks, or let another thread do it";
    default:
        return "look for what differs there: its share of the data, its machine, other programs on "
               "it";
    }
}

/* Figures: rank, how much slower, its time, the others' time, waiting ranks, possible reduction. */
static void find_straggler(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__rank_case *ranks = all->ranks;
    if (!ranks || has_hang(all) || ranks->found.straggler == PIT__NO_RANK)
        return;
    struct pit__match match = match_of_job(all, ranks->found.shorter);
    match.figures[0] = (double)ranks->slow;
    match.figures[1] = ranks->part_ns / ranks->part_median_ns - 1;
    match.figures[2] = ranks->part_ns / 1e9;
    match.figures[3] = ranks->part_median_ns / 1e9;
    match.figures[4] = (double)ranks->found.waiting;
    match.figures[5] = ranks->found.shorter;
    match.figures[6] = (double)(ranks->found.straggler_count - 1);
    match.texts[0] = ranks->part;
    match.texts[1] = ranks->wait_in;
    match.path = ranks->part_path;
    int is_known = ranks->wait_in && ranks->found.waiting > 0;
    match.headline =
        !is_known ? "STRAGGLER: rank {n0} is {p1} slower in {s0} ({t2} against {t3} a step). "
                    "Without it a step is at most {p5} shorter"
        : ranks->found.waiting == 1
            ? "STRAGGLER: rank {n0} is {p1} slower in {s0} ({t2} against {t3} a step); 1 rank "
              "waits for it in {s1}. Without it a step is at most {p5} shorter"
            : "STRAGGLER: rank {n0} is {p1} slower in {s0} ({t2} against {t3} a step); {n4} ranks "
              "wait for it in {s1}. Without it a step is at most {p5} shorter";
    if (!isfinite(match.figures[1])) /* the others spend no time there */
        match.headline = "STRAGGLER: rank {n0} alone has {s0} ({t2} a step). Without it a step is "
                         "at most {p5} shorter";
    match.evidence = ranks->found.straggler_count > 1
                         ? "work of each rank against the median of the others, block by block of "
                           "the run; {n6} more ranks are slow too"
                         : "work of each rank against the median of the others, block by block of "
                           "the run";
    match.remedy = remedy_for(all, ranks->part_role);
    pit__find_add(finds, &match);
}

/* Figures: share of the step, ranks. */
static void find_rotating(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__rank_case *ranks = all->ranks;
    if (!ranks || has_hang(all) || !ranks->found.is_rotating || is_starved(ranks))
        return;
    struct pit__match match = match_of_job(all, ranks->found.wait_share);
    match.figures[0] = ranks->found.wait_share;
    match.figures[1] = (double)ranks->ranks;
    match.texts[0] = ranks->wait_in ? ranks->wait_in : "communication";
    match.headline = "ROTATING: ranks wait for {p0} of the step in {s0}, and no rank stands out: "
                     "another one is slow each time";
    match.evidence = "waiting in collectives, the mean of {n1} ranks";
    match.remedy = pit__is_training(all)
                       ? "even out the work of single steps (sequence lengths, sizes of batches), "
                         "or meet less often"
                       : "even out the work of single steps, or meet less often";
    pit__find_add(finds, &match);
}

static void find_comm_bound(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__rank_case *ranks = all->ranks;
    if (!ranks || has_hang(all) || !ranks->found.is_comm_bound || is_starved(ranks))
        return;
    struct pit__match match = match_of_job(all, ranks->found.transfer_share);
    match.figures[0] = ranks->found.transfer_share;
    match.figures[1] = ranks->found.wait_share;
    match.texts[0] = ranks->wait_in ? ranks->wait_in : "communication";
    match.headline = "COMM-BOUND: transfers take {p0} of the step, most of it in {s0}";
    match.evidence = "communication without waiting, the mean of ranks; waiting takes {p1}";
    match.remedy = pit__is_training(all)
                       ? "send less or less often (larger batches, accumulation, compression), or "
                         "overlap it with work"
                       : "send less or less often (fewer, larger messages), or overlap it with "
                         "work";
    pit__find_add(finds, &match);
}

/* Figures: ranks, processors, share. */
static void find_oversubscribed(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__rank_case *ranks = all->ranks;
    if (!ranks || has_hang(all) || !((double)ranks->sharing > ranks->processors) ||
        !is_starved(ranks))
        return;
    struct pit__match match = match_of_job(all, fmin(ranks->delayed, 1));
    match.figures[0] = (double)ranks->sharing;
    match.figures[1] = ranks->processors;
    match.figures[2] = ranks->delayed;
    match.headline =
        ranks->processors < 2
            ? "OVERSUBSCRIBED: {n0} busy ranks share one processor: each was ready to "
              "run and had none for {p2} of the time"
            : "OVERSUBSCRIBED: {n0} busy ranks share {n1} processors: each was ready to "
              "run and had none for {p2} of the time";
    match.evidence = "as the kernel counted for the ranks of one host";
    match.remedy = "start no more ranks on a machine than it has processors, with fewer threads "
                   "in each (OMP_NUM_THREADS)";
    pit__find_add(finds, &match);
}

const struct pit__rule pit__hang_rule = {
    .key = "hang", .kind = PIT__KIND_RANKS, .says_stake = 1, .find = find_hang};
const struct pit__rule pit__straggler_rule = {
    .key = "straggler", .kind = PIT__KIND_RANKS, .says_stake = 1, .find = find_straggler};
const struct pit__rule pit__rotating_rule = {
    .key = "rotating", .kind = PIT__KIND_RANKS, .says_stake = 1, .find = find_rotating};
const struct pit__rule pit__comm_bound_rule = {
    .key = "comm_bound", .kind = PIT__KIND_RANKS, .says_stake = 1, .find = find_comm_bound};
const struct pit__rule pit__ranks_oversubscribed_rule = {.key = "ranks_oversubscribed",
                                                         .kind = PIT__KIND_RANKS,
                                                         .says_stake = 1,
                                                         .find = find_oversubscribed};

int pit__is_rank_rule(const char *key)
{
    for (size_t i = 0; pit__rules[i]; i++)
        if (pit__rules[i]->kind == PIT__KIND_RANKS && strcmp(pit__rules[i]->key, key) == 0)
            return 1;
    return 0;
}
