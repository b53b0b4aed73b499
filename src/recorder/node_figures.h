/* node_figures.h: blocks with more figures of one node: memory, allocations, energy, teams. Each block has
 * two copies. A writer fills the one that readers do not use, then makes it current by one store. */
#ifndef PIT_NODE_FIGURES_H
#define PIT_NODE_FIGURES_H

#include "recorder.h"

#include "device/energy_now.h"

/* Store into the copy that is not current, word by word. */
void pit__copy_words(void *to, const void *from, size_t bytes);

/* The block of a node that `ref`, a member of it, names: created with its first figures. NULL: there is no
 * room. */
void *pit__figures_block(struct pit__thread *t, const struct pit_fmt_node *node, uint32_t *ref,
                         enum pit_fmt_block_type type, uint64_t bytes);

/* energy_span.c: compute what a span used from the reading at its begin; and add it to its node. A class
 * whose counters could not all be read both times gives no figure. duration: ticks. */
void pit__energy_end(struct pit__energy_now *taken);
void pit__energy_keep(struct pit__thread *t, struct pit_fmt_node *node,
                      const struct pit__energy_now *taken, uint64_t duration);

#endif
