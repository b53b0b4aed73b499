/* See file_kind.h. */
#include "file_kind.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

int pit__is_null_device(const char *path)
{
    struct stat found, null;
    return stat(path, &found) == 0 && S_ISCHR(found.st_mode) && stat("/dev/null", &null) == 0 &&
           found.st_rdev == null.st_rdev;
}

static int is_in(const char *path, const char *folder)
{
    return strncmp(path, folder, strlen(folder)) == 0;
}

/* A link of /proc leads to a file that is open, whatever names led to the link. */
static int is_link_of_proc(const char *path)
{
    struct statfs found;
    int link = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int is_proc = link >= 0 && fstatfs(link, &found) == 0 && found.f_type == PROC_SUPER_MAGIC;
    if (link >= 0)
        close(link);
    return is_proc;
}

static int is_device_name(const char *path)
{
    return is_in(path, "/dev/") && !is_in(path, "/dev/shm/");
}

#define MOST_LINKS 40 /* as many as the kernel follows */

/* The target of a link: it continues the folder of the link if it is not absolute. Returns 0 if the path is
 * not a link. */
static int follow(char path[PATH_MAX])
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return 0;
    target[length] = 0;
    char *name = strrchr(path, '/');
    size_t folder = target[0] == '/' || !name ? 0 : (size_t)(name + 1 - path);
    if (folder + (size_t)length >= PATH_MAX)
        return 0;
    memcpy(path + folder, target, (size_t)length + 1);
    return 1;
}

/* /dev/stdout, or a link that leads to it over any number of links. */
static int is_name_of_open_file(const char *path)
{
    char at[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof at)
        return 0;
    memcpy(at, path, length + 1);
    for (int links = 0; links < MOST_LINKS; links++) {
        int is_of_proc = is_link_of_proc(at);
        if (!follow(at))
            return 0;
        if (is_of_proc || is_device_name(at))
            return 1;
    }
    return 0;
}

int pit__is_not_a_file(const char *path)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return !S_ISDIR(found.st_mode);
    return is_name_of_open_file(path);
}
