/* A program that logs epochs, stages, windows, timed calls and a profiler as it goes:
 *     prog_monitors RUN [EPOCHS]
 * With EPOCHS it ends cleanly after that many epochs; without, it runs until it is killed. Between lines it
 * works a little, so that the times differ. */
#include "pitwall_report.h"

#include <stdlib.h>
#include <time.h>

static double work(double seconds)
{
    struct timespec begin, now;
    double passed;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9;
    } while (passed < seconds);
    return passed;
}

/* Takes 24 MB of which hardly any is touched, and gives 16 back. */
static void *prepare(void *argument)
{
    char **kept = argument;
    char *gone = malloc(16u << 20);
    *kept = malloc(8u << 20);
    if (gone && *kept)
        gone[0] = **kept = 1;
    work(0.002);
    free(gone);
    return argument;
}

static void train(pit_window *window, pit_profiler *profiler, unsigned long epochs)
{
    pit_epoch_options options = {.verbose_batches = 2};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&options);
    for (unsigned long epoch = 0; epochs == 0 || epoch < epochs; epoch++) {
        pit_epoch_begin(monitor);
        for (uint64_t batch = 0; batch < 4; batch++) {
            double loss = 1.0 / (double)(1 + epoch * 4 + batch);
            pit_epoch_batch_begin(monitor, batch);
            double start = pit_profiler_start(profiler, "training_step");
            double total = work(0.001 * (double)(1 + batch));
            pit_profiler_end(profiler, "training_step", start);
            pit_epoch_batch_end(monitor, batch, &loss);
            double figures[] = {total / 2, total, 28.3 + (double)batch, 10};
            pit_window_add(window, figures);
        }
        pit_epoch_end(monitor);
    }
    pit_epoch_monitor_free(monitor);
}

int main(int argc, char **argv)
{
    static const pit_window_item items[] = {{"Pattern gen", PIT_WINDOW_MS},
                                            {"Total", PIT_WINDOW_MS},
                                            {"Avg nodes", PIT_WINDOW_MEAN},
                                            {"patterns", PIT_WINDOW_HIDDEN}};
    int code = argc > 1 ? pit_open(argv[1], NULL) : PIT_BAD_ARGUMENT;
    if (code != PIT_OK && code != PIT_OFF)
        return 1;
    pit_stages *stages = pit_stages_new();
    pit_window *window = pit_window_new("GPM TIMING", "graphs", 3, items, 4);
    pit_profiler *profiler = pit_profiler_new(4);
    pit_timers *timers = pit_timers_new();
    pit_track track;
    pit_stage(stages, "=== TRAINING PIPELINE START ===");
    pit_stage_begin(stages, "Dataset loading and preprocessing", 1);
    char *kept = NULL;
    pit_time(timers, "Preparation", PIT_MEMORY, prepare, &kept);
    free(kept);
    pit_performance_begin(&track, "warm-up");
    work(0.001);
    pit_performance_end(&track, 1);
    pit_stage_begin(stages, "Main training loop", 0);
    train(window, profiler, argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    pit_stage_took(stages, "An hour and a half", 5400);
    pit_stages_summary(stages);
    pit_timers_free(timers);
    pit_profiler_free(profiler);
    pit_window_free(window);
    pit_stages_free(stages);
    return code == PIT_OFF ? 0 : pit_close();
}
