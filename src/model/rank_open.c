/* rank_open.c: the current or last position of each rank, and which ranks wait for which others: ranks
 * are grouped by the collective that they are inside. See ranks.h.
 *
 * No clocks are needed to find an absent rank: it has begun fewer collectives of the group than the others.
 * Without these counts, a rank that is outside of the collective is absent.
 */
#include "ranks.h"

#include "report/text.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HANG_NS 1e9   /* a shorter wait is not a hang */
#define HANG_STEPS 5  /* the same, in steps */
#define ABSENT_MOST 4 /* absent ranks that are named */

/* ---- ages ---------------------------------------------------------------------------------------- */

/* The current time by the clock of a host: the last sign of life of any of its ranks; on this machine,
 * while a rank lives, the clock itself. A stopped rank gives no sign of life. */
static uint64_t now_of(const struct pit__rank_gather *gather, size_t host)
{
    char own[256] = "";
    uint64_t now = 0;
    int is_live = 0;
    const char *name = "";
    for (size_t r = 0; r < gather->count; r++) {
        const struct pit__rank_row *row = &gather->rows[r];
        if (row->host != host)
            continue;
        name = row->told.host;
        is_live |= row->told.state == PIT_RUN_LIVE;
        now = row->end_wall_ns > now ? row->end_wall_ns : now;
    }
    if (is_live && gethostname(own, sizeof own - 1) == 0 && strcmp(own, name) == 0) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        uint64_t wall = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
        now = wall > now ? wall : now;
    }
    return now;
}

static void make_ages(struct pit__rank_gather *gather)
{
    for (size_t r = 0; r < gather->count; r++) {
        struct pit__rank_row *row = &gather->rows[r];
        /* in a finished job no span is open, so a thousand ranks cost nothing */
        if (!row->told.open && !row->told.inside)
            continue;
        int has_died = row->told.state == PIT_RUN_DIED;
        uint64_t now = has_died ? row->end_wall_ns : now_of(gather, row->host);
        double since = now > row->start_wall_ns ? (double)(now - row->start_wall_ns) : 0;
        row->told.open_ns = fmax(since - row->told.open_ns, 0);
        row->told.inside_ns = fmax(since - row->told.inside_ns, 0);
        if (!row->told.open)
            row->told.open_ns = NAN;
        if (!row->told.inside)
            row->told.inside_ns = NAN;
    }
}

/* ---- who waits ----------------------------------------------------------------------------------- */

static int is_open(const pit_rank *told)
{
    return told->inside && told->state != PIT_RUN_CLOSED;
}

static int is_same_meeting(const pit_rank *a, const pit_rank *b)
{
    return is_open(a) && is_open(b) && a->inside_seq == b->inside_seq &&
           a->inside_group == b->inside_group &&
           (a->inside_seq != PIT_UNKNOWN || strcmp(a->inside, b->inside) == 0);
}

/* The rank in the collective with the most ranks inside; of these, the rank that waits longest. NULL if no
 * rank is inside any. */
static const pit_rank *largest_meeting(const struct pit__rank_gather *gather, size_t *inside)
{
    const pit_rank *best = NULL;
    *inside = 0;
    for (size_t r = 0; r < gather->count; r++) {
        const pit_rank *told = &gather->rows[r].told;
        size_t count = 0;
        int is_known = 0; /* counted with an earlier rank */
        for (size_t k = 0; k < gather->count && is_open(told) && !is_known; k++) {
            int is_same = is_same_meeting(told, &gather->rows[k].told);
            count += (size_t)is_same;
            is_known = is_same && k < r && gather->rows[k].told.inside_ns >= told->inside_ns;
        }
        if (!is_known && count > 0 &&
            (count > *inside || (count == *inside && told->inside_ns > best->inside_ns))) {
            *inside = count;
            best = told;
        }
    }
    return best;
}

/* Did it not begin the collective that the others wait in? */
static int is_absent(const struct pit__rank_row *row, const pit_rank *meeting)
{
    if (is_same_meeting(&row->told, meeting) || row->told.state == PIT_RUN_CLOSED)
        return 0;
    if (meeting->inside_seq == PIT_UNKNOWN)
        return 1;
    for (size_t g = 0; g < row->group_count; g++)
        if (row->groups[g].id == meeting->inside_group)
            return row->groups[g].calls <= meeting->inside_seq;
    return 0;
}

