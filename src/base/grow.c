/* See grow.h. */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>

void *pit__grow(void *array, size_t *room, size_t count, size_t each, size_t first)
{
    if (array && count <= *room)
        return array;
    size_t more = *room > SIZE_MAX / 2 ? SIZE_MAX : 2 * *room;
    if (more < count)
        more = count;
    if (more < first)
        more = first;
    void *larger = more > SIZE_MAX / each ? NULL : realloc(array, more * each);
    if (larger)
        *room = more;
    return larger;
}
