/* stages.c: the log of a pipeline's stages, with the time of day, and their summary. */
#include "monitor.h"
#include "monitor_lock.h"

#include "report/json_writer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A stage that is running. */
struct open {
    struct open *next; /* the next older one */
    struct pit__track *track;
    uint64_t thread, begin_ns;
    int is_block; /* entered as a block: it ends when it is left; else at the next begin */
    int nested;
    char name[];
};

struct pit_stages {
    struct pit__monitor_lock lock; /* owns what follows */
    struct pit__rows rows;
    pit_device_use use;
    uint64_t start_ns;
    struct open *open; /* the newest first */
};

PIT_API pit_stages *pit_stages_new(void)
{
    pit_stages *stages = calloc(1, sizeof *stages);
    if (stages) {
        pthread_mutex_init(&stages->lock.mutex, NULL);
        stages->start_ns = pit__source_ns();
    }
    return stages;
}

PIT_API void pit_stages_free(pit_stages *stages)
{
    struct pit__taken taken;
    if (!stages)
        return;
    while (stages->open) {
        struct open *open = stages->open;
        stages->open = open->next;
        pit__track_end(open->track, &taken);
        free(open);
    }
    pit__rows_clear(&stages->rows);
    pthread_mutex_destroy(&stages->lock.mutex);
    free(stages);
}

PIT_API void pit_stages_set_device(pit_stages *stages, const pit_device_use *use)
{
    if (!stages)
        return;
    pit__monitor_lock_take(&stages->lock);
    stages->use = use ? *use : (pit_device_use){0};
    pit__monitor_lock_give(&stages->lock);
}

PIT_API void pit_stage(pit_stages *stages, const char *stage)
{
    pit_entry entry = {.kind = "stage", .text = stage};
    if (stages && stage)
        pit__emit(&entry, 1);
}

/* Print a [TIMING] line and add the time to the stage's total. */
static void took(pit_stages *stages, const char *stage, int nested, const pit_row *call)
{
    pit_figure figures[5] = {{"seconds", call->seconds, "s"}};
    size_t count = 1;
    if (call->has_memory) {
        figures[count++] = (pit_figure){"cpu_delta_mb", call->cpu_delta_mb, "MB"};
        figures[count++] = (pit_figure){"cpu_peak_mb", call->cpu_peak_mb, "MB"};
    }
    if (call->has_device) {
        figures[count++] = (pit_figure){"gpu_delta_mb", call->gpu_delta_mb, "MB"};
        figures[count++] = (pit_figure){"gpu_peak_mb", call->gpu_peak_mb, "MB"};
    }
    if (isfinite(call->seconds)) {
        pit__monitor_lock_take(&stages->lock);
        pit_row *row = pit__rows_get(&stages->rows, stage, nested);
        if (row)
            pit__row_take(row, call);
        pit__monitor_lock_give(&stages->lock);
    }
    pit_entry entry = {.kind = "timing", .text = stage, .figures = figures, .figure_count = count};
    pit__emit(&entry, 1);
}

PIT_API void pit_stage_took(pit_stages *stages, const char *stage, double seconds)
{
    pit_row call = {.seconds = seconds < 0 ? 0 : seconds};
    if (stages && stage)
        took(stages, stage, 0, &call);
}

/* ---- stages that run -------------------------------------------------------------------------- */

/* Remove and return the newest open block of that name, preferably of this thread; NULL: none. Call with
 * the lock held. */
static struct open *take_block(pit_stages *stages, const char *name)
{
    uint64_t thread = pit__thread_number();
    struct open **found = NULL;
    for (struct open **link = &stages->open; *link; link = &(*link)->next) {
        if (!(*link)->is_block || (name && strcmp((*link)->name, name) != 0))
            continue;
        if (!found || ((*found)->thread != thread && (*link)->thread == thread))
            found = link;
    }
    struct open *open = found ? *found : NULL;
    if (open)
        *found = open->next;
    return open;
}

/* Remove and return the open stage that is not a block: of this thread, unless a block was entered in it
 * since; of another thread if this one has nothing open. NULL: none. Call with the lock held. */
static struct open *take_stage(pit_stages *stages)
{
    uint64_t thread = pit__thread_number();
    struct open **own = NULL, **others = NULL;
    for (struct open **link = &stages->open; *link && !own; link = &(*link)->next) {
        if ((*link)->thread == thread)
            own = link;
        else if (!(*link)->is_block && !others)
            others = link;
    }
    struct open **found = !own ? others : (*own)->is_block ? NULL : own;
    struct open *open = found ? *found : NULL;
    if (open)
        *found = open->next;
    return open;
}

static void finish(pit_stages *stages, struct open *open)
{
    struct pit__taken taken;
    if (!open)
        return;
    pit__track_end(open->track, &taken);
    took(stages, open->name, open->nested, &taken.row);
    free(open);
}

PIT_API void pit_stage_end(pit_stages *stages)
{
    if (!stages)
        return;
    pit__monitor_lock_take(&stages->lock);
    struct open *open = take_stage(stages);
    pit__monitor_lock_give(&stages->lock);
    finish(stages, open);
}

