/* run_energy.h: readings of the machine's energy counters over runs.
 *
 * A counter belongs to the machine, not to the program: a joule counts once, however many ranks of the
 * machine read it. So the runs of a machine share one time line, and each stretch of it is taken from one
 * run. */
#ifndef PIT_RUN_ENERGY_H
#define PIT_RUN_ENERGY_H

#include "pitwall_report.h"

/* One counter of one machine, over all runs that read it. */
struct pit__energy_source {
    const char *key;     /* of its channel */
    const char *reader;  /* the source that reads it: rapl, gpu */
    const char *host;    /* "": not known */
    const char *missing; /* why nothing is known; NULL */
    double joules, time_ns;
    size_t runs;
};

/* Is this channel an energy counter? */
int pit__is_energy(const pit_channel *channel);

/* All counters of all machines, by host and key. The caller frees *sources. Returns 0 or PIT_NO_MEMORY. */
int pit__energy_sources(const pit_run *const *runs, size_t run_count,
                        struct pit__energy_source **sources, size_t *count);

/* The sum of all counters; NaN: nothing is known. */
double pit__energy_sum(const struct pit__energy_source *sources, size_t count);

/* Joules of one channel over a run; NaN. */
double pit__channel_joules(const pit_run *run, size_t channel);

/* Joules of all counters over a run that was long enough for each; NaN. */
double pit__run_joules(const pit_run *run);

/* Mean power of a run in watts: of processors and of devices; NaN: not known. */
struct pit__run_power {
    double processors, devices;
};
struct pit__run_power pit__run_power_of(const pit_run *run);

/* Give runs of one machine that overlap in time the same group number, one per run. Returns 0 or
 * PIT_NO_MEMORY. */
int pit__energy_groups(const pit_run *const *runs, size_t run_count, size_t *groups);

#endif
