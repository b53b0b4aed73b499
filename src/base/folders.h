/* folders.h: the folders that a path needs. */
#ifndef PIT_FOLDERS_H
#define PIT_FOLDERS_H

#include <sys/types.h>

/* Create the folder and its missing parents. `folder` is changed meanwhile. 0 if it exists
 * afterwards, or the errno of the first that could not be created. */
int pit__folders(char *folder, mode_t mode);

#endif
