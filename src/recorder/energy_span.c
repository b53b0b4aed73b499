/* energy_span.c: spans with PIT_ENERGY: all counters are read at their begin and end, outside their own
 * time. The counters cover the whole machine: the figure contains the energy of other threads and
 * programs. */
#include "node_figures.h"

#include <math.h>

#define UNKNOWN UINT64_MAX

void pit__energy_end(struct pit__energy_now *taken)
{
    struct pit__energy_now end = pit__energy_read();
    for (int i = 0; i < PIT__ENERGY_CLASSES; i++) {
        int is_same = taken->counters[i] == end.counters[i];
        uint64_t before = taken->microjoules[i], after = end.microjoules[i];
        taken->microjoules[i] = is_same && after >= before ? after - before : UNKNOWN;
        taken->counters[i] |= end.counters[i];
    }
}

static void add(struct pit_fmt_energy *sum, uint64_t microjoules, uint64_t ticks, int is_long)
{
    if (microjoules == UNKNOWN) {
        sum->unknown++;
    } else if (is_long) {
        sum->microjoules += microjoules;
        sum->measured += ticks;
    } else {
        sum->estimated += ticks;
    }
}

PIT__IN_SPANS void pit__energy_keep(struct pit__thread *t, struct pit_fmt_node *node,
                                    const struct pit__energy_now *taken, uint64_t duration)
{
    struct pit_fmt_energy_of *block =
        pit__figures_block(t, node, &node->energy, PIT_FMT_ENERGY_OF, sizeof *block);
    if (!block)
        return;
    uint64_t other = ~block->block.b & 1, ns = pit__ticks_ns(duration);
    struct pit_fmt_energies sum = block->copies[1 - other];
    sum.count++;
    for (int i = 0; i < PIT__ENERGY_CLASSES; i++)
        if (taken->counters[i])
            add(&sum.of[i], taken->microjoules[i], duration,
                ns >= pit__energy_least_ns((enum pit__energy_class)i));
    pit__copy_words(&block->copies[other], &sum, sizeof sum);
    PIT_STORE_ORDERED(block->block.b, other);
}

/* ---- without a recorder --------------------------------------------------------------------- */

int pit_energy_read(pit_energy_now *now)
{
    if (!now)
        return PIT_BAD_ARGUMENT;
    struct pit__energy_now read = pit__energy_read();
    double joules[PIT__ENERGY_CLASSES], least[PIT__ENERGY_CLASSES];
    for (int i = 0; i < PIT__ENERGY_CLASSES; i++) {
        joules[i] = read.counters[i] ? (double)read.microjoules[i] / 1e6 : (double)NAN;
        least[i] = (double)pit__energy_least_ns((enum pit__energy_class)i) / 1e9;
    }
    *now = (pit_energy_now){joules[PIT__PROCESSORS], joules[PIT__DEVICES], least[PIT__PROCESSORS],
                            least[PIT__DEVICES]};
    return read.counters[PIT__PROCESSORS] || read.counters[PIT__DEVICES] ? 0 : PIT_NOTHING;
}