static void begin(pit_stages *stages, const char *stage, int memory, int is_block)
{
    uint64_t thread = pit__thread_number();
    struct open *open = malloc(sizeof *open + strlen(stage) + 1);
    pit_stage(stages, stage);
    if (!open)
        return;
    *open = (struct open){.thread = thread, .is_block = is_block};
    strcpy(open->name, stage);
    pit__monitor_lock_take(&stages->lock);
    pit_device_use use = stages->use;
    for (struct open *outer = stages->open; outer; outer = outer->next)
        open->nested |= outer->thread == thread;
    pit__monitor_lock_give(&stages->lock);
    open->track = pit__track_begin(stage, memory ? PIT_MEMORY : 0, &use);
    open->begin_ns = pit__source_ns();
    pit__monitor_lock_take(&stages->lock);
    open->next = stages->open;
    stages->open = open;
    pit__monitor_lock_give(&stages->lock);
}

PIT_API void pit_stage_begin(pit_stages *stages, const char *stage, int memory)
{
    if (!stages || !stage)
        return;
    pit_stage_end(stages);
    begin(stages, stage, memory, 0);
}

PIT_API void pit_stage_enter(pit_stages *stages, const char *stage, int memory)
{
    if (stages && stage)
        begin(stages, stage, memory, 1);
}

PIT_API void pit_stage_leave(pit_stages *stages, const char *stage)
{
    if (!stages)
        return;
    uint64_t thread = pit__thread_number();
    pit__monitor_lock_take(&stages->lock);
    struct open *newest = stages->open;
    while (newest && newest->thread != thread)
        newest = newest->next;
    struct open *inside = newest && !newest->is_block ? take_stage(stages) : NULL;
    struct open *block = take_block(stages, stage);
    pit__monitor_lock_give(&stages->lock);
    finish(stages, inside);
    finish(stages, block);
}

PIT_API const pit_row *pit_stages_rows(pit_stages *stages, size_t *count)
{
    if (count)
        *count = stages ? stages->rows.count : 0;
    return stages ? stages->rows.rows : NULL;
}

PIT_API double pit_stages_time(pit_stages *stages, const char *stage)
{
    double seconds = (double)NAN;
    if (!stages || !stage)
        return seconds;
    pit__monitor_lock_take(&stages->lock);
    for (int nested = 0; nested < 2; nested++) {
        const pit_row *row = pit__rows_find(&stages->rows, stage, nested);
        if (row)
            seconds = isnan(seconds) ? row->seconds : seconds + row->seconds;
    }
    pit__monitor_lock_give(&stages->lock);
    return seconds;
}

PIT_API double pit_stages_wall(pit_stages *stages)
{
    return stages ? pit__seconds_between(stages->start_ns, pit__source_ns()) : 0;
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* One entry per stage and one for the sum. The names are copied, because lines are printed without the
 * lock. NULL if memory is exhausted. */
struct summary {
    size_t count;
    pit_entry *entries;
    pit_figure (*figures)[3];
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
        total += rows->rows[i].nested ? 0 : rows->rows[i].seconds;
    for (size_t i = 0; i < rows->count; i++) {
        double seconds = rows->rows[i].seconds;
        summary->figures[i][0] = (pit_figure){"seconds", seconds, "s"};
        summary->figures[i][1] = (pit_figure){"share", 100 * seconds / total, "%"};
        summary->figures[i][2] = (pit_figure){"nested", 1, NULL};
        summary->entries[i] = (pit_entry){.kind = "summary",
                                          .text = strdup(rows->rows[i].name),
                                          .figures = summary->figures[i],
                                          .figure_count = 2 + (rows->rows[i].nested != 0)};
        if (!summary->entries[i].text)
            return 0;
    }
    summary->figures[rows->count][0] = (pit_figure){"seconds", total, "s"};
    summary->entries[rows->count] = (pit_entry){
        .kind = "total", .text = NULL, .figures = summary->figures[rows->count], .figure_count = 1};
    return 1;
}

/* The rows, including running stages. Call with the lock held; returns 0 if memory is exhausted. */
static int shown_rows(const pit_stages *stages, struct pit__rows *shown)
{
    uint64_t now_ns = pit__source_ns();
    for (size_t i = 0; i < stages->rows.count; i++) {
        const pit_row *from = &stages->rows.rows[i];
        pit_row *row = pit__rows_get(shown, from->name, from->nested);
        if (!row)
            return 0;
        pit__row_take(row, from);
    }
    for (const struct open *open = stages->open; open; open = open->next)
        if (!pit__rows_take_open(shown, open->name, open->nested,
                                 pit__seconds_between(open->begin_ns, now_ns)))
            return 0;
    return 1;
}

PIT_API void pit_stages_summary(pit_stages *stages)
{
    struct summary summary = {0};
    struct pit__rows shown = {0};
    if (!stages)
        return;
    pit_stage_end(stages);
    pit__monitor_lock_take(&stages->lock);
    int made = shown_rows(stages, &shown);
    pit__monitor_lock_give(&stages->lock);
    if (made && make_summary(&summary, &shown))
        pit__emit_asked(summary.entries, summary.count);
    for (size_t i = 0; summary.entries && i < summary.count; i++)
        free((char *)(uintptr_t)summary.entries[i].text);
    free(summary.entries);
    free(summary.figures);
    pit__rows_clear(&shown);
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
    pit__monitor_lock_take(&stages->lock);
    for (size_t i = 0; i < stages->rows.count; i++) {
        const pit_row *row = &stages->rows.rows[i];
        const pit_row *other = pit__rows_find(&stages->rows, row->name, !row->nested);
        if (!other || row < other) /* each name once */
            pit__json_double(&json, row->name, row->seconds + (other ? other->seconds : 0));
    }
    pit__monitor_lock_give(&stages->lock);
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
