/* prog_kill_shapes SHAPE RUN SHARED SEED: records spans in one of many shapes, forever, to be killed at
 * any instant. The shared file has the number of steps and, for every name, the number of ends it was
 * about to make and the number it has made:
 *
 *   0   steps, opened: 8 bytes each
 *   16  kinds: {name[24], ending, ended}, until the first without a name
 *
 * Without arguments it lists its shapes.
 */
#include "pitwall.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS 80

struct kind {
    char name[24];
    uint64_t ending, ended;
};

struct shared {
    uint64_t steps, opened;
    struct kind kinds[KINDS];
};

static struct shared *shared;
static unsigned seed;
static const char *run_path;

static unsigned dice(unsigned sides)
{
    return (unsigned)rand_r(&seed) % sides;
}

static void count(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static void step(void)
{
    count(&shared->steps);
}

/* A shape's own names, all known before its first step. */
static struct kind *kind(const char *name)
{
    struct kind *k = shared->kinds;
    while (k->name[0] && strcmp(k->name, name) != 0)
        k++;
    if (!k->name[0])
        snprintf(k->name, sizeof k->name, "%s", name);
    return k;
}

static pit_token begin(const struct kind *k, unsigned flags)
{
    return pit_begin_with(k->name, flags);
}

static void end(struct kind *k, pit_token token)
{
    count(&k->ending);
    pit_end(token);
    count(&k->ended);
}

static void end_apart(struct kind *k, pit_token token)
{
    count(&k->ending);
    pit_end_out_of_order(token);
    count(&k->ended);
}

/* ---- one thread ------------------------------------------------------------------------------- */

static void nested(unsigned outer_flags, unsigned inner_flags)
{
    struct kind *a = kind("a"), *b = kind("b"), *c = kind("c");
    for (;; step()) {
        pit_token outer = begin(a, outer_flags);
        for (unsigned i = dice(4); i > 0; i--) {
            pit_token middle = begin(b, inner_flags), inner = begin(c, dice(2) ? inner_flags : 0);
            end(c, inner);
            end(b, middle);
        }
        end(a, outer);
    }
}

static void plain(void)
{
    nested(0, 0);
}

static void memory(void)
{
    nested(PIT_MEMORY, PIT_MEMORY);
}

static void records(void)
{
    nested(PIT_RECORD, 0);
}

static void mixed_flags(void)
{
    nested(PIT_RECORD | PIT_MEMORY, PIT_MEMORY | PIT_WAIT | PIT_ENERGY);
}

static void by_site(void)
{
    static pit_site outer_site = PIT_SITE("outer"), inner_site = PIT_SITE("inner");
    struct kind *outer = kind("outer"), *inner = kind("inner");
    for (;; step()) {
        pit_token a = pit_begin(&outer_site), b = pit_begin(&inner_site);
        end(inner, b);
        end(outer, a);
    }
}

/* A phase ends when the next one begins. */
static void phases(unsigned flags)
{
    static pit_site sites[] = {PIT_SITE("one"), PIT_SITE("two"), PIT_SITE("three")};
    struct kind *kinds[] = {kind("one"), kind("two"), kind("three")}, *outer = kind("outer");
    for (;; step()) {
        pit_token token = begin(outer, flags);
        struct kind *before = NULL;
        for (unsigned i = 0, all = dice(6); i < all; i++) {
            if (before)
                count(&before->ending);
            pit_phase(&sites[i % 3]);
            if (before)
                count(&before->ended);
            before = kinds[i % 3];
        }
        if (before)
            count(&before->ending);
        if (dice(2))
            pit_phase_end();
        end(outer, token);
        if (before)
            count(&before->ended);
    }
}

static void plain_phases(void)
{
    phases(0);
}

static void memory_phases(void) /* every span measures memory: shape_options */
{
    phases(PIT_MEMORY);
}

static void values(void)
{
    struct kind *a = kind("a");
    for (double n = 0;; n++, step()) {
        pit_token token = begin(a, 0);
        pit_value("loss", n);
        pit_items(3);
        end(a, token);
    }
}

static void out_of_order(void)
{
    struct kind *kinds[] = {kind("a"), kind("b"), kind("c"), kind("d")};
    for (;; step()) {
        pit_token tokens[4];
        for (unsigned i = 0; i < 4; i++)
            tokens[i] = begin(kinds[i], dice(4) ? 0 : PIT_MEMORY);
        unsigned first = dice(4), by = dice(2) ? 1 : 3;
        for (unsigned i = 0; i < 4; i++)
            end_apart(kinds[(first + i * by) % 4], tokens[(first + i * by) % 4]);
    }
}

static void objects(void)
{
    struct kind *a = kind("a"), *b = kind("b");
    pit_object open[8] = {{0}};
    for (;; step()) {
        pit_token token = begin(a, 0);
        unsigned slot = dice(8);
        if (open[slot].begin) {
            count(&b->ending);
            pit_object_end(&open[slot]);
            count(&b->ended);
        }
        open[slot] = pit_object_begin_name("b");
        end(a, token);
    }
}

static void stacks(unsigned flags)
{
    struct kind *a = kind("a"), *b = kind("b");
    pit_stack *stack[4];
    pit_token outer[4] = {0};
    for (unsigned i = 0; i < 4; i++)
        stack[i] = pit_stack_new();
    for (unsigned now = 0;; step()) {
        if (!outer[now])
            outer[now] = begin(a, flags);
        pit_token inner = begin(b, flags);
        end(b, inner);
        if (dice(3) == 0) {
            end(a, outer[now]);
            outer[now] = 0;
        }
        unsigned next = (now + 1 + dice(3)) % 4;
        pit_stack_switch(stack[now], stack[next]);
        now = next;
    }
}

static void plain_stacks(void)
{
    stacks(0);
}

static void memory_stacks(void)
{
    stacks(PIT_MEMORY);
}

static void recurse(struct kind *k, unsigned depth)
{
    pit_token token = begin(k, 0);
    if (depth)
        recurse(k, depth - 1);
    end(k, token);
    step();
}

static void deep(void)
{
    struct kind *k = kind("deep");
    for (;;)
        recurse(k, 200 + dice(50)); /* 255 is the limit */
}

static void siblings(void)
{
    struct kind *outer = kind("outer"), *kinds[64];
    char name[24];
    for (unsigned i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "name %u", i);
        kinds[i] = kind(name);
    }
    for (;; step()) {
        pit_token token = begin(outer, 0);
        for (unsigned i = 0; i < 8; i++) {
            struct kind *k = kinds[dice(64)];
            end(k, begin(k, 0));
        }
        end(outer, token);
    }
}

