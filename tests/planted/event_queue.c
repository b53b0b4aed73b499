/* event_queue: a simulation whose events wait in a list that is kept in order. */
#include <pitwall.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct event {
    struct event *next;
    uint32_t time;
};

static struct event *first;
static uint32_t state = 3;

static uint32_t draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void schedule(uint32_t time)
{
    struct event *made = malloc(sizeof *made), **at = &first;
    if (!made)
        exit(1);
    while (*at && (*at)->time < time)
        at = &(*at)->next;
    made->time = time;
    made->next = *at;
    *at = made;
}

static uint32_t take(void)
{
    struct event *taken = first;
    uint32_t time = taken->time;
    first = taken->next;
    free(taken);
    return time;
}

int main(void)
{
    uint32_t now = 0;
    for (int tick = 0; tick < 2000; tick++)
        PIT_SPAN("tick") {
            PIT_SPAN("schedule")
                for (int i = 0; i < 16; i++)
                    schedule(now + draw() % 1000000);
            PIT_SPAN("take")
                for (int i = 0; i < 4; i++)
                    now = take();
        }
    printf("%u\n", now);
    while (first)
        take();
    return 0;
}
