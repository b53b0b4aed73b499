/* monitor_function, the fourth of six on monitoring: a whole function, measured at each call without
 * changing it.
 *
 * Shows pit_performance_begin and pit_performance_end in a function that calls another one, like a
 * decorator. The line is printed however the inner function returns. */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_function",
    .what = "Watch a function at each of its calls.",
    .next = " --view performance",
};

static int monitored(const char *operation, int (*function)(struct task *task), struct task *task)
{
    pit_track track;
    pit_performance_begin(&track, operation);
    int result = function(task);
    pit_performance_end(&track, 1);
    return result;
}

static int process_data(struct task *task)
{
    if (task_load(task))
        return -1;
    task_preprocess(task);
    return 0;
}

static int train_epoch(struct task *task)
{
    for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
        task_forward(task, batch);
        task_backward(task, batch);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct task task = {0};
    example_begin(&example, argc, argv);
    int failed = monitored("data processing", process_data, &task);
    if (failed) {
        example_fail(&example, "data", PIT_NO_MEMORY);
    } else {
        double before = task_loss(&task);
        for (int epoch = 0; epoch < (example.is_quick ? 1 : 3); epoch++)
            monitored("train_epoch", train_epoch, &task);
        failed = example_prove(&example, "model", task_loss(&task), before / 2);
    }
    task_free(&task);
    return example_end(&example, failed);
}
