/* The source that looks at what threads do: a thread that waits for a mutex, and what the main thread waits
 * for. */
#include "check.h"

#include "recorder/sample_source.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct pit__sample_source pit__source_activity;

enum { WORKING, MUTEX, PYTHON, LOCK, SLEEP, TRANSFER, DISK, SYNC, CHILD, PIPES, CHANNELS };

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
static int pipe_ends[2];
static uint64_t seen[CHANNELS];

/* An emulator has other numbers of system calls than the program. */
static int is_told(void)
{
    struct pit__source_state state;
    struct pit__reading now = {0};
    memset(&state, 0, sizeof state);
    pit__source_activity.read(&now, &state, seen);
    if (seen[WORKING] == PIT__UNKNOWN)
        printf("  cannot run: /proc/self/syscall does not tell\n");
    return seen[WORKING] != PIT__UNKNOWN;
}

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&taken);
    pthread_mutex_unlock(&taken);
    return unused;
}

/* Reads until both channels have grown. */
static void read_until(int one, int other)
{
    struct pit__source_state state;
    struct pit__reading now = {0};
    uint64_t first[CHANNELS];
    memset(&state, 0, sizeof state);
    pit__source_activity.read(&now, &state, first);
    do {
        now.readings++;
        pit__source_activity.read(&now, &state, seen);
    } while (seen[one] == first[one] || seen[other] == first[other]);
}

static void *read_while_main_joins(void *unused)
{
    read_until(MUTEX, LOCK);
    return unused;
}

static void *read_while_main_reads(void *unused)
{
    read_until(TRANSFER, TRANSFER);
    if (write(pipe_ends[1], "x", 1) != 1)
        return &taken;
    return unused;
}

TEST(a_thread_that_waits_for_a_mutex_and_one_that_waits_for_a_thread)
{
    pthread_t waits, reads;
    if (!is_told())
        return;
    pthread_mutex_lock(&taken);
    CHECK(pthread_create(&waits, NULL, wait_for_it, NULL) == 0);
    CHECK(pthread_create(&reads, NULL, read_while_main_joins, NULL) == 0);
    CHECK(pthread_join(reads, NULL) == 0);
    pthread_mutex_unlock(&taken);
    CHECK(pthread_join(waits, NULL) == 0);
    CHECK(seen[WORKING] >= seen[MUTEX]);
    CHECK_INT(seen[PYTHON], 0);
}

TEST(the_main_thread_waits_for_a_pipe)
{
    pthread_t reads;
    void *failed = NULL;
    char byte = 0;
    if (!is_told())
        return;
    CHECK(pipe(pipe_ends) == 0);
    CHECK(pthread_create(&reads, NULL, read_while_main_reads, NULL) == 0);
    CHECK(read(pipe_ends[0], &byte, 1) == 1);
    CHECK(pthread_join(reads, &failed) == 0);
    CHECK(!failed && byte == 'x');
}

static void *wait_at_the_pipe(void *unused)
{
    char byte = 0;
    return read(pipe_ends[0], &byte, 1) == 1 ? unused : &taken;
}

static void *read_while_others_wait(void *unused)
{
    read_until(PIPES, LOCK);
    if (write(pipe_ends[1], "x", 1) != 1)
        return &taken;
    return unused;
}

TEST(another_thread_waits_for_a_pipe)
{
    pthread_t waits, reads;
    void *failed = NULL;
    if (!is_told())
        return;
    CHECK(pipe(pipe_ends) == 0);
    CHECK(pthread_create(&waits, NULL, wait_at_the_pipe, NULL) == 0);
    CHECK(pthread_create(&reads, NULL, read_while_others_wait, NULL) == 0);
    CHECK(pthread_join(reads, &failed) == 0 && !failed);
    CHECK(pthread_join(waits, &failed) == 0 && !failed);
    CHECK_INT(seen[DISK], 0);
}
