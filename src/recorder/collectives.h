/* Collective calls of groups of ranks, in the run: collectives.c. */
#ifndef PIT_COLLECTIVES_H
#define PIT_COLLECTIVES_H

#include "recorder.h"

/* span_rare.c: begin a span in t, which is held; group: the number of the collective's group, or 0. */
pit_token pit__begin_held(struct pit__thread *t, pit_site *site, uint64_t group);

/* The innermost span is communication: mark its node, which a plain span of the same name may have created. */
void pit__mark_comm(const struct pit__thread *t);

/* The innermost span of t, which has just begun, is a collective of this group. Its end must be reported
 * with pit__collective_end. */
void pit__collective_log(const struct pit__thread *t, const pit_site *site, uint32_t number,
                         uint64_t bytes);

/* The collective of this frame has ended. */
void pit__collective_end(uint64_t where, uint64_t begin, uint64_t duration);

/* End the innermost span, which is a collective, by the hot path. 0: not possible here, nothing was done. */
int pit__collective_end_hot(pit_token token, uint64_t now, uint64_t *duration);

#endif