/* Long enough for a series to fold, or for a histogram to leave its window. */
static void slow(void)
{
    struct kind *a = kind("a");
    for (;; step()) {
        pit_token token = begin(a, 0);
        usleep(dice(400));
        end(a, token);
        for (unsigned i = 0; i < 100; i++)
            end(a, begin(a, 0));
    }
}

static void dropped(void)
{
    struct kind *a = kind("a"), *b = kind("b");
    for (;; step()) {
        pit_token outer = begin(a, dice(2) ? PIT_MEMORY : 0);
        end(b, begin(b, 0));
        if (dice(2))
            pit_begin_name("abandoned");
        pit_token in = pit_begin_with("dropped", dice(2) ? PIT_MEMORY : 0);
        if (dice(2))
            pit_cancel(in);
        end(a, outer);
    }
}

static void journal(void)
{
    struct kind *a = kind("a");
    for (;; step()) {
        pit_token token = begin(a, 0);
        pit_figure figure = {"loss", 0.5, NULL};
        pit_journal("stage", "a line that says what was done", &figure, 1, 0);
        end(a, token);
    }
}

static void recorders(void)
{
    struct kind *a = kind("a"), *b = kind("second");
    char path[4200];
    snprintf(path, sizeof path, "%s-second.pit", run_path);
    pit_options options = {.sample_hz = -1};
    pit_recorder *second = pit_recorder_open(path, &options, NULL);
    for (;; step()) {
        pit_token outer = begin(a, dice(4) ? 0 : PIT_MEMORY);
        pit_token token = pit_recorder_begin_name(second, "second");
        end(a, begin(a, 0));
        count(&b->ending);
        pit_recorder_end(second, token);
        count(&b->ended);
        end(a, outer);
    }
}

/* ---- threads ---------------------------------------------------------------------------------- */

static unsigned thread_flags;

static void *some_spans(void *unused)
{
    struct kind *a = kind("a"), *b = kind("b");
    (void)unused;
    for (int i = 0; i < 20; i++) {
        pit_token outer = begin(a, thread_flags);
        end(b, begin(b, thread_flags));
        end(a, outer);
    }
    return NULL;
}

static void come_and_go(void)
{
    kind("a");
    kind("b");
    for (;; step()) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, some_spans, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
}

static void come_and_go_with_memory(void)
{
    thread_flags = PIT_MEMORY;
    come_and_go();
}

static void *spans_for_ever(void *unused)
{
    for (;; step())
        some_spans(unused);
    return NULL;
}

static void beside_one_another(void)
{
    thread_flags = PIT_RECORD;
    kind("a");
    kind("b");
    pthread_t thread;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread, NULL, spans_for_ever, NULL);
    spans_for_ever(NULL);
}

static void cancelled(unsigned flags)
{
    thread_flags = flags;
    kind("a");
    kind("b");
    for (;; step()) {
        pthread_t thread;
        pthread_create(&thread, NULL, spans_for_ever, NULL);
        for (unsigned i = dice(5); i > 0; i--)
            some_spans(NULL);
        pthread_cancel(thread);
        for (int i = 0; i < 5; i++)
            some_spans(NULL);
        pthread_join(thread, NULL);
    }
}

