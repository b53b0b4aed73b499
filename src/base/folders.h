/* folders.h: the folders that a path needs. */
#ifndef PIT_FOLDERS_H
#define PIT_FOLDERS_H

#include <sys/types.h>

/* Make the folder, and those that lead to it, as far as they are not there. `folder` is changed
 * meanwhile. 0 if it is there afterwards, or an errno: of the first that could not be made. */
int pit__folders(char *folder, mode_t mode);

#endif
