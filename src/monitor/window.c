/* window.c: prints a line every `every` calls, with the means over these calls. */
#include "monitor.h"
#include "monitor_lock.h"

#include "analysis/order_stats.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITEMS 32u
#define DEFAULT_KEPT 10000u

struct item {
    char *label;
    enum pit_window_kind kind;
    double sum;     /* since the last line */
    double run_sum; /* since the start */
    double *kept;   /* a ring of `room` figures */
};

struct pit_window {
    struct pit__monitor_lock lock; /* owns the sums and counts */
    char *tag, *unit;
    uint64_t every, inside, calls; /* inside: since the last line */
    size_t keep, room;             /* most figures per item; present capacity */
    size_t kept, next;             /* figures in the rings; position of the next one */
    size_t item_count;
    struct item items[MOST_ITEMS];
};

PIT_API void pit_window_free(pit_window *window)
{
    if (!window)
        return;
    for (size_t i = 0; i < window->item_count; i++) {
        free(window->items[i].label);
        free(window->items[i].kept);
    }
    pthread_mutex_destroy(&window->lock.mutex);
    free(window->tag);
    free(window->unit);
    free(window);
}

PIT_API pit_window *pit_window_new(const char *tag, const char *unit, uint64_t every,
                                   const pit_window_item *items, size_t count)
{
    if (!items || count == 0 || count > MOST_ITEMS || every == 0)
        return NULL;
    pit_window *window = calloc(1, sizeof *window);
    if (!window)
        return NULL;
    pthread_mutex_init(&window->lock.mutex, NULL);
    window->every = every;
    window->keep = DEFAULT_KEPT;
    window->item_count = count;
    window->tag = strdup(tag ? tag : "");
    window->unit = strdup(unit ? unit : "");
    int whole = window->tag && window->unit;
    for (size_t i = 0; i < count; i++) {
        window->items[i].kind = items[i].kind;
        window->items[i].label = strdup(items[i].label ? items[i].label : "");
        whole = whole && window->items[i].label;
    }
    if (whole)
        return window;
    pit_window_free(window);
    return NULL;
}

/* Compute the figures of the line, and start a new window. Call with the lock held. */
static size_t turn(pit_window *window, pit_figure *figures)
{
    size_t count = 0;
    figures[count++] = (pit_figure){window->unit, (double)window->inside, "count"};
    for (size_t i = 0; i < window->item_count; i++) {
        struct item *item = &window->items[i];
        double mean = item->sum / (double)window->inside;
        pit_figure figure = {item->label, mean, NULL};
        if (item->kind == PIT_WINDOW_MS)
            figure = (pit_figure){item->label, mean * 1000, "ms"};
        else if (item->kind == PIT_WINDOW_HIDDEN)
            figure.unit = "kept";
        figures[count++] = figure;
        item->sum = 0;
    }
    window->inside = 0;
    return count;
}

/* Make room for one more figure per item; while the rings grow, they have not wrapped. If memory is
 * exhausted they keep their size. Returns 0 if there is no room at all. Call with the lock held. */
static int grow(pit_window *window)
{
    if (window->kept < window->room || window->room == window->keep)
        return window->room > 0;
    size_t room = window->room ? 2 * window->room : 64;
    room = room < window->keep ? room : window->keep;
    for (size_t i = 0; i < window->item_count; i++) {
        double *more = realloc(window->items[i].kept, room * sizeof *more);
        if (!more) {
            window->keep = window->room;
            return window->room > 0;
        }
        window->items[i].kept = more;
    }
    window->room = room;
    window->next = window->kept;
    return 1;
}

static void keep(pit_window *window, const double *values)
{
    if (!grow(window))
        return;
    window->next = window->next < window->room ? window->next : 0;
    for (size_t i = 0; i < window->item_count; i++)
        window->items[i].kept[window->next] = values[i];
    window->next++;
    window->kept += window->kept < window->room;
}

PIT_API void pit_window_keep(pit_window *window, size_t most)
{
    if (!window)
        return;
    pit__monitor_lock_take(&window->lock);
    for (size_t i = 0; i < window->item_count; i++) {
        free(window->items[i].kept);
        window->items[i].kept = NULL;
    }
    window->keep = most;
    window->room = window->kept = window->next = 0;
    pit__monitor_lock_give(&window->lock);
}

PIT_API size_t pit_window_figures(pit_window *window, size_t item, double *figures, size_t room)
{
    if (!window || item >= window->item_count || (!figures && room > 0))
        return 0;
    pit__monitor_lock_take(&window->lock);
    size_t count = window->kept;
    size_t first = count > 0 && count == window->room ? window->next % window->room : 0;
    size_t skipped = count > room ? count - room : 0;
    for (size_t i = skipped; figures && i < count; i++)
        figures[i - skipped] = window->items[item].kept[(first + i) % window->room];
    pit__monitor_lock_give(&window->lock);
    return figures ? count - skipped : count;
}

PIT_API double pit_window_percentile(pit_window *window, size_t item, double percent)
{
    size_t count = pit_window_figures(window, item, NULL, 0);
    double *figures =
        count && percent >= 0 && percent <= 100 ? calloc(count, sizeof *figures) : NULL;
    if (!figures)
        return (double)NAN;
    count = pit_window_figures(window, item, figures, count);
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(figures[i]))
            figures[known++] = figures[i];
    pit__sort(figures, known);
    size_t rank = (size_t)ceil(percent / 100 * (double)known);
    double found = known ? figures[rank ? rank - 1 : 0] : (double)NAN;
    free(figures);
    return found;
}

PIT_API void pit_window_add(pit_window *window, const double *values)
{
    pit_figure figures[MOST_ITEMS + 1];
    size_t count = 0;
    if (!window || !values)
        return;
    pit__monitor_lock_take(&window->lock);
    window->calls++;
    window->inside++;
    for (size_t i = 0; i < window->item_count; i++) {
        window->items[i].sum += values[i];
        window->items[i].run_sum += values[i];
    }
    keep(window, values);
    if (window->inside == window->every)
        count = turn(window, figures);
    pit__monitor_lock_give(&window->lock);
    pit_entry entry = {
        .kind = "window", .text = window->tag, .figures = figures, .figure_count = count};
    if (count > 0)
        pit__emit(&entry, 1);
}

PIT_API uint64_t pit_window_count(pit_window *window)
{
    if (!window)
        return 0;
    pit__monitor_lock_take(&window->lock);
    uint64_t calls = window->calls;
    pit__monitor_lock_give(&window->lock);
    return calls;
}

PIT_API double pit_window_sum(pit_window *window, size_t item)
{
    if (!window || item >= window->item_count)
        return 0;
    pit__monitor_lock_take(&window->lock);
    double sum = window->items[item].run_sum;
    pit__monitor_lock_give(&window->lock);
    return sum;
}
