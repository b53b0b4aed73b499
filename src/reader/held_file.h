/* held_file.h: a file that nobody can cut or change for the moment in which it is read.
 *
 * A lease of the kernel: whoever opens the file for writing, or cuts it, waits until it is given back,
 * so that it can be read where it lies. A copy of its bytes took most of the time of reading a run.
 */
#ifndef PIT_HELD_FILE_H
#define PIT_HELD_FILE_H

#include <signal.h>

struct pit__hold {
    int fd;
    sigset_t mask;      /* of the thread, before */
    int has_one_of_its; /* the program's own signal waits already: it stays */
};

/* 1: held, and pit__hold_end gives it back. 0: not to be had: somebody has it open for writing, it
 * belongs to another user, or its filesystem knows no leases. */
int pit__hold_begin(struct pit__hold *hold, int fd);
void pit__hold_end(struct pit__hold *hold);

#endif
