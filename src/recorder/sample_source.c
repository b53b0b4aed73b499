/* All sources together: their channels, their turns, their files.
 *
 * The sampler's thread keeps files open in its own table of descriptors: the program does not see
 * them, cannot close them or get their numbers, and no child inherits them; they are closed with
 * the thread. A thread without such a table (for the readings at open and close, or on an old
 * kernel) opens a file for each reading.
 *
 * Sources that are read each time come first, then those whose turn it is. After a tenth of a second
 * of rest nothing is in the caches: every other libc function called costs more than its own work,
 * so numbers are parsed by hand (base/file_text.c).
 */
#include "sample_source.h"

#include "recorder.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SELDOM_NS ((uint64_t)150 * 1000000u) /* after a longer gap, all figures are read */

/* In headers since Linux 5.9 and glibc 2.34. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_UNSHARE_FLAG 2u

/* ---- files --------------------------------------------------------------------------------- */

/* A file that fails is opened again at the next reading. */
int pit__source_text(const struct pit__reading *now, struct pit__source_state *state, int file,
                     const char *path, char *text, size_t room)
{
    if (!now->keeps_open)
        return pit__file_text(path, text, room);
    int *slot = &state->files[file];
    if (*slot == 0)
        *slot = pit__file_open(path) + 1;
    int is_read = pit__file_read(*slot - 1, text, room);
    if (!is_read && *slot) {
        pit__file_close(*slot - 1);
        *slot = 0;
    }
    return is_read;
}

/* ---- channels ------------------------------------------------------------------------------ */

static void put_text(char *to, size_t room, const char *from)
{
    size_t length = from ? strnlen(from, room - 1) : 0;
    memset(to, 0, room);
    if (length)
        memcpy(to, from, length);
}

void pit__channel_add(struct pit__channel_list *list, const struct pit__channel *channel)
{
    if (list->count == PIT_FMT_CHANNEL_MAX) {
        list->is_full = 1;
        return;
    }
    struct pit_fmt_channel *to = &list->of[list->count++];
    put_text(to->key, sizeof to->key, channel->key);
    put_text(to->unit, sizeof to->unit, channel->unit);
    put_text(to->source, sizeof to->source, pit__source_list[list->source]->name);
    put_text(to->help, sizeof to->help, channel->help);
    put_text(to->missing, sizeof to->missing, channel->missing);
    to->per_unit = channel->per_unit ? channel->per_unit : 1;
    to->kind = channel->kind;
    to->over_time = channel->over_time;
    to->over_runs = channel->over_runs;
    to->spare = 0;
    to->first = 0;
}

void pit__channels_list(struct pit__channel_list *list)
{
    uint32_t i = 0;
    list->count = 0;
    for (; i < PIT__SOURCES_MAX && pit__source_list[i]; i++) {
        list->source = i;
        list->first[i] = list->count;
        list->is_full = 0;
        pit__source_list[i]->open(list);
        if (list->is_full)
            list->count = list->first[i]; /* a source is read completely or not at all */
    }
    for (; i <= PIT__SOURCES_MAX; i++)
        list->first[i] = list->count;
}

/* ---- readings ------------------------------------------------------------------------------ */

void pit__sources_reset(struct pit__sources *sources)
{
    sources->keeps_open = 0;
    sources->readings = sources->read_ns = 0;
    memset(sources->states, 0, sizeof sources->states);
    memset(sources->row, 0xff, sizeof sources->row); /* everything unknown */
}

__thread int pit__has_own_table __attribute__((tls_model("initial-exec")));

/* Closing descriptors after unshare() would be too late: a descriptor of the program must not stay open
 * here even for a moment, or a reader that waits for the end of a pipe would wait for us. */
void pit__sources_own(struct pit__sources *sources)
{
    sources->keeps_open = syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE_FLAG) == 0;
    pit__has_own_table |= sources->keeps_open;
}

void pit__sources_close(struct pit__sources *sources)
{
    for (uint32_t i = 0; i < PIT__SOURCES_MAX && pit__source_list[i]; i++) {
        struct pit__source_state *state = &sources->states[i];
        if (pit__source_list[i]->close)
            pit__source_list[i]->close(state);
        for (int file = 0; file < PIT__SOURCE_FILES; file++)
            if (state->files[file]) {
                pit__file_close(state->files[file] - 1);
                state->files[file] = 0;
            }
    }
}

static void read_source(struct pit__sources *sources, uint32_t i, struct pit__reading *now)
{
    uint64_t *values = &sources->row[1 + sources->list.first[i]];
    const char *why[PIT_FMT_CHANNEL_MAX];
    uint32_t first = sources->list.first[i], count = sources->list.first[i + 1] - first;
    /* only as many as needed: that memory is not in the caches */
    memset(why, 0, count * sizeof why[0]);
    now->why = why;
    pit__source_list[i]->read(now, &sources->states[i], values);
    for (uint32_t c = 0; c < count; c++) {
        char *missing = sources->list.of[first + c].missing;
        if (!why[c] || strcmp(missing, why[c]) == 0)
            continue;
        put_text(missing, sizeof sources->list.of[0].missing, why[c]);
        sources->has_reasons = 1;
    }
}

static int has_channels(const struct pit__sources *sources, uint32_t i)
{
    return sources->list.first[i + 1] > sources->list.first[i];
}

uint64_t pit__sources_read(struct pit__sources *sources, uint64_t ticks)
{
    uint64_t clock = pit__clock_monotonic_ns();
    int is_all = sources->readings == 0 || clock - sources->read_ns >= SELDOM_NS;
    struct pit__reading now = {
        .readings = sources->readings, .rss = PIT__UNKNOWN, .keeps_open = sources->keeps_open};
    unsigned slow = 0;
    sources->row[0] = ticks;
    sources->read_ns = clock;
    for (uint32_t i = 0; i < PIT__SOURCES_MAX && pit__source_list[i]; i++)
        if (pit__source_list[i]->every <= 1 && has_channels(sources, i))
            read_source(sources, i, &now);
    for (uint32_t i = 0; i < PIT__SOURCES_MAX && pit__source_list[i]; i++) {
        const struct pit__sample_source *source = pit__source_list[i];
        if (source->every <= 1 || !has_channels(sources, i))
            continue;
        unsigned turn = slow++ % source->every;
        if (is_all || sources->readings % source->every == turn ||
            (source->is_due && source->is_due(&now, &sources->states[i])))
            read_source(sources, i, &now);
    }
    sources->readings++;
    return now.rss_peak;
}
