/* profiler.c: averages of named operations, printed every few steps.
 *
 * A start is given in seconds since 1970, so that callers can compare it with their own times. It still
 * comes from the monotonic clock, which is aligned with the wall clock once. */
#include "monitor.h"
#include "monitor_lock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LOG_EVERY 100u
#define MOST_OPEN 64u

/* A start that has not ended yet, and its span. */
struct open {
    double start;
    uint64_t thread;
    pit_token token;
};

struct pit_profiler {
    struct pit__monitor_lock lock; /* owns what follows */
    struct pit__rows rows;
    pit_device_use use;
    uint64_t log_every, steps;
    uint64_t begin_ns;
    double begin_wall; /* the wall clock at that time, in seconds */
    struct open open[MOST_OPEN];
    size_t open_count;
};

PIT_API pit_profiler *pit_profiler_new(uint64_t log_every)
{
    pit_profiler *profiler = calloc(1, sizeof *profiler);
    if (profiler) {
        pthread_mutex_init(&profiler->lock.mutex, NULL);
        profiler->log_every = log_every ? log_every : DEFAULT_LOG_EVERY;
        profiler->begin_wall = (double)pit__source_wall_ns() / 1e9;
        profiler->begin_ns = pit__source_ns();
    }
    return profiler;
}

PIT_API void pit_profiler_free(pit_profiler *profiler)
{
    if (!profiler)
        return;
    pit__rows_clear(&profiler->rows);
    pthread_mutex_destroy(&profiler->lock.mutex);
    free(profiler);
}

PIT_API void pit_profiler_set_device(pit_profiler *profiler, const pit_device_use *use)
{
    if (!profiler)
        return;
    pit__monitor_lock_take(&profiler->lock);
    profiler->use = use ? *use : (pit_device_use){0};
    pit__monitor_lock_give(&profiler->lock);
}

static pit_device_use use_of(pit_profiler *profiler)
{
    pit__monitor_lock_take(&profiler->lock);
    pit_device_use use = profiler->use;
    pit__monitor_lock_give(&profiler->lock);
    return use;
}

static double seconds_at(const pit_profiler *profiler, uint64_t ns)
{
    return profiler->begin_wall + pit__seconds_between(profiler->begin_ns, ns);
}

/* ---- spans that are open -------------------------------------------------------------------- */

/* The oldest one is replaced: its end was most likely forgotten. */
static void keep_open(pit_profiler *profiler, double start, pit_token token)
{
    if (!token)
        return;
    pit__monitor_lock_take(&profiler->lock);
    if (profiler->open_count == MOST_OPEN)
        memmove(profiler->open, profiler->open + 1, --profiler->open_count * sizeof(struct open));
    profiler->open[profiler->open_count++] = (struct open){start, pit__thread_number(), token};
    pit__monitor_lock_give(&profiler->lock);
}

/* The token of this thread's newest start at that time, or 0. */
static pit_token take_open(pit_profiler *profiler, double start)
{
    pit_token token = 0;
    uint64_t thread = pit__thread_number();
    pit__monitor_lock_take(&profiler->lock);
    for (size_t i = profiler->open_count; i-- > 0 && !token;) {
        struct open *open = &profiler->open[i];
        if (open->thread != thread || open->start != start)
            continue;
        token = open->token;
        memmove(open, open + 1, (--profiler->open_count - i) * sizeof *open);
    }
    pit__monitor_lock_give(&profiler->lock);
    return token;
}

/* ---- measuring ------------------------------------------------------------------------------ */

PIT_API double pit_profiler_start(pit_profiler *profiler, const char *operation)
{
    if (!profiler)
        return (double)NAN;
    if (!operation)
        return seconds_at(profiler, pit__source_ns());
    pit_device_use use = use_of(profiler);
    /* work submitted to the device earlier does not belong to this operation */
    pit__source_ns_on(&use);
    pit_token token = pit_begin_name(operation);
    double start = seconds_at(profiler, pit__source_ns());
    keep_open(profiler, start, token);
    return start;
}

static uint64_t count_of(const pit_profiler *profiler, const char *operation)
{
    const pit_row *row = pit__rows_find(&profiler->rows, operation, 0);
    return row ? row->count : 0;
}

/* Returns 1 if a step ended. A loop may have both operations, one inside the other: that is one step. */
static int counts_step(pit_profiler *profiler)
{
    uint64_t made = count_of(profiler, "make_step_total");
    uint64_t trained = count_of(profiler, "training_step");
    uint64_t steps = made > trained ? made : trained;
    int more = steps > profiler->steps;
    profiler->steps = steps;
    return more;
}

