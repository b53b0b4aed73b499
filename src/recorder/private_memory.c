/* See private_memory.h. Both allocators cut pieces from mapped chunks and never free them: their total
 * is bounded by the number of names, threads and nodes. */
#include "private_memory.h"

#include "base/own_threads.h"
#include "format/ordered.h"
#include "interrupt.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define WIPED_CHUNKS 1024 /* 64 MB: more thread structures than a process has threads */

struct chunk {
    uintptr_t next, end; /* the chunk is used up when `end` is not past `next` */
};

/* Ordinary memory: a child's copy continues where the parent's was. */
static struct chunk ordinary;
static struct chunk wiped;
static void *wiped_chunks[WIPED_CHUNKS]; /* for kernels without MADV_WIPEONFORK */
static int wiped_chunk_count;
static struct pit__lock *process_lock;

static long futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

/* A thread holds it for microseconds, at most for the time that a file takes to grow. */
#define LONGEST_WAIT_S 10
#define WAITED_FOR 0x80000000u

static int64_t seconds_now(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

static int swap(uint32_t *word, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* A sandbox (seccomp) can kill a single thread in a system call. */
static int holder_was_killed(const struct pit__lock *lock)
{
    int thread = PIT_LOAD(lock->thread);
    return thread && pit__thread_is_gone(thread);
}

/* A thread that has waited cannot know whether others wait. */
static int wait_for(struct pit__lock *lock)
{
    int64_t start = seconds_now();
    while (!swap(&lock->word, 0, pit__thread_self() | WAITED_FOR)) {
        uint32_t seen = PIT_LOAD(lock->word);
        if (seconds_now() - start > LONGEST_WAIT_S)
            return 0;
        if (seen && holder_was_killed(lock))
            swap(&lock->word, seen, 0);
        else if (seen && (seen & WAITED_FOR || swap(&lock->word, seen, seen | WAITED_FOR)))
            pit__wait_while(&lock->word, seen | WAITED_FOR, (uint64_t)1000000000u);
    }
    return 1;
}

int pit__lock_is_own(const struct pit__lock *lock)
{
    return (PIT_LOAD(lock->word) & ~WAITED_FOR) == pit__thread_self();
}

int pit__lock_take_open(struct pit__lock *lock)
{
    int cancel = PTHREAD_CANCEL_ENABLE, why = errno;
    if (pit__lock_is_own(lock))
        return 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!swap(&lock->word, 0, pit__thread_self()) && !wait_for(lock)) {
        pthread_setcancelstate(cancel, NULL);
        errno = why;
        return 0;
    }
    lock->cancel = cancel;
    lock->why = why;
    PIT_STORE(lock->thread, pit__own_number);
    PIT_SIGNAL_FENCE();
    return 1;
}

static void let_go(struct pit__lock *lock)
{
    PIT_SIGNAL_FENCE();
    PIT_STORE(lock->thread, 0);
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & WAITED_FOR)
        futex(&lock->word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

void pit__lock_give_open(struct pit__lock *lock)
{
    int cancel = lock->cancel, why = lock->why;
    let_go(lock);
    pthread_setcancelstate(cancel, NULL);
    errno = why;
}

int pit__lock_take(struct pit__lock *lock)
{
    pit__signals_off();
    if (pit__lock_take_open(lock))
        return 1;
    pit__signals_on();
    return 0;
}

void pit__lock_give(struct pit__lock *lock)
{
    pit__lock_give_open(lock);
    pit__signals_on();
}

void pit__lock_break(struct pit__lock *lock)
{
    if (!pit__lock_is_own(lock))
        return;
    pit__cancel_was(lock->cancel);
    let_go(lock);
}

#define NAP_NS ((uint64_t)10 * 1000000u)

static void sleep_while(const uint32_t *word, uint32_t value, uint64_t ns)
{
    const struct timespec nap = {0, (long)NAP_NS};
    for (uint64_t slept = 0; slept < ns && PIT_LOAD(*word) == value; slept += NAP_NS)
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
}

void pit__wait_while(uint32_t *word, uint32_t value, uint64_t ns)
{
    struct timespec timeout = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    if (futex(word, FUTEX_WAIT_PRIVATE, value, &timeout) != 0 && errno != EAGAIN &&
        errno != ETIMEDOUT && errno != EINTR)
        sleep_while(word, value, ns);
}

void pit__wake(uint32_t *word)
{
    futex(word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL);
}

void *pit__map_pages(size_t bytes)
{
    int why = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = why;
    return memory == MAP_FAILED ? NULL : memory;
}

/* Indexes in the page that holds the locks. */
#define OPEN_LOCK (64 / sizeof(struct pit__lock))
#define CANARY (128 / sizeof(struct pit__lock))
#define TABLE_LOCK (192 / sizeof(struct pit__lock))

/* Kernels before 4.14 do not wipe, and emulators may falsely claim to: then the canary is still set
 * in the child of a fork(), and the memory is wiped here. */
static void wipe_in_child(void)
{
    if (!process_lock)
        return;
    if (process_lock[CANARY].word) {
        for (int i = 0; i < wiped_chunk_count; i++)
            memset(wiped_chunks[i], 0, CHUNK_BYTES);
        memset(process_lock, 0, 4096);
    }
    process_lock[CANARY].word = 1; /* for the child's own children */
}

static void *map_wiped(size_t bytes)
{
    if (bytes > CHUNK_BYTES || wiped_chunk_count == WIPED_CHUNKS)
        return NULL;
    void *memory = pit__map_pages(CHUNK_BYTES);
    if (!memory)
        return NULL;
    madvise(memory, CHUNK_BYTES, MADV_WIPEONFORK);
    wiped_chunks[wiped_chunk_count++] = memory;
    return memory;
}

/* Called with the process lock held, or before there is one. */
static void *carve(struct chunk *chunk, void *(*map_chunk)(size_t), size_t bytes)
{
    bytes = (bytes + 63u) & ~(size_t)63u;
    if (chunk->end < chunk->next || chunk->end - chunk->next < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        void *memory = map_chunk(room);
        if (!memory || room > CHUNK_BYTES)
            return memory;
        /* A child forked from another thread between these stores finds an empty chunk, never the
         * old chunk's end with the new one's begin. */
        PIT_STORE_ORDERED(chunk->next, UINTPTR_MAX);
        PIT_STORE_ORDERED(chunk->end, (uintptr_t)memory + room);
        PIT_STORE_ORDERED(chunk->next, (uintptr_t)memory);
    }
    void *piece = (void *)chunk->next;
    PIT_STORE(chunk->next, chunk->next + bytes);
    return piece;
}

/* The first caller creates the lock; a second one that raced it leaves its own page unused. */
struct pit__lock *pit__process_lock(void)
{
    struct pit__lock *lock = PIT_LOAD_ACQUIRE(process_lock);
    if (lock)
        return lock;
    struct pit__lock *page = pit__map_pages(4096), *none = NULL;
    if (!page)
        return NULL;
    madvise(page, 4096, MADV_WIPEONFORK);
    page[CANARY].word = 1;
    if (!__atomic_compare_exchange_n(&process_lock, &none, page, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        munmap(page, 4096);
        return none;
    }
    pthread_atfork(NULL, NULL, wipe_in_child); /* if that fails, only the kernel wipes */
    return page;
}

/* The kernel has wiped the canary, and the handler that sets it again did not run. */
int pit__is_bare_clone(void)
{
    const struct pit__lock *lock = pit__process_lock();
    return lock && !lock[CANARY].word;
}

/* In the same page, a cache line further. */
struct pit__lock *pit__open_lock(void)
{
    struct pit__lock *first = pit__process_lock();
    return first ? first + OPEN_LOCK : NULL;
}

struct pit__lock *pit__table_lock(void)
{
    struct pit__lock *first = pit__process_lock();
    return first ? first + TABLE_LOCK : NULL;
}

static void *alloc_from(struct chunk *chunk, void *(*map_chunk)(size_t), size_t bytes)
{
    struct pit__lock *lock = pit__process_lock();
    if (!lock)
        return NULL;
    if (!pit__lock_take(lock))
        return NULL;
    void *piece = carve(chunk, map_chunk, bytes);
    pit__lock_give(lock);
    return piece;
}

void *pit__private_alloc(size_t bytes)
{
    return alloc_from(&ordinary, pit__map_pages, bytes);
}

void *pit__wiped_alloc(size_t bytes)
{
    return alloc_from(&wiped, map_wiped, bytes);
}
