/* grow.h: arrays that grow. */
#ifndef PIT_GROW_H
#define PIT_GROW_H

#include <stddef.h>

/* Room for `count` things of `each` bytes: the array itself where it has that, else a larger one, twice
 * as large at least, whose new part is not set. *room is how many it has room for. NULL without memory:
 * the array is as it was. The first has room for `first`. */
void *pit__grow(void *array, size_t *room, size_t count, size_t each, size_t first);

#endif
