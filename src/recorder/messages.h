/* messages.h: messages to other ranks and callers, in the run: messages.c. */
#ifndef PIT_MESSAGES_H
#define PIT_MESSAGES_H

#include "recorder.h"

/* Find the names of callers that have none yet; nothing if there are none. One thread at a time: the
 * sampler, or who closes after it has ended. */
void pit__callers_name(const pit_recorder *rec);

#endif
