/* Phases of a timer: one after another, separate on each thread. */
#include "check.h"

#include "monitor_stage.h"

#include <pthread.h>

TEST(starting_a_phase_ends_the_open_one_and_repeats_add_up)
{
    stage_up(0);
    pit_phase_timer *timer = pit_phase_timer_new("Training");
    pit_phase_timer_end(timer); /* nothing open: nothing happens */
    for (int i = 0; i < 2; i++) {
        pit_phase_timer_start(timer, "data");
        stage_wait_seconds(1);
        pit_phase_timer_start(timer, "forward");
        stage_wait_seconds(2);
        pit_phase_timer_end(timer);
        pit_phase_timer_end(timer);
        stage_wait_seconds(10); /* between phases: counts for none */
    }
    size_t count;
    const pit_row *rows = pit_phase_timer_rows(timer, &count);
    CHECK_INT(count, 2);
    CHECK_STR(rows[0].name, "data");
    CHECK_NEAR(rows[0].seconds, 2, 1e-9);
    CHECK_NEAR(rows[1].seconds, 4, 1e-9);
    CHECK_INT(rows[1].count, 2);
    pit_phase_timer_free(timer);
}

struct shared {
    pit_phase_timer *timer;
    pthread_barrier_t both;
};

static void *other_thread(void *argument)
{
    struct shared *shared = argument;
    pit_phase_timer_end(shared->timer); /* the main thread's phase is not ours */
    pit_phase_timer_start(shared->timer, "theirs");
    pthread_barrier_wait(&shared->both); /* both are open */
    pthread_barrier_wait(&shared->both); /* 3 seconds later */
    pit_phase_timer_end(shared->timer);
    return NULL;
}

TEST(each_thread_has_its_own_open_phase)
{
    stage_up(0);
    stage_record();
    struct shared shared = {.timer = pit_phase_timer_new("Work")};
    pthread_t thread;
    pthread_barrier_init(&shared.both, NULL, 2);
    pit_phase_timer_start(shared.timer, "ours");
    stage_wait_seconds(4);
    REQUIRE(pthread_create(&thread, NULL, other_thread, &shared) == 0);
    pthread_barrier_wait(&shared.both);
    stage_wait_seconds(3);
    pthread_barrier_wait(&shared.both);
    pthread_join(thread, NULL);
    pit_phase_timer_end(shared.timer);
    size_t count;
    const pit_row *rows = pit_phase_timer_rows(shared.timer, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(stage_row(rows, count, "ours")->seconds, 7, 1e-9);
    CHECK_NEAR(stage_row(rows, count, "theirs")->seconds, 3, 1e-9);
    CHECK_INT(stage_misuse(), 0);
    pit_phase_timer_free(shared.timer);
}

TEST(phases_are_spans_below_the_timers_name)
{
    stage_up(0);
    stage_record();
    pit_phase_timer *timer = pit_phase_timer_new("Training");
    pit_phase_timer_start(timer, "forward");
    pit_phase_timer_start(timer, "backward");
    pit_phase_timer_end(timer);
    pit_phase_timer_start(timer, "forward");
    pit_phase_timer_free(timer); /* ends what is open */
    CHECK_INT(stage_spans("Training"), 2);
    CHECK_INT(stage_spans("Training/forward"), 2);
    CHECK_INT(stage_spans("Training/backward"), 1);
    CHECK_INT(stage_misuse(), 0);
}

TEST(the_breakdown_is_that_of_the_utilities)
{
    stage_up(0);
    pit_phase_timer *timer = pit_phase_timer_new("Training");
    pit_phase_timer_start(timer, "data_loading");
    stage_wait_seconds(1.76);
    pit_phase_timer_start(timer, "forward_pass");
    stage_wait_seconds(8.34);
    pit_phase_timer_start(timer, "backward_pass");
    stage_wait_seconds(12.45);
    pit_phase_timer_end(timer);
    pit_phase_timer_print(timer);
    CHECK_STR(stage_text(), "Training - Detailed Breakdown:\n"
                            "----------------------------------------\n"
                            "  backward_pass       :    12.45s ( 55.2%)\n"
                            "  forward_pass        :     8.34s ( 37.0%)\n"
                            "  data_loading        :     1.76s (  7.8%)\n"
                            "----------------------------------------\n");
    pit_phase_timer_free(timer);
}

TEST(no_object_no_name_no_harm)
{
    size_t count = 3;
    pit_phase_timer_start(NULL, "x");
    pit_phase_timer_end(NULL);
    pit_phase_timer_print(NULL);
    CHECK(pit_phase_timer_rows(NULL, &count) == NULL && count == 0);
    pit_phase_timer *timer = pit_phase_timer_new(NULL);
    pit_phase_timer_start(timer, NULL);
    CHECK(pit_phase_timer_rows(timer, &count) == NULL && count == 0);
    pit_phase_timer_free(timer);
    pit_phase_timer_free(NULL);
}

TEST(an_open_phase_is_shown_as_open)
{
    stage_up(0);
    pit_phase_timer *timer = pit_phase_timer_new("Training");
    pit_phase_timer_start(timer, "load");
    stage_wait_seconds(1);
    pit_phase_timer_start(timer, "load");
    stage_wait_seconds(3);
    pit_phase_timer_print(timer);
    CHECK_STR(stage_text(), "Training - Detailed Breakdown:\n"
                            "----------------------------------------\n"
                            "  load (open)         :     3.00s ( 75.0%)\n"
                            "  load                :     1.00s ( 25.0%)\n"
                            "----------------------------------------\n");
    pit_phase_timer_end(timer);
    size_t count;
    CHECK_NEAR(pit_phase_timer_rows(timer, &count)->seconds, 4, 1e-9);
    pit_phase_timer_free(timer);
}

TEST(a_row_below_a_millisecond_keeps_three_digits)
{
    pit_row rows[] = {{.name = "a", .seconds = 0.000412}, {.name = "b", .seconds = 0.0000041}};
    pit_data data = {.title = "x", .rows = rows, .row_count = 2};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    REQUIRE(out != NULL);
    CHECK_INT(pit_view_print(out, "breakdown", &data, NULL), 0);
    fclose(out);
    CHECK(strstr(text, ":   0.000412s (") != NULL);
    CHECK(strstr(text, ": 0.00000410s (") != NULL);
    free(text);
}
