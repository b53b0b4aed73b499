/* probe.h: shared by the tests of recorder and reader: a recorder in memory, its run read back, nodes by
 * path, and the invariants of every run at rest. */
#ifndef PIT_PROBE_H
#define PIT_PROBE_H

#include "check.h"
#include "format/run_format.h"
#include "kept.h"
#include "pitwall_report.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

/* By which factor builds that repeat the first one, slow ones and emulated machines reduce their rounds. */
static inline int probe_slowness(void)
{
    int slow = getenv("PITWALL_EMULATED") ? 1 : check_repeat(5, 1, 1);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    slow = 5;
#endif
    return getenv("PITWALL_EMULATED") ? slow * 10 : slow;
}

/* The default recorder in memory, without a sampler thread. */
static inline void probe_open_with(uint64_t ring_bytes, uint64_t max_bytes)
{
    pit_options options = {
        .ring_bytes = ring_bytes, .max_bytes = max_bytes, .sample_hz = -1, .in_memory = 1};
    REQUIRE(pit_open(NULL, &options) == PIT_OK);
}

static inline void probe_open(void)
{
    probe_open_with(0, 0);
}

static pit_run *probe_runs[256]; /* freed when the process ends */
static int probe_run_count;

static inline void probe_free_runs(void)
{
    while (probe_run_count)
        pit_run_free(probe_runs[--probe_run_count]);
}

static inline pit_run *probe_keep(pit_run *run)
{
    if (probe_run_count == 0)
        atexit(probe_free_runs);
    if (probe_run_count == (int)(sizeof probe_runs / sizeof probe_runs[0]))
        abort();
    return probe_runs[probe_run_count++] = run;
}

/* The run of a recorder; NULL: the default one. */
static inline const pit_run *probe_read(pit_recorder *recorder)
{
    pit_error error = {0, "", 0};
    pit_run *run = pit_run_read(recorder, &error);
    if (!run)
        printf("  cannot read: %s\n", error.message);
    REQUIRE(run);
    return probe_keep(run);
}

/* The same pages, as a reader finds them after a kill. */
static inline const pit_run *probe_read_dead(pit_recorder *recorder)
{
    pit_error error = {0, "", 0};
    size_t bytes = 0;
    const void *memory = pit_recorder_memory(recorder, &bytes);
    REQUIRE(memory);
    pit_run *run = pit_run_parse(memory, bytes, 0, &error);
    REQUIRE(run);
    return probe_keep(run);
}

static inline int probe_path_is(const pit_thread *t, uint32_t node, const char *path)
{
    const pit_raw_node *n = &t->nodes[node];
    size_t length = strlen(path), own = strlen(n->name);
    if (length < own || strcmp(path + length - own, n->name) != 0)
        return 0;
    if (n->parent == PIT_NO_NODE)
        return length == own;
    char above[512];
    if (length < own + 1 || path[length - own - 1] != '/' || length >= sizeof above)
        return 0;
    memcpy(above, path, length - own - 1);
    above[length - own - 1] = 0;
    return probe_path_is(t, n->parent, above);
}

/* The node at "a/b" of a thread, or NULL. */
static inline const pit_raw_node *probe_node(const pit_thread *t, const char *path)
{
    for (size_t i = 0; i < t->node_count; i++)
        if (probe_path_is(t, (uint32_t)i, path))
            return &t->nodes[i];
    return NULL;
}

/* The same in the run's first thread; it must exist. */
static inline const pit_raw_node *probe_first(const pit_run *run, const char *path)
{
    REQUIRE(run->thread_count > 0);
    const pit_raw_node *node = probe_node(&run->threads[0], path);
    if (!node)
        printf("  no node %s\n", path);
    REQUIRE(node);
    return node;
}

static inline const pit_thread *probe_thread_named(const pit_run *run, const char *name)
{
    for (size_t i = 0; i < run->thread_count; i++)
        if (strcmp(run->threads[i].name, name) == 0)
            return &run->threads[i];
    return NULL;
}

