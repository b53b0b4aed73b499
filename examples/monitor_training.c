/* monitor_training, the fifth of six on monitoring: the epochs and batches of a training loop.
 *
 * Shows pit_epoch_begin, pit_epoch_batch_begin, pit_epoch_batch_end, pit_epoch_end and the statistics over
 * all epochs, pit_epoch_statistics_of. `pitwall run --config FILE` can switch the monitor on and off.
 */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_training",
    .what = "Watch the epochs and batches of a training loop.",
    .next = " --view epochs",
};

static void train(struct task *task, pit_epoch_monitor *monitor)
{
    for (int epoch = 0; epoch < (example.is_quick ? 1 : 3); epoch++) {
        pit_epoch_begin(monitor);
        for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
            pit_epoch_batch_begin(monitor, batch);
            double loss = task_forward(task, batch);
            task_backward(task, batch);
            pit_epoch_batch_end(monitor, batch, &loss);
        }
        pit_epoch_end(monitor);
    }
}

/* The slowest batch beside the fastest. */
static void judge(pit_epoch_monitor *monitor)
{
    pit_epoch_statistics all;
    if (pit_epoch_statistics_of(monitor, &all)) {
        printf("the monitor is switched off\n");
        return;
    }
    printf("Average batch time: %.6fs, %.6fs to %.6fs\n", all.avg_batch_time, all.min_batch_time,
           all.max_batch_time);
    double ratio = all.max_batch_time / all.min_batch_time;
    if (ratio > 2)
        printf("High variance (%.1fx) - investigate outliers!\n", ratio);
}

int main(int argc, char **argv)
{
    struct task task = {0};
    example_begin(&example, argc, argv);
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    int failed = task_load(&task);
    if (failed) {
        example_fail(&example, "data", PIT_NO_MEMORY);
    } else {
        task_preprocess(&task);
        double before = task_loss(&task);
        train(&task, monitor);
        if (!example.is_quiet)
            judge(monitor);
        failed = example_prove(&example, "model", task_loss(&task), before / 2);
    }
    pit_epoch_monitor_free(monitor);
    task_free(&task);
    return example_end(&example, failed);
}
