/* stages.c: the log of a pipeline's stages, with the time of day, and their summary. */
#include "monitor.h"

#include "report/json_writer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pit_stages {
    pthread_mutex_t lock; /* owns what follows */
    struct pit__rows rows;
    uint64_t start_ns;
    char *open;               /* name of the stage that runs, or NULL */
    struct pit__track *track; /* of it */
};

PIT_API pit_stages *pit_stages_new(void)
{
    pit_stages *stages = calloc(1, sizeof *stages);
    if (stages) {
        pthread_mutex_init(&stages->lock, NULL);
        stages->start_ns = pit__source_ns();
    }
    return stages;
}

PIT_API void pit_stages_free(pit_stages *stages)
{
    struct pit__taken taken;
    if (!stages)
        return;
    pit__track_end(stages->track, &taken);
    free(stages->open);
    pit__rows_clear(&stages->rows);
    pthread_mutex_destroy(&stages->lock);
    free(stages);
}

PIT_API void pit_stage(pit_stages *stages, const char *stage)
{
    pit_entry entry = {.kind = "stage", .text = stage};
    if (stages && stage)
        pit__emit(&entry, 1);
}

/* A [TIMING] line, and the time added up under its name. */
static void took(pit_stages *stages, const char *stage, const pit_row *passage)
{
    pit_figure figures[5] = {{"seconds", passage->seconds, "s"}};
    size_t count = 1;
    if (passage->has_memory) {
        figures[count++] = (pit_figure){"cpu_delta_mb", passage->cpu_delta_mb, "MB"};
        figures[count++] = (pit_figure){"cpu_peak_mb", passage->cpu_peak_mb, "MB"};
    }
    if (passage->has_device) {
        figures[count++] = (pit_figure){"gpu_delta_mb", passage->gpu_delta_mb, "MB"};
        figures[count++] = (pit_figure){"gpu_peak_mb", passage->gpu_peak_mb, "MB"};
    }
    if (isfinite(passage->seconds)) {
        pthread_mutex_lock(&stages->lock);
        pit_row *row = pit__rows_get(&stages->rows, stage, 0);
        if (row)
            pit__row_take(row, passage);
        pthread_mutex_unlock(&stages->lock);
    }
    pit_entry entry = {.kind = "timing", .text = stage, .figures = figures, .figure_count = count};
    pit__emit(&entry, 1);
}

PIT_API void pit_stage_took(pit_stages *stages, const char *stage, double seconds)
{
    pit_row passage = {.seconds = seconds < 0 ? 0 : seconds};
    if (stages && stage)
        took(stages, stage, &passage);
}

PIT_API void pit_stage_end(pit_stages *stages)
{
    struct pit__taken taken;
    if (!stages)
        return;
    pthread_mutex_lock(&stages->lock);
    struct pit__track *track = stages->track;
    char *name = stages->open;
    stages->track = NULL;
    stages->open = NULL;
    pthread_mutex_unlock(&stages->lock);
    if (!name)
        return;
    pit__track_end(track, &taken);
    took(stages, name, &taken.row);
    free(name);
}

PIT_API void pit_stage_begin(pit_stages *stages, const char *stage, int memory)
{
    struct pit__taken taken;
    if (!stages || !stage)
        return;
    pit_stage_end(stages);
    pit_stage(stages, stage);
    char *name = strdup(stage);
    struct pit__track *track = name ? pit__track_begin(stage, memory ? PIT_MEMORY : 0) : NULL;
    pthread_mutex_lock(&stages->lock);
    char *other = stages->open; /* begun by another thread in the meantime: it is dropped */
    struct pit__track *other_track = stages->track;
    stages->open = name;
    stages->track = track;
    pthread_mutex_unlock(&stages->lock);
    pit__track_end(other_track, &taken);
    free(other);
}

PIT_API const pit_row *pit_stages_rows(pit_stages *stages, size_t *count)
{
    if (count)
        *count = stages ? stages->rows.count : 0;
    return stages ? stages->rows.rows : NULL;
}

PIT_API double pit_stages_wall(pit_stages *stages)
{
    return stages ? pit__seconds_between(stages->start_ns, pit__source_ns()) : 0;
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* One entry a stage and one for the sum. The names are copies: lines are printed without the lock.
 * NULL without memory. */
struct summary {
    size_t count;
    pit_entry *entries;
    pit_figure (*figures)[2];
};

static int make_summary(struct summary *summary, const struct pit__rows *rows)
{
    double total = 0;
    summary->count = rows->count + 1;
    summary->entries = calloc(summary->count, sizeof *summary->entries);
    summary->figures = calloc(summary->count, sizeof *summary->figures);
    if (!summary->entries || !summary->figures)
        return 0;
    for (size_t i = 0; i < rows->count; i++)
        total += rows->rows[i].seconds;
    for (size_t i = 0; i < rows->count; i++) {
        double seconds = rows->rows[i].seconds;
        summary->figures[i][0] = (pit_figure){"seconds", seconds, "s"};
        summary->figures[i][1] = (pit_figure){"share", 100 * seconds / total, "%"};
        summary->entries[i] = (pit_entry){.kind = "summary",
                                          .text = strdup(rows->rows[i].name),
                                          .figures = summary->figures[i],
                                          .figure_count = 2};
        if (!summary->entries[i].text)
            return 0;
    }
    summary->figures[rows->count][0] = (pit_figure){"seconds", total, "s"};
    summary->entries[rows->count] = (pit_entry){
        .kind = "total", .text = NULL, .figures = summary->figures[rows->count], .figure_count = 1};
    return 1;
}

PIT_API void pit_stages_summary(pit_stages *stages)
{
    struct summary summary = {0};
    if (!stages)
        return;
    pit_stage_end(stages);
    pthread_mutex_lock(&stages->lock);
    int made = make_summary(&summary, &stages->rows);
    pthread_mutex_unlock(&stages->lock);
    if (made)
        pit__emit(summary.entries, summary.count);
    for (size_t i = 0; summary.entries && i < summary.count; i++)
        free((char *)(uintptr_t)summary.entries[i].text);
    free(summary.entries);
    free(summary.figures);
}

/* ---- the document --------------------------------------------------------------------------- */

static int write_document(FILE *out, void *arg)
{
    pit_stages *stages = arg;
    struct pit__json json;
    double wall = pit_stages_wall(stages);
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_object(&json, "timings");
    pthread_mutex_lock(&stages->lock);
    for (size_t i = 0; i < stages->rows.count; i++)
        pit__json_double(&json, stages->rows.rows[i].name, stages->rows.rows[i].seconds);
    pthread_mutex_unlock(&stages->lock);
    pit__json_object_end(&json);
    pit__json_double(&json, "total_time", wall);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return 0;
}

PIT_API int pit_stages_save(pit_stages *stages, const char *path)
{
    return stages && path ? pit_save(path, write_document, stages) : PIT_BAD_ARGUMENT;
}
