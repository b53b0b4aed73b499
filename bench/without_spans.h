/* without_spans.h: removes the spans from a program, to measure their cost. It is included before the
 * program (-include), which is then compiled without spans, counters and values.
 */
#ifndef WITHOUT_SPANS_H
#define WITHOUT_SPANS_H

#include <pitwall_bench.h>

#undef PIT_SPAN
#undef PIT_SPAN_WITH
#define PIT_SPAN(name_) if (1)
#define PIT_SPAN_WITH(name_, flags_) if (1)
#define pit_items(n_) ((void)sizeof(n_))
#define pit_flops(n_) ((void)sizeof(n_))
#define pit_value(name_, value_) ((void)(name_), (void)(value_))

#endif
