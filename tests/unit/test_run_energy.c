/* Energy counters during runs: counted once per machine, added up over time and machines. All data are made
 * here; one tick is one nanosecond. */
#include "check.h"
#include "made_run.h"
#include "model/run_energy.h"

#include <math.h>

#define SECOND ((uint64_t)1000000000u)
#define J 1000000u

static const pit_channel rapl = {.key = "package_0_energy_j",
                                 .unit = "J",
                                 .source = "rapl",
                                 .per_unit = J,
                                 .is_counter = 1,
                                 .first = 1000 * J};

struct counted {
    pit_run run;
    pit_channel channel;
    pit_sample samples[2];
    uint64_t values[2];
};

/* A run from `begin` to `end` seconds during which the counter grew steadily from 1000 to 1000 + joules. */
static const pit_run *make(struct counted *c, double begin, double end, uint64_t joules)
{
    uint64_t length = (uint64_t)((end - begin) * 1e9);
    c->run = made_run(NULL, 0);
    c->channel = rapl;
    c->values[0] = 1000 * J;
    c->values[1] = (1000 + joules) * J;
    c->samples[0] = (pit_sample){c->run.start_ticks, &c->values[0]};
    c->samples[1] = (pit_sample){c->run.start_ticks + length, &c->values[1]};
    c->run.start_wall_ns = (uint64_t)(1e18 + begin * 1e9);
    c->run.duration_ns = (double)length;
    c->run.end_ticks = c->run.start_ticks + length;
    c->run.channels = &c->channel;
    c->run.channel_count = 1;
    c->run.samples = c->samples;
    c->run.sample_count = 2;
    c->run.sample_stride = 1;
    c->run.newest = c->samples[1];
    c->run.has_samples = 1;
    return &c->run;
}

static double sum_of(const pit_run *const *runs, size_t count, size_t *sources)
{
    struct pit__energy_source *list;
    size_t found;
    REQUIRE(pit__energy_sources(runs, count, &list, &found) == 0);
    double sum = pit__energy_sum(list, found);
    if (sources)
        *sources = found;
    free(list);
    return sum;
}

static int near(double a, double b)
{
    return fabs(a - b) < 0.01;
}

TEST(a_run_took_the_last_reading_less_the_first)
{
    struct counted a;
    const pit_run *runs[] = {make(&a, 0, 10, 500)};
    CHECK(near(sum_of(runs, 1, NULL), 500));
    CHECK(near(pit__run_power_of(runs[0]).processors, 50));
    CHECK(isnan(pit__run_power_of(runs[0]).devices));
    CHECK(near(pit__run_joules(runs[0]), 500));
}

TEST(a_run_of_an_older_version_begins_with_its_first_point)
{
    struct counted a;
    const pit_run *runs[] = {make(&a, 0, 10, 500)};
    a.channel.first = PIT_UNKNOWN;
    CHECK(near(sum_of(runs, 1, NULL), 500));
}

TEST(runs_side_by_side_count_once)
{
    struct counted a, b;
    const pit_run *runs[] = {make(&a, 0, 10, 500), make(&b, 0, 10, 500)};
    size_t sources;
    CHECK(near(sum_of(runs, 2, &sources), 500));
    CHECK_INT(sources, 1);
}

TEST(runs_that_overlap_count_each_time_once)
{
    struct counted a, b;
    const pit_run *runs[] = {make(&b, 6, 16, 1000), make(&a, 0, 10, 500)};
    CHECK(near(sum_of(runs, 2, NULL), 500 + 600)); /* of the second from 10 s on */
    const pit_run *inside[] = {make(&a, 0, 10, 500), make(&b, 2, 4, 100)};
    CHECK(near(sum_of(inside, 2, NULL), 500));
}

TEST(runs_one_after_another_and_machines_add_up)
{
    struct counted a, b;
    static const pit_fact other[] = {{"host", "another"}};
    const pit_run *runs[] = {make(&a, 0, 10, 500), make(&b, 20, 30, 300)};
    CHECK(near(sum_of(runs, 2, NULL), 800));
    make(&b, 0, 10, 300);
    b.run.facts = other;
    b.run.fact_count = 1;
    size_t sources;
    CHECK(near(sum_of(runs, 2, &sources), 800));
    CHECK_INT(sources, 2);
}

TEST(a_counter_that_was_never_read_has_no_joules)
{
    struct counted a;
    const pit_run *runs[] = {make(&a, 0, 10, 500)};
    a.values[0] = a.values[1] = PIT_UNKNOWN;
    a.channel.first = PIT_UNKNOWN;
    a.channel.missing = "energy_uj is root's alone";
    CHECK(isnan(sum_of(runs, 1, NULL)));
    CHECK(isnan(pit__run_joules(runs[0])));
}

TEST(a_run_that_is_too_short_for_its_counters_has_no_figure_to_compare)
{
    struct counted a;
    const pit_run *runs[] = {make(&a, 0, 0.01, 5)};
    CHECK(isnan(pit__run_joules(runs[0])));
}

/* ---- spans ---------------------------------------------------------------------------------- */

static pit_energy energy_of(const pit_run *const *runs, size_t count)
{
    static pit_energy energy;
    pit_tree *tree = pit_tree_build(runs, count);
    REQUIRE(tree && tree->node_count == 1 && tree->nodes[0].energy);
    energy = *tree->nodes[0].energy;
    pit_tree_free(tree);
    return energy;
}

static void add_span(struct counted *c, pit_raw_node *node, pit_thread *thread,
                     const pit_raw_energies *energies)
{
    *node = made_node("epoch", PIT_NO_NODE, energies->count, SECOND, 0);
    node->energy = energies;
    *thread = made_thread("main", node, 1);
    c->run.threads = thread;
    c->run.thread_count = 1;
}

TEST(short_spans_take_the_mean_power_of_the_run)
{
    struct counted a;
    pit_raw_node node;
    pit_thread thread;
    const pit_run *runs[] = {make(&a, 0, 10, 500)};
    pit_raw_energies energies = {3, {100 * J, 2 * SECOND, SECOND, 0}, {0, 0, 0, 0}};
    add_span(&a, &node, &thread, &energies);
    pit_energy energy = energy_of(runs, 1);
    CHECK(near(energy.joules, 100 + 50)); /* one second at 50 W */
    CHECK(near(energy.estimated_j, 50));
    CHECK(near(energy.time_ns / 1e9, 3));
    CHECK(isnan(energy.devices_j));
    a.run.has_samples = 0; /* without a sampler that power is unknown */
    CHECK(isnan(energy_of(runs, 1).joules));
}

TEST(spans_of_ranks_side_by_side_count_once_and_in_turn_add_up)
{
    struct counted a, b;
    pit_raw_node nodes[2];
    pit_thread threads[2];
    const pit_run *runs[] = {make(&a, 0, 10, 500), make(&b, 0, 10, 500)};
    pit_raw_energies longer = {2, {200 * J, 4 * SECOND, 0, 0}, {0, 0, 0, 0}};
    pit_raw_energies shorter = {2, {190 * J, 3 * SECOND, 0, 0}, {0, 0, 0, 0}};
    add_span(&a, &nodes[0], &threads[0], &shorter);
    add_span(&b, &nodes[1], &threads[1], &longer);
    CHECK(near(energy_of(runs, 2).joules, 200));
    CHECK_INT(energy_of(runs, 2).count, 2);
    b.run.start_wall_ns += 20 * SECOND;
    CHECK(near(energy_of(runs, 2).joules, 390));
    CHECK_INT(energy_of(runs, 2).count, 4);
}
