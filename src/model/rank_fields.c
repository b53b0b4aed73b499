/* rank_fields.c: the field table of ranks, in column order. Times are per step. */
#include "fields.h"
#include "pitwall_ranks.h"

#include <stddef.h>

#define NO_STEP "it has no repeated span, or has not finished one"
#define NO_COMM "no communication of the job is known"
#define NO_CALLS "none of its collectives was kept"
#define NOTHING_OVER "no part of it exceeds the median of the other ranks by 2 % of the step"
#define NOTHING_OPEN "none of its spans is open"
#define NOT_INSIDE "it is not inside communication"
#define NO_READINGS "the sampler did not read it"

#define GETTER(name_, call_, figure_)                                                              \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        const pit_rank *rank = row;                                                                \
        call_(value, figure_);                                                                     \
    }

static void state(const void *row, pit_field_value *value)
{
    static const char *const words[] = {"live", "closed", "died"};
    pit__value_text(value, words[((const pit_rank *)row)->state % 3]);
}

GETTER(host, pit__value_text, rank->host)
GETTER(path, pit__value_text, rank->path)
GETTER(step, pit__value_real, rank->step_ns)
GETTER(work, pit__value_real, rank->work_ns)
GETTER(waited, pit__value_real, rank->wait_ns)
GETTER(transfer, pit__value_real, rank->transfer_ns)
GETTER(last, pit__value_real, rank->last_share)
GETTER(excess_in, pit__value_text, rank->excess_in)
GETTER(excess_path, pit__value_text, rank->excess_path)
GETTER(excess_time, pit__value_real, rank->excess_ns)
GETTER(excess_share, pit__value_real, rank->excess_share)
GETTER(median, pit__value_real, rank->median_ns)
GETTER(straggler, pit__value_flag, rank->is_straggler)
GETTER(busy, pit__value_real, rank->busy)
GETTER(delayed, pit__value_real, rank->delayed)
GETTER(open_path, pit__value_text, rank->open)
GETTER(open_time, pit__value_real, rank->open_ns)
GETTER(inside, pit__value_text, rank->inside)
GETTER(inside_time, pit__value_real, rank->inside_ns)

static enum pit__style blame(const void *row)
{
    return ((const pit_rank *)row)->is_straggler ? PIT__HOT : PIT__PLAIN;
}

static enum pit__style state_style(const void *row)
{
    return ((const pit_rank *)row)->state == PIT_RUN_DIED ? PIT__HOT : PIT__PLAIN;
}

#define AT(member_) .at = offsetof(pit_rank, member_)
#define FIELD(key_, title_, kind_, help_) .field = {key_, title_, help_}, .kind = PIT__##kind_

/* clang-format off */
static const struct pit__field fields[] = {
    {FIELD("rank", "rank", COUNT, "number of the rank"), AT(rank), .shown = 1, .style = blame},
    {FIELD("host", "host", TEXT, "machine that it runs on"), .get = host, .shown = 1,
     .max_width = 24, .drop = 3},
    {FIELD("state", "state", TEXT, "live, closed or died"), .get = state, .shown = 1,
     .style = state_style, .drop = 4},
    {FIELD("step_ns", "step", DURATION, "mean duration of a step"), .get = step, .why = NO_STEP,
     .shown = 1},
    {FIELD("work_ns", "work", DURATION, "time of a step outside of communication"), .get = work,
     .why = NO_STEP, .shown = 1, .style = blame},
    {FIELD("wait_ns", "wait", DURATION,
           "time of a step in communication before the last rank arrived; estimated where the job "
           "says so"),
     .get = waited, .why = NO_COMM, .shown = 1},
    {FIELD("transfer_ns", "transfer", DURATION,
           "time of a step in communication after the last rank arrived; estimated where the job "
           "says so"),
     .get = transfer, .why = NO_COMM, .shown = 1, .drop = 2},
    {FIELD("last_share", "last", PERCENT, "share of the kept collectives in which it arrived last"),
     .get = last, .why = NO_CALLS, .shown = 1, .drop = 1},
    {FIELD("excess_in", "most above the median", TEXT,
           "name of the part whose own time exceeds the median of the other ranks most"),
     .get = excess_in, .why = NOTHING_OVER, .shown = 1},
    {FIELD("excess_path", "path", TEXT, "path of that part"), .get = excess_path, .why = NOTHING_OVER},
    {FIELD("excess_ns", "excess", DURATION, "by how much that part exceeds the median, per step"), .get = excess_time,
     .why = NOTHING_OVER},
    {FIELD("excess_share", "excess share", PERCENT, "excess_ns divided by median_ns"), .get = excess_share,
     .why = "the other ranks spend no time there"},
    {FIELD("median_ns", "median", DURATION, "median of the other ranks' own time in that part"),
     .get = median, .why = NOTHING_OVER},
    {FIELD("is_straggler", "straggler", FLAG,
           "its work exceeds the median of the others by 5 % of the step, and that is significant"),
     .get = straggler},
    {FIELD("steps", "steps", COUNT, "steps that it finished"), AT(steps)},
    {FIELD("busy_cpus", "busy", NUMBER, "processors in use, mean over its run"), .get = busy,
     .why = NO_READINGS},
    {FIELD("delayed_share", "delayed", PERCENT,
           "time in which its main thread was ready to run and had no processor"),
     .get = delayed, .why = NO_READINGS},
    {FIELD("open", "open", TEXT, "names of its open spans, outermost first"), .get = open_path,
     .why = NOTHING_OPEN},
    {FIELD("open_ns", "open time", DURATION, "how long the innermost of them has been open"),
     .get = open_time, .why = NOTHING_OPEN},
    {FIELD("inside", "inside", TEXT, "communication that it is inside"), .get = inside,
     .why = NOT_INSIDE},
    {FIELD("inside_seq", "collective", COUNT, "number of that collective in its group, from 0"),
     AT(inside_seq), .why = NOT_INSIDE},
    {FIELD("inside_ns", "inside for", DURATION, "how long it has been inside"), .get = inside_time,
     .why = NOT_INSIDE},
    {FIELD("path", "run", TEXT, "path of its run"), .get = path},
    {FIELD("damaged_at", "damaged at", COUNT,
           "offset of the first damaged byte in its file; 0: not damaged"),
     AT(damaged_at)},
};
/* clang-format on */

_Static_assert(sizeof fields / sizeof fields[0] <= PIT__RANK_FIELDS_MOST, "rows have room");

const struct pit__field_table pit__rank_fields = {fields, sizeof fields / sizeof fields[0],
                                                  sizeof fields[0]};
