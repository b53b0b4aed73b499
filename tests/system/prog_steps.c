/* prog_steps FOLDER SEED STEPS KEEP: a child records spans; its parent stops it after every single
 * instruction and, whenever its run has changed, reads it as if the child had died there: figures
 * must be consistent, and counts must equal those of the child. KEEP of the states, evenly spread,
 * stay in FOLDER as state-N.pit and truth-N.pit for a closer look. Prints how many states there
 * were and how many were wrong. Exit 77: the system does not let a process be traced.
 *
 * prog_steps FOLDER blocks STEPS KEEP: the child makes the run get blocks, one after the other, until
 * it is done. The first KEEP states after a new block stay in FOLDER, of the first two of each kind.
 */
#include "pitwall_report.h"
#include "span_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define USED_BYTES_AT 192
#define ROOM ((size_t)64 << 20)
#define WARM_UP 600

static struct walk_truth *truth;
static unsigned wrong;
static int is_blocks; /* else spans */

/* ---- the child ----------------------------------------------------------------------------- */

static void record(const char *run, uint64_t seed)
{
    pit_options options = {.ring_bytes = 3 * 16384, .sample_hz = -1};
    static struct walk walk;
    if (pit_open(run, &options) != 0)
        _exit(2);
    walk_start(&walk, truth, 0, seed, WALK_BUSY);
    for (int i = 0; i < WARM_UP; i++)
        walk_step(&walk);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    raise(SIGSTOP);
    for (;;)
        walk_step(&walk);
}

/* Make this many known ones, without a stop at every instruction. */
static void make_many(void (*make)(int), int from, int to)
{
    raise(SIGUSR1);
    for (int i = from; i < to; i++)
        make(i);
    raise(SIGUSR1);
}

static void make_node(int i)
{
    char name[300];
    snprintf(name, sizeof name, "%0*d", 250, i);
    pit_end(pit_begin_name(name));
}

static void make_place(int i)
{
    pit_note_place(PIT_PLACE_NATIVE, "f", "libx.so", (uint32_t)i, 1 + (uint64_t)i % 3);
}

static void make_event(int i)
{
    (void)i;
    PIT_SPAN("many") {
    }
}

/* Each of these creates the first block of its type, or one more. */
static void make_blocks(void)
{
    pit_figure figures[] = {{"loss", 0.5, NULL}, {"rate", 2.0, "1/s"}};
    pit_label("where", "inside \xc3\xa9");
    pit_value("loss", 0.25);
    pit_value("loss", 0.75);
    for (int i = 0; i < 2; i++) {
        pit_token token = pit_begin_with("measured", PIT_MEMORY | PIT_RECORD);
        pit_items(3);
        pit_end(token);
    }
    pit_journal("note", "a line \xc3\xa9", figures, 2, 7);
    pit_journal("note", "one more", NULL, 0, 8);
    pit_note_sampling(PIT_PLACE_PYTHON, 12.5, NULL);
    pit_note_sampling(PIT_PLACE_NATIVE, 0, "not allowed \xc3\xa9");
    PIT_SPAN("outer") {
        pit_note_place(PIT_PLACE_PYTHON, "function \xc3\xa9", "file.py", 7, 1);
        pit_note_place(PIT_PLACE_PYTHON, "function \xc3\xa9", "file.py", 7, 2);
    }
    make_many(make_place, 0, 62);
    for (int i = 62; i < 65; i++)
        make_place(i);
    pit_object object = pit_object_begin_name("object");
    pit_object_end(&object);
    make_many(make_node, 0, 10);
    for (int i = 10; i < 18; i++) /* past one block of nodes, and one of names */
        make_node(i);
    make_many(make_event, 0, 650);
    for (int i = 0; i < 15; i++) /* past one piece of the flight recorder */
        make_event(i);
}

static void record_blocks(const char *run)
{
    pit_options options = {.ring_bytes = 3 * 16384, .record_bytes = 2 * 16384, .sample_hz = -1};
    if (pit_open(run, &options) != 0)
        _exit(2);
    pit_end(pit_begin_name("first"));
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    raise(SIGSTOP);
    make_blocks();
    _exit(0);
}

/* ---- checks of one state ------------------------------------------------------------------- */

static void complain(unsigned long state, const char *thread, const pit_raw_node *node,
                     const char *what, uint64_t is, uint64_t should)
{
    if (wrong++ < 10)
        fprintf(stderr, "state %lu: %s: %s: %s is %llu, not %llu\n", state, thread,
                node ? node->name : "", what, (unsigned long long)is, (unsigned long long)should);
}

static void check_node(unsigned long state, const pit_thread *thread, uint32_t index)
{
    const pit_raw_node *node = &thread->nodes[index];
    uint64_t hist = 0, count = 0, total = 0, child = node->child, below = 0;
    for (size_t i = 0; i < node->hist_count; i++)
        hist += node->hist[i].count;
    for (size_t i = 0; i < node->series_count; i++) {
        const pit_series_bin *bin = &node->series[i];
        count += bin->count;
        total += bin->total;
        if (bin->min > bin->max || bin->min < node->min || bin->max > node->max ||
            bin->total < bin->min || bin->total < bin->max)
            complain(state, thread->name, node, "a series bucket's minimum", bin->min, node->min);
    }
    for (size_t i = 0; i < thread->open_count; i++)
        if (thread->open[i].node == index && !thread->open[i].object)
            child += thread->open[i].child;
    for (size_t i = 0; i < thread->node_count; i++)
        if (thread->nodes[i].parent == index && !thread->nodes[i].detached)
            below += thread->nodes[i].total;
    if (hist != node->count)
        complain(state, thread->name, node, "the histogram's sum", hist, node->count);
    if (count != node->count)
        complain(state, thread->name, node, "the series' count", count, node->count);
    if (total != node->total)
        complain(state, thread->name, node, "the series' total", total, node->total);
    if (child != below)
        complain(state, thread->name, node, "child time", child, below);
    if (node->min * node->count > node->total || node->max * node->count < node->total)
        complain(state, thread->name, node, "minimum or maximum", node->min, node->max);
}

