/* span_path.h: the path of a span as text: names joined by '/'. A '/' or '\' inside a name gets a '\'
 * before it, so that two paths are equal as texts only if all their names are. */
#ifndef PIT_SPAN_PATH_H
#define PIT_SPAN_PATH_H

#include <stddef.h>

#define PIT__PATH_NAME_MAX(bytes) (2 * (bytes)) /* of a name of so many bytes */

/* Bytes of a name in a path. */
size_t pit__path_name_bytes(const char *name);
/* Write it, without a zero byte behind it; where the next byte goes. */
char *pit__path_put_name(char *to, const char *name);
/* Is it what stands at `at`? */
int pit__path_has_name(const char *at, const char *name);

#endif
