/* page_events.c: the time line of the page: the newest spans that the flight recorders kept. */
#include "page_export.h"

#include "model/tree_builder.h"

#include <math.h>
#include <stdlib.h>

#define EVENTS_MOST 1500 /* of all threads; a screen has no room for more */

struct line {
    uint32_t run, thread, node, depth;
    double begin_ns, took_ns;
};

struct lines {
    struct line *list;
    size_t count, first; /* events from `first` on are shown */
};

static int by_end(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    double x_end = x->begin_ns + x->took_ns, y_end = y->begin_ns + y->took_ns;
    return (x_end > y_end) - (x_end < y_end);
}

/* A thread's spans end in their order, so those of one thread are sorted already, as a rule. */
static void sort(struct lines *lines)
{
    for (size_t i = 1; i < lines->count; i++)
        if (by_end(&lines->list[i - 1], &lines->list[i]) > 0) {
            qsort(lines->list, lines->count, sizeof *lines->list, by_end);
            return;
        }
}

/* Only the newest events of each thread need to be considered. 0 or PIT_NO_MEMORY. */
static int gather(const struct pit__report *report, struct lines *lines)
{
    const uint32_t *map = ((const struct pit__tree_box *)(const void *)report->tree)->map;
    size_t room = 0;
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++)
            room += report->runs[r]->threads[t].event_count;
    lines->list = malloc((room + 1) * sizeof *lines->list);
    if (!lines->list)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++) {
            const pit_run *run = report->runs[r];
            const pit_thread *thread = &run->threads[t];
            size_t from = thread->event_count > EVENTS_MOST ? thread->event_count - EVENTS_MOST : 0;
            for (size_t i = from; i < thread->event_count; i++) {
                const pit_event *event = &thread->events[i];
                if (event->node >= thread->node_count)
                    continue;
                double begin = (double)event->begin - (double)run->start_ticks;
                lines->list[lines->count++] =
                    (struct line){(uint32_t)r,
                                  (uint32_t)t,
                                  map[event->node],
                                  event->depth,
                                  begin * run->ns_per_tick,
                                  (double)event->duration * run->ns_per_tick};
            }
            map += thread->node_count;
        }
    sort(lines);
    lines->first = lines->count > EVENTS_MOST ? lines->count - EVENTS_MOST : 0;
    return 0;
}

#define LINE_CELL(name_, call_, figure_)                                                           \
    static void name_(struct pit__json *json, const void *arg, size_t row)                         \
    {                                                                                              \
        const struct lines *lines = arg;                                                           \
        const struct line *line = &lines->list[lines->first + row];                                \
        call_(json, NULL, line->figure_);                                                          \
    }
LINE_CELL(write_run, pit__json_uint, run)
LINE_CELL(write_thread, pit__json_uint, thread)
LINE_CELL(write_node, pit__json_uint, node)
LINE_CELL(write_depth, pit__json_uint, depth)
LINE_CELL(write_begin, pit__json_milli, begin_ns)
LINE_CELL(write_took, pit__json_milli, took_ns)

int pit__page_events(struct pit__page *page)
{
    struct lines lines = {0};
    struct pit__page_columns columns = {.json = &page->json};
    uint64_t all = 0;
    int code = gather(&page->report, &lines);
    if (code)
        return code;
    size_t shown = lines.count - lines.first;
    for (size_t r = 0; r < page->report.run_count; r++)
        for (size_t t = 0; t < page->report.runs[r]->thread_count; t++)
            all += page->report.runs[r]->threads[t].event_count +
                   page->report.runs[r]->threads[t].events_dropped;
    pit__json_object(&page->json, "events");
    pit__json_uint(&page->json, "of", all);
    pit__page_column(&columns, "run", shown, write_run, &lines);
    pit__page_column(&columns, "thread", shown, write_thread, &lines);
    pit__page_column(&columns, "node", shown, write_node, &lines);
    pit__page_column(&columns, "depth", shown, write_depth, &lines);
    pit__page_column(&columns, "begin_ns", shown, write_begin, &lines);
    pit__page_column(&columns, "duration_ns", shown, write_took, &lines);
    pit__json_object_end(&page->json);
    free(lines.list);
    return pit__page_columns_end(&columns);
}
