/* held_file.h: a file that no process can truncate or change while it is read.
 *
 * A kernel lease: a process that opens the file for writing, or truncates it, waits until the lease is
 * released. So the file can be read in place; copying it took most of the time of reading a run.
 */
#ifndef PIT_HELD_FILE_H
#define PIT_HELD_FILE_H

#include <signal.h>

struct pit__hold {
    int fd;
    sigset_t mask;      /* the thread's mask before */
    int has_one_of_its; /* the program has such a signal pending itself: keep it */
};

/* Returns 1: held until pit__hold_end; 0: no lease is available, because a process has the file open for
 * writing, the file belongs to another user, or its filesystem does not support leases. */
int pit__hold_begin(struct pit__hold *hold, int fd);
void pit__hold_end(struct pit__hold *hold);

#endif
