/* monitor_bottlenecks, the last of six on monitoring: which operation is worth optimising?
 *
 * Shows pit_monitor_rows, pit_monitor_total and pit_monitor_time, and pit_advise_rows, which reports
 * problems and remedies as text. */
#include "monitor_task.h"
#include "options.h"

static struct example example = {
    .name = "monitor_bottlenecks",
    .what = "Find the operation that is worth making faster.",
    .next = " --view bottlenecks",
};

static int work(struct task *task, pit_monitor *monitor)
{
    pit_track track;
    pit_monitor_begin(monitor, &track, "data_loading", 0);
    int failed = task_load(task);
    pit_monitor_end(monitor, &track);
    if (failed)
        return example_fail(&example, "data", PIT_NO_MEMORY);

    pit_monitor_begin(monitor, &track, "preprocessing", 0);
    task_preprocess(task);
    pit_monitor_end(monitor, &track);

    double before = task_loss(task);
    pit_monitor_begin(monitor, &track, "model_training", 0);
    for (int epoch = 0; epoch < (example.is_quick ? 1 : 5); epoch++)
        for (size_t batch = 0; batch < TASK_ROWS / TASK_BATCH; batch++) {
            task_forward(task, batch);
            task_backward(task, batch);
        }
    pit_monitor_end(monitor, &track);

    pit_monitor_begin(monitor, &track, "post_processing", 0);
    double after = task_loss(task);
    pit_monitor_end(monitor, &track);
    return example_prove(&example, "model", after, before / 2);
}

static void print_advice(pit_monitor *monitor)
{
    size_t count;
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    pit_advice *advice = pit_advise_rows(rows, count, NULL, 0, 0);
    for (size_t i = 0; advice && i < advice->count; i++)
        printf("%s\n    %s\n    %s\n", advice->findings[i].headline, advice->findings[i].evidence,
               advice->findings[i].remedy);
    pit_advice_free(advice);
    printf("without data_loading it would be %.0f %% shorter\n",
           100 * pit_monitor_time(monitor, "data_loading") / pit_monitor_total(monitor));
}

int main(int argc, char **argv)
{
    struct task task = {0};
    example_begin(&example, argc, argv);
    pit_monitor *monitor = pit_monitor_new();
    int failed = work(&task, monitor);
    pit_monitor_print(monitor, 0);
    if (!example.is_quiet)
        print_advice(monitor);
    pit_monitor_free(monitor);
    task_free(&task);
    return example_end(&example, failed);
}
