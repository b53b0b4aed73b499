/* What the host of a virtual machine took from a run. */
#include "check.h"

#include "model/run_stolen.h"
#include "sampled_run.h"

#include <math.h>

#define SECOND ((uint64_t)1000000000u)
#define MS ((uint64_t)1000000u)

/* The share of ten seconds, of a machine that was up before. */
static double share_of(const uint64_t grown[KEYS])
{
    static uint64_t first[KEYS], last[KEYS];
    static pit_sample two[2];
    for (int i = 0; i < KEYS; i++) {
        first[i] = 77 * SECOND;
        last[i] = grown[i] == PIT_UNKNOWN ? PIT_UNKNOWN : first[i] + grown[i];
    }
    two[0] = (pit_sample){1000, first};
    two[1] = (pit_sample){1000 + 10 * SECOND, last};
    pit_run run = sampled_run(two, 2);
    return pit__stolen_share(&run);
}

TEST(a_thread_that_is_alone_lost_what_the_machine_lost)
{
    uint64_t grown[KEYS] = {7 * SECOND, 0, 3 * SECOND, 7 * SECOND};
    CHECK(fabs(share_of(grown) - 0.3) < 1e-9);
}

TEST(a_thread_lost_its_part_of_what_the_machine_lost)
{
    /* two processors: the other one did other work, and lost as much */
    uint64_t grown[KEYS] = {8 * SECOND, 0, 4 * SECOND, 16 * SECOND};
    CHECK(fabs(share_of(grown) - 0.2) < 1e-9);
    grown[MAIN] = 1 * SECOND; /* it mostly slept */
    CHECK(fabs(share_of(grown) - 0.025) < 1e-9);
}

TEST(a_thread_loses_no_more_than_the_time_in_which_it_neither_ran_nor_was_ready)
{
    /* a kernel that counts stolen time as run time too */
    uint64_t grown[KEYS] = {8 * SECOND, 1900 * MS, 4 * SECOND, 8 * SECOND};
    CHECK(fabs(share_of(grown) - 0.01) < 1e-9);
    grown[DELAY] = 2500 * MS; /* readings are not made at the same moment */
    CHECK(share_of(grown) == 0);
}

TEST(the_machines_figures_may_lag_behind_those_of_the_thread)
{
    uint64_t grown[KEYS] = {5 * SECOND, 0, 10 * MS, 0};
    CHECK(fabs(share_of(grown) - 0.001) < 1e-9);
}

TEST(what_is_not_counted_is_not_known)
{
    uint64_t grown[KEYS] = {8 * SECOND, 0, PIT_UNKNOWN, 8 * SECOND};
    CHECK(isnan(share_of(grown)));
    grown[STOLEN] = SECOND;
    grown[DELAY] = PIT_UNKNOWN;
    CHECK(isnan(share_of(grown)));
}
