/* whole_file.h: writes a file completely or not at all. Independent of runs. */
#ifndef PIT_WHOLE_FILE_H
#define PIT_WHOLE_FILE_H

#include <stdio.h>

#define PIT__FILE_NOT_WRITTEN 1

/* Call `write` to fill a temporary file in the same folder, sync it to disk and rename it to
 * `path`. An existing file is replaced atomically and keeps its permissions. A symbolic link is
 * followed: its target is replaced, not the link. A target that is not a regular file (a
 * terminal, a pipe) is written directly. Returns 0; the result of `write` if not 0; or
 * PIT__FILE_NOT_WRITTEN with errno. On errors an existing file is unchanged, and no temporary
 * file is left. */
int pit__whole_file(const char *path, int (*write)(FILE *out, void *arg), void *arg);

#endif