static int emit_block(pit_profiler *profiler, const uint64_t *step,
                      void (*emit)(pit_entry *entries, size_t count));

PIT_API void pit_profiler_end(pit_profiler *profiler, const char *operation, double start)
{
    if (!profiler || !operation || !isfinite(start))
        return;
    pit_device_use use = use_of(profiler);
    double seconds = seconds_at(profiler, pit__source_ns_on(&use)) - start;
    /* ends come in any order */
    uint64_t took_ns = pit_end_out_of_order(take_open(profiler, start));
    uint64_t by_us = seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
    pit_row call = {.seconds = pit__seconds_taken(took_ns, 0, by_us)};
    pit__monitor_lock_take(&profiler->lock);
    pit_row *row = pit__rows_get(&profiler->rows, operation, 0);
    if (row)
        pit__row_take(row, &call);
    int is_due = counts_step(profiler) && profiler->steps % profiler->log_every == 0;
    uint64_t steps = profiler->steps;
    pit__monitor_lock_give(&profiler->lock);
    if (is_due)
        emit_block(profiler, &steps, pit__emit);
}

PIT_API uint64_t pit_profiler_steps(pit_profiler *profiler)
{
    if (!profiler)
        return 0;
    pit__monitor_lock_take(&profiler->lock);
    uint64_t steps = profiler->steps;
    pit__monitor_lock_give(&profiler->lock);
    return steps;
}

PIT_API const pit_row *pit_profiler_rows(pit_profiler *profiler, size_t *count)
{
    if (count)
        *count = profiler ? profiler->rows.count : 0;
    return profiler ? profiler->rows.rows : NULL;
}

PIT_API void pit_profiler_reset(pit_profiler *profiler)
{
    if (!profiler)
        return;
    pit__monitor_lock_take(&profiler->lock);
    pit__rows_clear(&profiler->rows);
    profiler->steps = 0;
    pit__monitor_lock_give(&profiler->lock);
}

/* ---- printing ------------------------------------------------------------------------------- */

struct block {
    size_t count;
    pit_entry *entries;
    pit_figure (*figures)[3];
};

/* The heading and one entry per operation; the names are copied. Call with the lock held; returns 0 if
 * memory is exhausted. */
static int make_block(struct block *block, const struct pit__rows *rows, uint64_t step)
{
    block->count = rows->count + 1;
    block->entries = calloc(block->count, sizeof *block->entries);
    block->figures = calloc(block->count, sizeof *block->figures);
    if (!block->entries || !block->figures)
        return 0;
    block->figures[0][0] = (pit_figure){"step", (double)step, NULL};
    block->entries[0] =
        (pit_entry){.kind = "profiling-step", .figures = block->figures[0], .figure_count = 1};
    for (size_t i = 0; i < rows->count; i++) {
        const pit_row *row = &rows->rows[i];
        pit_figure *figures = block->figures[i + 1];
        figures[0] = (pit_figure){"avg", row->seconds / (double)row->count, "s"};
        figures[1] = (pit_figure){"total", row->seconds, "s"};
        figures[2] = (pit_figure){"count", (double)row->count, NULL};
        block->entries[i + 1] = (pit_entry){
            .kind = "profiling", .text = strdup(row->name), .figures = figures, .figure_count = 3};
        if (!block->entries[i + 1].text)
            return 0;
    }
    return 1;
}

/* Returns 0 if there is nothing to print. */
static int emit_block(pit_profiler *profiler, const uint64_t *step,
                      void (*emit)(pit_entry *entries, size_t count))
{
    struct block block = {0};
    pit__monitor_lock_take(&profiler->lock);
    int made = profiler->rows.count > 0 &&
               make_block(&block, &profiler->rows, step ? *step : profiler->steps);
    int is_empty = profiler->rows.count == 0;
    pit__monitor_lock_give(&profiler->lock);
    if (made)
        emit(block.entries, block.count);
    for (size_t i = 0; block.entries && i < block.count; i++)
        free((char *)(uintptr_t)block.entries[i].text);
    free(block.entries);
    free(block.figures);
    return !is_empty;
}

static void print_empty(FILE *out, void *arg)
{
    (void)arg;
    fputs("No profiling metrics recorded\n", out);
}

PIT_API void pit_profiler_log(pit_profiler *profiler, const uint64_t *step)
{
    if (profiler && !emit_block(profiler, step, pit__emit_asked))
        pit__emit_printed(print_empty, NULL);
}
