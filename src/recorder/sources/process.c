/* The process: memory, processor time, faults, switches.
 *
 * Each figure comes from its cheapest source. /proc/self/status takes longer than all others together,
 * so it is read only for the high-water mark, and only if ru_maxrss of getrusage cannot give it (see
 * rss.c).
 */
#include "recorder/sample_source.h"

#include <sys/resource.h>
#include <unistd.h>

enum { STATM, STATUS };
enum { RSS, RSS_MAX, CPU, MINOR, MAJOR, SWITCHES, FORCED };

struct own {
    uint64_t page_bytes;
    uint64_t floor;           /* up to this value, ru_maxrss may be from before exec */
    uint64_t hwm, hwm_faults; /* VmHWM, and the process's faults when it was read */
};

static void describe(struct pit__channel_list *list)
{
    static const char no_usage[] = "getrusage failed";
    static const struct pit__channel channels[] = {
        {"rss_bytes", "bytes", "resident memory", "/proc/self/statm cannot be read", 1,
         PIT_FMT_GAUGE, PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
        {"rss_max_bytes", "bytes", "highest resident memory of the readings",
         "/proc/self/statm cannot be read", 1, PIT_FMT_GAUGE, PIT_FMT_MERGE_MAX, PIT_FMT_MERGE_SUM},
        {"cpu_ns", "ns", "processor time, user and system", no_usage, 1, PIT_FMT_COUNTER,
         PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
        {"minor_faults", "", "page faults without storage", no_usage, 1, PIT_FMT_COUNTER,
         PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
        {"major_faults", "", "page faults that read storage", no_usage, 1, PIT_FMT_COUNTER,
         PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
        {"switches", "", "context switches because the process waited", no_usage, 1,
         PIT_FMT_COUNTER, PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
        {"forced_switches", "", "context switches because others had to run", no_usage, 1,
         PIT_FMT_COUNTER, PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_SUM},
    };
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        pit__channel_add(list, &channels[i]);
}

/* ru_maxrss, in bytes. */
static uint64_t read_usage(uint64_t *values)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    values[CPU] = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                  (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    values[MINOR] = (uint64_t)usage.ru_minflt;
    values[MAJOR] = (uint64_t)usage.ru_majflt;
    values[SWITCHES] = (uint64_t)usage.ru_nvcsw;
    values[FORCED] = (uint64_t)usage.ru_nivcsw;
    return (uint64_t)usage.ru_maxrss * 1024;
}

static uint64_t read_rss(const struct pit__reading *now, struct pit__source_state *state)
{
    struct own *own = (struct own *)state->words;
    char text[128];
    if (!own->page_bytes)
        own->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!pit__source_text(now, state, STATM, "/proc/self/statm", text, sizeof text))
        return PIT__UNKNOWN;
    uint64_t pages = pit__number_after(text, " "); /* the second number */
    return pages == PIT__UNKNOWN ? PIT__UNKNOWN : pages * own->page_bytes;
}

/* Memory grows by page faults: if there was none since, the mark did not rise. */
static uint64_t read_hwm(const struct pit__reading *now, struct pit__source_state *state,
                         uint64_t faults)
{
    struct own *own = (struct own *)state->words;
    char text[4096];
    if (now->readings && faults == own->hwm_faults)
        return own->hwm;
    uint64_t kilobytes =
        pit__source_text(now, state, STATUS, "/proc/self/status", text, sizeof text)
            ? pit__number_after(text, "\nVmHWM:")
            : PIT__UNKNOWN;
    own->hwm = kilobytes == PIT__UNKNOWN ? 0 : kilobytes * 1024;
    own->hwm_faults = faults;
    return own->hwm;
}

/* A process that had more memory before exec keeps that as a floor of ru_maxrss: seen at the first
 * reading, when VmHWM is lower. A floor that appears later, after the mark was reset, is at most the
 * former mark, and so nothing new. */
static uint64_t read_peak(const struct pit__reading *now, struct pit__source_state *state,
                          uint64_t faults, uint64_t max_rss)
{
    struct own *own = (struct own *)state->words;
    if (now->readings && max_rss > own->floor)
        return max_rss;
    uint64_t hwm = read_hwm(now, state, faults);
    if (now->readings == 0)
        own->floor = max_rss > hwm ? max_rss : 0;
    return hwm;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    uint64_t max_rss = read_usage(values);
    now->rss = values[RSS] = values[RSS_MAX] = read_rss(now, state);
    now->rss_peak = read_peak(now, state, values[MINOR] + values[MAJOR], max_rss);
}

_Static_assert(sizeof(struct own) <= sizeof(uint64_t) * PIT__SOURCE_WORDS, "its state fits");

const struct pit__sample_source pit__source_process = {
    .name = "process", .every = 1, .open = describe, .read = take};
