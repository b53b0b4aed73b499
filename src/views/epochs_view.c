/* epochs_view.c: batches and epochs of a training loop, as its monitor printed them. */
#include "journal_view.h"

static const struct pit__column columns[] = {
    {.title = "Kind", .key = "kind", .kind = PIT__TEXT},
    {.title = "Time", .key = "time", .kind = PIT__TEXT},
    {.title = "Epoch", .key = "epoch", .kind = PIT__NUMBER},
    {.title = "Batch", .key = "batch", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Seconds", .key = "seconds", .kind = PIT__NUMBER},
    {.title = "GPU (MB)", .key = "gpu_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "CPU (MB)", .key = "cpu_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Loss", .key = "loss", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Reserved (MB)", .key = "reserved_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Peak (MB)", .key = "peak_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Energy (J)", .key = "energy_j", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Batches", .key = "batches", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Average (s)", .key = "avg", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Min (s)", .key = "min", .kind = PIT__NUMBER, .optional = 1},
    {.title = "Max (s)", .key = "max", .kind = PIT__NUMBER, .optional = 1},
};

static const char *const kinds[] = {"batch", "epoch", "batch-timing", NULL};

static const struct pit__journal_part part = {
    .nothing = "no epochs were logged: an epoch monitor (pit_epoch_monitor_new) logs them",
    .heading = "Epochs",
    .kinds = kinds,
    .columns = columns,
    .column_count = sizeof columns / sizeof columns[0],
};

static int print(const struct pit__view_call *call)
{
    return pit__journal_print(call, &part);
}

const struct pit__view pit__epochs_view = {
    .told = {.name = "epochs",
             .help = "what did the epoch monitor print?",
             .options = PIT__OPTIONS(&pit__title_option)},
    .gather = pit__gather_journal,
    .print = print,
};
