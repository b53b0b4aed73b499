/* file_kind.h: may a file be created at a path, or is something there that is not a file? */
#ifndef PIT_FILE_KIND_H
#define PIT_FILE_KIND_H

/* Is it /dev/null, or a link to it? */
int pit__is_null_device(const char *path);

/* Is it a device, a pipe, a socket, or a name of an open file such as /dev/stdout? It must not be overwritten,
 * nor get a file next to it. */
int pit__is_not_a_file(const char *path);

#endif
