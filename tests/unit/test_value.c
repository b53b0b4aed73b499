/* Named values over time: the kept points against a plain computation. */
#include "probe.h"

#include <math.h>
#include <pthread.h>

/* The n-th value of the tests: exact in a double, like any sum of them here. */
static double nth(uint64_t n)
{
    return (double)((n * 2654435761u) % 1000003u) - 500000.0;
}

static void check_point(const pit_point *point, uint64_t first, uint64_t count)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (uint64_t i = first; i < first + count; i++) {
        sum += nth(i);
        least = fmin(least, nth(i));
        most = fmax(most, nth(i));
    }
    CHECK_INT(point->values, count);
    CHECK_NEAR(point->mean, sum / (double)count, 0);
    CHECK_NEAR(point->min, least, 0);
    CHECK_NEAR(point->max, most, 0);
}

static void check_values(uint64_t count)
{
    probe_open();
    for (uint64_t i = 0; i < count; i++)
        pit_value("loss", nth(i));
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->threads[0].value_count == 1);
    const pit_raw_value *value = &run->threads[0].values[0];
    CHECK_STR(value->name, "loss");
    CHECK_INT(value->count, count);
    CHECK_NEAR(value->last, nth(count - 1), 0);
    uint64_t stride = 1;
    while (stride * 512 < count)
        stride *= 2;
    CHECK_INT(value->point_count, (count + stride - 1) / stride);
    uint64_t at = 0;
    for (size_t i = 0; i < value->point_count && check_failures < 10; i++) {
        check_point(&value->points[i], at, count - at < stride ? count - at : stride);
        if (i)
            CHECK(value->points[i].ticks >= value->points[i - 1].ticks);
        at += value->points[i].values;
    }
    CHECK_INT(at, count);
    CHECK(value->points[0].ticks >= run->start_ticks);
}

TEST(one_value_is_one_point)
{
    check_values(1);
}
TEST(values_one_short_of_full_are_points_of_one)
{
    check_values(511);
}
TEST(values_that_just_fill_are_points_of_one)
{
    check_values(512);
}
TEST(one_value_more_folds_pairs)
{
    check_values(513);
}
TEST(an_uneven_number_of_values_keeps_its_last_short_point)
{
    check_values(1023);
}
TEST(a_second_fold_is_exact)
{
    check_values(1025);
}
TEST(a_hundred_thousand_values_fold_exactly)
{
    check_values(100000 / (uint64_t)probe_slowness());
}

TEST(nan_and_infinities_are_kept_as_they_are)
{
    probe_open();
    const double odd[] = {1, NAN, INFINITY, -INFINITY, -0.0, 2};
    for (int i = 0; i < 6; i++)
        pit_value("odd", odd[i]);
    const pit_raw_value *value = &probe_read(NULL)->threads[0].values[0];
    REQUIRE(value->point_count == 6);
    CHECK_NEAR(value->points[0].mean, 1, 0);
    CHECK(isnan(value->points[1].mean) && isnan(value->points[1].min));
    CHECK(value->points[2].mean == INFINITY && value->points[2].max == INFINITY);
    CHECK(value->points[3].mean == -INFINITY && value->points[3].min == -INFINITY);
    CHECK(signbit(value->points[4].mean));
    CHECK_NEAR(value->last, 2, 0);
}

TEST(a_nan_shows_in_the_mean_of_its_folded_point_and_in_no_other)
{
    probe_open();
    for (int i = 0; i < 600; i++)
        pit_value("v", i == 100 ? NAN : i == 200 ? INFINITY : 1.0);
    const pit_raw_value *value = &probe_read(NULL)->threads[0].values[0];
    REQUIRE(value->point_count == 300);
    for (size_t i = 0; i < 300; i++) {
        CHECK(isnan(value->points[i].mean) == (i == 50));
        CHECK(isinf(value->points[i].mean) == (i == 100));
        CHECK(isinf(value->points[i].max) == (i == 100));
    }
}

TEST(a_newest_nan_is_the_last_value)
{
    probe_open();
    pit_value("loss", 1);
    pit_value("loss", NAN);
    CHECK(isnan(probe_read(NULL)->threads[0].values[0].last));
}

static void *add_values(void *arg)
{
    (void)arg;
    for (int i = 0; i < 1000; i++)
        pit_value("shared", 1);
    return NULL;
}

TEST(each_thread_keeps_its_own_course_of_a_value)
{
    probe_open();
    pthread_t threads[3];
    add_values(NULL);
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, add_values, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    const pit_run *run = probe_read(NULL);
    uint64_t count = 0;
    for (size_t i = 0; i < run->thread_count; i++)
        for (size_t k = 0; k < run->threads[i].value_count; k++)
            count += run->threads[i].values[k].count;
    CHECK_INT(count, 4000);
}

TEST(values_need_no_span_and_many_names_are_kept_apart)
{
    probe_open();
    char name[32];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "value %d", i);
            pit_value(name, i + round);
        }
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->threads[0].value_count == 40);
    for (size_t i = 0; i < 40; i++) {
        CHECK_INT(run->threads[0].values[i].count, 3);
        CHECK_NEAR(run->threads[0].values[i].last, (double)i + 2, 0);
    }
}

TEST(values_without_room_are_counted)
{
    probe_open_with(0, 4u << 20);
    char name[32];
    for (int i = 0; i < 400; i++) { /* a value has a block of 32 kB */
        snprintf(name, sizeof name, "value %d", i);
        pit_value(name, 1);
    }
    const pit_run *run = probe_read(NULL);
    CHECK(run->threads[0].value_count > 100);
    CHECK(run->losses.values_lost > 0);
    CHECK_INT(run->threads[0].value_count + run->losses.values_lost, 400);
}
