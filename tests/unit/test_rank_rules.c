/* The rules about ranks: which rule applies, its text, and that it comes before all others. */
#include "analysis/advice_rules.h"
#include "check.h"

#include <math.h>
#include <string.h>

enum { ROOM = 16 };

static struct pit__rank_case usual(void)
{
    return (struct pit__rank_case){.ranks = 4,
                                   .found = {.straggler = PIT__NO_RANK, .step = 28e6},
                                   .processors = 8,
                                   .sharing = 4,
                                   .delayed = 0.5,
                                   .wait_in = "backward"};
}

/* The first finding for a job with these ranks; NULL: none. */
static const struct pit__advised *first_told(const struct pit__rank_case *ranks,
                                             struct pit__told told)
{
    static struct pit__advised found[ROOM];
    static const struct pit__part part = {.name = "data_loading",
                                          .path = "data_loading",
                                          .role = PIT__ROLE_DATA,
                                          .seconds = 9,
                                          .self_seconds = 9,
                                          .count = 100,
                                          .parent = PIT__NO_PART};
    struct pit__case all = {.parts = &part,
                            .part_count = 1,
                            .total = 10,
                            .wall = 10,
                            .unit = PIT__NO_PART,
                            .slow = {.part = PIT__NO_PART},
                            .ranks = ranks,
                            .told = told,
                            .around = {.seconds = 10, .delayed = 0.9, .processors = 2}};
    int count = pit__advise(&all, found, ROOM);
    return count > 0 ? &found[0] : NULL;
}

/* The same for a program that says nothing about itself, as one in C. */
static const struct pit__advised *first(const struct pit__rank_case *ranks)
{
    return first_told(ranks, (struct pit__told){.workers = NAN});
}

TEST(a_straggler_comes_before_what_a_rank_alone_shows)
{
    struct pit__rank_case ranks = usual();
    ranks.found.straggler = 2;
    ranks.found.straggler_count = 1;
    ranks.found.waiting = 3;
    ranks.found.shorter = 0.31;
    ranks.slow = 2;
    ranks.part = ranks.part_path = "data_loading";
    ranks.part_role = PIT__ROLE_DATA;
    ranks.part_ns = 13.7e6;
    ranks.part_median_ns = 4e6;
    const struct pit__advised *found = first(&ranks);
    CHECK(found && found->rule == &pit__straggler_rule);
    CHECK(fabs(found->match.figures[1] - 2.425) < 1e-9);
    CHECK(strstr(found->match.headline, "ranks wait for it in {s1}") != NULL);
    CHECK(strstr(found->match.remedy, "worker") == NULL);
    CHECK_INT(found->match.severity, 2);
    ranks.found.waiting = 1;
    CHECK(strstr(first(&ranks)->match.headline, "1 rank waits") != NULL);
    ranks.wait_in = NULL;
    CHECK(strstr(first(&ranks)->match.headline, "wait") == NULL);
    found = first_told(&ranks, (struct pit__told){.framework = "torch", .workers = 1});
    CHECK_STR(found->match.remedy, "try more loader workers on that rank");
}

TEST(a_job_that_trains_nothing_gets_no_remedies_for_training)
{
    struct pit__rank_case ranks = usual();
    ranks.found.is_comm_bound = 1;
    ranks.found.transfer_share = 0.5;
    ranks.delayed = 0;
    CHECK(strstr(first(&ranks)->match.remedy, "batch") == NULL);
    CHECK(strstr(first_told(&ranks, (struct pit__told){.framework = "torch"})->match.remedy,
                 "batch") != NULL);
    ranks.found.is_comm_bound = 0;
    ranks.found.is_rotating = 1;
    ranks.found.wait_share = 0.5;
    CHECK(strstr(first(&ranks)->match.remedy, "batch") == NULL);
}

TEST(a_hang_silences_the_others)
{
    struct pit__rank_case ranks = usual();
    ranks.found.straggler = 0;
    ranks.found.is_comm_bound = 1;
    ranks.standstill = PIT__HANGS;
    ranks.waiting = 2;
    ranks.meeting = "MPI_Allreduce #40";
    ranks.absent = "rank 2 has not come: step > checkpoint, 1.89 s in";
    ranks.waited = 1.89;
    CHECK(first(&ranks)->rule == &pit__hang_rule);
    CHECK(strncmp(first(&ranks)->match.headline, "HANG?: {n0} of {n1} ranks have waited", 37) == 0);
    ranks.standstill = PIT__DIED;
    CHECK(strncmp(first(&ranks)->match.headline, "DIED: {s1}", 10) == 0);
}

TEST(rotating_comm_bound_and_oversubscribed_ranks)
{
    struct pit__rank_case ranks = usual();
    ranks.found.is_rotating = 1;
    ranks.found.wait_share = 0.2;
    /* they had no processor: that is the cause */
    CHECK(!pit__is_rank_rule(first(&ranks)->rule->key));
    ranks.delayed = 0.01;
    CHECK(first(&ranks)->rule == &pit__rotating_rule);
    ranks = usual();
    ranks.delayed = NAN;
    ranks.found.is_comm_bound = 1;
    ranks.found.transfer_share = 0.5;
    CHECK(first(&ranks)->rule == &pit__comm_bound_rule);
    ranks = usual();
    ranks.processors = 2;
    CHECK(first(&ranks)->rule == &pit__ranks_oversubscribed_rule);
    ranks.delayed = 0.01; /* they share processors, but rarely at the same time */
    CHECK(!pit__is_rank_rule(first(&ranks)->rule->key));
}

TEST(balanced_ranks_leave_the_word_to_other_rules)
{
    struct pit__rank_case ranks = usual();
    const struct pit__advised *found = first(&ranks);
    CHECK(found && !pit__is_rank_rule(found->rule->key));
    CHECK(pit__is_rank_rule("straggler") && pit__is_rank_rule("hang"));
}
