/* last_span.c: when a span of a run last began or ended. */
#include "last_span.h"

#include <math.h>

double pit__last_span_wall_ns(const pit_run *run)
{
    uint64_t last = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = 0; i < thread->open_count; i++)
            if (thread->open[i].begin > last)
                last = thread->open[i].begin;
        for (size_t i = 0; i < thread->event_count; i++)
            if (thread->events[i].begin + thread->events[i].duration > last)
                last = thread->events[i].begin + thread->events[i].duration;
    }
    if (last == 0 || last < run->start_ticks)
        return NAN;
    return (double)run->start_wall_ns + (double)(last - run->start_ticks) * run->ns_per_tick;
}
