/* open_span.h: a span that is open: its name and its age. */
#ifndef PIT_OPEN_SPAN_H
#define PIT_OPEN_SPAN_H

#include "pitwall_report.h"

#include "report/text.h"

/* How it is known: the names from the outermost on, as they are or
 * made visible. */
void pit__open_path(const pit_thread *thread, uint32_t node, const char *between, int visible,
                    struct pit__text *text);
/* The same as pit_node.path has it: joined by '/', what is in a name set apart from that. */
void pit__span_path(const pit_thread *thread, uint32_t node, struct pit__text *text);
double pit__open_age_ns(const pit_run *run, const pit_open_span *open);

#endif
