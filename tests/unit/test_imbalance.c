/* Which rank makes the others wait, on made-up jobs: in each step the ranks work, then meet in a collective
 * that no rank leaves before all have arrived. The noise is like that of real machines: each part varies on
 * each rank independently, slowly (autocorrelated), and with rare stalls. */
#include "analysis/imbalance.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DATA, FORWARD, BACKWARD, OPTIMIZER, REDUCE, PARTS };
enum { MOST_RANKS = 8, SLICES = 64, STEPS_A_SLICE = 10 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

struct job {
    size_t ranks;
    double own[MOST_RANKS * PARTS], step[MOST_RANKS], waited[MOST_RANKS];
    double course[MOST_RANKS * SLICES];
    struct pit__rank_figures figures[MOST_RANKS];
    struct pit__imbalance out;
};

struct plan {
    size_t ranks;
    size_t slow_rank, slow_part; /* PIT__NO_RANK: none */
    double slow_ns;
    int rotates; /* a different rank is slow in each step */
    int has_waits;
    double pause_ns; /* every rank waits this long in each step, for other reasons */
};

static const double usual[PARTS] = {20e6, 30e6, 45e6, 5e6, 0};

/* The work of a rank in a step, by parts; drift is its own slow noise. */
static double work_of(const struct plan *plan, size_t rank, size_t step, double drift, double *own)
{
    double work = 0;
    for (size_t p = 0; p < REDUCE; p++) {
        double took = usual[p] * (1 + 0.02 * normal() + drift);
        if (uniform() < 0.002)
            took += 20e6 * uniform();
        int is_slow = p == plan->slow_part &&
                      (plan->rotates ? step % plan->ranks == rank : rank == plan->slow_rank);
        took += is_slow ? plan->slow_ns : 0;
        own[p] += took;
        work += took;
    }
    return work;
}

static void run_job(const struct plan *plan, uint64_t seed, struct job *job)
{
    static const unsigned char is_comm[PARTS] = {[REDUCE] = 1};
    double drift[MOST_RANKS] = {0}, steps = SLICES * STEPS_A_SLICE;
    state = seed * 2654435761u + 1;
    memset(job, 0, sizeof *job);
    job->ranks = plan->ranks;
    for (size_t s = 0; s < SLICES * STEPS_A_SLICE; s++) {
        double work[MOST_RANKS], most = 0, transfer = 10e6 * (1 + 0.05 * fabs(normal()));
        for (size_t r = 0; r < plan->ranks; r++) {
            drift[r] = 0.9 * drift[r] + 0.01 * normal();
            work[r] = work_of(plan, r, s, drift[r], &job->own[r * PARTS]);
            most = fmax(most, work[r]);
        }
        for (size_t r = 0; r < plan->ranks; r++) {
            double waited = most - work[r] + plan->pause_ns;
            job->own[r * PARTS + REDUCE] += waited + transfer;
            job->waited[r] += waited / steps;
            job->step[r] += (most + plan->pause_ns + transfer) / steps;
            job->course[r * SLICES + s / STEPS_A_SLICE] += work[r] / STEPS_A_SLICE;
        }
    }
    for (size_t i = 0; i < plan->ranks * PARTS; i++)
        job->own[i] /= steps;
    struct pit__rank_parts in = {.ranks = plan->ranks,
                                 .parts = PARTS,
                                 .slices = SLICES,
                                 .own = job->own,
                                 .is_comm = is_comm,
                                 .step = job->step,
                                 .waited = plan->has_waits ? job->waited : NULL,
                                 .course = job->course};
    CHECK_INT(pit__imbalance_find(&in, job->figures, &job->out), 0);
}

TEST(a_straggler_of_ten_percent_is_named_with_its_part_in_20_of_20)
{
    static const size_t ranks[] = {2, 3, 4, 8};
    static struct job job;
    int right = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct plan plan = {.ranks = ranks[seed % 4],
                            .slow_rank = seed % ranks[seed % 4],
                            .slow_part = seed % REDUCE,
                            .slow_ns = 11e6, /* of a step of 110 ms */
                            .has_waits = seed % 2 == 0};
        run_job(&plan, seed, &job);
        right += job.out.straggler == plan.slow_rank && job.out.straggler_count == 1 &&
                 job.figures[plan.slow_rank].part == plan.slow_part;
    }
    CHECK_INT(right, 20);
}

