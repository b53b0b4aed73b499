/* Two ranks of DDP that also call a collective in every step: they wait inside "backward", where no hook
 * sees it. The runs are made up. */
#include "check.h"
#include "model/ranks.h"

#include <math.h>
#include <string.h>

enum { STEPS = 100, NODES = 5, MS = 1000000 };
enum { STEP, LOADING, BACKWARD, REDUCE, RECEIVE };

static pit_raw_node nodes[2][NODES];
static pit_hist_bin hists[2][NODES][2];
static pit_thread threads[2];
static pit_collective points[2][STEPS];
static pit_group groups[2];
static pit_fact facts[2][6];
static pit_run runs[2];
static const pit_run *const both[] = {&runs[0], &runs[1]};

static pit_raw_node node_of(const char *name, uint32_t parent, uint64_t ms, uint64_t child_ms)
{
    pit_raw_node node = {.name = name, .parent = parent, .count = STEPS};
    node.min = node.max = ms * MS;
    node.total = ms * MS * STEPS;
    node.child = child_ms * MS * STEPS;
    return node;
}

/* Milliseconds a step of each rank. */
static void make_rank(int r, uint64_t loading, uint64_t backward, uint64_t reduce, int is_ddp)
{
    uint64_t parts = loading + backward + reduce;
    nodes[r][STEP] = node_of("step", PIT_NO_NODE, parts + 1, parts);
    nodes[r][LOADING] = node_of("data_loading", STEP, loading, 0);
    nodes[r][BACKWARD] = node_of("backward", STEP, backward, 0);
    nodes[r][REDUCE] = node_of("all_reduce", STEP, reduce, 0);
    nodes[r][RECEIVE] = node_of("recv", STEP, 0, 0);
    nodes[r][REDUCE].is_comm = nodes[r][RECEIVE].is_comm = 1;
    threads[r] = (pit_thread){.name = "main", .nodes = nodes[r], .node_count = NODES};
    for (int i = 0; i < STEPS; i++)
        points[r][i] = (pit_collective){.seq = (uint64_t)i,
                                        .enter_ns = (int64_t)i * 20 * MS,
                                        .duration_ns = reduce * MS,
                                        .node = REDUCE,
                                        .is_sync = 1};
    groups[r] = (pit_group){.id = 7, .size = 2, .rank = (uint32_t)r, .calls = STEPS, .stride = 1};
    groups[r].points = points[r];
    groups[r].point_count = STEPS;
    facts[r][0] = (pit_fact){"host", "a"};
    facts[r][1] = (pit_fact){"rank", r ? "1" : "0"};
    facts[r][2] = (pit_fact){"world_size", "2"};
    facts[r][3] = (pit_fact){"job", "made up"};
    facts[r][4] = (pit_fact){"ddp", "1"};
    runs[r] = (pit_run){.path = "made up", .state = PIT_RUN_CLOSED, .ns_per_tick = 1};
    runs[r].facts = facts[r];
    runs[r].fact_count = is_ddp ? 5 : 4;
    runs[r].threads = &threads[r];
    runs[r].thread_count = 1;
    runs[r].groups = &groups[r];
    runs[r].group_count = 1;
    runs[r].start_wall_ns = 1700000000000000000u;
    runs[r].duration_ns = (double)((parts + 1) * MS * STEPS);
    runs[r].end_wall_ns = runs[r].start_wall_ns + (uint64_t)runs[r].duration_ns;
}

/* In its first step the rank waited for the other one inside of backward, which came late. */
static void wait_at_first(int r, uint64_t ms)
{
    for (int n = 0; n < NODES; n++) {
        pit_raw_node *node = &nodes[r][n];
        uint64_t more = n == STEP || n == BACKWARD ? ms * MS : 0;
        hists[r][n][0] = (pit_hist_bin){node->min, node->min, STEPS - 1};
        hists[r][n][1] = (pit_hist_bin){node->min + more, node->min + more, 1};
        node->hist = hists[r][n];
        node->hist_count = 2;
        node->max += more;
        node->total += more;
    }
    nodes[r][STEP].child += ms * MS;
    runs[r].duration_ns += (double)(ms * MS);
}

/* What DDP's logger says that the rank computes in backward. */
static void computes(int r, const char *ns)
{
    facts[r][5] = (pit_fact){"ddp_backward_ns", ns};
    runs[r].fact_count = 6;
}

static const pit_rank *rank_of(const pit_ranks *ranks, uint64_t number)
{
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->ranks[i].rank == number)
            return &ranks->ranks[i];
    return NULL;
}

TEST(waiting_inside_of_backward_is_no_work)
{
    make_rank(0, 4, 13, 2, 1);
    make_rank(1, 14, 3, 2, 1);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks && ranks->is_estimated && strstr(ranks->estimated_by, "DDP") != NULL);
    CHECK_STR(ranks->wait_in, "backward");
    const pit_rank *waits = rank_of(ranks, 0), *slow = rank_of(ranks, 1);
    CHECK(fabs(waits->work_ns - 5 * MS) < 1 && fabs(slow->work_ns - 15 * MS) < 1);
    CHECK(fabs(waits->wait_ns - 10 * MS) < 1 && fabs(slow->wait_ns) < 1);
    CHECK_STR(slow->excess_in, "data_loading");
    pit_ranks_free(ranks);
}

