/* A series cut into segments of constant level. */
#include "check.h"

#include "analysis/change_points.h"

#include <math.h>

static struct pit__stretch stretches[1000];
static size_t found;
static double cost;

static void cut(const double *numbers, size_t count, double penalty)
{
    REQUIRE(pit__change_points(numbers, count, penalty, stretches, &found, &cost) == 0);
}

TEST(levels_are_found_where_they_change)
{
    double numbers[60];
    for (int i = 0; i < 60; i++)
        numbers[i] = (i < 7 ? 5 : i < 40 ? 2 : 3) + 0.01 * (i % 2);
    cut(numbers, 60, 0.05);
    CHECK_INT(found, 3);
    CHECK_INT(stretches[1].start, 7);
    CHECK_INT(stretches[2].start, 40);
    CHECK_INT(stretches[2].count, 20);
    CHECK_NEAR(stretches[0].level, 5, 0.01);
    CHECK_NEAR(stretches[2].level, 3, 0.01);
}

TEST(equal_numbers_are_one_stretch_and_none_are_none)
{
    double numbers[20] = {0};
    cut(numbers, 20, 1e-12);
    CHECK_INT(found, 1);
    CHECK_INT(stretches[0].count, 20);
    cut(numbers, 0, 1);
    CHECK_INT(found, 0);
    cut(numbers, 1, 1);
    CHECK_INT(found, 1);
}

/* The least cost of all possible cuts, tried one by one. */
static double least_cost(const double *numbers, int count, double penalty)
{
    double best = INFINITY;
    for (unsigned cuts = 0; cuts < 1u << (count - 1); cuts++) {
        double all = 0;
        for (int from = 0; from < count;) {
            int to = from + 1;
            while (to < count && !(cuts & 1u << (to - 1)))
                to++;
            double mean = 0, error = 0;
            for (int i = from; i < to; i++)
                mean += numbers[i] / (to - from);
            for (int i = from; i < to; i++)
                error += (numbers[i] - mean) * (numbers[i] - mean);
            all += error + (from > 0 ? penalty : 0);
            from = to;
        }
        best = fmin(best, all);
    }
    return best;
}

TEST(no_other_cuts_are_cheaper)
{
    uint32_t state = 7;
    for (int round = 0; round < 40; round++) {
        double numbers[11], penalty = 0.02 * (1 + round % 7);
        for (int i = 0; i < 11; i++) {
            state = state * 1664525u + 1013904223u;
            numbers[i] = (double)(state >> 16) / 65536 + (i > 5 ? 0.5 : 0);
        }
        cut(numbers, 11, penalty);
        CHECK_NEAR(cost, least_cost(numbers, 11, penalty), 1e-9);
    }
}
