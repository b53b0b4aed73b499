/* The span clock and the pairs that tie it to real time. */
#include "probe.h"
#include "recorder/clock.h"

TEST(the_clock_never_steps_back_on_one_thread)
{
    uint32_t counter = pit__clock_is_counter(pit__clock_get());
    uint64_t before = pit__clock_read(counter);
    for (int i = 0; i < 1000000 / probe_slowness(); i++) {
        uint64_t now = pit__clock_read(counter);
        if (now < before)
            CHECK(now >= before);
        before = now;
    }
    CHECK(before > 0);
}

TEST(the_choice_is_made_once_and_makes_sense)
{
    const struct pit__clock *clock = pit__clock_get();
    CHECK(clock == pit__clock_get());
    CHECK(clock->kind >= PIT_FMT_CLOCK_MONOTONIC && clock->kind <= PIT_FMT_CLOCK_CNTVCT);
    CHECK(clock->kind != PIT_FMT_CLOCK_MONOTONIC || clock->nominal_hz == 1000000000u);
    CHECK(clock->series_shift > 0 && clock->series_shift < 30);
}

TEST(two_pairs_give_the_rate_of_the_system_clock)
{
    /* Between two bounds, however long the test has to wait in between. */
    uint64_t outside = probe_ns();
    struct pit_fmt_pair first = pit__clock_pair();
    uint64_t inside = probe_ns();
    probe_spin(50000000);
    inside = probe_ns() - inside;
    struct pit_fmt_pair last = pit__clock_pair();
    outside = probe_ns() - outside;
    CHECK(last.ticks > first.ticks);
    double raw = (double)(last.raw_ns - first.raw_ns),
           wall = (double)(last.wall_ns - first.wall_ns);
    CHECK(raw >= (double)inside * 0.99 && raw <= (double)outside * 1.01);
    CHECK(wall >= (double)inside * 0.99 && wall <= (double)outside * 1.01);
    CHECK(first.error_ns < 1000000 && last.error_ns < 1000000);
}

TEST(the_wall_clock_of_a_pair_is_now)
{
    double before = (double)time(NULL);
    struct pit_fmt_pair pair = pit__clock_pair();
    CHECK((double)pair.wall_ns / 1e9 >= before - 1);
    CHECK((double)pair.wall_ns / 1e9 <= (double)time(NULL) + 1);
}

TEST(the_ticks_of_a_run_become_nanoseconds)
{
    double before = (double)time(NULL);
    probe_open();
    uint64_t outside = probe_ns();
    pit_token token = pit_begin_name("x");
    uint64_t inside = probe_ns();
    probe_spin(50000000);
    inside = probe_ns() - inside;
    uint64_t ns = pit_end_ns(token);
    outside = probe_ns() - outside;
    const pit_run *run = probe_read(NULL);
    double read = (double)probe_first(run, "x")->total * run->ns_per_tick;
    CHECK_NEAR(read / (double)ns, 1, 0.01);
    CHECK(read >= (double)inside * 0.99 && read <= (double)outside * 1.01);
    CHECK(run->ns_per_tick_error >= 0 && run->ns_per_tick_error < 0.01);
    CHECK((double)run->start_wall_ns / 1e9 >= before - 1);
    CHECK((double)run->start_wall_ns / 1e9 <= (double)time(NULL) + 1);
    CHECK(run->duration_ns >= read);

    /* Also by the process's own pair, without a recorder. */
    uint64_t ticks = (uint64_t)probe_first(run, "x")->total;
    CHECK_NEAR((double)pit__ticks_ns(ticks) / (double)ns, 1, 0.01);
    CHECK_INT(pit_close(), 0);
    CHECK_NEAR((double)pit__ticks_ns(ticks) / (double)ns, 1, 0.01);
    CHECK_NEAR((double)pit__clock_ns(ticks) / (double)ns, 1, 0.01);
}
