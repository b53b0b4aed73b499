/* device_line.c: see device_line.h. */
#include "device_line.h"

#include "recorder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_CLOCKS 16u
#define CLOCK_NAME 48u
#define MOST_TRIES 100000

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t pit__line_add(struct pit__device_line *line, const char *name,
                       const struct pit__line_work *work)
{
    uint64_t error;
    int64_t offset;
    char text[160];
    pit__device_clock_add(&line->clock, work->begin, work->launched_ns, PIT__NO_TIME);
    pit__device_clock_add(&line->clock, work->end, PIT__NO_TIME, raw_ns());
    if (!pit__device_clock_offset(&line->clock, &offset, &error)) /* contradictory readings */
        offset = (int64_t)(work->launched_ns - work->begin);
    else if (line->told_error == 0 || error < line->told_error / 4) {
        line->told_error = error + 1;
        snprintf(text, sizeof text,
                 "%s: times of its work lie within %.1f us on the host's time line", name,
                 (double)error / 1000);
        pit_add_fact("device_clock", text);
    }
    return pit_add_span(work->place, work->name, PIT_DEVICE, work->begin + (uint64_t)offset,
                        work->end + (uint64_t)offset);
}

/* ---- by name ----------------------------------------------------------------------------------- */

/* Guarded by is_busy. */
static struct {
    char name[CLOCK_NAME];
    struct pit__device_line line;
} clocks[MOST_CLOCKS];
static uint32_t clock_count, is_busy;

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
    uint64_t added = 0;
    if (!clock || !name || launched_ns > raw_ns() || !PIT_LOAD(pit__enabled))
        return clock && name ? 0 : pit_add_span(place, NULL, PIT_DEVICE, 0, 0);
    for (int tries = 0; __atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE); tries++) {
        if (tries == MOST_TRIES)
            return 0; /* its owner is in the parent process of a fork */
        usleep(10);
    }
    struct pit__device_line *line = line_of(clock);
    if (line)
        added = pit__line_add(line, clock,
                              &(struct pit__line_work){place, name, begin_ns, end_ns, launched_ns});
    __atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
    return added;
}
