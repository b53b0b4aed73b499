/* Epochs and batches: the lines, the statistics, the settings. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>

static void batch(pit_epoch_monitor *monitor, uint64_t number, double seconds, const double *loss)
{
    pit_epoch_batch_begin(monitor, number);
    stage_wait_seconds(seconds);
    pit_epoch_batch_end(monitor, number, loss);
}

/* The epoch of the document's sample: 23 batches. */
static void sample_epoch(pit_epoch_monitor *monitor)
{
    double losses[] = {0.009458, 0.016763};
    stage_device_up();
    stage_device_hold(2880);
    stage_device_hold(23.1);
    stage.reserved = (uint64_t)(3236 * STAGE_MB);
    pit_epoch_begin(monitor);
    stage.rss = (uint64_t)(1648.9 * STAGE_MB);
    batch(monitor, 0, 0.538, &losses[0]);
    stage.rss = (uint64_t)(1659.6 * STAGE_MB);
    batch(monitor, 1, 0.185, &losses[1]);
    batch(monitor, 2, 0.082, NULL);
    for (uint64_t i = 3; i < 23; i++)
        batch(monitor, i, 0.1909, NULL);
    stage_wait_seconds(4.774 - 0.805 - 20 * 0.1909);
    stage_device_hold(14.4);
    pit_epoch_end(monitor);
}

TEST(the_lines_are_the_documents_and_the_run_gives_them_again)
{
    stage_up(1);
    stage_record();
    pit_epoch_options options = {.verbose_batches = 2};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&options);
    sample_epoch(monitor);
    CHECK_STR(stage_text(), stage_golden("live-epochs.txt"));
    CHECK_STR(stage_view("epochs", PIT_TEXT), stage_golden("live-epochs.txt"));
    CHECK_INT(stage_spans("epoch"), 1);
    CHECK_INT(stage_spans("epoch/batch"), 23);
    CHECK_INT(stage_misuse(), 0);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->thread_count > 0 && run->threads[0].value_count == 1);
    CHECK_STR(run->threads[0].values[0].name, "loss");
    CHECK_INT(run->threads[0].values[0].count, 2);
    CHECK_NEAR(run->threads[0].values[0].last, 0.016763, 0);
    pit_run_free(run);
    pit_epoch_monitor_free(monitor);
}

TEST(without_a_device_the_lines_say_so)
{
    stage_up(1);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    pit_epoch_begin(monitor);
    batch(monitor, 0, 1.5, NULL);
    double loss = NAN;
    batch(monitor, 1, 0.5, &loss);
    pit_epoch_end(monitor);
    CHECK_STR(stage_text(), "  Batch 0: 1.500s, GPU n/a, CPU 100.0MB\n"
                            "  Batch 1: 0.500s, GPU n/a, CPU 100.0MB, loss=nan\n"
                            "  Epoch end: 2.000s total\n"
                            "  Batch timing: avg=1.000s, min=0.500s, max=1.500s\n");
    pit_epoch_begin(monitor); /* no batch: no line about batches */
    pit_epoch_end(monitor);
    CHECK_STR(stage_text(), "  Epoch end: 0.000s total\n");
    pit_epoch_monitor_free(monitor);
}

TEST(statistics_are_over_all_epochs_and_batch_timing_over_its_own)
{
    stage_up(1);
    pit_epoch_options options = {.verbose_batches = -1};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&options);
    pit_epoch_statistics all;
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), PIT_NOTHING);
    pit_epoch_begin(monitor);
    batch(monitor, 0, 1, NULL);
    batch(monitor, 1, 3, NULL);
    stage_wait_seconds(1);
    pit_epoch_end(monitor);
    pit_epoch_begin(monitor);
    batch(monitor, 0, 2, NULL);
    pit_epoch_end(monitor);
    CHECK_STR(stage_text(), "  Epoch end: 5.000s total\n"
                            "  Batch timing: avg=2.000s, min=1.000s, max=3.000s\n"
                            "  Epoch end: 2.000s total\n"
                            "  Batch timing: avg=2.000s, min=2.000s, max=2.000s\n");
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), 0);
    CHECK_NEAR(all.total_epoch_time, 7, 1e-9);
    CHECK_NEAR(all.avg_epoch_time, 3.5, 1e-9);
    CHECK_NEAR(all.total_batch_time, 6, 1e-9);
    CHECK_NEAR(all.avg_batch_time, 2, 1e-9);
    CHECK_NEAR(all.min_batch_time, 1, 1e-9);
    CHECK_NEAR(all.max_batch_time, 3, 1e-9);
    CHECK_INT(all.num_batches, 3);
    CHECK_INT(all.num_epochs, 2);
    pit_epoch_monitor_free(monitor);
}

