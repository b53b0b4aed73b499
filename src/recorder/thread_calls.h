/* thread_calls.h: what a thread keeps for pit_note_call; its own but for callers_named. See messages.c. */
#ifndef PIT_THREAD_CALLS_H
#define PIT_THREAD_CALLS_H

#include "format/comm_format.h"

struct pit__thread_calls {
    struct pit_fmt_messages *block;    /* NULL before the first call that is noted */
    struct pit_fmt_caller *caller;     /* of the call that is open; NULL: none */
    const struct pit_fmt_node *node;   /* that call's */
    const struct pit_fmt_frame *frame; /* likewise */
    uint32_t callers_made;
    uint32_t callers_named; /* of these, looked for: the sampler's, and at close */
};

#endif
