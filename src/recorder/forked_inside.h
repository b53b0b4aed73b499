/* forked_inside.h: a signal handler that interrupted the recorder calls fork, and returns in the child too. */
#ifndef PIT_FORKED_INSIDE_H
#define PIT_FORKED_INSIDE_H

/* Register what has to be done before and after a fork; once, after the lock of the process was created. */
void pit__expect_forks(void);

#endif