TEST(ends_without_begins_do_nothing)
{
    stage_up(1);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    pit_epoch_statistics all;
    pit_epoch_end(monitor);
    pit_epoch_batch_end(monitor, 0, NULL);
    CHECK_STR(stage_text(), "");
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), PIT_NOTHING);
    pit_epoch_begin(monitor);
    batch(monitor, 0, 1, NULL);
    pit_epoch_batch_end(monitor, 0, NULL);
    pit_epoch_end(monitor);
    pit_epoch_end(monitor);
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), 0);
    CHECK_INT(all.num_batches, 1);
    CHECK_INT(all.num_epochs, 1);
    pit_epoch_monitor_free(monitor);
}

TEST(what_is_begun_again_was_left_and_does_not_count)
{
    stage_up(1);
    stage_record();
    pit_epoch_options options = {.verbose_batches = -1};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&options);
    pit_epoch_statistics all;
    pit_epoch_begin(monitor);
    pit_epoch_batch_begin(monitor, 0);
    stage_wait_seconds(100); /* left by an exception */
    pit_epoch_begin(monitor);
    pit_epoch_batch_begin(monitor, 0);
    stage_wait_seconds(50);
    batch(monitor, 0, 1, NULL);
    pit_epoch_end(monitor);
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), 0);
    CHECK_INT(all.num_batches, 1);
    CHECK_NEAR(all.max_batch_time, 1, 1e-9);
    CHECK_NEAR(all.total_epoch_time, 51, 1e-9);
    CHECK_INT(stage_misuse(), 0);
    pit_epoch_monitor_free(monitor);
}

TEST(the_clock_stepping_back_gives_no_negative_time)
{
    stage_up(1);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    pit_epoch_begin(monitor);
    pit_epoch_batch_begin(monitor, 0);
    stage.ns -= 2000000000u;
    pit_epoch_batch_end(monitor, 0, NULL);
    pit_epoch_end(monitor);
    CHECK_STR(stage_text(), "  Batch 0: 0.000s, GPU n/a, CPU 100.0MB\n"
                            "  Epoch end: 0.000s total\n"
                            "  Batch timing: avg=0.000s, min=0.000s, max=0.000s\n");
    pit_epoch_monitor_free(monitor);
}

static size_t lines_of_an_epoch(const pit_epoch_options *options, uint64_t batches)
{
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(options);
    size_t lines = 0;
    pit_epoch_begin(monitor);
    for (uint64_t i = 0; i < batches; i++)
        batch(monitor, i, 0.1, NULL);
    pit_epoch_end(monitor);
    pit_epoch_monitor_free(monitor);
    for (const char *at = stage_text(); *at; at++)
        lines += *at == '\n';
    return lines;
}

