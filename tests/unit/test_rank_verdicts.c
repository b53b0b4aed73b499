/* Verdicts on whole jobs: made-up runs of ranks whose processors are shared with others, as on a virtual machine. A
 * processor is slower for a quarter of a second at a time, spans vary, and some are interrupted for long: the mean
 * work of equal ranks then differs by up to a fifth. What a span takes at least is the same everywhere. */
#include "check.h"
#include "model/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, MOST_RANKS = 4, SLICES = 64 };
enum { STEP, ASSEMBLE, BACKWARD, UPDATE, RECEIVE, REDUCE, NODES };
#define SLOWER 1.3 /* a shared processor, at times */

enum { HIST_MOST = 1024, HIST_PER_OCTAVE = 32 };

static const char *const names[NODES] = {"step",   "assemble", "backward",
                                         "update", "MPI_Recv", "MPI_Allreduce"};
static const double usual[NODES] = {0, .8e6, .8e6, .4e6, 0, 0}; /* ns */

/* A rank does a tenth of a step more. */
enum kind { BALANCED, IN_ASSEMBLE, IN_BACKWARD, CHAIN, KINDS };

struct rank {
    pit_raw_node nodes[NODES];
    pit_hist_bin hist[NODES][HIST_MOST];
    uint64_t counts[NODES][HIST_MOST];
    pit_series_bin series[NODES][SLICES];
    pit_collective points[STEPS];
    pit_thread thread;
    pit_group group;
    pit_fact facts[4];
    char number[8], size[8];
    double now, speed;
};

static struct rank ranks[MOST_RANKS];
static pit_run runs[MOST_RANKS];
static const pit_run *all[MOST_RANKS];
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

/* ---- one rank ------------------------------------------------------------------------------- */

static double took(const struct rank *rank, double work)
{
    double ns = work * rank->speed * (1 + 0.03 * fabs(normal()));
    return uniform() < 0.0005 ? ns + 50e6 * uniform() : ns;
}

static void note(struct rank *rank, int node, double begin, double ns)
{
    pit_raw_node *to = &rank->nodes[node];
    uint64_t ticks = (uint64_t)ns;
    size_t bin = (size_t)(log2(fmax(ns, 1)) * HIST_PER_OCTAVE);
    size_t slice = (size_t)(begin / (2.6e6 * STEPS) * SLICES);
    pit_series_bin *at = &rank->series[node][slice < SLICES ? slice : SLICES - 1];
    if (to->count == 0 || ticks < to->min)
        to->min = ticks;
    if (ticks > to->max)
        to->max = ticks;
    to->count++;
    to->total += ticks;
    if (node != STEP)
        rank->nodes[STEP].child += ticks;
    rank->counts[node][bin < HIST_MOST ? bin : HIST_MOST - 1]++;
    at->count++;
    at->total += ticks;
}

static void work(struct rank *rank, int node, double ns)
{
    double spent = took(rank, ns);
    note(rank, node, rank->now, spent);
    rank->now += spent;
}

/* ---- a job ---------------------------------------------------------------------------------- */

/* In a chain, a step has the first part of every rank. */
static double work_in(int node, enum kind kind, size_t count, int is_slow)
{
    int in = kind == IN_BACKWARD ? BACKWARD : kind == BALANCED ? NODES : ASSEMBLE;
    double step = usual[ASSEMBLE] + usual[BACKWARD] + usual[UPDATE];
    if (kind == CHAIN)
        step += (double)(count - 1) * usual[ASSEMBLE];
    return usual[node] + (is_slow && node == in ? .1 * step : 0);
}

static void one_step(size_t count, enum kind kind, size_t slow, uint64_t seq)
{
    double began[MOST_RANKS], sent = 0, last = 0;
    for (size_t r = 0; r < count; r++) {
        struct rank *rank = &ranks[r];
        if (uniform() < 1 / 125.)
            rank->speed = rank->speed > 1 ? 1 : SLOWER;
        began[r] = rank->now;
        if (kind == CHAIN && r > 0) { /* it begins when the rank before it has sent */
            double wait = fmax(sent - rank->now, 0) + 1e3;
            note(rank, RECEIVE, rank->now, wait);
            rank->now += wait;
        }
        work(rank, ASSEMBLE, work_in(ASSEMBLE, kind, count, r == slow));
        sent = rank->now;
        work(rank, BACKWARD, work_in(BACKWARD, kind, count, r == slow));
        work(rank, UPDATE, usual[UPDATE]);
        last = fmax(last, rank->now);
    }
    double left = last + 5e3 * (1 + uniform());
    for (size_t r = 0; r < count; r++) {
        struct rank *rank = &ranks[r];
        rank->points[seq] = (pit_collective){.seq = seq,
                                             .enter_ns = (int64_t)rank->now,
                                             .duration_ns = (uint64_t)(left - rank->now),
                                             .node = REDUCE,
                                             .is_sync = 1};
        note(rank, REDUCE, rank->now, left - rank->now);
        rank->now = left;
        note(rank, STEP, began[r], left - began[r] + 1e3);
    }
}

