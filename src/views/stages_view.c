/* stages_view.c: the stages of a pipeline with the time of day, and the summaries that it printed. */
#include "journal_view.h"

static const struct pit__column columns[] = {
    {.title = "Kind", .key = "kind", .kind = PIT__TEXT},
    {.title = "Time", .key = "time", .kind = PIT__TEXT},
    {.title = "Stage", .key = "stage", .kind = PIT__TEXT},
    {.title = "Seconds", .key = "seconds", .kind = PIT__NUMBER},
    {.title = "Percent", .key = "share", .kind = PIT__NUMBER, .optional = 1},
    {.title = "CPU (MB)", .key = "cpu_delta_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "CPU peak (MB)", .key = "cpu_peak_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "GPU (MB)", .key = "gpu_delta_mb", .kind = PIT__NUMBER, .optional = 1},
    {.title = "GPU peak (MB)", .key = "gpu_peak_mb", .kind = PIT__NUMBER, .optional = 1},
};

static const char *const kinds[] = {"stage", "timing", "summary", "total", NULL};

static const struct pit__journal_part part = {
    .nothing = "no stages were logged: pit_stage and pit_stage_begin log them",
    .heading = "Stages",
    .kinds = kinds,
    .columns = columns,
    .column_count = sizeof columns / sizeof columns[0],
};

static int print(const struct pit__view_call *call)
{
    return pit__journal_print(call, &part);
}

const struct pit__view pit__stages_view = {
    .told = {.name = "stages",
             .help = "how long did the stages of the pipeline take?",
             .options = PIT__OPTIONS(&pit__title_option)},
    .gather = pit__gather_journal,
    .print = print,
};
