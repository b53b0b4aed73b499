/* See folders.h. */
#include "folders.h"

#include <errno.h>
#include <sys/stat.h>

int pit__folders(char *folder, mode_t mode)
{
    int why = 0; /* the first failure explains why the last folder is missing */
    for (char *c = folder + (*folder != '\0');; c++) {
        char here = *c;
        if (here && here != '/')
            continue;
        *c = '\0';
        if (mkdir(folder, mode) != 0 && errno != EEXIST && !why)
            why = errno;
        *c = here;
        if (!here)
            break;
    }
    struct stat found;
    if (stat(folder, &found) != 0)
        return why ? why : errno;
    return S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
}
