/* Why a process ended, from its last figures; and the words in the report of a dead run. */
#include "check.h"

#include "analysis/post_mortem.h"
#include "made_run.h"
#include "readings.h"

#include <math.h>

#define MB ((uint64_t)1 << 20)
#define GB ((uint64_t)1 << 30)
#define SECOND ((uint64_t)1000000000)

static struct pit__last_figures nothing(void)
{
    return (struct pit__last_figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                                      NAN, NAN, NAN, NAN, NAN, NAN};
}

/* A process with a third of its limit, on a machine with room. */
static struct pit__last_figures healthy(void)
{
    struct pit__last_figures f = nothing();
    f.rss = 0.66e9;
    f.cgroup_used = 0.7e9;
    f.cgroup_limit = 2e9;
    f.available = 15e9;
    f.machine = 22e9;
    f.pressure = 0;
    f.growth_per_ns = 0;
    f.unseen_ns = 1e8;
    return f;
}

static enum pit__cause cause_of(const struct pit__last_figures *f)
{
    return pit__post_mortem(f).cause;
}

TEST(nothing_known_is_said_so)
{
    struct pit__last_figures f = nothing();
    struct pit__verdict verdict = pit__post_mortem(&f);
    CHECK_INT(verdict.cause, PIT__CAUSE_UNKNOWN);
    CHECK_STR(verdict.key, "unknown");
    CHECK(!verdict.is_memory && !verdict.shows_memory);
    f.rss = 1e9; /* a figure without a limit proves nothing */
    CHECK_INT(cause_of(&f), PIT__CAUSE_UNKNOWN);
    f.exit_signal = 9;
    CHECK_INT(cause_of(&f), PIT__CAUSE_KILL);
}

TEST(memory_far_from_its_end_was_not_the_reason)
{
    struct pit__last_figures f = healthy();
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
    f.exit_signal = 9;
    struct pit__verdict verdict = pit__post_mortem(&f);
    CHECK_INT(verdict.cause, PIT__CAUSE_OTHER_KILL);
    CHECK_INT(verdict.number, 9);
}

TEST(ninety_percent_of_the_limit_is_likely_memory)
{
    struct pit__last_figures f = healthy();
    f.rss = 1.8e9;
    struct pit__verdict verdict = pit__post_mortem(&f);
    CHECK_INT(verdict.cause, PIT__CAUSE_LIMIT);
    CHECK(verdict.is_memory);
    f.rss = 1.79e9;
    f.cgroup_used = NAN;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
}

TEST(a_full_cgroup_counts_only_if_it_is_no_mere_cache)
{
    struct pit__last_figures f = healthy();
    f.cgroup_used = 1.99e9; /* two thirds of it cached files */
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
    f.pressure = 0.2;
    CHECK_INT(cause_of(&f), PIT__CAUSE_LIMIT);
    f.pressure = NAN;
    f.rss = 1.1e9;
    CHECK_INT(cause_of(&f), PIT__CAUSE_LIMIT);
}

TEST(a_machine_without_memory_is_likely_memory)
{
    struct pit__last_figures f = healthy();
    f.available = 1e9; /* under 5 % */
    CHECK_INT(cause_of(&f), PIT__CAUSE_MACHINE);
    f.cgroup_limit = f.cgroup_used = NAN;
    CHECK_INT(cause_of(&f), PIT__CAUSE_MACHINE);
    f.available = 1.2e9;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
}

TEST(growth_that_reached_the_limit_after_the_last_reading_is_likely_memory)
{
    struct pit__last_figures f = healthy();
    f.growth_per_ns = 12; /* 1.2 GB in the unobserved tenth of a second */
    CHECK_INT(cause_of(&f), PIT__CAUSE_GROWTH);
    f.growth_per_ns = 2;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
}

TEST(what_the_parent_saw_comes_first)
{
    struct pit__last_figures f = healthy();
    f.rss = 1.9e9;
    f.exit_signal = 11;
    CHECK_INT(cause_of(&f), PIT__CAUSE_SIGNAL);
    CHECK_INT(pit__post_mortem(&f).number, 11);
    f.exit_signal = NAN;
    f.exit_status = 7;
    CHECK_INT(cause_of(&f), PIT__CAUSE_STATUS);
    CHECK_INT(pit__post_mortem(&f).number, 7);
    f.exit_signal = 9;
    f.exit_status = NAN;
    CHECK_INT(cause_of(&f), PIT__CAUSE_LIMIT);
}