/* Spans of a path, of all threads. */
static inline uint64_t probe_count(const pit_run *run, const char *path)
{
    uint64_t count = 0;
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_raw_node *node = probe_node(&run->threads[i], path);
        count += node ? node->count : 0;
    }
    return count;
}

static inline uint64_t probe_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void probe_spin(uint64_t ns)
{
    uint64_t end = probe_ns() + ns;
    while (probe_ns() < end) {
    }
}

/* xorshift: the same numbers in every run of a test. */
static inline uint64_t probe_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

/* ---- what holds in a run at rest ----------------------------------------------------------- */

static inline uint64_t probe_hist_sum(const pit_raw_node *node)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < node->hist_count; i++)
        sum += node->hist[i].count;
    return sum;
}

static inline int probe_node_holds(const pit_raw_node *node)
{
    uint64_t count = 0, total = 0, least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < node->series_count; i++) {
        const pit_series_bin *bin = &node->series[i];
        count += bin->count;
        total += bin->total;
        least = bin->min < least ? bin->min : least;
        most = bin->max > most ? bin->max : most;
        if (i && node->series[i - 1].start + node->series[i - 1].width > bin->start)
            return 0;
    }
    if (count != node->count || total != node->total || probe_hist_sum(node) != node->count)
        return 0;
    return node->count == 0 || (least == node->min && most == node->max);
}

/* 1 if spans end before spans inside them: then their time is not part of their parents' time. */
static int probe_out_of_order;

static inline int probe_thread_holds(const pit_thread *t)
{
    int bad = 0;
    for (size_t i = 0; i < t->node_count; i++) {
        const pit_raw_node *node = &t->nodes[i];
        uint64_t child = node->child, below = 0;
        for (size_t k = 0; k < t->open_count; k++)
            child += t->open[k].node == i && !t->open[k].object ? t->open[k].child : 0;
        for (size_t k = 0; k < t->node_count; k++)
            below += t->nodes[k].parent == i && !t->nodes[k].detached ? t->nodes[k].total : 0;
        int exact = !t->losses.abandoned && !t->losses.left_open && !probe_out_of_order;
        if (!probe_node_holds(node) || (exact && child != below)) {
            printf("  node %s: count %llu, histogram %llu, child %llu, below %llu\n", node->name,
                   (unsigned long long)node->count, (unsigned long long)probe_hist_sum(node),
                   (unsigned long long)child, (unsigned long long)below);
            for (size_t k = 0; k < node->series_count; k++)
                printf("    series: count %llu, total %llu, min %llu, max %llu\n",
                       (unsigned long long)node->series[k].count,
                       (unsigned long long)node->series[k].total,
                       (unsigned long long)node->series[k].min,
                       (unsigned long long)node->series[k].max);
            printf("    node: total %llu, min %llu, max %llu\n", (unsigned long long)node->total,
                   (unsigned long long)node->min, (unsigned long long)node->max);
            bad++;
        }
    }
    return bad == 0;
}

/* Returns 1 if the sums of histogram and series equal those of the nodes, and child times those of the
 * children. */
static inline int probe_holds(const pit_run *run)
{
    int good = 1;
    for (size_t i = 0; i < run->thread_count; i++)
        good &= probe_thread_holds(&run->threads[i]);
    return good;
}

/* ---- threads and files --------------------------------------------------------------------- */

/* Number of sampler threads of this process; sanitizers and emulators have other threads. */
static inline int probe_samplers(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    REQUIRE(tasks);
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (file && fgets(name, sizeof name, file))
            count += strcmp(name, "pitwall\n") == 0;
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return count;
}

/* A folder for this case; probe_clean removes its contents. */
static inline const char *probe_folder(void)
{
    static char folder[64];
    snprintf(folder, sizeof folder, "/tmp/pitwall-unit-XXXXXX");
    REQUIRE(mkdtemp(folder));
    return folder;
}

static inline void probe_clean(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

#endif
