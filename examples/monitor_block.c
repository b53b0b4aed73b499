/* monitor_block, the third of six on monitoring: one block of code, and a line about it when it ends.
 *
 * Shows pit_performance_begin and pit_performance_end. */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_block",
    .what = "Watch one block of code and print a line about it.",
    .next = " --view performance",
};

int main(int argc, char **argv)
{
    struct task task = {0};
    pit_track track;
    example_begin(&example, argc, argv);

    pit_performance_begin(&track, "critical_operation");
    int failed = task_load(&task);
    if (!failed)
        task_preprocess(&task);
    pit_performance_end(&track, 1); /* [Performance] critical_operation: ... */

    if (failed) {
        example_fail(&example, "data", PIT_NO_MEMORY);
    } else {
        double before = task_loss(&task);
        pit_performance_begin(&track, "one epoch");
        for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
            task_forward(&task, batch);
            task_backward(&task, batch);
        }
        pit_performance_end(&track, 1);
        failed = example_prove(&example, "model", task_loss(&task), before / 2);
    }
    task_free(&task);
    return example_end(&example, failed);
}