TEST(a_counted_oom_kill_is_sure)
{
    struct pit__last_figures f = nothing();
    f.oom_kills = 1;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OOM_KILL);
    f.exit_signal = 9;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OOM_KILL);
    f.exit_signal = 11; /* it was another process of the cgroup */
    CHECK_INT(cause_of(&f), PIT__CAUSE_SIGNAL);
    f = healthy();
    f.oom_kills = 0;
    CHECK_INT(cause_of(&f), PIT__CAUSE_OTHER);
}

/* ---- in the report ------------------------------------------------------------------------- */

static pit_raw_node nodes[4];
static pit_open_span spans[3];
static pit_event events[7];
static pit_thread threads[1];
static pit_sample samples[100];
static struct reading readings[100];
static pit_memory cache_memory;

/* Two minutes, in which RSS goes from `from` to `to` in a line; killed in its batch. */
static pit_run dead(uint64_t from, uint64_t to)
{
    nodes[0] = made_node("epoch", PIT_NO_NODE, 3, 30 * SECOND, 80 * SECOND);
    nodes[1] = made_node("batch", 0, 300, SECOND / 4, 60 * SECOND);
    nodes[2] = made_node("cache", 1, 300, SECOND / 8, 0);
    cache_memory = (pit_memory){.count = 300,
                                .delta_sum = (int64_t)(to - from),
                                .delta_max = 9 * 1024 * 1024,
                                .peak_max = 10 * MB,
                                .rss_max = to,
                                .error_bytes = 256 * 1024,
                                .peak_method = PIT_PEAK_RUSAGE};
    nodes[2].memory = &cache_memory;
    spans[0] = (pit_open_span){.node = 0, .begin = 1000 + 90 * SECOND};
    spans[1] = (pit_open_span){.node = 1, .begin = 1000 + 119 * SECOND};
    for (uint32_t i = 0; i < 7; i++)
        events[i] = (pit_event){2, 3, 1000 + (110 + i) * SECOND, SECOND / 8};
    threads[0] = made_thread("main", nodes, 3);
    threads[0].open = spans;
    threads[0].open_count = 2;
    threads[0].events = events;
    threads[0].event_count = 7;
    pit_run run = made_run(threads, 1);
    run.state = PIT_RUN_DIED;
    run.end_ticks = 1000 + 120 * SECOND;
    run.duration_ns = 120e9;
    for (uint64_t i = 0; i < 100; i++) {
        memset(&readings[i], 0xff, sizeof readings[i]);
        readings[i].rss = readings[i].rss_max = from + (to - from) * i / 99;
        samples[i] = as_sample(1000 + i * 12 * SECOND / 10, &readings[i]);
    }
    set_readings(&run, samples, 100, 12);
    run.newest.ticks = run.end_ticks - SECOND / 10;
    run.machine_bytes = 22 * GB;
    run.cgroup_limit = 2 * GB;
    run.cgroup_version = 2;
    run.oom_kills = 0;
    return run;
}

TEST(the_first_line_of_a_run_killed_for_memory_says_so)
{
    pit_run run = dead(GB, 1988 * MB);
    char *text = made_report(&run, NULL, NULL);
    static const char first[] = "killed, most likely for memory: RSS 1.94 GB of a limit of 2.00 GB,"
                                " growing 487 MB a minute inside epoch/batch/cache\n";
    if (strncmp(text, first, sizeof first - 1) != 0)
        CHECK_STR(text, first);
    CHECK_HAS(text, "where it died:\n  main: epoch > batch, 1.00 s in\n"
                    "    open for 30.0 s > 1.00 s\n"
                    "  last reading 100 ms before the end: RSS 1.94 GB of a limit of 2.00 GB\n");
    CHECK_HAS(text, "finished last, newest first:\n"
                    "  main: epoch > batch > cache, 125 ms, ended 3.88 s before the end\n"
                    "  main: epoch > batch > cache, 125 ms, ended 4.88 s before the end\n");
    CHECK(!strstr(text, "ended 8.88 s before")); /* five of them */
}