TEST(forty_balanced_jobs_give_one_alarm_at_most)
{
    static const size_t ranks[] = {2, 3, 4, 8};
    static struct job job;
    int alarms = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct plan plan = {.ranks = ranks[seed % 4],
                            .slow_rank = PIT__NO_RANK,
                            .slow_part = PIT__NO_RANK,
                            .has_waits = seed % 2 == 0};
        run_job(&plan, 1000 + seed, &job);
        alarms += job.out.straggler != PIT__NO_RANK || job.out.is_rotating || job.out.is_comm_bound;
    }
    CHECK(alarms <= 1);
}

TEST(a_slow_backward_computation_is_work_and_not_waiting)
{
    static struct job job;
    struct plan plan = {.ranks = 4, .slow_rank = 2, .slow_part = BACKWARD, .slow_ns = 30e6};
    run_job(&plan, 7, &job);
    CHECK_INT(job.out.straggler, 2);
    CHECK_INT(job.figures[2].part, BACKWARD);
    CHECK(fabs(job.figures[2].over - 30e6) < 1.5e6);
    CHECK(job.figures[2].wait < 1e6);
    CHECK(job.figures[0].wait > 27e6 && job.figures[0].wait < 33e6);
    CHECK_INT(job.out.waiting, 3);
}

TEST(a_straggler_that_waits_too_does_not_wait_for_itself)
{
    static struct job job;
    struct plan plan = {.ranks = 2,
                        .slow_rank = 1,
                        .slow_part = 0,
                        .slow_ns = 30e6,
                        .has_waits = 1,
                        .pause_ns = 20e6};
    run_job(&plan, 11, &job);
    CHECK_INT(job.out.straggler, 1);
    CHECK(job.figures[1].wait > 15e6);
    CHECK_INT(job.out.waiting, 1);
}

TEST(who_is_late_because_it_waited_for_another_is_not_blamed)
{
    /* rank 0 is slow; rank 1 receives from it and arrives at the collective last, after waiting */
    enum { WORK, RECEIVE, ALL_REDUCE, KINDS };
    static const unsigned char is_comm[KINDS] = {0, 1, 1};
    static double own[4 * KINDS], step[4], course[4 * SLICES];
    struct pit__rank_figures figures[4];
    struct pit__imbalance out;
    state = 3;
    for (size_t s = 0; s < SLICES; s++) {
        double work[4];
        for (size_t r = 0; r < 4; r++)
            work[r] = (r == 0 ? 60e6 : 40e6) * (1 + 0.02 * normal());
        double came = work[0] + work[1]; /* rank 1 works after it has received */
        for (size_t r = 0; r < 4; r++) {
            double received = r == 1 ? work[0] : 0;
            own[r * KINDS + WORK] += work[r] / SLICES;
            own[r * KINDS + RECEIVE] += received / SLICES;
            own[r * KINDS + ALL_REDUCE] += (came - work[r] - received + 1e6) / SLICES;
            step[r] += (came + 1e6) / SLICES;
            course[r * SLICES + s] = work[r];
        }
    }
    struct pit__rank_parts in = {.ranks = 4,
                                 .parts = KINDS,
                                 .slices = SLICES,
                                 .own = own,
                                 .is_comm = is_comm,
                                 .step = step,
                                 .course = course};
    CHECK_INT(pit__imbalance_find(&in, figures, &out), 0);
    CHECK_INT(out.straggler, 0);
    CHECK_INT(out.straggler_count, 1);
    CHECK_INT(figures[1].is_straggler, 0);
}

