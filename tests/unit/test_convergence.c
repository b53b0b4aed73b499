/* When a curve reaches its threshold. */
#include "check.h"

#include "analysis/convergence.h"

#include <math.h>

TEST(the_first_epoch_at_the_threshold_counts_from_one)
{
    static const double loss[] = {0.5, 0.1, 0.01, 0.009, 0.008}, seconds[] = {2, 1, 1, 1, 1};
    struct pit__convergence found = pit__converge(loss, seconds, 5, 0.01, 0, 0);
    CHECK_INT(found.reached, 1);
    CHECK_INT(found.epoch, 3);
    CHECK_NEAR(found.seconds, 4, 0);
    CHECK_INT(found.stayed, 1);
    CHECK_INT(found.best_epoch, 5);
    CHECK_NEAR(found.last, 0.008, 0);
}

TEST(a_curve_that_leaves_again_has_not_stayed)
{
    static const double loss[] = {0.5, 0.01, 0.2, 0.005};
    struct pit__convergence found = pit__converge(loss, NULL, 4, 0.01, 0, 0);
    CHECK_INT(found.epoch, 2);
    CHECK_INT(found.stayed, 0);
    CHECK(isnan(found.seconds));
}

TEST(never_is_not_reached)
{
    static const double loss[] = {0.5, 0.4};
    struct pit__convergence found = pit__converge(loss, NULL, 2, 0.01, 0, 0);
    CHECK_INT(found.reached, 0);
    CHECK_INT(found.epoch, 0);
    CHECK(isnan(found.seconds));
    CHECK_NEAR(found.best, 0.4, 0);
    found = pit__converge(loss, NULL, 0, 0.01, 0, 0);
    CHECK(isnan(found.best) && isnan(found.last) && found.best_epoch == 0);
}

TEST(accuracy_goes_up)
{
    static const double accuracy[] = {0.2, 0.9, 0.95, 0.94};
    struct pit__convergence found = pit__converge(accuracy, NULL, 4, 0.9, 1, 0);
    CHECK_INT(found.epoch, 2);
    CHECK_INT(found.stayed, 1);
    CHECK_INT(found.best_epoch, 3);
}

TEST(smoothing_waits_for_the_mean_of_so_many)
{
    static const double loss[] = {0.5, 0.001, 0.5, 0.01, 0.01, 0.01, 0.01};
    CHECK_INT(pit__converge(loss, NULL, 7, 0.01, 0, 1).epoch, 2);
    CHECK_INT(pit__converge(loss, NULL, 7, 0.01, 0, 3).epoch, 6);
    CHECK_INT(pit__converge(loss, NULL, 7, 0.01, 0, 9).reached, 0);
}

TEST(a_value_that_is_no_number_is_worse_than_any)
{
    static const double loss[] = {NAN, 0.005, NAN, 0.004};
    struct pit__convergence found = pit__converge(loss, NULL, 4, 0.01, 0, 0);
    CHECK_INT(found.epoch, 2);
    CHECK_INT(found.stayed, 0);
    CHECK_INT(found.best_epoch, 4);
}
