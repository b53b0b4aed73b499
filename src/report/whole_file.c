/* whole_file.c: write a temporary file, sync it to disk, rename it.
 *
 * A full disk may show only at the last flush or at fsync, so the file is renamed after both
 * succeeded.
 */
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_FOLLOWED 40 /* as the kernel */
#define NAMES_TRIED 100

/* In a sticky world-writable folder (/tmp) a link of another user may point anywhere, so it is
 * not followed. The kernel has the same rule (protected_symlinks), but not every machine enables
 * it. */
static int is_planted(const char *link)
{
    struct stat itself, folder;
    const char *slash = strrchr(link, '/');
    char *name = slash ? strndup(link, (size_t)(slash - link) + 1) : strdup(".");
    int known = name && lstat(link, &itself) == 0 && stat(name, &folder) == 0;
    free(name);
    return known && S_ISLNK(itself.st_mode) && folder.st_mode & S_ISVTX &&
           folder.st_mode & S_IWOTH && itself.st_uid != geteuid() && itself.st_uid != folder.st_uid;
}

/* The path of the file itself: `path` with links followed, including dangling ones. NULL with
 * errno; else the caller frees it. */
static char *follow_links(const char *path)
{
    char *now = strdup(path);
    for (int i = 0; now && i < LINKS_FOLLOWED; i++) {
        char target[PATH_MAX];
        ssize_t length = readlink(now, target, sizeof target - 1);
        if (length < 0) /* no link, or nothing there */
            return now;
        if (is_planted(now)) {
            free(now);
            errno = EACCES;
            return NULL;
        }
        target[length] = '\0';
        const char *slash = strrchr(now, '/');
        size_t folder = target[0] == '/' || !slash ? 0 : (size_t)(slash - now) + 1;
        char *next = malloc(folder + (size_t)length + 1);
        if (next) {
            memcpy(next, now, folder);
            memcpy(next + folder, target, (size_t)length + 1);
        }
        free(now);
        now = next;
    }
    if (now)
        errno = ELOOP;
    free(now);
    return NULL;
}

/* A short name in the folder of `path`, however long the name of the file is. */
static char *temporary_name(const char *path, unsigned attempt)
{
    static unsigned calls; /* shared by all threads: two calls never get the same name */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, room = folder + 80;
    char *name = malloc(room);
    if (!name)
        return NULL;
    memcpy(name, path, folder);
    snprintf(name + folder, room - folder, ".pitwall-%ld-%u-%lx-%u.tmp", (long)getpid(),
             __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), (unsigned long)now.tv_nsec, attempt);
    return name;
}

/* Opened like any new file, so the umask applies. -1 with errno; else *name is set. */
static int open_temporary(const char *path, char **name)
{
    int fd = -1;
    for (unsigned attempt = 0; attempt < NAMES_TRIED; attempt++) {
        *name = temporary_name(path, attempt);
        fd = *name ? open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
        if (fd >= 0 || !*name || errno != EEXIST)
            break;
        free(*name);
        *name = NULL;
    }
    if (fd < 0) {
        free(*name);
        *name = NULL;
    }
    return fd;
}

/* Flush and sync: some filesystems report a full disk only at the end. */
static int finish(FILE *out, int to_disk)
{
    int bad = ferror(out), why = errno;
    if (fflush(out) != 0 && !bad) {
        bad = 1;
        why = errno;
    }
    if (!bad && to_disk && fsync(fileno(out)) != 0 && errno != EINVAL && errno != EROFS) {
        bad = 1;
        why = errno;
    }
    if (fclose(out) != 0 && !bad) {
        bad = 1;
        why = errno;
    }
    errno = why ? why : EIO;
    return bad ? PIT__FILE_NOT_WRITTEN : 0;
}

/* Fill the open file; fd is closed in any case. */
static int fill(int fd, int to_disk, int (*write)(FILE *out, void *arg), void *arg)
{
    FILE *out = fdopen(fd, "w");
    if (!out) {
        int why = errno;
        close(fd);
        errno = why;
        return PIT__FILE_NOT_WRITTEN;
    }
    errno = 0;
    int code = write(out, arg), why = errno;
    int bad = finish(out, to_disk && code == 0);
    if (code == 0)
        return bad;
    if (why)
        errno = why;
    return code;
}

static int write_directly(const char *path, int (*write)(FILE *out, void *arg), void *arg)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? PIT__FILE_NOT_WRITTEN : fill(fd, 0, write, arg);
}

static int replace(const char *path, const struct stat *old, int (*write)(FILE *out, void *arg),
                   void *arg)
{
    char *name;
    int fd = open_temporary(path, &name);
    if (fd < 0)
        return PIT__FILE_NOT_WRITTEN;
    if (old && fchmod(fd, old->st_mode & 0777) != 0)
        errno = 0; /* the filesystem has no permissions to keep */
    int code = fill(fd, 1, write, arg);
    if (code == 0 && rename(name, path) != 0)
        code = PIT__FILE_NOT_WRITTEN;
    int why = errno;
    if (code != 0)
        unlink(name);
    free(name);
    errno = why;
    return code;
}

int pit__whole_file(const char *path, int (*write)(FILE *out, void *arg), void *arg)
{
    struct stat facts;
    int there = stat(path, &facts) == 0, code = PIT__FILE_NOT_WRITTEN;
    char *target = follow_links(path);
    if (!target)
        return code;
    if (there && S_ISDIR(facts.st_mode))
        errno = EISDIR;
    else if (there && !S_ISREG(facts.st_mode)) /* by its name: /dev/stdout leads to none */
        code = write_directly(path, write, arg);
    else if (!there || access(path, W_OK) == 0) /* a read-only file must not be replaced */
        code = replace(target, there ? &facts : NULL, write, arg);
    int why = errno;
    free(target);
    errno = why;
    return code;
}
