/* Processor time of the whole machine: what was used, and what the host of a virtual machine took. The kernel
 * counts stolen time for no thread: a thread that lost its processor to the host neither ran nor waited.
 *
 * The file has all processors and interrupts of the machine, of which we need the first line. On a machine
 * with many of them it takes long, so turns are skipped then. While time is stolen, it is read each time:
 * the course of a run is judged without it. */
#include "recorder/sample_source.h"

#include "base/clock_ns.h"

#include <unistd.h>

enum { USER, NICE, SYSTEM, IDLE, IO_WAIT, IRQ, SOFT_IRQ, STEAL, COLUMNS };
enum { STOLEN, BUSY };

#define TURN_NS 100000u /* processor time per turn, which is a second: 0.01 % of a processor */
#define MUCH 50u        /* stolen: one part in this many of the used time */

struct own {
    uint64_t tick_ns;
    uint64_t to_skip;   /* turns */
    uint64_t is_stolen; /* time was stolen before the last reading */
};

static void describe(struct pit__channel_list *list)
{
    static const char missing[] = "/proc/stat cannot be read";
    struct pit__channel channel = {.key = "stolen_ns",
                                   .unit = "ns",
                                   .help = "processor time that the host of the machine took",
                                   .missing = missing,
                                   .kind = PIT_FMT_COUNTER,
                                   .over_runs = PIT_FMT_MERGE_ONCE};
    pit__channel_add(list, &channel);
    channel.key = "busy_ns";
    channel.help = "processor time of the whole machine";
    pit__channel_add(list, &channel);
}

/* "cpu  4519 0 3390 26022 …": 1 if all columns are there. */
static int read_columns(const char *text, uint64_t column[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        while (*text && *text != ' ')
            text++;
        while (*text == ' ')
            text++;
        column[i] = pit__number_at(text);
        if (column[i] == PIT__UNKNOWN)
            return 0;
    }
    return 1;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    struct own *own = (struct own *)state->words;
    char text[256];
    uint64_t column[COLUMNS], begun = pit__clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (own->to_skip > 0 && now->keeps_open) {
        own->to_skip--;
        return;
    }
    if (!own->tick_ns)
        own->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    if (!pit__source_text(now, state, 0, "/proc/stat", text, sizeof text) ||
        !read_columns(text, column)) {
        values[STOLEN] = values[BUSY] = PIT__UNKNOWN;
        return;
    }
    uint64_t stolen = column[STEAL] * own->tick_ns;
    uint64_t busy =
        (column[USER] + column[NICE] + column[SYSTEM] + column[IRQ] + column[SOFT_IRQ]) *
        own->tick_ns;
    own->is_stolen = values[STOLEN] != PIT__UNKNOWN && stolen > values[STOLEN] &&
                     (stolen - values[STOLEN]) * MUCH > busy - values[BUSY];
    values[STOLEN] = stolen;
    values[BUSY] = busy;
    own->to_skip = (pit__clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun) / TURN_NS;
}

static int is_going_on(const struct pit__reading *now, const struct pit__source_state *state)
{
    const struct own *own = (const struct own *)state->words;
    (void)now;
    return own->is_stolen && own->to_skip == 0;
}

_Static_assert(sizeof(struct own) <= sizeof(uint64_t) * PIT__SOURCE_WORDS, "its state fits");

const struct pit__sample_source pit__source_stolen = {
    .name = "stolen", .every = 10, .open = describe, .read = take, .is_due = is_going_on};
