/* whole_file.h: a file that appears whole or not at all. Knows nothing of runs. */
#ifndef PIT_WHOLE_FILE_H
#define PIT_WHOLE_FILE_H

#include <stdio.h>

#define PIT__FILE_NOT_WRITTEN 1

/* Let `write` fill a temporary file beside `path`, bring it to the disk and give it the name; a file
 * that stood there is replaced in one step, its permissions kept. A link is followed: the file it
 * leads to is replaced, not the link. What is no regular file (a terminal, a pipe) is written as it
 * is. 0; what `write` returned, if not 0; PIT__FILE_NOT_WRITTEN with errno. In all cases but the
 * first the file that was there is as it was, and nothing is left beside it. */
int pit__whole_file(const char *path, int (*write)(FILE *out, void *arg), void *arg);

#endif
