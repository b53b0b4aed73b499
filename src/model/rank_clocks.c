/* rank_clocks.c: clock offsets between the hosts of a job, from collectives that no rank leaves before all
 * have entered. See ranks.h and analysis/clock_bounds.h. */
#include "ranks.h"

#include "analysis/clock_bounds.h"
#include "reader/jobs.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry { /* one rank in one collective, in the clock of its host */
    uint64_t group, seq;
    size_t host;
    double enter, leave;
};

static int by_call(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->host > y->host) - (x->host < y->host);
}

/* Times are relative to `base`, so that doubles are exact to the nanosecond. */
static size_t list_entries(const struct pit__rank_gather *gather, uint64_t base,
                           struct entry *entries)
{
    size_t count = 0;
    for (size_t r = 0; r < gather->count; r++) {
        const struct pit__rank_row *row = &gather->rows[r];
        double start = (double)(int64_t)(row->start_wall_ns - base);
        for (size_t i = 0; i < row->call_count; i++) {
            const struct pit__rank_call *call = &row->calls[i];
            if (call->is_sync && !isnan(call->duration))
                entries[count++] =
                    (struct entry){call->group, call->seq, row->host, start + call->enter,
                                   start + call->enter + call->duration};
        }
    }
    if (count > 0)
        qsort(entries, count, sizeof *entries, by_call);
    return count;
}

/* The ranks of one host in one call: latest entry, earliest leave. Returns 0 if the host has no rank in it. */
static int find_host(const struct entry *call, size_t count, size_t host, double *enter,
                     double *leave)
{
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        if (call[i].host != host)
            continue;
        *enter = found ? fmax(*enter, call[i].enter) : call[i].enter;
        *leave = found ? fmin(*leave, call[i].leave) : call[i].leave;
        found = 1;
    }
    return found;
}

static size_t list_crossings(const struct entry *entries, size_t count, size_t host,
                             struct pit__crossing *crossings)
{
    size_t made = 0;
    for (size_t i = 0, end; i < count; i = end) {
        struct pit__crossing *to = &crossings[made];
        for (end = i + 1; end < count && entries[end].group == entries[i].group &&
                          entries[end].seq == entries[i].seq;)
            end++;
        made += find_host(entries + i, end - i, 0, &to->here_enter, &to->here_leave) &&
                find_host(entries + i, end - i, host, &to->there_enter, &to->there_leave);
    }
    return made;
}

/* Number the hosts from 0, in the order in which they appear; returns their number. */
static size_t number_hosts(struct pit__rank_gather *gather)
{
    size_t hosts = 0;
    for (size_t r = 0; r < gather->count; r++) {
        struct pit__rank_row *row = &gather->rows[r];
        size_t before = 0;
        while (before < r && strcmp(gather->rows[before].told.host, row->told.host) != 0)
            before++;
        row->host = before < r ? gather->rows[before].host : hosts++;
    }
    return hosts;
}

/* Bounds of every host relative to the first; *calls: the smallest number of calls. Returns 0 or
 * PIT_NO_MEMORY. */
static int find_bounds(const struct pit__rank_gather *gather, size_t hosts,
                       struct pit__clock_bounds *bounds, size_t *calls)
{
    size_t most = 0;
    for (size_t r = 0; r < gather->count; r++)
        most += gather->rows[r].call_count;
    struct entry *entries = calloc(most + 1, sizeof *entries);
    struct pit__crossing *crossings = calloc(most + 1, sizeof *crossings);
    int code = entries && crossings ? 0 : PIT_NO_MEMORY;
    size_t count = code ? 0 : list_entries(gather, gather->rows[0].start_wall_ns, entries);
    *calls = SIZE_MAX;
    for (size_t h = 1; h < hosts && !code; h++) {
        size_t made = list_crossings(entries, count, h, crossings);
        pit__clock_bounds_find(crossings, made, &bounds[h]);
        *calls = made < *calls ? made : *calls;
    }
    free(entries);
    free(crossings);
    return code;
}

static void tell(struct pit__ranks_box *box, const struct pit__clock_bounds *bounds, size_t hosts,
                 size_t calls)
{
    char words[200], bound[PIT__UNIT_BYTES];
    pit_ranks *ranks = &box->ranks;
    int is_consistent = 1;
    for (size_t h = 1; h < hosts; h++) {
        is_consistent &= bounds[h].is_consistent;
        ranks->clock_bound_ns = fmax(ranks->clock_bound_ns, bounds[h].bound);
    }
    if (hosts <= 1)
        snprintf(words, sizeof words, "one host, exact");
    else if (calls == 0)
        snprintf(words, sizeof words, "n/a: no collectives of %zu hosts were kept", hosts);
    else if (!is_consistent)
        snprintf(words, sizeof words, "n/a: a clock was set while the job ran");
    else
        snprintf(words, sizeof words, "%zu hosts, within %s of one another, by %zu collectives",
                 hosts, pit__unit_duration(bound, ranks->clock_bound_ns, 1), calls);
    if (hosts > 1 && (calls == 0 || !is_consistent))
        ranks->clock_bound_ns = NAN;
    ranks->clock_words = pit__arena_text(&box->gather.arena, words, strlen(words));
}

int pit__rank_clocks_find(struct pit__ranks_box *box)
{
    size_t hosts = number_hosts(&box->gather), calls = 0;
    struct pit__clock_bounds *bounds = calloc(hosts + 1, sizeof *bounds);
    int code = bounds ? find_bounds(&box->gather, hosts, bounds, &calls) : PIT_NO_MEMORY;
    box->ranks.host_count = hosts;
    if (!code)
        tell(box, bounds, hosts, calls);
    free(bounds);
    return code;
}

/* ---- of runs, for a common time line -------------------------------------------------------------- */

static void set_clocks(const struct pit__rank_gather *gather,
                       const struct pit__clock_bounds *bounds, struct pit__run_clock *clocks)
{
    for (size_t r = 0; r < gather->count; r++) {
        const struct pit__rank_row *row = &gather->rows[r];
        const struct pit__clock_bounds *host = &bounds[row->host];
        double start = (double)(int64_t)(row->start_wall_ns - gather->rows[0].start_wall_ns);
        if (row->host == 0 || !host->is_consistent)
            continue;
        /* its start is a time of its own clock; the local clock showed about `offset` less */
        clocks[r].ahead = pit__clock_offset(host, start - host->offset);
        clocks[r].drift = host->drift;
    }
}

int pit__run_clocks(const pit_run *const *runs, size_t count, struct pit__run_clock *clocks)
{
    struct pit__rank_gather gather = {0};
    size_t groups = 0, calls;
    int code = 0;
    for (size_t r = 0; r < count; r++) {
        clocks[r] = (struct pit__run_clock){0, 0};
        groups += runs[r]->group_count;
    }
    if (groups == 0)
        return 0;
    for (size_t r = 0; r < count && !code; r++)
        code = pit__rank_add(&gather, runs[r]);
    size_t hosts = code ? 0 : number_hosts(&gather);
    struct pit__clock_bounds *bounds = calloc(hosts + 1, sizeof *bounds);
    if (!bounds)
        code = PIT_NO_MEMORY;
    if (!code)
        code = find_bounds(&gather, hosts, bounds, &calls);
    if (!code)
        set_clocks(&gather, bounds, clocks);
    free(bounds);
    pit__rank_gather_free(&gather);
    return code;
}
