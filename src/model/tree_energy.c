/* tree_energy.c: energy of nodes, merged over threads and runs.
 *
 * Counters belong to the machine. Of several threads, or of runs on one machine at the same time, only the one
 * whose spans lasted longest counts. Different machines, and runs one after another, add up.
 */
#include "tree_builder.h"

#include "run_energy.h"

#include <math.h>
#include <stdlib.h>

/* Joules of one class; NaN: there is no figure. */
static double joules_of(const pit_raw_energy *raw, double ns_per_tick, double watts,
                        pit_energy *sum)
{
    double measured_ns = (double)raw->measured * ns_per_tick;
    double estimated_ns = (double)raw->estimated * ns_per_tick;
    sum->unknown = raw->unknown > sum->unknown ? raw->unknown : sum->unknown;
    if (raw->measured == 0 && raw->estimated == 0)
        return NAN;
    sum->time_ns = fmax(sum->time_ns, measured_ns + estimated_ns);
    double estimated_j = raw->estimated ? estimated_ns * watts / 1e9 : 0;
    sum->estimated_j += estimated_j;
    return (double)raw->microjoules / 1e6 + estimated_j;
}

static pit_energy energy_of(const pit_run *run, const pit_raw_energies *raw,
                            struct pit__run_power power)
{
    pit_energy sum = {.count = raw->count};
    sum.processors_j = joules_of(&raw->processors, run->ns_per_tick, power.processors, &sum);
    sum.devices_j = joules_of(&raw->devices, run->ns_per_tick, power.devices, &sum);
    int has_devices = raw->devices.measured || raw->devices.estimated;
    sum.joules = !has_devices ? sum.processors_j
                 : raw->processors.measured || raw->processors.estimated
                     ? sum.processors_j + sum.devices_j
                     : sum.devices_j;
    return sum;
}

static double plus(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void add(pit_energy *to, const pit_energy *from)
{
    int is_first = to->count == 0;
    to->count += from->count;
    to->joules = is_first ? from->joules : to->joules + from->joules;
    to->processors_j = is_first ? from->processors_j : plus(to->processors_j, from->processors_j);
    to->devices_j = is_first ? from->devices_j : plus(to->devices_j, from->devices_j);
    to->estimated_j += from->estimated_j;
    to->time_ns += from->time_ns;
    to->unknown += from->unknown;
}

/* The figures of one run, thread by thread: keeps the longest of its group so far. */
static void look_at(const pit_run *run, const uint32_t *map, pit_energy *longest)
{
    struct pit__run_power power = pit__run_power_of(run);
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = 0; i < thread->node_count; i++) {
            if (!thread->nodes[i].energy)
                continue;
            pit_energy own = energy_of(run, thread->nodes[i].energy, power);
            pit_energy *to = &longest[map[i]];
            if (to->count == 0 || own.time_ns > to->time_ns)
                *to = own;
        }
        map += thread->node_count;
    }
}

static size_t raw_nodes(const pit_run *run)
{
    size_t count = 0;
    for (size_t t = 0; t < run->thread_count; t++)
        count += run->threads[t].node_count;
    return count;
}

static int has_energy(const pit_run *const *runs, size_t run_count)
{
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            for (size_t i = 0; i < runs[r]->threads[t].node_count; i++)
                if (runs[r]->threads[t].nodes[i].energy)
                    return 1;
    return 0;
}

/* Merge one group of runs after another. */
static void merge(struct pit__tree_box *box, const pit_run *const *runs, size_t run_count,
                  const size_t *groups, size_t nodes, pit_energy *longest)
{
    size_t last = 0;
    for (size_t r = 0; r < run_count; r++)
        last = groups[r] > last ? groups[r] : last;
    for (size_t g = 0; g <= last; g++) {
        const uint32_t *map = box->map;
        for (size_t i = 0; i < nodes; i++)
            longest[i] = (pit_energy){0};
        for (size_t r = 0; r < run_count; r++) {
            if (groups[r] == g)
                look_at(runs[r], map, longest);
            map += raw_nodes(runs[r]);
        }
        for (size_t i = 0; i < nodes; i++)
            if (longest[i].count > 0)
                add(&box->energies[i], &longest[i]);
    }
    for (size_t i = 0; i < nodes; i++)
        box->nodes[i].energy = box->energies[i].count > 0 ? &box->energies[i] : NULL;
}

int pit__tree_keep_energy(struct pit__tree_box *box, size_t node_count, const pit_run *const *runs,
                          size_t run_count)
{
    if (!has_energy(runs, run_count))
        return 1;
    size_t *groups = calloc(run_count, sizeof *groups);
    pit_energy *longest = calloc(node_count + 1, sizeof *longest);
    box->energies = calloc(node_count + 1, sizeof *box->energies);
    int good =
        groups && longest && box->energies && pit__energy_groups(runs, run_count, groups) == 0;
    if (good)
        merge(box, runs, run_count, groups, node_count, longest);
    free(groups);
    free(longest);
    return good;
}