/* Its newest collective of this group. */
static void add_newest(struct pit__text *text, const struct pit__rank_gather *gather,
                       const struct pit__rank_row *row, uint64_t group)
{
    const struct pit__rank_call *newest = NULL;
    for (size_t i = 0; i < row->call_count; i++) {
        const struct pit__rank_call *call = &row->calls[i];
        if (call->group == group && call->node != PIT_NO_NODE &&
            (!newest || call->seq > newest->seq))
            newest = call;
    }
    if (newest)
        pit__text_printf(text, ", after %.150s #%llu",
                         gather->stream.b.nodes[newest->node].node.name,
                         (unsigned long long)newest->seq);
}

static void add_first(struct pit__text *text, const struct pit__rank_gather *gather,
                      const struct pit__rank_row *row, uint64_t group)
{
    const pit_rank *told = &row->told;
    char age[PIT__UNIT_BYTES];
    int has_died = told->state == PIT_RUN_DIED;
    pit__text_printf(text, "rank %llu %s", (unsigned long long)told->rank,
                     has_died ? "died in " : "has not come: ");
    pit__text_puts(text, told->open ? told->open : "no span");
    if (!told->open)
        add_newest(text, gather, row, group);
    else if (!isnan(told->open_ns))
        pit__text_printf(text, ", %s in", pit__unit_duration(age, told->open_ns, 0));
}

/* "rank 2 has not come: step > checkpoint, 1.89 s in; nor have ranks 5, 7" */
static const char *absent_words(struct pit__ranks_box *box, const pit_rank *meeting, size_t *count,
                                int *has_died)
{
    struct pit__rank_gather *gather = &box->gather;
    struct pit__text text = {0};
    *count = 0;
    *has_died = 0;
    for (size_t r = 0; r < gather->count; r++) {
        const struct pit__rank_row *row = &gather->rows[r];
        if (!is_absent(row, meeting))
            continue;
        *has_died |= row->told.state == PIT_RUN_DIED;
        if (++*count == 1)
            add_first(&text, gather, row, meeting->inside_group);
        else if (*count <= ABSENT_MOST)
            pit__text_printf(&text, "%s%llu", *count == 2 ? "; nor were ranks there: " : ", ",
                             (unsigned long long)row->told.rank);
    }
    if (*count > ABSENT_MOST)
        pit__text_printf(&text, " and %zu more", *count - ABSENT_MOST);
    const char *words = pit__arena_text(&gather->arena, pit__text_string(&text), text.length);
    gather->arena.failed |= text.failed;
    pit__text_free(&text);
    return words;
}

static const char *meeting_name(struct pit__ranks_box *box, const pit_rank *meeting)
{
    char name[200];
    if (meeting->inside_seq == PIT_UNKNOWN)
        return meeting->inside;
    snprintf(name, sizeof name, "%.150s #%llu", meeting->inside,
             (unsigned long long)meeting->inside_seq);
    return pit__arena_text(&box->gather.arena, name, strlen(name));
}

void pit__rank_open_find(struct pit__ranks_box *box)
{
    struct pit__rank_case *found = &box->found;
    size_t inside, absent;
    int has_died;
    make_ages(&box->gather);
    const pit_rank *meeting = largest_meeting(&box->gather, &inside);
    if (!meeting)
        return;
    const char *words = absent_words(box, meeting, &absent, &has_died);
    double step = isnan(box->ranks.step_ns) ? 0 : box->ranks.step_ns;
    int is_long = meeting->inside_ns >= HANG_NS && meeting->inside_ns >= HANG_STEPS * step;
    if (absent == 0 || !(is_long || has_died))
        return;
    found->standstill = has_died ? PIT__DIED : PIT__HANGS;
    found->waiting = inside;
    found->waited = meeting->inside_ns / 1e9;
    found->meeting = meeting_name(box, meeting);
    found->absent = words;
}
