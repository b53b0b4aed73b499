/* run_end.h: what `pitwall run` does after the program's end. */
#ifndef PIT_RUN_END_H
#define PIT_RUN_END_H

#include "run_child.h"

struct run_closing {
    int says;   /* how it ended and where its run is, in one line */
    int stats;  /* a line of figures */
    int report; /* the report too */
};

/* Record in the run how the program ended, and print it on standard error. Failures are reported but do not
 * change the exit status, which is the program's. */
void run_end(struct run_program *program, const struct run_closing *closing);

#endif
