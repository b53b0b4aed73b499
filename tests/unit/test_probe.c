/* Memory without a recorder, and the device's hooks. */
#include "check.h"

#include "pitwall_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MB ((uint64_t)1024 * 1024)

/* Without sanitizers, whose shadow of these pages would be resident too. */
__attribute__((no_sanitize("address", "thread", "undefined"), noinline)) static void
touch_pages(volatile unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
}

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    touch_pages(memory, bytes);
    return memory;
}

static void touch(size_t bytes)
{
    munmap(map(bytes), bytes);
}

static int is_near(uint64_t figure, uint64_t wanted, const pit_probe *probe)
{
    uint64_t bound = MB + probe->error_bytes;
    return figure + bound >= wanted && figure <= wanted + bound;
}

/* Emulators have no mark to reset. */
static int has_mark(void)
{
    return getenv("PITWALL_EMULATED") == NULL;
}

/* A stack that is gone afterwards, as after a jump, an exception or a cancelled thread. */
__attribute__((noinline)) static void leave_a_probe_open(void)
{
    pit_probe probe;
    pit_probe_begin(&probe);
}

__attribute__((noinline)) static void overwrite_the_stack(void)
{
    volatile unsigned char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xff;
}

TEST(a_probe_that_is_left_without_its_end_hurts_nobody)
{
    for (int i = 0; i < 1000; i++) {
        leave_a_probe_open();
        overwrite_the_stack();
        pit_probe probe;
        pit_probe_begin(&probe);
        if (i % 100 == 0)
            touch(8 * MB);
        pit_probe_end(&probe);
        CHECK(probe.rss_begin > 0 && probe.rss_end > 0);
        if (has_mark() && i % 100 == 0)
            CHECK(is_near(probe.rss_peak - probe.rss_begin, 8 * MB, &probe));
    }
}

TEST(a_probe_that_is_begun_twice_ends_once)
{
    pit_probe probe, other;
    for (int i = 0; i < 3; i++) {
        pit_probe_begin(&probe);
        pit_probe_begin(&probe);
        pit_probe_begin(&other);
        pit_probe_end(&other);
        pit_probe_end(&probe);
        CHECK(probe.rss_begin > 0 && probe.rss_end > 0);
    }
}

TEST(of_very_many_open_probes_the_newest_have_a_peak)
{
    static pit_probe probes[2000];
    for (int i = 0; i < 2000; i++)
        pit_probe_begin(&probes[i]);
    for (int i = 1999; i >= 0; i--) {
        pit_probe_end(&probes[i]);
        CHECK(probes[i].rss_begin > 0 && probes[i].rss_end > 0);
    }
    CHECK(!has_mark() || probes[1999].rss_peak > 0);
}

TEST(rss_is_what_the_process_holds)
{
    uint64_t before = pit_rss();
    void *memory = map(32 * MB);
    uint64_t after = pit_rss();
    CHECK(before > 0 && after > before + 29 * MB && after < before + 64 * MB);
    munmap(memory, 32 * MB);
}

TEST(a_probe_sees_what_was_touched_and_given_back)
{
    pit_probe probe;
    pit_probe_begin(&probe);
    touch(64 * MB);
    pit_probe_end(&probe);
    REQUIRE(probe.rss_begin > 0 && probe.rss_end > 0);
    if (has_mark())
        CHECK(is_near(probe.rss_peak - probe.rss_begin, 64 * MB, &probe));
    CHECK(probe.rss_end < probe.rss_begin + 8 * MB);
}

TEST(an_inner_probe_and_a_memory_span_leave_the_outer_peak)
{
    pit_options options = {.in_memory = 1};
    REQUIRE(pit_open(NULL, &options) == 0);
    pit_probe outer, inner;
    pit_probe_begin(&outer);
    touch(64 * MB);
    pit_probe_begin(&inner);
    touch(16 * MB);
    pit_probe_end(&inner);
    PIT_SPAN_WITH("span", PIT_MEMORY)
    {
        touch(8 * MB);
    }
    pit_probe_end(&outer);
    pit_probe_end(&outer); /* a second end: nothing */
    if (has_mark()) {
        CHECK(is_near(outer.rss_peak - outer.rss_begin, 64 * MB, &outer));
        CHECK(is_near(inner.rss_peak - inner.rss_begin, 16 * MB, &inner));
        pit_run *run = pit_run_read(NULL, NULL);
        REQUIRE(run && run->threads[0].nodes[0].memory);
        CHECK(is_near(run->threads[0].nodes[0].memory->peak_max, 8 * MB, &outer));
        CHECK(run->rss_peak + outer.error_bytes + MB >= outer.rss_peak);
        pit_run_free(run);
    }
}

TEST(a_child_ends_what_its_parent_began_without_harm)
{
    pit_probe probe;
    pit_probe_begin(&probe);
    pid_t child = fork();
    if (child == 0) {
        pit_probe_end(&probe);
        pit_probe own;
        pit_probe_begin(&own);
        touch(8 * MB);
        pit_probe_end(&own);
        _exit(own.rss_begin > 0 && probe.rss_end == 0 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    pit_probe_end(&probe);
    CHECK(probe.rss_end > 0);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int waits;

static int wait_a_while(void *arg)
{
    waits += *(int *)arg;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return 0;
}

/* The wait before the begin is not in the span; the one before the end is. */
TEST(a_span_that_asks_for_it_waits_for_the_device)
{
    int one = 1;
    pit_device device = {.name = "made up", .wait = wait_a_while, .arg = &one};
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    REQUIRE(pit_open(NULL, &options) == 0);
    CHECK(pit_get_device() == NULL);
    PIT_SPAN_WITH("no device", PIT_WAIT)
    {
    }
    pit_set_device(&device);
    CHECK(pit_get_device() == &device);
    PIT_SPAN("plain") {
    }
    CHECK(waits == 0);
    uint64_t begun = now_ns();
    pit_token token = pit_begin_with("waits", PIT_WAIT);
    CHECK(waits == 1);
    uint64_t took = pit_end_ns(token), both = now_ns() - begun;
    CHECK(waits == 2);
    CHECK(took >= 19000000u && took <= both - 19000000u);
    PIT_SPAN_WITH("no device", PIT_WAIT)
    {
    }
    CHECK(waits == 4);
    pit_set_device(NULL);
}
