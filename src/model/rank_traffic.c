/* rank_traffic.c: adds up messages between ranks and call sites, one run after another. See ranks.h. */
#include "ranks.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#define PARTNERS_KEPT 16 /* per rank: those with the most bytes */
#define SITES_MOST 1024

struct pit__traffic {
    pit_traffic told;
    pit_pair *pairs;
    size_t pair_room;
    pit_call_site *sites;
    size_t site_room;
    struct pit__arena arena; /* of texts */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b; /* a damaged run may contain any value */
}

static void add(pit_message_sum *to, const pit_message_sum *from)
{
    to->count = sum(to->count, from->count);
    to->bytes = sum(to->bytes, from->bytes);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static int more_bytes(const pit_message_sum *x, const pit_message_sum *y)
{
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->count < y->count) - (x->count > y->count);
}

static int by_sent(const void *a, const void *b)
{
    const pit_partner *x = a, *y = b;
    int order = more_bytes(&x->sent, &y->sent);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int add_pair(struct pit__traffic *traffic, pit_pair pair)
{
    size_t count = traffic->told.pair_count;
    if (!pair.sent.count)
        return 0;
    pit_pair *pairs = pit__grow(traffic->pairs, &traffic->pair_room, count + 1, sizeof *pairs, 64);
    if (!pairs)
        return PIT_NO_MEMORY;
    traffic->pairs = pairs;
    pairs[traffic->told.pair_count++] = pair;
    return 0;
}

static int add_partners(struct pit__traffic *traffic, const pit_messages *from, uint64_t rank)
{
    size_t count = from->partner_count;
    pit_pair rest = {rank, PIT_UNKNOWN, from->others};
    pit_partner *sorted = malloc((count + 1) * sizeof *sorted);
    int code = sorted ? 0 : PIT_NO_MEMORY;
    if (sorted && count) {
        memcpy(sorted, from->partners, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_sent);
    }
    for (size_t i = 0; !code && i < count; i++) {
        if (i < PARTNERS_KEPT)
            code = add_pair(traffic, (pit_pair){rank, sorted[i].rank, sorted[i].sent});
        else
            add(&rest.sent, &sorted[i].sent);
    }
    free(sorted);
    return code ? code : add_pair(traffic, rest);
}

/* ---- call sites ----------------------------------------------------------------------------- */

static int is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *keep_text(struct pit__traffic *traffic, const char *text)
{
    return text ? pit__arena_text(&traffic->arena, text, strlen(text)) : NULL;
}

/* Returns NULL if memory is exhausted. */
static pit_call_site *site_new(struct pit__traffic *traffic, const char *call,
                               const pit_caller *from)
{
    size_t count = traffic->told.site_count;
    pit_call_site *sites =
        pit__grow(traffic->sites, &traffic->site_room, count + 1, sizeof *sites, 64);
    if (!sites)
        return NULL;
    traffic->sites = sites;
    sites[count] = (pit_call_site){.call = keep_text(traffic, call),
                                   .function = keep_text(traffic, from->function),
                                   .file = keep_text(traffic, from->file),
                                   .offset = from->offset};
    if (traffic->arena.failed)
        return NULL;
    return &sites[traffic->told.site_count++];
}

/* Addresses differ between ranks, so callers without a name are one site per call. */
static int add_caller(struct pit__traffic *traffic, const pit_run *run, const pit_caller *from)
{
    const char *call = run->threads[from->thread].nodes[from->node].name;
    pit_call_site *site = NULL;
    for (size_t i = 0; i < traffic->told.site_count && !site; i++) {
        pit_call_site *one = &traffic->sites[i];
        if (one->offset == from->offset && is_same(one->call, call) &&
            is_same(one->function, from->function) && is_same(one->file, from->file))
            site = one;
    }
    if (!site && traffic->told.site_count == SITES_MOST) {
        traffic->told.calls_lost = sum(traffic->told.calls_lost, from->calls);
        return 0;
    }
    if (!site)
        site = site_new(traffic, call, from);
    if (!site)
        return PIT_NO_MEMORY;
    site->calls = sum(site->calls, from->calls);
    site->total_ns += (double)from->total_ns;
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

int pit__traffic_add(struct pit__traffic **made, const pit_run *run, uint64_t rank)
{
    const pit_messages *from = run->messages;
    if (!from)
        return 0;
    if (!*made)
        *made = calloc(1, sizeof **made);
    struct pit__traffic *traffic = *made;
    if (!traffic)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < PIT_MESSAGE_SIZES; i++) {
        add(&traffic->told.sizes[i], &from->sizes[i]);
        add(&traffic->told.collective_sizes[i], &from->collective_sizes[i]);
    }
    traffic->told.calls_lost = sum(traffic->told.calls_lost, from->calls_lost);
    int code = add_partners(traffic, from, rank);
    for (size_t i = 0; !code && i < from->caller_count; i++)
        code = add_caller(traffic, run, &from->callers[i]);
    return code;
}

static int by_pair(const void *a, const void *b)
{
    const pit_pair *x = a, *y = b;
    int order = more_bytes(&x->sent, &y->sent);
    if (!order)
        order = (x->from > y->from) - (x->from < y->from);
    return order ? order : (x->to > y->to) - (x->to < y->to);
}

static int by_time(const void *a, const void *b)
{
    const pit_call_site *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    int order = strcmp(x->call, y->call);
    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

const pit_traffic *pit__traffic_told(struct pit__traffic *traffic)
{
    if (!traffic)
        return NULL;
    if (traffic->told.pair_count)
        qsort(traffic->pairs, traffic->told.pair_count, sizeof *traffic->pairs, by_pair);
    if (traffic->told.site_count)
        qsort(traffic->sites, traffic->told.site_count, sizeof *traffic->sites, by_time);
    traffic->told.pairs = traffic->pairs;
    traffic->told.sites = traffic->sites;
    return &traffic->told;
}

void pit__traffic_free(struct pit__traffic *traffic)
{
    if (!traffic)
        return;
    free(traffic->pairs);
    free(traffic->sites);
    pit__arena_free(&traffic->arena);
    free(traffic);
}
