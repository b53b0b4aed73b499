/* monitor_repeated, the second of six on monitoring: operations that are repeated, in one line each, with
 * the slowest call next to the mean.
 *
 * Shows pit_monitor_begin with aggregate on, and the table that pit_monitor_print makes of it. */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_repeated",
    .what = "Watch operations that are repeated: count, mean, extremes.",
    .next = " --view aggregate",
};

static void train(struct task *task, pit_monitor *monitor)
{
    pit_track track;
    for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
        pit_monitor_begin(monitor, &track, "batch_forward", 1);
        task_forward(task, batch);
        pit_monitor_end(monitor, &track);

        pit_monitor_begin(monitor, &track, "batch_backward", 1);
        task_backward(task, batch);
        pit_monitor_end(monitor, &track);
    }
}

int main(int argc, char **argv)
{
    struct task task = {0};
    example_begin(&example, argc, argv);
    pit_monitor *monitor = pit_monitor_new();
    int failed = task_load(&task);
    if (failed) {
        example_fail(&example, "data", PIT_NO_MEMORY);
    } else {
        task_preprocess(&task);
        double before = task_loss(&task);
        for (int epoch = 0; epoch < (example.is_quick ? 1 : 5); epoch++)
            train(&task, monitor);
        pit_monitor_print(monitor, 1);
        failed = example_prove(&example, "model", task_loss(&task), before / 2);
    }
    pit_monitor_free(monitor);
    task_free(&task);
    return example_end(&example, failed);
}
