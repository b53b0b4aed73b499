/* wait_kind.h: what a thread does, by the text of /proc/…/syscall. */
#ifndef PIT_WAIT_KIND_H
#define PIT_WAIT_KIND_H

#include <stdint.h>

enum pit__wait_kind {
    PIT__WAIT_NONE,     /* it runs, or is ready to run */
    PIT__WAIT_MUTEX,    /* for a mutex or a reader-writer lock that another thread has */
    PIT__WAIT_PYTHON,   /* for Python's lock */
    PIT__WAIT_FUTEX,    /* for another thread in another way: a condition, a barrier, its end */
    PIT__WAIT_SLEEP,    /* until a time */
    PIT__WAIT_TRANSFER, /* for a network, a pipe, a terminal */
    PIT__WAIT_DISK,     /* for data from the disk */
    PIT__WAIT_SYNC,     /* until data is on the disk */
    PIT__WAIT_CHILD,    /* for a child process */
    PIT__WAIT_OTHER
};

/* python: the address of Python's state, or 0. The files of the calls are those of this process. */
enum pit__wait_kind pit__wait_kind(const char *text, uintptr_t python);

/* Can a C library of this version ("2.36") be told waiting for a reader-writer lock from waiting for a
 * condition? */
int pit__tells_rwlocks(const char *version);

#endif
