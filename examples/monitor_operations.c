/* monitor_operations, the first of six on monitoring: the time and memory of each operation.
 *
 * Shows pit_monitor_begin, pit_monitor_end and pit_monitor_print. */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_operations",
    .what = "Watch single operations: time and memory of each.",
    .next = " --view performance",
};

int main(int argc, char **argv)
{
    struct task task = {0};
    pit_track track;
    double before = NAN, after = NAN;
    example_begin(&example, argc, argv);
    pit_monitor *monitor = pit_monitor_new();

    pit_monitor_begin(monitor, &track, "data loading", 0);
    int failed = task_load(&task);
    pit_monitor_end(monitor, &track);

    if (!failed) {
        pit_monitor_begin(monitor, &track, "preprocessing", 0);
        task_preprocess(&task);
        pit_monitor_end(monitor, &track);

        before = task_loss(&task);
        pit_monitor_begin(monitor, &track, "model training", 0);
        for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
            task_forward(&task, batch);
            task_backward(&task, batch);
        }
        pit_monitor_end(monitor, &track);
        after = task_loss(&task);
    }
    pit_monitor_print(monitor, 0); /* prints nothing with --quiet */
    pit_monitor_free(monitor);
    task_free(&task);
    failed = failed ? example_fail(&example, "data", PIT_NO_MEMORY)
                    : example_prove(&example, "model", after, before / 2);
    return example_end(&example, failed);
}
