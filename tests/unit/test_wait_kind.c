/* What a thread does, by the text that the kernel has of its system call: texts as glibc's, musl's and
 * Python's locks made them. */
#include "check.h"

#include "recorder/wait_kind.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#define PYTHON 0xa6e880u

/* The text for a call with these arguments. */
static const char *call(long number, unsigned long a, unsigned long b, unsigned long c)
{
    static char text[256];
    snprintf(text, sizeof text,
             "%ld 0x%lx 0x%lx 0x%lx 0x0 0x0 0xffffffff 0x7ffe38c9d2a0 0x7f6f7a\n", number, a, b, c);
    return text;
}

TEST(a_thread_that_runs_waits_for_nothing)
{
    CHECK_INT(pit__wait_kind("running\n", 0), PIT__WAIT_NONE);
}

TEST(a_mutex_is_told_from_other_waits_for_threads)
{
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55bd08cfb1c0, 0x80, 2), 0), PIT__WAIT_MUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55bd08cfb1c0, 0, 2), 0), PIT__WAIT_MUTEX);
    /* musl, and one that lends its priority */
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x7f00, 0x80, 0x80001234), 0), PIT__WAIT_MUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x7f00, 0x86, 0), 0), PIT__WAIT_MUTEX);
    /* a barrier, a condition, a semaphore, pthread_join */
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55bd08cfb1a4, 0x80, 0), 0), PIT__WAIT_FUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55bd08cfb168, 0x189, 0), 0), PIT__WAIT_FUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x7f6f76765990, 0x109, 0x462f), 0), PIT__WAIT_FUTEX);
}

/* In use with a writer, and by readers whom a writer waits for. */
TEST(a_reader_writer_lock_is_told_from_a_condition)
{
#ifdef __GLIBC__
    int kind = pit__tells_rwlocks(gnu_get_libc_version()) ? PIT__WAIT_MUTEX : PIT__WAIT_FUTEX;
#else
    int kind = PIT__WAIT_FUTEX;
#endif
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55ee29c1806c, 0x189, 3), 0), kind);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55ee29c18068, 0x189, 2), 0), kind);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x55ee29c18068, 0x189, 0), 0), PIT__WAIT_FUTEX);
    /* the end of a thread with this number */
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x7f6f76765990, 0x109, 3), 0), PIT__WAIT_FUTEX);
    CHECK(pit__tells_rwlocks("2.36") && pit__tells_rwlocks("2.40"));
    CHECK(!pit__tells_rwlocks("2.41") && !pit__tells_rwlocks("3.0") && !pit__tells_rwlocks("2"));
}

TEST(a_file_on_a_disk_is_told_from_a_pipe)
{
    int ends[2];
    FILE *file = tmpfile();
    CHECK(file && pipe(ends) == 0);
    unsigned long disk = (unsigned long)fileno(file), pipe_end = (unsigned long)ends[0];
    CHECK_INT(pit__wait_kind(call(SYS_read, disk, 0x7f, 100), 0), PIT__WAIT_DISK);
    CHECK_INT(pit__wait_kind(call(SYS_pread64, disk, 0x7f, 100), 0), PIT__WAIT_DISK);
    CHECK_INT(pit__wait_kind(call(SYS_write, disk, 0x7f, 100), 0), PIT__WAIT_SYNC); /* O_SYNC */
    CHECK_INT(pit__wait_kind(call(SYS_pwrite64, disk, 0x7f, 100), 0), PIT__WAIT_SYNC);
    CHECK_INT(pit__wait_kind(call(SYS_read, pipe_end, 0x7f, 100), 0), PIT__WAIT_TRANSFER);
    CHECK_INT(pit__wait_kind(call(SYS_write, pipe_end, 0x7f, 100), 0), PIT__WAIT_TRANSFER);
    CHECK_INT(pit__wait_kind(call(SYS_read, 9999, 0x7f, 100), 0), PIT__WAIT_TRANSFER); /* closed */
    fclose(file);
    close(ends[0]);
    close(ends[1]);
}

TEST(pythons_lock_is_known_by_its_address)
{
    CHECK_INT(pit__wait_kind(call(SYS_futex, PYTHON + 0x1f0, 0x89, 0), PYTHON), PIT__WAIT_PYTHON);
    CHECK_INT(pit__wait_kind(call(SYS_futex, PYTHON + 0x1f0, 0x89, 0), 0), PIT__WAIT_FUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, PYTHON - 8, 0x189, 0), PYTHON), PIT__WAIT_FUTEX);
    CHECK_INT(pit__wait_kind(call(SYS_futex, 0x7def6b0, 0x189, 0), PYTHON), PIT__WAIT_FUTEX);
}

TEST(other_calls_tell_what_is_waited_for)
{
    CHECK_INT(pit__wait_kind(call(SYS_clock_nanosleep, 0, 0, 0x7f), 0), PIT__WAIT_SLEEP);
    CHECK_INT(pit__wait_kind(call(SYS_recvfrom, 5, 0x7f, 100), 0), PIT__WAIT_TRANSFER);
    CHECK_INT(pit__wait_kind(call(SYS_ppoll, 0x7f, 1, 0), 0), PIT__WAIT_TRANSFER);
    CHECK_INT(pit__wait_kind(call(SYS_fsync, 5, 0, 0), 0), PIT__WAIT_SYNC);
    CHECK_INT(pit__wait_kind(call(SYS_fdatasync, 5, 0, 0), 0), PIT__WAIT_SYNC);
    CHECK_INT(pit__wait_kind(call(SYS_wait4, 0x468c, 0x7f, 0), 0), PIT__WAIT_CHILD);
    CHECK_INT(pit__wait_kind(call(SYS_getpid, 0, 0, 0), 0), PIT__WAIT_OTHER);
    CHECK_INT(pit__wait_kind("-1 0x7ffe 0x7f6f\n", 0), PIT__WAIT_OTHER); /* a page fault */
    CHECK_INT(pit__wait_kind("", 0), PIT__WAIT_OTHER);
    CHECK_INT(pit__wait_kind("nonsense", 0), PIT__WAIT_OTHER);
}
