/* See wait_kind.h. The text has the number of the system call, its six arguments, and two registers; or
 * "running". */
#include "wait_kind.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#define PYTHON_BYTES ((uintptr_t)1 << 20) /* Python's state is smaller */
/* with musl, and for mutexes that lend priority: this bit and the owner */
#define OWNED 0x80000000u
#define CONDITIONS_COUNT 41 /* minor version of glibc whose conditions wait with any value */

static const long transfers[] = {
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_select
    SYS_select,
#endif
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_ppoll,      SYS_pselect6, SYS_epoll_pwait, SYS_read,   SYS_readv,
    SYS_recvfrom,   SYS_recvmsg,  SYS_recvmmsg,    SYS_accept, SYS_accept4,
    SYS_connect,    SYS_sendto,   SYS_sendmsg,     SYS_write,  SYS_writev,
};
/* Calls whose first argument may also be a file on a disk. */
static const long reads[] = {SYS_read, SYS_readv, SYS_pread64, SYS_preadv};
static const long writes[] = {SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev};
static const long syncs[] = {SYS_fsync, SYS_fdatasync, SYS_msync,
                             SYS_sync,  SYS_syncfs,    SYS_sync_file_range};
static const long children[] = {SYS_wait4, SYS_waitid};
static const long sleeps[] = {
#ifdef SYS_nanosleep
    SYS_nanosleep,
#endif
#ifdef SYS_pause
    SYS_pause,
#endif
    SYS_clock_nanosleep,
};

static int is_one_of(const long *calls, size_t count, long call)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i] == call)
            return 1;
    return 0;
}
#define IS_ONE_OF(CALLS, CALL) is_one_of(CALLS, sizeof(CALLS) / sizeof(CALLS)[0], CALL)

int pit__tells_rwlocks(const char *version)
{
    char *dot = NULL;
    return strtol(version, &dot, 10) == 2 && *dot == '.' &&
           strtol(dot + 1, NULL, 10) < CONDITIONS_COUNT;
}

static int tells_rwlocks(void)
{
#ifdef __GLIBC__
    return pit__tells_rwlocks(gnu_get_libc_version());
#else
    return 0; /* musl marks them as owned */
#endif
}

/* glibc's mutex has the value 2 while others wait for it; its conditions, semaphores and pthread_join wait
 * with a bit set. So do its reader-writer locks, but these with the value 2 or 3: in use, with or without a
 * writer. Conditions and semaphores wait with 0, pthread_join for a word that is not private. */
static enum pit__wait_kind kind_of_futex(uintptr_t address, unsigned operation, unsigned value,
                                         uintptr_t python)
{
    unsigned command = operation & (unsigned)FUTEX_CMD_MASK;
    if (python && address >= python && address - python < PYTHON_BYTES)
        return PIT__WAIT_PYTHON;
    if (command == FUTEX_LOCK_PI || (command == FUTEX_WAIT && (value == 2 || value & OWNED)))
        return PIT__WAIT_MUTEX;
    if (command == FUTEX_WAIT_BITSET && (operation & FUTEX_PRIVATE_FLAG) &&
        (value == 2 || value == 3) && tells_rwlocks())
        return PIT__WAIT_MUTEX;
    return PIT__WAIT_FUTEX;
}

/* The sampler's thread has files of its own: those of the program are found by their path. */
static int is_on_disk(int file)
{
    struct stat about;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return stat(path, &about) == 0 && (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode));
}

/* A write to a disk that waits: the file was opened with O_SYNC or O_DIRECT, or too much is unwritten. */
static enum pit__wait_kind kind_of_transfer(long call, int file)
{
    if (IS_ONE_OF(reads, call) && is_on_disk(file))
        return PIT__WAIT_DISK;
    return IS_ONE_OF(writes, call) && is_on_disk(file) ? PIT__WAIT_SYNC : PIT__WAIT_TRANSFER;
}

enum pit__wait_kind pit__wait_kind(const char *text, uintptr_t python)
{
    char *at = NULL;
    if (strncmp(text, "running", 7) == 0)
        return PIT__WAIT_NONE;
    long call = strtol(text, &at, 10);
    if (at == text || call < 0)
        return PIT__WAIT_OTHER;
    if (call == SYS_futex) {
        uintptr_t address = (uintptr_t)strtoull(at, &at, 16);
        unsigned operation = (unsigned)strtoull(at, &at, 16);
        return kind_of_futex(address, operation, (unsigned)strtoull(at, &at, 16), python);
    }
    if (IS_ONE_OF(transfers, call) || IS_ONE_OF(reads, call) || IS_ONE_OF(writes, call))
        return kind_of_transfer(call, (int)strtoull(at, &at, 16));
    if (IS_ONE_OF(syncs, call))
        return PIT__WAIT_SYNC;
    if (IS_ONE_OF(children, call))
        return PIT__WAIT_CHILD;
    return IS_ONE_OF(sleeps, call) ? PIT__WAIT_SLEEP : PIT__WAIT_OTHER;
}
