/* run_path.c: the path of the program's run, and the variables that pass it to the program. */
#include "run_child.h"

#include "base/file_kind.h"
#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Escape each % in a name whose template was expanded already. */
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

/* Keep a template that gives each process its own file, but make it absolute, because the processes may
 * change their folder. */
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

/* Try to create a temporary file: permissions alone do not decide (root in /proc). A full disk is not an
 * error here, because there may be space later: the program runs, and a message at its end reports it. */
static int try_file(const char *folder)
{
    char name[PATH_MAX + 32];
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) { /* not every filesystem supports unnamed files */
        snprintf(name, sizeof name, "%s/.pitwall-XXXXXX", folder);
        fd = mkostemp(name, O_CLOEXEC);
        if (fd < 0)
            return errno == ENOSPC || errno == EDQUOT ? 0 : errno;
        unlink(name);
    }
    close(fd);
    return 0;
}

/* It must be possible to create a file in the nearest existing folder above. */
int run_check_path(const char *path)
{
    char folder[PATH_MAX];
    struct stat found;
    if (pit__is_null_device(path)) /* in memory */
        return 0;
    if (pit__is_not_a_file(path))
        return EEXIST;
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
