/* parse_events: reads made-up event logs a chunk at a time and counts pairs of events. */
#include <pitwall.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 100000, KINDS = 512, CHUNKS = 2000 };

static uint32_t state = 1;

static uint32_t draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void read_chunk(uint16_t *events)
{
    for (size_t i = 0; i < EVENTS; i++)
        events[i] = (uint16_t)(draw() % KINDS);
}

/* Where each kind is seen: positions by kind. */
static uint32_t *build_index(const uint16_t *events)
{
    uint32_t *index = malloc(EVENTS * sizeof *index), count[KINDS + 1] = {0};
    if (!index)
        exit(1);
    for (size_t i = 0; i < EVENTS; i++)
        count[events[i] + 1]++;
    for (size_t k = 0; k < KINDS; k++)
        count[k + 1] += count[k];
    for (uint32_t i = 0; i < EVENTS; i++)
        index[count[events[i]]++] = i;
    return index;
}

static long count_pairs(const uint16_t *events, const uint32_t *index)
{
    long pairs = 0;
    for (size_t lag = 1; lag <= 8; lag++)
        for (size_t i = lag; i < EVENTS; i++)
            pairs += events[index[i]] == events[index[i - lag]] && index[i] - index[i - lag] < 64;
    return pairs;
}

int main(void)
{
    static uint16_t events[EVENTS];
    long pairs = 0;
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        PIT_SPAN("chunk") {
            uint32_t *index;
            PIT_SPAN("generate")
                read_chunk(events);
            PIT_SPAN("build_index")
                index = build_index(events);
            PIT_SPAN("count_pairs")
                pairs += count_pairs(events, index);
        }
    printf("%ld pairs\n", pairs);
    return 0;
}
