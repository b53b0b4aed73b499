/* without_spans.h: takes the spans out of a program that has them, to see what they cost. The compiler
 * puts it before the program (-include): what is left is the same source with no span, no counter and
 * no value in it.
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
