/* device_line.c: see device_line.h. */
#include "device_line.h"

#include "recorder.h"

#include <stdio.h>
#include <string.h>

#define MOST_CLOCKS 16u
#define CLOCK_NAME 48u

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* From the device's clock to the host's. *told: a new error bound for the run, plus one; 0: none. */
static int64_t offset_of(struct pit__device_line *line, const struct pit__line_work *work,
                         uint64_t *told)
{
    uint64_t error;
    int64_t offset;
    *told = 0;
    pit__device_clock_add(&line->clock, work->begin, work->launched_ns, PIT__NO_TIME);
    pit__device_clock_add(&line->clock, work->end, PIT__NO_TIME, raw_ns());
    if (!pit__device_clock_offset(&line->clock, &offset, &error)) /* contradictory readings */
        offset = (int64_t)(work->launched_ns - work->begin);
    else if (line->told_error == 0 || error < line->told_error / 4)
        *told = line->told_error = error + 1;
    return offset;
}

static uint64_t add_at(int64_t offset, uint64_t told, const char *name,
                       const struct pit__line_work *work)
{
    char text[160];
    if (told) {
        snprintf(text, sizeof text,
                 "%s: times of its work lie within %.1f us on the host's time line", name,
                 (double)(told - 1) / 1000);
        pit_add_fact("device_clock", text);
    }
    return pit_add_span(work->place, work->name, PIT_DEVICE, work->begin + (uint64_t)offset,
                        work->end + (uint64_t)offset);
}

uint64_t pit__line_add(struct pit__device_line *line, const char *name,
                       const struct pit__line_work *work)
{
    uint64_t told;
    int64_t offset = offset_of(line, work, &told);
    return add_at(offset, told, name, work);
}

/* ---- by name ----------------------------------------------------------------------------------- */

/* Guarded by the table lock, which a thread that is gone, or is in another process, cannot hold. */
static struct {
    char name[CLOCK_NAME];
    struct pit__device_line line;
} clocks[MOST_CLOCKS];
static uint32_t clock_count;

static struct pit__device_line *line_of(const char *name)
{
    uint32_t i = 0;
    while (i < clock_count && strcmp(clocks[i].name, name) != 0)
        i++;
    if (i == MOST_CLOCKS || strlen(name) >= CLOCK_NAME)
        return NULL;
    if (i == clock_count) {
        strcpy(clocks[i].name, name);
        clock_count++;
    }
    return &clocks[i].line;
}

uint64_t pit_add_device(const char *clock, uint64_t place, const char *name, uint64_t begin_ns,
                        uint64_t end_ns, uint64_t launched_ns)
{
    const struct pit__line_work work = {place, name, begin_ns, end_ns, launched_ns};
    struct pit__lock *lock = pit__table_lock();
    uint64_t told = 0;
    int64_t offset = 0;
    if (!clock || !name || launched_ns > raw_ns() || !PIT_LOAD(pit__enabled))
        return clock && name ? 0 : pit_add_span(place, NULL, PIT_DEVICE, 0, 0);
    if (!lock || !pit__lock_take(lock))
        return 0;
    struct pit__device_line *line = line_of(clock);
    if (line)
        offset = offset_of(line, &work, &told);
    pit__lock_give(lock);
    return line ? add_at(offset, told, clock, &work) : 0;
}
