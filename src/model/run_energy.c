/* See run_energy.h. */
#include "run_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pit__is_energy(const pit_channel *channel)
{
    return channel->is_counter && strcmp(channel->unit, "J") == 0;
}

static const char *host_of(const pit_run *run)
{
    const char *host = pit_run_fact(run, "host");
    return host ? host : "";
}

/* ---- one counter along one run -------------------------------------------------------------- */

static double wall_of(const pit_run *run, uint64_t ticks)
{
    return (double)run->start_wall_ns +
           ((double)ticks - (double)run->start_ticks) * run->ns_per_tick;
}

static double figure_at(const pit_run *run, const pit_sample *sample, size_t channel)
{
    return pit_channel_figure(&run->channels[channel], sample->values[channel]);
}

/* The first reading; runs of older versions have only the first point. */
static double first_of(const pit_run *run, size_t channel)
{
    double first = pit_channel_figure(&run->channels[channel], run->channels[channel].first);
    if (isnan(first) && run->sample_count > 0)
        first = figure_at(run, &run->samples[0], channel);
    return first;
}

double pit__channel_joules(const pit_run *run, size_t channel)
{
    if (!run->has_samples)
        return NAN;
    double taken = figure_at(run, &run->newest, channel) - first_of(run, channel);
    return taken >= 0 ? taken : NAN;
}

/* When the last reading of a point was made: when the next point begins. */
static double time_of(const pit_run *run, size_t point)
{
    const pit_sample *next =
        point + 1 < run->sample_count ? &run->samples[point + 1] : &run->newest;
    return wall_of(run, run->sample_stride > 1 ? next->ticks : run->samples[point].ticks);
}

/* The counter at a time within the run, interpolated linearly. */
static double joules_at(const pit_run *run, size_t channel, double wall)
{
    double before_at = wall_of(run, run->start_ticks), before = first_of(run, channel);
    for (size_t i = 0; i <= run->sample_count; i++) {
        int is_last = i == run->sample_count;
        double at = is_last ? wall_of(run, run->newest.ticks) : time_of(run, i);
        double here = figure_at(run, is_last ? &run->newest : &run->samples[i], channel);
        if (isnan(here) || at < before_at)
            continue;
        if (at >= wall)
            return at > before_at ? before + (here - before) * (wall - before_at) / (at - before_at)
                                  : here;
        before = here;
        before_at = at;
    }
    return before;
}

/* ---- one counter over runs ------------------------------------------------------------------ */

/* The interval over which a run read a counter. */
struct stretch {
    const pit_run *run;
    size_t channel;
    const char *host, *key;
    double begin, end;
};

static int by_time(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    int order = strcmp(x->host, y->host);
    if (order == 0)
        order = strcmp(x->key, y->key);
    if (order == 0)
        order = (x->begin > y->begin) - (x->begin < y->begin);
    return order ? order : (x->end < y->end) - (x->end > y->end);
}

static size_t gather(const pit_run *const *runs, size_t run_count, struct stretch *to)
{
    size_t count = 0;
    for (size_t r = 0; r < run_count; r++)
        for (size_t c = 0; c < runs[r]->channel_count; c++) {
            const pit_run *run = runs[r];
            if (!pit__is_energy(&run->channels[c]))
                continue;
            if (to)
                to[count] = (struct stretch){run,
                                             c,
                                             host_of(run),
                                             run->channels[c].key,
                                             wall_of(run, run->start_ticks),
                                             run->has_samples ? wall_of(run, run->newest.ticks)
                                                              : wall_of(run, run->start_ticks)};
            count++;
        }
    return count;
}

/* Add the part of the interval that other runs have not covered yet, which is up to *told. */
static void add_stretch(struct pit__energy_source *source, const struct stretch *s, double *told)
{
    double joules = pit__channel_joules(s->run, s->channel);
    source->runs++;
    if (isnan(joules)) {
        if (isnan(source->joules))
            source->missing = s->run->channels[s->channel].missing;
        return;
    }
    double from = fmax(*told, s->begin);
    if (from > s->begin)
        joules = s->end > from
                     ? joules_at(s->run, s->channel, s->end) - joules_at(s->run, s->channel, from)
                     : 0;
    source->joules = isnan(source->joules) ? joules : source->joules + joules;
    source->time_ns += fmax(s->end - from, 0);
    source->missing = NULL;
    *told = fmax(*told, s->end);
}