TEST(a_run_that_died_with_room_says_that_memory_was_not_it)
{
    pit_run run = dead(300 * MB, 300 * MB);
    run.cgroup_limit = PIT_UNKNOWN;
    static const char first[] = "ended without a close; memory was not the reason as far as can be"
                                " seen: RSS 300 MB of 22.0 GB, not growing\n";
    char *text = made_report(&run, NULL, NULL);
    if (strncmp(text, first, sizeof first - 1) != 0)
        CHECK_STR(text, first);
}

TEST(a_run_without_readings_says_that_nothing_is_known)
{
    pit_run run = dead(300 * MB, 300 * MB);
    run.has_samples = 0;
    run.sample_count = 0;
    static const char first[] =
        "ended without a close; the reason is not known, because its memory was not read\n";
    char *text = made_report(&run, NULL, NULL);
    if (strncmp(text, first, sizeof first - 1) != 0)
        CHECK_STR(text, first);
    CHECK(!strstr(text, "last reading"));
}

TEST(what_the_parent_process_saw_is_used)
{
    static const struct {
        pit_ended ended;
        const char *words;
    } cases[] = {
        {{.exit_status = -1, .exit_signal = 9, .oom_kills = 1},
         "the kernel killed it for memory (oom_kill): RSS 300 MB"},
        {{.exit_status = -1, .exit_signal = 9, .oom_kills = 0},
         "killed by SIGKILL; memory was not the reason"},
        {{.exit_status = -1, .exit_signal = 9, .oom_kills = PIT_UNKNOWN},
         "killed by SIGKILL; memory was not the reason"},
        {{.exit_status = -1, .exit_signal = 11}, "killed by SIGSEGV\n"},
        {{.exit_status = -1, .exit_signal = 40}, "killed by signal 40\n"},
        {{.exit_status = 7}, "exited without closing its run, exit status 7\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pit_run run = dead(300 * MB, 300 * MB);
        run.ended = &cases[i].ended;
        char *text = made_report(&run, NULL, NULL);
        if (strncmp(text, cases[i].words, strlen(cases[i].words)) != 0)
            CHECK_STR(text, cases[i].words);
    }
}

TEST(growth_without_memory_spans_names_the_open_span)
{
    pit_run run = dead(GB, 1988 * MB);
    nodes[2].memory = NULL;
    CHECK_HAS(made_report(&run, NULL, NULL),
              "growing 487 MB a minute while epoch/batch was open\n");
}

TEST(growth_that_memory_spans_did_not_see_is_the_open_spans)
{
    pit_run run = dead(GB, 1988 * MB);
    cache_memory.delta_sum = 4096;
    CHECK_HAS(made_report(&run, NULL, NULL), "a minute while epoch/batch was open\n");
}

TEST(closed_and_live_runs_have_no_verdict)
{
    pit_run run = dead(GB, 1988 * MB);
    run.state = PIT_RUN_CLOSED;
    char *text = made_report(&run, NULL, NULL);
    CHECK(!strstr(text, "killed") && !strstr(text, "last reading"));
    CHECK_HAS(text, "memory    peak RSS 1.94 GB of a limit of 2.00 GB, growing 487 MB a minute");
    pit_report_options options = {.form = PIT_JSON};
    CHECK_HAS(made_report(&run, &options, NULL), "\"post_mortem\": null");
}

TEST(json_has_the_verdict_and_how_it_was_found)
{
    pit_run run = dead(GB, 1988 * MB);
    pit_report_options options = {.form = PIT_JSON};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "\"verdict\": \"killed, most likely for memory: RSS 1.94 GB");
    CHECK_HAS(text, "\"cause\": \"limit\"");
    CHECK_HAS(text, "\"is_memory\": true");
    CHECK_HAS(text, "\"last_reading_before_end_ns\": 100000000");
    CHECK_HAS(text, "\"is_growing\": true, \"where\": \"epoch/batch/cache\", \"where_by\": \"memory"
                    " spans\"");
}
