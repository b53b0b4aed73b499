/* thread_calls.h: a thread's data for pit_begin_call; only callers_named is shared. See messages.c. */
#ifndef PIT_THREAD_CALLS_H
#define PIT_THREAD_CALLS_H

#include "format/comm_format.h"

struct pit__thread_calls {
    struct pit_fmt_messages *block;    /* NULL before the first noted call */
    struct pit_fmt_caller *caller;     /* of the open call; NULL: none */
    const struct pit_fmt_frame *frame; /* of that call */
    uint32_t callers_made;
    uint32_t callers_named; /* callers looked up so far: by the sampler, and at close */
};

#endif