/* A thread is cancelled only at a cancellation point: this one has one between its spans. */
static void *cancel_me(void *unused)
{
    for (;;) {
        some_spans(unused);
        pthread_testcancel();
    }
    return NULL;
}

static void cancelled_between(void)
{
    kind("a");
    kind("b");
    for (;; step()) {
        pthread_t thread;
        pthread_create(&thread, NULL, cancel_me, NULL);
        some_spans(NULL);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

static void cancelled_in_memory_spans(void)
{
    cancelled(PIT_MEMORY);
}

static void forks(void)
{
    struct kind *a = kind("a"), *child = kind("child");
    for (;; step()) {
        pit_token token = begin(a, 0);
        pid_t pid = fork();
        if (pid == 0) {
            for (int i = 0; i < 5; i++)
                end(child, begin(child, 0));
            _exit(0);
        }
        end(a, begin(a, 0));
        end(a, token);
        waitpid(pid, NULL, 0);
    }
}

/* ---- signal handlers -------------------------------------------------------------------------- */

static struct kind *of_handler;
static unsigned handler_flags;

static void record_in_handler(int signal)
{
    (void)signal;
    end(of_handler, begin(of_handler, handler_flags));
}

static void with_timer(unsigned flags)
{
    handler_flags = flags;
    of_handler = kind("handler");
    struct sigaction action = {.sa_handler = record_in_handler};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, NULL);
    nested(flags, flags);
}

static void handler_records(void)
{
    with_timer(0);
}

static void handler_measures_memory(void)
{
    with_timer(PIT_MEMORY);
}

static void leave(int signal)
{
    (void)signal;
    exit(0);
}

static void close_run(int signal)
{
    (void)signal;
    pit_close();
    _exit(0);
}

static void at_signal(void (*handler)(int), unsigned flags)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGTERM, &action, NULL);
    nested(flags, flags);
}

static void handler_exits(void)
{
    at_signal(leave, 0);
}

static void handler_exits_in_memory_spans(void)
{
    at_signal(leave, PIT_MEMORY);
}

static void handler_closes(void)
{
    at_signal(close_run, 0);
}

static void handler_closes_in_memory_spans(void)
{
    at_signal(close_run, PIT_MEMORY);
}

/* ---- which one -------------------------------------------------------------------------------- */

static const struct shape {
    const char *name;
    void (*run)(void);
    pit_options options;
} shapes[] = {
    {"plain", plain, {0}},
    {"by_site", by_site, {0}},
    {"memory", memory, {0}},
    {"records", records, {0}},
    {"mixed_flags", mixed_flags, {0}},
    {"plain_phases", plain_phases, {0}},
    {"memory_phases", memory_phases, {.span_flags = PIT_MEMORY}},
    {"recorded_phases", plain_phases, {.span_flags = PIT_RECORD}},
    {"values", values, {0}},
    {"out_of_order", out_of_order, {0}},
    {"objects", objects, {0}},
    {"plain_stacks", plain_stacks, {0}},
    {"memory_stacks", memory_stacks, {0}},
    {"deep", deep, {0}},
    {"siblings", siblings, {0}},
    {"slow", slow, {0}},
    {"ring_wraps", by_site, {.ring_bytes = 32768}},
    {"no_ring", by_site, {.ring_bytes = UINT64_MAX}},
    {"dropped", dropped, {0}},
    {"journal", journal, {0}},
    {"recorders", recorders, {0}},
    {"come_and_go", come_and_go, {0}},
    {"come_and_go_with_memory", come_and_go_with_memory, {0}},
    {"beside_one_another", beside_one_another, {0}},
    {"cancelled_between", cancelled_between, {0}},
    {"cancelled_in_memory_spans", cancelled_in_memory_spans, {0}},
    {"forks", forks, {0}},
    {"handler_records", handler_records, {0}},
    {"handler_measures_memory", handler_measures_memory, {0}},
    {"handler_exits", handler_exits, {0}},
    {"handler_exits_in_memory_spans", handler_exits_in_memory_spans, {0}},
    {"handler_closes", handler_closes, {0}},
    {"handler_closes_in_memory_spans", handler_closes_in_memory_spans, {0}},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

int main(int argc, char **argv)
{
    for (size_t i = 0; argc < 5 && i < SHAPES; i++)
        puts(shapes[i].name);
    if (argc < 5)
        return 0;
    int fd = open(argv[3], O_RDWR | O_CREAT, 0644);
    if (fd < 0 || ftruncate(fd, sizeof *shared) != 0)
        return 66;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return 66;
    run_path = argv[2];
    seed = (unsigned)strtoul(argv[4], NULL, 10);
    for (size_t i = 0; i < SHAPES; i++)
        if (strcmp(shapes[i].name, argv[1]) == 0) {
            pit_options options = shapes[i].options;
            /* the tests' reader needs long for events */
            if (!options.ring_bytes)
                options.ring_bytes = 131072;
            if (pit_open(argv[2], &options) != PIT_OK)
                return 70;
            count(&shared->opened);
            shapes[i].run();
        }
    return 64;
}
