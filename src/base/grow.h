/* grow.h: arrays that grow. */
#ifndef PIT_GROW_H
#define PIT_GROW_H

#include <stddef.h>

/* Make room for `count` items of `each` bytes: returns the array itself if it is large enough, else one at
 * least twice as large, whose new part is uninitialised. *room is set to the number of items that fit.
 * Returns NULL if memory is exhausted; the array is then unchanged. The first array has room for `first`
 * items. */
void *pit__grow(void *array, size_t *room, size_t count, size_t each, size_t first);

#endif
