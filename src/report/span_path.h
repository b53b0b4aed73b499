/* span_path.h: the path of a span as text: names joined by '/'. A '/' or '\' inside a name is
 * escaped with '\', so two paths are equal as text only if all their names are equal. */
#ifndef PIT_SPAN_PATH_H
#define PIT_SPAN_PATH_H

#include <stddef.h>

#define PIT__PATH_NAME_MAX(bytes) (2 * (bytes)) /* longest escaped form of a name */

/* Bytes of a name in a path. */
size_t pit__path_name_bytes(const char *name);
/* Write it without a terminating zero byte; returns where the next byte goes. */
char *pit__path_put_name(char *to, const char *name);
/* Is the name at `at` equal to this one? */
int pit__path_has_name(const char *at, const char *name);

#endif