int pit__energy_sources(const pit_run *const *runs, size_t run_count,
                        struct pit__energy_source **sources, size_t *count)
{
    size_t all = gather(runs, run_count, NULL);
    struct stretch *stretches = calloc(all + 1, sizeof *stretches);
    *count = 0;
    *sources = calloc(all + 1, sizeof **sources);
    if (!stretches || !*sources) {
        free(stretches);
        return PIT_NO_MEMORY;
    }
    gather(runs, run_count, stretches);
    qsort(stretches, all, sizeof *stretches, by_time);
    double told = 0;
    for (size_t i = 0; i < all; i++) {
        const struct stretch *s = &stretches[i];
        struct pit__energy_source *last = *count ? &(*sources)[*count - 1] : NULL;
        if (!last || strcmp(last->host, s->host) != 0 || strcmp(last->key, s->key) != 0) {
            last = &(*sources)[(*count)++];
            *last = (struct pit__energy_source){.key = s->key,
                                                .reader = s->run->channels[s->channel].source,
                                                .host = s->host,
                                                .joules = NAN};
            told = 0;
        }
        add_stretch(last, s, &told);
    }
    free(stretches);
    return 0;
}

double pit__energy_sum(const struct pit__energy_source *sources, size_t count)
{
    double sum = NAN;
    for (size_t i = 0; i < count; i++)
        if (!isnan(sources[i].joules))
            sum = isnan(sum) ? sources[i].joules : sum + sources[i].joules;
    return sum;
}

#define PROCESSORS_LEAST_NS 20e6 /* twenty updates of a counter */
#define DEVICES_LEAST_NS 2e9

double pit__run_joules(const pit_run *run)
{
    double sum = NAN;
    for (size_t c = 0; c < run->channel_count; c++) {
        int is_processors = strcmp(run->channels[c].source, "rapl") == 0;
        if (!pit__is_energy(&run->channels[c]))
            continue;
        double joules = run->duration_ns >= (is_processors ? PROCESSORS_LEAST_NS : DEVICES_LEAST_NS)
                            ? pit__channel_joules(run, c)
                            : (double)NAN;
        if (!isnan(joules))
            sum = (isnan(sum) ? 0 : sum) + joules;
    }
    return sum;
}

/* ---- power, groups -------------------------------------------------------------------------- */

struct pit__run_power pit__run_power_of(const pit_run *run)
{
    struct pit__run_power power = {NAN, NAN};
    double time =
        run->has_samples ? wall_of(run, run->newest.ticks) - wall_of(run, run->start_ticks) : 0;
    for (size_t c = 0; time > 0 && c < run->channel_count; c++) {
        double joules =
            pit__is_energy(&run->channels[c]) ? pit__channel_joules(run, c) : (double)NAN;
        double *to =
            strcmp(run->channels[c].source, "rapl") == 0 ? &power.processors : &power.devices;
        if (!isnan(joules))
            *to = (isnan(*to) ? 0 : *to) + joules * 1e9 / time;
    }
    return power;
}

struct lifetime {
    size_t run;
    const char *host;
    double begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct lifetime *x = a, *y = b;
    int order = strcmp(x->host, y->host);
    return order ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

int pit__energy_groups(const pit_run *const *runs, size_t run_count, size_t *groups)
{
    struct lifetime *lives = calloc(run_count + 1, sizeof *lives);
    size_t group = 0;
    double end = 0;
    if (!lives)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < run_count; r++)
        lives[r] = (struct lifetime){r, host_of(runs[r]), (double)runs[r]->start_wall_ns,
                                     (double)runs[r]->start_wall_ns + runs[r]->duration_ns};
    qsort(lives, run_count, sizeof *lives, by_begin);
    for (size_t i = 0; i < run_count; i++) {
        int is_with =
            i > 0 && strcmp(lives[i - 1].host, lives[i].host) == 0 && lives[i].begin < end;
        group += i > 0 && !is_with;
        end = is_with ? fmax(end, lives[i].end) : lives[i].end;
        groups[lives[i].run] = group;
    }
    free(lives);
    return 0;
}