static void finish_node(struct rank *rank, int node)
{
    pit_raw_node *to = &rank->nodes[node];
    size_t bins = 0, slices = 0;
    for (size_t i = 0; i < HIST_MOST; i++)
        if (rank->counts[node][i])
            rank->hist[node][bins++] =
                (pit_hist_bin){.low = (uint64_t)exp2((double)i / HIST_PER_OCTAVE),
                               .high = (uint64_t)exp2((double)(i + 1) / HIST_PER_OCTAVE),
                               .count = rank->counts[node][i]};
    for (size_t i = 0; i < SLICES; i++) {
        pit_series_bin bin = rank->series[node][i];
        bin.start = (uint64_t)(2.6e6 * STEPS / SLICES * (double)i);
        bin.width = (uint64_t)(2.6e6 * STEPS / SLICES);
        if (bin.count)
            rank->series[node][slices++] = bin;
    }
    to->hist = rank->hist[node];
    to->hist_count = bins;
    to->series = rank->series[node];
    to->series_count = slices;
}

static void finish_rank(size_t r, size_t count)
{
    struct rank *rank = &ranks[r];
    snprintf(rank->number, sizeof rank->number, "%zu", r);
    snprintf(rank->size, sizeof rank->size, "%zu", count);
    for (int n = 0; n < NODES; n++)
        finish_node(rank, n);
    rank->facts[0] = (pit_fact){"host", "a"};
    rank->facts[1] = (pit_fact){"rank", rank->number};
    rank->facts[2] = (pit_fact){"world_size", rank->size};
    rank->facts[3] = (pit_fact){"job", "made up"};
    rank->thread = (pit_thread){.name = "main", .nodes = rank->nodes, .node_count = NODES};
    rank->group = (pit_group){.id = 7,
                              .size = (uint32_t)count,
                              .rank = (uint32_t)r,
                              .calls = STEPS,
                              .stride = 1,
                              .points = rank->points,
                              .point_count = STEPS};
    runs[r] = (pit_run){.path = "made up",
                        .state = PIT_RUN_CLOSED,
                        .ns_per_tick = 1,
                        .facts = rank->facts,
                        .fact_count = 4,
                        .threads = &rank->thread,
                        .thread_count = 1,
                        .groups = &rank->group,
                        .group_count = 1,
                        .start_wall_ns = 1700000000000000000u,
                        .duration_ns = rank->now};
    runs[r].end_wall_ns = runs[r].start_wall_ns + (uint64_t)rank->now;
    all[r] = &runs[r];
}

static pit_ranks *run_job(size_t count, enum kind kind, size_t slow, uint64_t seed)
{
    state = seed * 2654435761u + 12345;
    memset(ranks, 0, sizeof ranks);
    for (size_t r = 0; r < count; r++) {
        for (int n = 0; n < NODES; n++) {
            ranks[r].nodes[n] = (pit_raw_node){.name = names[n],
                                               .parent = n == STEP ? PIT_NO_NODE : STEP,
                                               .is_comm = n == RECEIVE || n == REDUCE};
        }
        ranks[r].speed = uniform() < 0.5 ? 1 : SLOWER;
    }
    for (uint64_t s = 0; s < STEPS; s++)
        one_step(count, kind, slow, s);
    for (size_t r = 0; r < count; r++)
        finish_rank(r, count);
    return pit_ranks_of(all, count);
}

/* ---- verdicts ------------------------------------------------------------------------------- */

struct seen {
    int jobs, named, wrong, alarms;
    int hidden; /* jobs in which the slow rank did not have the most work by the mean */
};

static void judge(const pit_ranks *job, enum kind kind, size_t slow, struct seen *seen)
{
    int right = 0, others = 0;
    double own = 0, most = 0;
    for (size_t i = 0; i < job->count; i++) {
        const pit_rank *rank = &job->ranks[i];
        if (rank->rank == slow)
            own = rank->work_ns;
        else
            most = fmax(most, rank->work_ns);
        if (!rank->is_straggler)
            continue;
        const char *part = kind == IN_BACKWARD ? "backward" : "assemble";
        if (kind != BALANCED && rank->rank == slow && strcmp(rank->excess_in, part) == 0)
            right = 1;
        else
            others = 1;
    }
    seen->jobs++;
    seen->hidden += kind != BALANCED && own < most;
    seen->named += right && !others;
    seen->wrong += kind != BALANCED && others;
    seen->alarms += kind == BALANCED && others;
}

static struct seen run_jobs(int jobs, int is_balanced)
{
    struct seen seen = {0};
    for (int i = 0; i < jobs; i++) {
        size_t count = i % 4 == 3 ? 4 : 2 + (size_t)(i % 2);
        enum kind kind = is_balanced ? BALANCED : (enum kind)(1 + i % (KINDS - 1));
        size_t slow = kind == CHAIN ? 0 : (size_t)i % count;
        pit_ranks *job = run_job(count, kind, slow, (uint64_t)i + (is_balanced ? 500 : 0));
        REQUIRE(job != NULL);
        judge(job, kind, slow, &seen);
        pit_ranks_free(job);
    }
    return seen;
}

/* A tenth of a step more, in computing before the collective, in computing called "backward", or of a rank for
 * which all others have to wait in a chain, so that another rank arrives last. */
TEST(a_straggler_of_ten_percent_is_named_in_60_of_60_jobs_on_shared_processors)
{
    struct seen seen = run_jobs(60, 0);
    CHECK_INT(seen.named, 60);
    CHECK_INT(seen.wrong, 0);
    CHECK(seen.hidden > 0); /* else the noise is too small to matter */
}

TEST(balanced_jobs_on_shared_processors_give_one_alarm_in_40_at_most)
{
    struct seen seen = run_jobs(120, 1);
    CHECK(seen.alarms <= 3);
}