TEST(a_difference_that_is_real_and_small_is_no_straggler)
{
    static struct job job;
    struct plan plan = {
        .ranks = 2, .slow_rank = 1, .slow_part = FORWARD, .slow_ns = 3.3e6}; /* 3 % */
    run_job(&plan, 5, &job);
    CHECK(job.out.straggler == PIT__NO_RANK);
    CHECK(job.figures[1].excess > 2e6 && job.figures[0].excess < -2e6);
}

TEST(a_few_long_stalls_are_no_straggler)
{
    /* three of 64 slices are four times as long: the mean is 14 % higher, but the rank is not slow */
    static const unsigned char is_comm[1];
    static double own[3], step[3], course[3 * SLICES];
    struct pit__rank_figures figures[3];
    struct pit__imbalance out;
    state = 9;
    for (size_t r = 0; r < 3; r++) {
        for (size_t s = 0; s < SLICES; s++) {
            int is_stall = r == 2 && (s == 20 || s == 21 || s == 40);
            course[r * SLICES + s] = 100e6 * (1 + 0.02 * normal()) * (is_stall ? 4 : 1);
            own[r] += course[r * SLICES + s] / SLICES;
        }
        step[r] = own[r];
    }
    struct pit__rank_parts in = {.ranks = 3,
                                 .parts = 1,
                                 .slices = SLICES,
                                 .own = own,
                                 .is_comm = is_comm,
                                 .step = step,
                                 .course = course};
    CHECK_INT(pit__imbalance_find(&in, figures, &out), 0);
    CHECK(figures[2].excess > PIT__STRAGGLER_LEAST * out.step);
    CHECK(out.straggler == PIT__NO_RANK);
}

TEST(slow_ranks_that_change_are_rotating_and_nobody_is_blamed)
{
    static struct job job;
    struct plan plan = {
        .ranks = 4, .slow_part = DATA, .slow_ns = 40e6, .rotates = 1, .has_waits = 1};
    run_job(&plan, 11, &job);
    CHECK(job.out.straggler == PIT__NO_RANK);
    CHECK(job.out.is_rotating);
}

TEST(efficiency_is_balance_times_communication)
{
    static const unsigned char is_comm[2] = {0, 1};
    static const double own[] = {15.2, 12.8, 6.4, 21.6, 6.4, 21.6, 6.4, 21.6};
    static const double step[] = {28, 28, 28, 28};
    struct pit__rank_figures figures[4];
    struct pit__imbalance out;
    struct pit__rank_parts in = {
        .ranks = 4, .parts = 2, .own = own, .is_comm = is_comm, .step = step};
    CHECK_INT(pit__imbalance_find(&in, figures, &out), 0);
    CHECK(fabs(out.balance - 34.4 / 4 / 15.2) < 1e-9);
    CHECK(fabs(out.communication - 15.2 / 28) < 1e-9);
    CHECK(fabs(out.efficiency - out.balance * out.communication) < 1e-12);
    CHECK(out.straggler == PIT__NO_RANK); /* 242 %, but no course that shows that it is real */
    CHECK_INT(out.is_comm_bound, 1);
    CHECK(fabs(figures[1].wait - 8.8) < 1e-9 && fabs(figures[1].transfer - 12.8) < 1e-9);
}

TEST(waiting_in_a_collective_is_what_is_over_the_shortest_stay)
{
    struct pit__meeting calls[] = {
        {7, 0, 0, 10},  {7, 0, 1, 4}, {7, 0, 2, 6},               /* rank 1 was last */
        {7, 2, 0, 3},   {7, 2, 1, 9}, {9, 0, 0, 5}, {9, 0, 2, 8}, /* another group */
        {7, 4, 2, 100},                                           /* no other rank kept it */
    };
    struct pit__meetings out[3];
    pit__meetings_find(calls, sizeof calls / sizeof calls[0], out, 3);
    CHECK(fabs(out[0].wait - 6) < 1e-12 && fabs(out[1].wait - 6) < 1e-12 &&
          fabs(out[2].wait - 5) < 1e-12);
    CHECK_INT(out[0].counted, 3);
    CHECK_INT(out[1].counted, 2);
    CHECK_INT(out[2].counted, 2);
    CHECK_INT(out[0].last, 2);
    CHECK_INT(out[1].last, 1);
    CHECK_INT(out[2].last, 0);
}

