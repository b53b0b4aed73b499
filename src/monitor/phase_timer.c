/* phase_timer.c: phases of one piece of work; each thread has its own open phase. */
#include "monitor.h"
#include "monitor_lock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A thread's open phase. */
struct phase {
    struct phase *next;
    uint64_t thread;
    uint64_t begin_ns;
    pit_token outer, token; /* the span with the timer's name, and the phase's span inside it */
    char name[];
};

struct pit_phase_timer {
    struct pit__monitor_lock lock; /* owns what follows but the name */
    struct pit__rows rows;
    struct phase *open;
    pit_device_use use;
    char *name;
};

PIT_API pit_phase_timer *pit_phase_timer_new(const char *name)
{
    pit_phase_timer *timer = calloc(1, sizeof *timer);
    char *copy = strdup(name ? name : "");
    if (!timer || !copy) {
        free(timer);
        free(copy);
        return NULL;
    }
    timer->name = copy;
    pthread_mutex_init(&timer->lock.mutex, NULL);
    return timer;
}

PIT_API void pit_phase_timer_set_device(pit_phase_timer *timer, const pit_device_use *use)
{
    if (!timer)
        return;
    pit__monitor_lock_take(&timer->lock);
    timer->use = use ? *use : (pit_device_use){0};
    pit__monitor_lock_give(&timer->lock);
}

static uint64_t now_of(pit_phase_timer *timer)
{
    pit__monitor_lock_take(&timer->lock);
    pit_device_use use = timer->use;
    pit__monitor_lock_give(&timer->lock);
    return pit__source_ns_on(&use);
}

/* Take this thread's open phase out of the list; NULL: there is none. */
static struct phase *take_open(pit_phase_timer *timer)
{
    uint64_t thread = pit__thread_number();
    struct phase **link = &timer->open;
    pit__monitor_lock_take(&timer->lock);
    while (*link && (*link)->thread != thread)
        link = &(*link)->next;
    struct phase *phase = *link;
    if (phase)
        *link = phase->next;
    pit__monitor_lock_give(&timer->lock);
    return phase;
}

/* Count a phase that ended at now_ns, and end its span. Returns the token of the outer span. */
static pit_token finish(pit_phase_timer *timer, struct phase *phase, uint64_t now_ns)
{
    uint64_t took_ns = pit_end_ns(phase->token);
    pit_row call = {.seconds = pit__seconds_taken(took_ns, phase->begin_ns, now_ns)};
    pit_token outer = phase->outer;
    pit__monitor_lock_take(&timer->lock);
    pit_row *row = pit__rows_get(&timer->rows, phase->name, 0);
    if (row)
        pit__row_take(row, &call);
    pit__monitor_lock_give(&timer->lock);
    free(phase);
    return outer;
}

PIT_API void pit_phase_timer_start(pit_phase_timer *timer, const char *name)
{
    if (!timer || !name)
        return;
    uint64_t now_ns = now_of(timer);
    struct phase *before = take_open(timer);
    pit_token outer = before ? finish(timer, before, now_ns) : pit_begin_name(timer->name);
    struct phase *phase = malloc(sizeof *phase + strlen(name) + 1);
    if (!phase) {
        pit_end(outer);
        return;
    }
    strcpy(phase->name, name);
    phase->thread = pit__thread_number();
    phase->outer = outer;
    phase->token = pit_begin_name(name);
    pit__monitor_lock_take(&timer->lock);
    phase->next = timer->open;
    timer->open = phase;
    pit__monitor_lock_give(&timer->lock);
    phase->begin_ns = pit__source_ns();
}

PIT_API void pit_phase_timer_end(pit_phase_timer *timer)
{
    if (!timer)
        return;
    uint64_t now_ns = now_of(timer);
    struct phase *phase = take_open(timer);
    if (phase)
        pit_end(finish(timer, phase, now_ns));
}

PIT_API void pit_phase_timer_free(pit_phase_timer *timer)
{
    if (!timer)
        return;
    pit_phase_timer_end(timer);
    while (timer->open) { /* of other threads: only they can end their spans */
        struct phase *next = timer->open->next;
        free(timer->open);
        timer->open = next;
    }
    pit__rows_clear(&timer->rows);
    pthread_mutex_destroy(&timer->lock.mutex);
    free(timer->name);
    free(timer);
}

PIT_API const pit_row *pit_phase_timer_rows(pit_phase_timer *timer, size_t *count)
{
    if (count)
        *count = timer ? timer->rows.count : 0;
    return timer ? timer->rows.rows : NULL;
}

/* The rows, including open phases. Call with the lock held; returns 0 if memory is exhausted. */
static int shown_rows(const pit_phase_timer *timer, struct pit__rows *shown)
{
    uint64_t now_ns = pit__source_ns();
    for (size_t i = 0; i < timer->rows.count; i++) {
        pit_row *row = pit__rows_get(shown, timer->rows.rows[i].name, 0);
        if (!row)
            return 0;
        pit__row_take(row, &timer->rows.rows[i]);
    }
    for (const struct phase *phase = timer->open; phase; phase = phase->next)
        if (!pit__rows_take_open(shown, phase->name, 0,
                                 pit__seconds_between(phase->begin_ns, now_ns)))
            return 0;
    return 1;
}

static void print_breakdown(FILE *out, void *arg)
{
    pit_phase_timer *timer = arg;
    struct pit__rows shown = {0};
    pit__monitor_lock_take(&timer->lock);
    int whole = shown_rows(timer, &shown);
    pit__monitor_lock_give(&timer->lock);
    pit_data data = {.title = timer->name, .rows = shown.rows, .row_count = shown.count};
    if (whole)
        pit_view_print(out, "breakdown", &data, NULL);
    pit__rows_clear(&shown);
}

PIT_API void pit_phase_timer_print(pit_phase_timer *timer)
{
    if (timer)
        pit__emit_printed(print_breakdown, timer);
}
