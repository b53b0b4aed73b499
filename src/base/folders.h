/* folders.h: create the folders of a path. */
#ifndef PIT_FOLDERS_H
#define PIT_FOLDERS_H

#include <sys/types.h>

/* Create the folder and its missing parents; `folder` is modified during the call. Returns 0 if it exists
 * afterwards, else the errno of the first folder that could not be created. */
int pit__folders(char *folder, mode_t mode);

#endif
