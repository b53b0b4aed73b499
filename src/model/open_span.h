/* open_span.h: an open span: its name and its age. */
#ifndef PIT_OPEN_SPAN_H
#define PIT_OPEN_SPAN_H

#include "pitwall_report.h"

#include "report/text.h"

/* The names from the outermost on, as they are or with unprintable characters made visible. */
void pit__open_path(const pit_thread *thread, uint32_t node, const char *between, int visible,
                    struct pit__text *text);
/* The same in the form of pit_node.path: joined by '/', escaped. */
void pit__span_path(const pit_thread *thread, uint32_t node, struct pit__text *text);
double pit__open_age_ns(const pit_run *run, const pit_open_span *open);

#endif
