/* run_path.c: where the program's run goes, and how the program is told. */
#include "run_child.h"

#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A % in a name that was made already is no template any more. */
static int escape(char *to, size_t room, const char *path)
{
    size_t at = 0;
    for (; *path && at + 2 < room; path++) {
        to[at++] = *path;
        if (*path == '%')
            to[at++] = '%';
    }
    to[at] = 0;
    return *path ? ENAMETOOLONG : 0;
}

/* A template by which several processes get files of their own stays one; but absolute, because they may
 * have gone to another folder. */
static int keep_template(char *to, size_t room, const char *wanted)
{
    char folder[PATH_MAX];
    size_t used = 0;
    if (wanted[0] != '/') {
        if (!getcwd(folder, sizeof folder))
            return errno;
        int error = escape(to, room, folder);
        if (error)
            return error;
        used = strlen(to);
    }
    int length = snprintf(to + used, room - used, "%s%s", used ? "/" : "", wanted);
    return length < (int)(room - used) ? 0 : ENAMETOOLONG;
}

int run_tell_path(const struct run_program *program, const char *path)
{
    char file[2 * PATH_MAX], id[33], pid[24];
    const char *wanted = program->wanted ? program->wanted : getenv("PITWALL_FILE");
    int is_template = wanted && (strstr(wanted, "%p") || strstr(wanted, "%r"));
    int error =
        is_template ? keep_template(file, sizeof file, wanted) : escape(file, sizeof file, path);
    pit__hex(program->run_id, sizeof program->run_id, id);
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    if (!error && (setenv("PITWALL_FILE", file, 1) || setenv("PITWALL_PARENT", id, 1) ||
                   setenv("PITWALL_RUN_PID", pid, 1)))
        error = errno;
    return error;
}

/* A file that is gone at once: what the modes say is not all (a superuser in /proc). Where there is no
 * room now there may be some later, and the program has the right to run: that is told at its end. */
static int try_file(const char *folder)
{
    char name[PATH_MAX + 32];
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) { /* not every filesystem has files without a name */
        snprintf(name, sizeof name, "%s/.pitwall-XXXXXX", folder);
        fd = mkostemp(name, O_CLOEXEC);
        if (fd < 0)
            return errno == ENOSPC || errno == EDQUOT ? 0 : errno;
        unlink(name);
    }
    close(fd);
    return 0;
}

/* The nearest folder upwards that exists must take a new file. */
int run_check_path(const char *path)
{
    char folder[PATH_MAX];
    struct stat found;
    struct stat null;
    int is_there = stat(path, &found) == 0;
    if (is_there && S_ISCHR(found.st_mode) && stat("/dev/null", &null) == 0 &&
        found.st_rdev == null.st_rdev)
        return 0; /* in memory */
    if (is_there && !S_ISREG(found.st_mode))
        return EEXIST; /* a device or the like: not to be written to, nor a name to go beside */
    snprintf(folder, sizeof folder, "%s", path);
    for (;;) {
        char *slash = strrchr(folder, '/');
        if (!slash)
            return ENOENT;
        slash[slash == folder] = 0;
        if (stat(folder, &found) == 0)
            break;
        if (errno != ENOENT || slash == folder)
            return errno;
    }
    if (!S_ISDIR(found.st_mode))
        return ENOTDIR;
    return access(folder, W_OK | X_OK) == 0 ? try_file(folder) : errno;
}