TEST(a_rank_that_came_late_leaves_the_others_in_lockstep)
{
    make_rank(0, 4, 13, 2, 1);
    make_rank(1, 14, 3, 2, 1);
    wait_at_first(0, 2000);
    wait_at_first(1, 0);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks && ranks->is_estimated);
    CHECK_STR(ranks->wait_in, "backward");
    CHECK(fabs(rank_of(ranks, 0)->work_ns - 5 * MS) < 1);
    CHECK_STR(rank_of(ranks, 1)->excess_in, "data_loading");
    pit_ranks_free(ranks);
}

/* Rank 1 computes for 12 ms more in backward; rank 0 waits there. Both take as long for it. */
TEST(a_slow_backward_computation_of_ddp_is_work_and_not_waiting)
{
    make_rank(0, 4, 15, 2, 1);
    make_rank(1, 4, 15, 2, 1);
    computes(0, "2000000");
    computes(1, "14000000");
    wait_at_first(0, 0);
    wait_at_first(1, 0);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    REQUIRE(ranks);
    const pit_rank *waits = rank_of(ranks, 0), *slow = rank_of(ranks, 1);
    CHECK(ranks->is_estimated && strstr(ranks->estimated_by, "DDP says") != NULL);
    CHECK_STR(ranks->wait_in, "backward");
    CHECK_STR(slow->excess_in, "backward");
    CHECK(fabs(slow->excess_ns - 12 * MS) < 1 && fabs(slow->median_ns - 2 * MS) < 1);
    CHECK(fabs(waits->work_ns - 7 * MS) < 1 && fabs(slow->work_ns - 19 * MS) < 1);
    CHECK(fabs(waits->wait_ns - 12 * MS) < 1 && fabs(slow->wait_ns) < 1);
    CHECK(fabs(slow->transfer_ns - 3 * MS) < 1);
    CHECK(!pit__ranks_case(ranks)->found.is_comm_bound);
    pit_ranks_free(ranks);
}

/* A stall of one of the few iterations that the logger measures; and computing that differs by a little. */
TEST(means_of_a_few_iterations_blame_nobody)
{
    static const char *const slow[] = {"60000000", "5000000"};
    for (int i = 0; i < 2; i++) {
        make_rank(0, 4, 5, 2, 1);
        make_rank(1, 4, 5, 2, 1);
        computes(0, "4000000");
        computes(1, slow[i]);
        wait_at_first(0, 0);
        wait_at_first(1, 0);
        pit_ranks *ranks = pit_ranks_of(both, 2);
        REQUIRE(ranks);
        CHECK(ranks->estimated_by == NULL || strstr(ranks->estimated_by, "DDP says") == NULL);
        CHECK(fabs(rank_of(ranks, 0)->work_ns - rank_of(ranks, 1)->work_ns) < 1);
        pit_ranks_free(ranks);
    }
}

TEST(without_ddp_backward_is_work)
{
    make_rank(0, 4, 13, 2, 0);
    make_rank(1, 14, 3, 2, 0);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks && !ranks->is_estimated);
    CHECK_STR(ranks->wait_in, "all_reduce");
    CHECK(fabs(rank_of(ranks, 0)->work_ns - 18 * MS) < 1);
    pit_ranks_free(ranks);
}

TEST(ranks_of_ddp_that_are_not_in_lockstep_compute_in_backward)
{
    make_rank(0, 4, 3, 2, 1);
    make_rank(1, 4, 13, 2, 1);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks && !ranks->is_estimated);
    CHECK(fabs(rank_of(ranks, 1)->work_ns - 18 * MS) < 1);
    CHECK_STR(rank_of(ranks, 1)->excess_in, "backward");
    pit_ranks_free(ranks);
}

/* The runs have no series, so no rank is blamed. In the second job each rank is last in every other
 * step. */
TEST(ranks_of_which_one_always_arrives_last_are_not_slow_in_turn)
{
    for (int is_in_turn = 0; is_in_turn < 2; is_in_turn++) {
        make_rank(0, 4, 6, 9, 0);
        make_rank(1, 4, 14, 1, 0);
        for (int i = 0; is_in_turn && i < STEPS; i += 2) {
            points[0][i].duration_ns = MS;
            points[1][i].duration_ns = 9 * MS;
        }
        pit_ranks *ranks = pit_ranks_of(both, 2);
        REQUIRE(ranks);
        CHECK(pit__ranks_case(ranks)->found.straggler == PIT__NO_RANK);
        CHECK(pit__ranks_case(ranks)->found.is_rotating == is_in_turn);
        pit_ranks_free(ranks);
    }
}

/* Rank 1 receives something that another one sends late, and so comes last: its own work says nothing about it. */
TEST(a_rank_that_is_last_because_it_waited_for_messages_does_not_hide_ranks_that_are_slow_in_turn)
{
    for (int has_waited = 0; has_waited < 2; has_waited++) {
        uint64_t wait = has_waited ? 6 : 0;
        make_rank(0, 4, 6, 9, 0);
        make_rank(1, 4, 14 - wait, 1, 0);
        nodes[1][RECEIVE].min = nodes[1][RECEIVE].max = wait * MS;
        nodes[1][RECEIVE].total = wait * MS * STEPS;
        nodes[1][STEP].total += wait * MS * STEPS;
        nodes[1][STEP].child += wait * MS * STEPS;
        pit_ranks *ranks = pit_ranks_of(both, 2);
        REQUIRE(ranks);
        CHECK(fabs(rank_of(ranks, 1)->last_share - 1) < 1e-9);
        CHECK(pit__ranks_case(ranks)->found.is_rotating == has_waited);
        pit_ranks_free(ranks);
    }
}