TEST(a_rank_with_a_few_interrupted_spans_is_not_mostly_slow)
{
    double room[4];
    double even[] = {577e3, 563e3, 580e3, NAN}, slow[] = {577e3, 705e3, 563e3, 570e3};
    for (size_t r = 0; r < 4; r++)
        CHECK(!pit__is_mostly_slow(even, 4, r, room));
    for (size_t r = 0; r < 4; r++)
        CHECK_INT(pit__is_mostly_slow(slow, 4, r, room), r == 1);
    CHECK(pit__is_mostly_slow((double[]){NAN, 5}, 2, 1, room)); /* it alone has the part */
}

static const double *delays; /* of the two ranks of judge; NULL: not known */

/* Two ranks with three parts and a collective; their times in a step, and those by the shortest span and by p10. */
static void judge(const double *work, const double *least, const double *p10, double steps,
                  struct pit__rank_figures *figures, struct pit__imbalance *out)
{
    static const unsigned char is_comm[4] = {0, 0, 0, 1};
    double step[2] = {2e6, 2e6}, own[8], course[2 * SLICES];
    memcpy(own, work, sizeof own);
    for (size_t r = 0; r < 2; r++) {
        double sum = own[4 * r] + own[4 * r + 1] + own[4 * r + 2];
        own[4 * r + 3] = step[r] - sum;
        for (size_t s = 0; s < SLICES; s++)
            course[r * SLICES + s] = sum + (double)(s % 3);
    }
    struct pit__rank_parts in = {.ranks = 2,
                                 .parts = 4,
                                 .slices = SLICES,
                                 .own = own,
                                 .least = least,
                                 .p10 = p10,
                                 .steps = steps,
                                 .is_comm = is_comm,
                                 .step = step,
                                 .course = course,
                                 .delayed = delays};
    REQUIRE(pit__imbalance_find(&in, figures, out) == 0);
}

/* Rank 1 does a quarter more in the first part; rank 0 was disturbed in the others, so their means are close. */
TEST(a_rank_whose_spans_are_all_longer_is_named_though_means_are_close)
{
    static const double own[] = {.66e6, .65e6, .37e6, 0, .75e6, .62e6, .33e6, 0};
    static const double least[] = {.534e6, .534e6, .267e6, NAN, .668e6, .534e6, .267e6, NAN};
    static const double p10[] = {.60e6, .62e6, .30e6, NAN, .72e6, .60e6, .30e6, NAN};
    static const double exchanged[] = {.534e6, .668e6, .267e6, NAN, .668e6, .534e6, .267e6, NAN};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, least, p10, 1000, figures, &out);
    CHECK(out.straggler == 1 && figures[1].part == 0);
    judge(own, least, least, 1e6, figures, &out); /* a long run */
    CHECK(out.straggler == 1 && figures[1].part == 0);
    judge(own, exchanged, p10, 1000, figures, &out); /* less in another part: no more in all */
    CHECK(out.straggler == PIT__NO_RANK);
    judge(own, NULL, NULL, 1000, figures, &out);
    CHECK(out.straggler == PIT__NO_RANK);
}

TEST(a_rank_that_was_slower_in_all_parts_of_a_short_run_was_disturbed)
{
    static const double own[] = {.60e6, .60e6, .30e6, 0, .72e6, .73e6, .36e6, 0};
    static const double least[] = {.534e6, .534e6, .267e6, NAN, .534e6, .534e6, .267e6, NAN};
    static const double slower[] = {.534e6, .534e6, .267e6, NAN, .640e6, .640e6, .320e6, NAN};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, least, own, 1000, figures, &out);
    CHECK(out.straggler == PIT__NO_RANK);
    judge(own, least, own, 1e5, figures, &out); /* for minutes: its machine is slow */
    CHECK(out.straggler == 1);
    judge(own, slower, own, 1000, figures, &out); /* no span is as short as those of the other */
    CHECK(out.straggler == 1);
}