TEST(how_many_batches_show_is_an_option_and_else_the_environments)
{
    stage_up(1);
    pit_epoch_options one = {.verbose_batches = 1}, defaults = {0}, off = {.disabled = 1};
    CHECK_INT(lines_of_an_epoch(&one, 10), 1 + 2);
    CHECK_INT(lines_of_an_epoch(&defaults, 10), 5 + 2);
    CHECK_INT(lines_of_an_epoch(&off, 10), 0);
    CHECK_INT(lines_of_an_epoch(NULL, 10), 5 + 2);
    setenv("PITWALL_MONITOR_BATCHES", "7", 1);
    CHECK_INT(lines_of_an_epoch(NULL, 10), 7 + 2);
    CHECK_INT(lines_of_an_epoch(&one, 10), 1 + 2); /* code takes precedence */
    setenv("PITWALL_MONITOR_BATCHES", "0", 1);
    CHECK_INT(lines_of_an_epoch(NULL, 10), 2);
    setenv("PITWALL_MONITOR_BATCHES", "many", 1);
    CHECK_INT(lines_of_an_epoch(NULL, 10), 5 + 2);
    setenv("PITWALL_MONITOR", "0", 1);
    CHECK_INT(lines_of_an_epoch(NULL, 10), 0);
    CHECK_INT(lines_of_an_epoch(&one, 10), 1 + 2);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    pit_epoch_statistics all;
    batch(monitor, 0, 1, NULL);
    CHECK_INT(pit_epoch_statistics_of(monitor, &all), PIT_NOTHING);
    pit_epoch_monitor_free(monitor);
}

TEST(no_monitor_no_harm)
{
    pit_epoch_statistics all;
    pit_epoch_begin(NULL);
    pit_epoch_batch_begin(NULL, 0);
    pit_epoch_batch_end(NULL, 0, NULL);
    pit_epoch_end(NULL);
    pit_epoch_monitor_free(NULL);
    CHECK_INT(pit_epoch_statistics_of(NULL, &all), PIT_NOTHING);
}

static int waited;

static int wait_for_work(void *arg)
{
    (void)arg;
    waited++;
    stage_wait_seconds(0.25); /* the submitted work takes this long */
    return 0;
}

TEST(the_device_is_waited_for_where_that_is_asked_for)
{
    stage_up(1);
    pit_device device = {.name = "made up", .wait = wait_for_work};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    pit_epoch_statistics statistics;
    pit_set_device(&device);
    pit_epoch_begin(monitor);
    batch(monitor, 0, 1, NULL);
    CHECK(waited == 0);
    pit_set_wait(1);
    batch(monitor, 1, 1, NULL);
    CHECK(waited >= 2);
    pit_set_wait(0);
    pit_epoch_end(monitor);
    REQUIRE(pit_epoch_statistics_of(monitor, &statistics) == 0);
    CHECK(fabs(statistics.min_batch_time - 1) < 1e-9 &&
          fabs(statistics.max_batch_time - 1.25) < 1e-9);
    pit_epoch_monitor_free(monitor);
    pit_set_device(NULL);
}

/* The seconds of a run's journal and of its spans, by name. */
static double journal_seconds(const pit_run *run, const char *kind)
{
    for (size_t i = 0; i < run->journal_count; i++)
        for (size_t k = 0; k < run->journal[i].figure_count; k++)
            if (strcmp(run->journal[i].kind, kind) == 0 &&
                strcmp(run->journal[i].figures[k].key, "seconds") == 0)
                return run->journal[i].figures[k].value;
    return NAN;
}

static double span_seconds(const pit_run *run, const char *name)
{
    for (size_t i = 0; i < run->threads[0].node_count; i++)
        if (strcmp(run->threads[0].nodes[i].name, name) == 0)
            return (double)run->threads[0].nodes[i].total * run->ns_per_tick / 1e9;
    return NAN;
}

/* With two clocks the figures would differ by the time between their readings, which is most of such a
 * short batch. */
TEST(what_is_printed_is_what_was_recorded)
{
    REQUIRE(pit_open("/dev/null", NULL) == PIT_OK); /* in memory */
    pit_set_verbose(0);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&(pit_epoch_options){.verbose_batches = 1});
    pit_epoch_begin(monitor);
    pit_epoch_batch_begin(monitor, 0);
    pit_epoch_batch_end(monitor, 0, NULL);
    pit_epoch_end(monitor);
    pit_epoch_monitor_free(monitor);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run);
    static const char *const parts[] = {"batch", "epoch"};
    for (int i = 0; i < 2; i++) {
        double told = journal_seconds(run, parts[i]), kept = span_seconds(run, parts[i]);
        /* the clock's rate is known better at the second reading */
        CHECK(fabs(told - kept) <= 0.01 * kept + 2e-9);
    }
    pit_run_free(run);
    pit_close();
}
