/* monitor_stage.h: fixture for the tests of monitors: a clock, memory and a device set by the test, and the
 * lines that monitors print. Include it after check.h. */
#ifndef PIT_MONITOR_STAGE_H
#define PIT_MONITOR_STAGE_H

#include "pitwall_report.h"
#include "tests_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define STAGE_MB (1024.0 * 1024.0)

static struct {
    uint64_t ns, wall_ns, rss;
    uint64_t allocated, reserved, peak; /* of the device */
    int waits;
    char text[65536]; /* the lines so far */
    size_t length;
} stage;

static inline uint64_t stage_ns(void *arg)
{
    (void)arg;
    return stage.ns;
}

static inline uint64_t stage_wall_ns(void *arg)
{
    (void)arg;
    return stage.wall_ns;
}

static inline uint64_t stage_rss(void *arg)
{
    (void)arg;
    return stage.rss;
}

static inline void stage_line(void *arg, const char *text)
{
    (void)arg;
    size_t length = strlen(text);
    REQUIRE(stage.length + length + 2 < sizeof stage.text);
    memcpy(stage.text + stage.length, text, length);
    strcpy(stage.text + stage.length + length, "\n");
    stage.length += length + 1;
}

/* The output since the last call. */
static inline const char *stage_text(void)
{
    static char text[sizeof stage.text];
    strcpy(text, stage.text);
    stage.length = 0;
    stage.text[0] = '\0';
    return text;
}

static inline void stage_wait_seconds(double seconds)
{
    stage.ns += (uint64_t)(seconds * 1e9 + 0.5);
    stage.wall_ns += (uint64_t)(seconds * 1e9 + 0.5);
}

/* "2024-10-13 22:30:00", the zone is UTC. */
static inline void stage_set_wall(const char *time)
{
    struct tm tm = {0};
    REQUIRE(strptime(time, "%Y-%m-%d %H:%M:%S", &tm) != NULL);
    stage.wall_ns = (uint64_t)timegm(&tm) * 1000000000u;
}

/* Use the fixture for everything: clock, wall clock, and with `memory` RSS. */
static inline void stage_up(int memory)
{
    pit_sources sources = {.monotonic_ns = stage_ns, .wall_ns = stage_wall_ns};
    sources.rss = memory ? stage_rss : NULL;
    setenv("TZ", "UTC", 1);
    tzset();
    stage.ns = 5000000000u;
    stage_set_wall("2024-10-13 22:30:00");
    stage.rss = (uint64_t)(100 * STAGE_MB);
    pit_set_sources(&sources);
    pit_set_print(stage_line, NULL);
}

/* ---- the device ------------------------------------------------------------------------------ */

static inline int stage_device_memory(void *arg, pit_device_memory *memory)
{
    (void)arg;
    *memory = (pit_device_memory){stage.allocated, stage.reserved, stage.peak};
    return 0;
}

static inline int stage_device_reset(void *arg)
{
    (void)arg;
    stage.peak = stage.allocated;
    return 0;
}

static inline int stage_device_wait(void *arg)
{
    (void)arg;
    stage.waits++;
    return 0;
}

/* A device that holds this many MB now. */
static inline void stage_device_hold(double mb)
{
    stage.allocated = (uint64_t)(mb * STAGE_MB + 0.5);
    if (stage.allocated > stage.peak)
        stage.peak = stage.allocated;
}

static inline void stage_device_up(void)
{
    static const pit_device device = {.name = "stage",
                                      .memory = stage_device_memory,
                                      .reset_peak = stage_device_reset,
                                      .wait = stage_device_wait};
    pit_set_device(&device);
}

/* ---- real memory ------------------------------------------------------------------------------ */

/* Written without sanitizers, whose shadow memory would be resident too. */
__attribute__((no_sanitize("address", "thread", "undefined"), noinline, unused)) static void
stage_touch(size_t bytes)
{
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    munmap((void *)(uintptr_t)memory, bytes);
}

/* ---- expected texts --------------------------------------------------------------------------- */

/* A file of tests/golden. */
static inline const char *stage_golden(const char *name)
{
    static char text[16384];
    char path[256];
    snprintf(path, sizeof path, "golden/%s", name);
    FILE *file = tests_file(path);
    REQUIRE(file != NULL);
    size_t length = fread(text, 1, sizeof text - 1, file);
    REQUIRE(length > 0 && feof(file));
    fclose(file);
    text[length] = '\0';
    return text;
}

/* A view of the default recorder's run, in a form. */
static inline const char *stage_view(const char *view, enum pit_form form)
{
    static char *text;
    size_t length;
    free(text);
    text = NULL;
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    FILE *out = open_memstream(&text, &length);
    REQUIRE(out != NULL);
    pit_report_options options = {.view = view, .form = form};
    CHECK_INT(pit_report_print(out, (const pit_run *const *)&run, 1, &options), 0);
    fclose(out);
    pit_run_free(run);
    return text;
}

static inline void stage_record(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    REQUIRE(pit_open(NULL, &options) == 0);
}

/* A row by name, or NULL. */
static inline const pit_row *stage_row(const pit_row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

/* Spans of that path in the run of the default recorder; 0 if there is no such node. */
static inline uint64_t stage_spans(const char *path)
{
    uint64_t count = 0;
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    pit_tree *tree = pit_tree_build((const pit_run *const *)&run, 1);
    REQUIRE(tree != NULL);
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0)
            count = tree->nodes[i].count;
    pit_tree_free(tree);
    pit_run_free(run);
    return count;
}

/* Misuse that the run counted. */
static inline uint64_t stage_misuse(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    uint64_t count = run->losses.abandoned + run->losses.end_without_begin +
                     run->losses.wrong_thread + run->losses.left_open;
    pit_run_free(run);
    return count;
}

#endif
