/* mapped_file.h: the present name of a file that is mapped. */
#ifndef PIT_MAPPED_FILE_H
#define PIT_MAPPED_FILE_H

#include <stddef.h>

/* The path of the file whose mapping begins at this address, as the kernel knows it now: it follows renames.
 * The file may have been deleted, so check that it is the same one. Returns 0 if there is none. Nothing is
 * allocated. */
int pit__mapped_file(const void *begin, char *path, size_t room);

#endif
