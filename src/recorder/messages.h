/* messages.h: messages to other ranks and callers, in the run: messages.c. */
#ifndef PIT_MESSAGES_H
#define PIT_MESSAGES_H

#include "recorder.h"

/* Look up the names of callers that have none yet. One thread at a time: the sampler or, after it has
 * ended, the thread that closes. */
void pit__callers_name(const pit_recorder *rec);

#endif
