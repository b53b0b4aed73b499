/* The clock of a run: whether a machine can have it, its scale, and when the run began and ended. */
#include "reader.h"

#include <math.h>

#define PAIRS_APART_NS 1000000u /* closer pairs are less exact than the hardware's own figure */
/* Counters of processors run at 1 MHz to 10 GHz. Anything far outside of that is damage. */
#define SLOWEST_HZ 1e5
#define FASTEST_HZ 1e11
#define LARGEST_ERROR_NS 1000000000000u /* of a pair, the best of ten readings */

static const struct pit_fmt_pair *last_pair(const struct pit_fmt_header *header)
{
    return &header->last[header->last_pair & 1];
}

static int is_rate(double hz)
{
    return hz >= SLOWEST_HZ && hz <= FASTEST_HZ;
}

/* Can this many ticks take this long? The time is known to within an error. */
static int is_possible(double ticks, double ns, double error_ns)
{
    return ticks / FASTEST_HZ * 1e9 <= ns + error_ns && ns - error_ns <= ticks / SLOWEST_HZ * 1e9;
}

static int is_pair(const struct pit_fmt_pair *pair)
{
    return pair->error_ns <= LARGEST_ERROR_NS && pair->wall_ns <= INT64_MAX;
}

int pit__clock_is_sound(const struct pit_fmt_header *header)
{
    const struct pit_fmt_pair *first = &header->first, *last = last_pair(header);
    if (header->clock < PIT_FMT_CLOCK_MONOTONIC || header->clock > PIT_FMT_CLOCK_CNTVCT ||
        (header->nominal_hz && !is_rate((double)header->nominal_hz)) || !is_pair(first))
        return 0;
    if (!last->ticks && !last->raw_ns) /* killed before its second pair */
        return 1;
    if (!is_pair(last) || last->raw_ns < first->raw_ns)
        return 0;
    double ns = (double)(last->raw_ns - first->raw_ns);
    if (last->ticks < first->ticks) /* some machines reset their counter when they sleep */
        return ns < PIT__LONGEST_NS;
    return ns < PIT__LONGEST_NS && is_possible((double)(last->ticks - first->ticks), ns,
                                               (double)(first->error_ns + last->error_ns) + 1000);
}

void pit__clock_read(const struct pit__image *image, pit_run *run)
{
    const struct pit_fmt_header *header = &image->header;
    const struct pit_fmt_pair *first = &header->first, *last = last_pair(header);
    uint64_t ticks = last->ticks - first->ticks, ns = last->raw_ns - first->raw_ns;
    int usable = last->ticks > first->ticks && last->raw_ns > first->raw_ns;
    run->clock = (int)header->clock;
    run->ns_per_tick = 1;
    run->ns_per_tick_error = 1;
    if (header->clock == PIT_FMT_CLOCK_MONOTONIC) {
        run->ns_per_tick_error = 0;
    } else if (header->nominal_hz && (!usable || ns < PAIRS_APART_NS)) {
        run->ns_per_tick = 1e9 / (double)header->nominal_hz;
        run->ns_per_tick_error = 0;
    } else if (usable) {
        run->ns_per_tick = (double)ns / (double)ticks;
        run->ns_per_tick_error = (double)(first->error_ns + last->error_ns) / (double)ns;
    }
    run->start_ticks = first->ticks;
    run->end_ticks = last->ticks > first->ticks ? last->ticks : first->ticks;
    run->start_wall_ns = first->wall_ns;
}

/* The last sign of life: the sampler's last reading, or a later span. */
void pit__end_read(pit_run *run)
{
    uint64_t end = run->end_ticks;
    for (size_t i = 0; i < run->thread_count && run->state != PIT_RUN_CLOSED; i++) {
        const pit_thread *t = &run->threads[i];
        for (size_t k = 0; k < t->open_count; k++)
            if (t->open[k].begin > end)
                end = t->open[k].begin;
        if (t->event_count) {
            const pit_event *e = &t->events[t->event_count - 1];
            if (e->begin + e->duration > end)
                end = e->begin + e->duration;
        }
    }
    if (run->has_samples && run->state != PIT_RUN_CLOSED && run->newest.ticks > end)
        end = run->newest.ticks;
    run->end_ticks = end;
    run->duration_ns = (double)(end - run->start_ticks) * run->ns_per_tick;
    if (run->duration_ns < PIT__LONGEST_NS) /* otherwise the clock is damaged */
        run->end_wall_ns = run->start_wall_ns + (uint64_t)run->duration_ns;
}
