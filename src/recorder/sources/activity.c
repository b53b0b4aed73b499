/* What the program's threads do at the moment of a reading, by the system call that each of them is in: do
 * they work, do they wait for a mutex or for Python's lock, and what does the main thread wait for.
 *
 * A reading looks at the main thread and at a few others, which take turns. A thread that sleeps, waits for
 * work or for the end of another one counts as neither working nor waiting for a lock: an idle pool is
 * healthy. That a wait is for a lock follows from the arguments of the futex call, which are those of glibc
 * and musl; Python's lock is known by its address. */
#include "recorder/sample_source.h"

#include "base/own_threads.h"
#include "recorder/wait_kind.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    WORKING, /* looks at threads that work or wait for a lock */
    MUTEX,   /* of these: that wait for a mutex or a reader-writer lock */
    PYTHON,  /* of these: that wait for Python's lock */
    LOCK,    /* the main thread waited for a lock or another thread */
    SLEEP,
    TRANSFER,
    DISK,
    SYNC,
    CHILD,
    PIPES, /* looks at other threads that waited for a network or a pipe */
    CHANNELS
};
/* Words of the state. */
enum {
    TOLD,  /* 0: not tried yet */
    KNOWN, /* other threads that are known */
    NEXT,  /* the one to look at next */
    FIRST  /* their numbers */
};
enum { YES = 1, NO };
#define MOST_KNOWN 8
#define LOOKS 3       /* other threads per reading */
#define LIST_EVERY 10 /* readings between two lists of threads */
_Static_assert(FIRST + MOST_KNOWN <= PIT__SOURCE_WORDS, "room for the threads");

/* Looks of all samplers of this process: the reading at close has a new state. */
static uint64_t counts[CHANNELS];

extern char _PyRuntime[] __attribute__((weak)); /* Python's state, which has its lock inside */

static void describe(struct pit__channel_list *list)
{
    static const char *const texts[CHANNELS][2] = {
        [WORKING] = {"working_looks", "looks at threads that ran or waited for a lock"},
        [MUTEX] = {"mutex_looks", "of these, at threads that waited for a mutex or rwlock"},
        [PYTHON] = {"python_lock_looks", "of these, at threads that waited for Python's lock"},
        [LOCK] = {"main_lock_looks", "looks: the main thread waited for a lock or a thread"},
        [SLEEP] = {"main_sleep_looks", "looks: the main thread slept"},
        [TRANSFER] = {"main_transfer_looks", "looks: it waited for a network or a pipe"},
        [DISK] = {"main_disk_looks", "looks: it waited for data from the disk"},
        [SYNC] = {"main_sync_looks", "looks: it waited until data was on the disk"},
        [CHILD] = {"main_child_looks", "looks: it waited for a child process"},
        [PIPES] = {"pipe_looks", "looks at other threads that waited for a network or a pipe"},
    };
    for (int i = 0; i < CHANNELS; i++)
        pit__channel_add(list, &(struct pit__channel){.key = texts[i][0],
                                                      .help = texts[i][1],
                                                      .missing = "/proc/self/syscall does not tell",
                                                      .kind = PIT_FMT_COUNTER,
                                                      .over_runs = PIT_FMT_MERGE_SUM});
}

static enum pit__wait_kind kind_of(const char *text)
{
    return pit__wait_kind(text, (uintptr_t)_PyRuntime);
}

static void add(int channel)
{
    __atomic_fetch_add(&counts[channel], 1, __ATOMIC_RELAXED);
}

/* Count a thread, of which the main thread is one too. */
static void count(enum pit__wait_kind kind)
{
    if (kind == PIT__WAIT_NONE || kind == PIT__WAIT_MUTEX || kind == PIT__WAIT_PYTHON)
        add(WORKING);
    if (kind == PIT__WAIT_MUTEX || kind == PIT__WAIT_PYTHON)
        add(kind == PIT__WAIT_MUTEX ? MUTEX : PYTHON);
}

/* A lock or another thread, as far as the main thread is concerned, or the channel of its kind. */
static int channel_of_main(enum pit__wait_kind kind)
{
    switch (kind) {
    case PIT__WAIT_MUTEX:
    case PIT__WAIT_PYTHON:
    case PIT__WAIT_FUTEX:
        return LOCK;
    case PIT__WAIT_SLEEP:
        return SLEEP;
    case PIT__WAIT_TRANSFER:
        return TRANSFER;
    case PIT__WAIT_DISK:
        return DISK;
    case PIT__WAIT_SYNC:
        return SYNC;
    case PIT__WAIT_CHILD:
        return CHILD;
    default:
        return CHANNELS;
    }
}

/* Does the kernel provide it, with the call numbers of this program? An emulator uses other numbers. The call
 * in the file is the one that reads the file. */
static int is_told(void)
{
    char text[256];
    long call = pit__file_text("/proc/thread-self/syscall", text, sizeof text)
                    ? strtol(text, NULL, 10)
                    : -1;
    return call == SYS_read || call == SYS_pread64;
}

/* Returns 0 if the kernel does not provide it. */
static int look_at_main(struct pit__reading *now, struct pit__source_state *state)
{
    char text[256];
    if (state->words[TOLD] == 0)
        state->words[TOLD] = is_told() ? YES : NO;
    if (state->words[TOLD] == NO)
        return 0;
    if (syscall(SYS_gettid) == getpid()) /* the main thread itself reads, at open and at close */
        return 1;
    if (!pit__source_text(now, state, 0, "/proc/self/syscall", text, sizeof text))
        return 0;
    enum pit__wait_kind kind = kind_of(text);
    count(kind);
    if (channel_of_main(kind) < CHANNELS)
        add(channel_of_main(kind));
    return 1;
}

/* Read a file of another thread. */
static int read_of(uint64_t thread, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%llu/%s", (unsigned long long)thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? -1 : read(file, text, room - 1);
    if (file >= 0)
        close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0;
}

/* Neither the main thread nor one of ours. */
static int is_other(uint64_t thread)
{
    char name[32];
    return thread != (uint64_t)getpid() && thread != (uint64_t)syscall(SYS_gettid) &&
           read_of(thread, "comm", name, sizeof name) && strncmp(name, "pitwall", 7) != 0;
}

/* The threads that come first: of many, a few stand for the others. */
static void list_threads(uint64_t *words)
{
    int listed[PIT__THREADS_LISTED];
    size_t count = pit__list_threads(listed);
    words[KNOWN] = 0;
    for (size_t i = 0; i < count && words[KNOWN] < MOST_KNOWN; i++)
        if (is_other((uint64_t)listed[i]))
            words[FIRST + words[KNOWN]++] = (uint64_t)listed[i];
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[256];
    uint64_t *words = state->words;
    int is_known = look_at_main(now, state);
    if (is_known && now->readings % LIST_EVERY == 0)
        list_threads(words);
    for (uint64_t i = 0; is_known && i < LOOKS && i < words[KNOWN]; i++) {
        uint64_t thread = words[FIRST + words[NEXT]++ % words[KNOWN]];
        if (!read_of(thread, "syscall", text, sizeof text)) /* it may have ended */
            continue;
        count(kind_of(text));
        if (kind_of(text) == PIT__WAIT_TRANSFER)
            add(PIPES);
    }
    for (int i = 0; i < CHANNELS; i++)
        values[i] = is_known ? __atomic_load_n(&counts[i], __ATOMIC_RELAXED) : PIT__UNKNOWN;
}

const struct pit__sample_source pit__source_activity = {
    .name = "activity", .every = 1, .open = describe, .read = take};