/* As measured: equal ranks on two halves of one processor, of which the last is slowed down by the one that waits. */
TEST(a_rank_that_was_slower_in_one_part_of_a_short_run_was_disturbed_unless_by_much)
{
    static const double own[] = {.771e6, .801e6, .413e6, 0, .801e6, .783e6, .541e6, 0};
    static const double much[] = {.60e6, .60e6, .20e6, 0, .60e6, .60e6, .75e6, 0};
    static const double least[] = {.741e6, .741e6, .370e6, NAN, .741e6, .741e6, .370e6, NAN};
    static const double low[] = {.534e6, .534e6, .150e6, NAN, .534e6, .534e6, .150e6, NAN};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, least, least, 1000, figures, &out);
    CHECK(figures[1].part == 2 && figures[1].excess >= PIT__STRAGGLER_LEAST * out.step);
    CHECK(out.straggler == PIT__NO_RANK);
    judge(own, least, least, 1e5, figures, &out); /* for minutes */
    CHECK(out.straggler == 1);
    judge(much, low, low, 1000, figures, &out);
    CHECK(out.straggler == 1);
}

/* Rank 1 does a quarter more in the first part. Rank 0 was disturbed so much that its mean work is more, and rank 1
 * was disturbed in its second part, which by the means is the one that stands out. */
TEST(a_rank_that_does_more_each_time_is_named_though_another_was_disturbed_more)
{
    static const double own[] = {.74e6, .65e6, .45e6, 0, .75e6, .78e6, .29e6, 0};
    static const double least[] = {.534e6, .534e6, .267e6, NAN, .668e6, .534e6, .267e6, NAN};
    static const double p10[] = {.62e6, .60e6, .30e6, NAN, .74e6, .60e6, .28e6, NAN};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, least, p10, 1000, figures, &out);
    CHECK(figures[1].excess < 0);
    CHECK(out.straggler == 1 && out.straggler_count == 1 && figures[1].part == 0);
    CHECK(fabs(figures[1].over - .12e6) < 1 && fabs(figures[1].part_median - .62e6) < 1);
    CHECK(fabs(out.shorter - .134 / 2) < 1e-9);
}

TEST(a_rank_that_is_behind_for_want_of_a_processor_is_starved)
{
    static const double own[] = {.60e6, .60e6, .30e6, 0, .80e6, .70e6, .40e6, 0};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, own, own, 1e5, figures, &out);
    CHECK(out.straggler == 1 && out.starved == PIT__NO_RANK);
    delays = (const double[]){0.01, 0.20}; /* of the step of 2 ms: all of the 0.4 ms */
    judge(own, own, own, 1e5, figures, &out);
    CHECK(out.straggler == PIT__NO_RANK && out.straggler_count == 0 && out.starved == 1);
    CHECK_INT(out.waiting, 1);
    CHECK(!out.is_rotating);
    delays = (const double[]){0.01, 0.09}; /* half of it */
    judge(own, own, own, 1e5, figures, &out);
    CHECK(out.straggler == 1 && out.starved == PIT__NO_RANK);
    delays = (const double[]){0.20, 0.20}; /* both */
    judge(own, own, own, 1e5, figures, &out);
    CHECK(out.straggler == 1);
    delays = (const double[]){NAN, 0.20};
    judge(own, own, own, 1e5, figures, &out);
    CHECK(out.straggler == 1);
    delays = NULL;
}

TEST(who_waits_for_half_of_what_the_slow_rank_is_behind_waits_for_it)
{
    static const double own[] = {.66e6, .65e6, .37e6, 0, .76e6, .65e6, .34e6, 0};
    static const double least[] = {.534e6, .534e6, .267e6, NAN, .668e6, .534e6, .267e6, NAN};
    struct pit__rank_figures figures[2];
    struct pit__imbalance out;
    judge(own, least, least, 1000, figures, &out);
    CHECK(out.straggler == 1);
    CHECK(figures[0].wait < PIT__STRAGGLER_LEAST * out.step);
    CHECK_INT(out.waiting, 1);
}