static void check_state(unsigned long state, const unsigned char *run_bytes, size_t bytes)
{
    pit_error error;
    pit_run *run = pit_run_parse(run_bytes, bytes, 0, &error);
    if (!run) {
        complain(state, error.message, NULL, "the run's code", (uint64_t)-error.code, 0);
        return;
    }
    uint64_t count = 0, ended = 0, ending = is_blocks ? UINT64_MAX : 0;
    for (size_t i = 0; i < run->thread_count; i++)
        for (uint32_t k = 0; k < run->threads[i].node_count; k++) {
            check_node(state, &run->threads[i], k);
            count += run->threads[i].nodes[k].count;
        }
    for (uint32_t i = 0; i < truth->areas[0].slots_used; i++) {
        ended += truth->areas[0].slots[i].ended;
        ending += truth->areas[0].slots[i].ending;
    }
    if (count < ended || count > ending)
        complain(state, "all", NULL, "the number of spans", count, ended);
    if (run->threads[0].event_count == 0)
        complain(state, "all", NULL, "the number of events", 0, 1);
    pit_run_free(run);
}

/* ---- the parent ---------------------------------------------------------------------------- */

static void write_file(const char *folder, const char *what, unsigned long state, const void *bytes,
                       size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s-%lu.pit", folder, what, state);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(3);
}

static void keep_state(const char *folder, unsigned long state, const unsigned char *run,
                       size_t bytes)
{
    const unsigned char *end =
        (const unsigned char *)&truth->areas[0].slots[truth->areas[0].slots_used];
    write_file(folder, "state", state, run, bytes);
    write_file(folder, "truth", state, truth, (size_t)(end - (const unsigned char *)truth));
}

/* Returns 1 if the child stopped, and so still exists. */
static int stopped(pid_t child, int *status)
{
    while (waitpid(child, status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFSTOPPED(*status);
}

/* Is the block that begins there one of the first two of its kind? */
static int is_new_kind(const unsigned char *block)
{
    static unsigned seen_of[64];
    uint32_t type;
    memcpy(&type, block, sizeof type);
    return type < 64 && seen_of[type]++ < 2;
}

/* Is this state kept: evenly spread, or among the first ones after a new block? */
static int is_kept(unsigned long step, unsigned long steps, unsigned long keep, unsigned long kept,
                   unsigned long since_block)
{
    return is_blocks ? since_block < keep : step * keep / steps > kept;
}

static unsigned long step_through(pid_t child, const char *folder, const unsigned char *run,
                                  unsigned long steps, unsigned long keep)
{
    unsigned char *seen = malloc(ROOM);
    unsigned long states = 0, kept = 0, since_block = keep;
    size_t seen_bytes = 0;
    int status;
    for (unsigned long i = 0; seen && i < steps; i++) {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
            exit(4);
        if (!stopped(child, &status)) {
            if (is_blocks && WIFEXITED(status) && WEXITSTATUS(status) == 0)
                break;
            exit(4);
        }
        if (WSTOPSIG(status) == SIGUSR1) { /* continue without a stop, until the next such signal */
            if (ptrace(PTRACE_CONT, child, NULL, NULL) != 0 || !stopped(child, &status))
                exit(4);
            continue;
        }
        uint64_t bytes;
        memcpy(&bytes, run + USED_BYTES_AT, sizeof bytes);
        if (bytes > ROOM)
            exit(5);
        if (bytes == seen_bytes && memcmp(seen, run, bytes) == 0)
            continue;
        since_block++;
        if (is_blocks && seen_bytes && bytes != seen_bytes)
            since_block = is_new_kind(run + seen_bytes) ? 0 : keep;
        memcpy(seen, run, bytes);
        seen_bytes = bytes;
        check_state(++states, seen, bytes);
        if (is_kept(i, steps, keep, kept, since_block)) {
            kept++;
            keep_state(folder, states, seen, bytes);
        }
    }
    free(seen);
    return states;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 64;
    char run_path[4096], truth_path[4096];
    snprintf(run_path, sizeof run_path, "%s/run.pit", argv[1]);
    snprintf(truth_path, sizeof truth_path, "%s/truth", argv[1]);
    is_blocks = strcmp(argv[2], "blocks") == 0;
    truth = walk_truth_open(truth_path);
    if (!truth)
        return 65;
    cpu_set_t one; /* the two processes take turns, which is fastest on one processor */
    CPU_ZERO(&one);
    int here = sched_getcpu();
    CPU_SET((size_t)(here < 0 ? 0 : here), &one);
    sched_setaffinity(0, sizeof one, &one);
    pid_t child = fork();
    if (child == 0 && is_blocks)
        record_blocks(run_path);
    if (child == 0)
        record(run_path, strtoull(argv[2], NULL, 10));
    int status, fd;
    if (child < 0 || !stopped(child, &status) || (fd = open(run_path, O_RDONLY)) < 0) {
        fprintf(stderr, "no process can be traced here\n");
        return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 66;
    }
    const unsigned char *run = mmap(NULL, ROOM, PROT_READ, MAP_SHARED, fd, 0);
    if (run == MAP_FAILED)
        return 67;
    unsigned long states =
        step_through(child, argv[1], run, strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    printf("%lu states, %u wrong\n", states, wrong);
    return wrong ? 1 : 0;
}
