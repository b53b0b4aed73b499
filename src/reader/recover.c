/* Runs whose live pages are in shared memory: finding the pages, and recovering those of a dead run to its
 * path.
 *
 * A process that recovers a run holds a lock on the pages while it checks the path, copies, renames and
 * unlinks. The next process that gets the lock finds the pages unlinked and has nothing to do. Links, files
 * of another owner and pages of another run are refused, because every user can write to /dev/shm. */
#include "reader.h"

#include "base/folders.h"
#include "base/hex.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHM_FOLDER "/dev/shm/"
#define PAGES_PREFIX "pitwall-"

static int read_header(int fd, struct pit_fmt_header *header)
{
    return pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->magic, PIT_FMT_MAGIC, sizeof header->magic) == 0 &&
           header->endian == PIT_FMT_ENDIAN;
}

/* Accepts only names that a recorder gives: a file of ours, directly in the folder. */
static int live_path_of(const struct pit_fmt_header *header, char *live, size_t room)
{
    const char *name = header->live_name;
    if (!memchr(name, 0, sizeof header->live_name) ||
        strncmp(name, PAGES_PREFIX, strlen(PAGES_PREFIX)) != 0 || strchr(name, '/'))
        return 0;
    return snprintf(live, room, SHM_FOLDER "%s", name) < (int)room;
}

/* Open the pages if they belong to this user. Returns -1 with *error; -2 if they are gone (ENOENT). */
static int open_pages(const char *live, const unsigned char *run_id, pit_error *error)
{
    int fd = open(live, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return -2;
    if (fd < 0) {
        pit__fail(error, PIT_REFUSED, 0, "refused: %s: %s", live,
                  errno == ELOOP ? "it is a link" : strerror(errno));
        return -1;
    }
    struct stat found;
    struct pit_fmt_header header;
    const char *why = NULL;
    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        why = "it is not a file";
    else if (found.st_uid != geteuid())
        why = "it belongs to another user";
    else if (found.st_nlink > 1)
        why = "it has a second name";
    else if (!read_header(fd, &header) ||
             (run_id && memcmp(header.run_id, run_id, sizeof header.run_id) != 0))
        why = "it is not this run's";
    if (!why)
        return fd;
    close(fd);
    pit__fail(error, PIT_REFUSED, 0, "refused: %s: %s", live, why);
    return -1;
}

/* ---- bringing back ------------------------------------------------------------------------- */

static int copy_bytes(int from, int to, uint64_t bytes)
{
    unsigned char buffer[65536];
    for (uint64_t at = 0; at < bytes;) {
        uint64_t want = bytes - at < sizeof buffer ? bytes - at : sizeof buffer;
        ssize_t got = pread(from, buffer, want, (off_t)at);
        if (got == 0)
            return EIO;
        for (ssize_t done = 0; got > 0 && done < got;) {
            ssize_t wrote = pwrite(to, buffer + done, (size_t)(got - done), (off_t)at + done);
            if (wrote < 0 && errno != EINTR)
                return errno;
            done += wrote > 0 ? wrote : 0;
        }
        if (got < 0 && errno != EINTR)
            return errno;
        at += got > 0 ? (uint64_t)got : 0;
    }
    return 0;
}

/* The copy is marked as the run itself. */
static int write_copy(int from, int to)
{
    struct pit_fmt_header header;
    struct stat found;
    if (!read_header(from, &header) || fstat(from, &found) != 0)
        return EIO;
    uint64_t used = header.used_bytes;
    if (used > (uint64_t)found.st_size)
        used = (uint64_t)found.st_size;
    struct rlimit limit; /* writing past this limit would raise a signal */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        used > limit.rlim_cur)
        return EFBIG;
    int error = copy_bytes(from, to, used);
    header.file_bytes = used;
    memset(header.live_name, 0, sizeof header.live_name);
    if (!error && pwrite(to, &header, sizeof header, 0) != (ssize_t)sizeof header)
        error = errno ? errno : EIO;
    if (!error && fdatasync(to) != 0 && errno != EINVAL)
        error = errno;
    return error;
}

/* The permissions of the run's mirror; if it is gone, only the owner may read. */
static mode_t mode_of(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && S_ISREG(found.st_mode) ? (found.st_mode & 0644) | 0600
                                                              : 0600;
}

/* By the temporary name that the run's own copies have (mirror.c): one that was not finished goes too. */
static int replace(int from, const char *path, const unsigned char *run_id)
{
    char temporary[PATH_MAX + 64], id[33];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    pit__hex(run_id, 16, id);
    if (snprintf(temporary, sizeof temporary, "%.*s.pitwall-%s.tmp", folder, path, id) >=
        (int)sizeof temporary)
        return ENAMETOOLONG;
    unlink(temporary);
    int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_of(path));
    if (to < 0)
        return errno;
    int error = write_copy(from, to);
    if (close(to) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    return error;
}

/* Never overwrite another run at the path. */
static int path_is_free(const char *path, const unsigned char *run_id)
{
    struct pit_fmt_header header;
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT;
    int is_free =
        fstat(fd, &found) == 0 &&
        (found.st_size == 0 || (read_header(fd, &header) && header.place == PIT_FMT_MIRROR &&
                                memcmp(header.run_id, run_id, sizeof header.run_id) == 0));
    close(fd);
    return is_free;
}

/* Recover from open pages. Returns 1: recovered; 0: another process did it, or the run is live. */
static int bring_back(int pages, const char *live, const char *path, pit_error *error)
{
    while (flock(pages, LOCK_EX) != 0)
        if (errno != EINTR)
            return pit__fail(error, PIT_CANNOT_READ, 0, "cannot lock %s: %s", live,
                             strerror(errno));
    struct stat found;
    struct pit_fmt_header header;
    if (fstat(pages, &found) != 0 || found.st_nlink == 0 || pit__is_live(pages))
        return 0;
    if (!read_header(pages, &header) || !path_is_free(path, header.run_id))
        return pit__fail(error, PIT_CANNOT_WRITE, 0, "cannot bring back %s: another file is there",
                         live);
    int failed = replace(pages, path, header.run_id);
    if (failed)
        return pit__fail(error, PIT_CANNOT_WRITE, 0, "cannot bring back %s: %s", live,
                         strerror(failed));
    unlink(live);
    return 1;
}

/* ---- by path ------------------------------------------------------------------------------- */

/* Is there a mirror at the path? Returns 1 and the live path if so. */
static int is_mirror(const char *path, struct pit_fmt_header *header, char *live, size_t room)
{
    int fd = pit__open_file(path);
    if (fd < 0)
        return 0;
    int mirror = read_header(fd, header) && header->place == PIT_FMT_MIRROR &&
                 live_path_of(header, live, room);
    close(fd);
    return mirror;
}

int pit__find_pages(const char *path, char *live, size_t room, int *recovered, pit_error *error)
{
    struct pit_fmt_header header;
    *recovered = 0;
    if (!is_mirror(path, &header, live, room))
        return 0;
    /* a run of this process: a process does not see its own locks, and any close drops them */
    if (pit_recorder_find(live))
        return 1;
    int pages = open_pages(live, header.run_id, error);
    /* the machine was restarted, or another reader has recovered it */
    if (pages == -2)
        return 0;
    if (pages < 0)
        return PIT_REFUSED;
    int answer = 1;
    if (!pit__is_live(pages)) {
        answer = bring_back(pages, live, path, error);
        *recovered = answer == 1;
        /* it is at its path now */
        if (answer > 0)
            answer = 0;
    }
    close(pages);
    return answer;
}

int pit__find_live_pages(const char *path, char *live, size_t room)
{
    struct pit_fmt_header header;
    if (!is_mirror(path, &header, live, room))
        return 0;
    if (pit_recorder_find(live))
        return 1;
    int pages = open_pages(live, header.run_id, NULL);
    int is_live = pages >= 0 && pit__is_live(pages);
    if (pages >= 0)
        close(pages);
    return is_live;
}

/* A run killed at its own path still has the permissions of a live run. */
static void let_write(const char *path)
{
    struct stat found;
    int fd = pit__open_file(path);
    struct pit_fmt_header header;
    if (fd >= 0 && read_header(fd, &header) && header.state == PIT_FMT_RECORDING &&
        fstat(fd, &found) == 0 && found.st_uid == geteuid() && !(found.st_mode & S_IWUSR) &&
        !pit__is_live(fd))
        fchmod(fd, (found.st_mode & 0777) | S_IWUSR);
    if (fd >= 0)
        close(fd);
}

int pit_run_recover(const char *path, pit_error *error)
{
    struct pit_fmt_header header;
    char live[256];
    int recovered;
    if (!path)
        return pit__fail(error, PIT_BAD_ARGUMENT, 0, "no path");
    if (access(path, R_OK) != 0)
        return pit__fail(error, PIT_CANNOT_READ, 0, "%s", strerror(errno));
    if (pit_recorder_find(path))
        return 0;
    if (!is_mirror(path, &header, live, sizeof live)) {
        let_write(path);
        return 0;
    }
    int where = pit__find_pages(path, live, sizeof live, &recovered, error);
    return where < 0 ? where : recovered;
}

/* ---- all of this user's -------------------------------------------------------------------- */

/* The path that the pages name as theirs. Returns 0 or a code. */
static int path_of_pages(const char *live, char *path, size_t room)
{
    pit_error error = {0};
    pit_run *run = pit_run_open(live, &error);
    const char *fact = run ? pit_run_fact(run, "path") : NULL;
    int code = !run ? error.code : fact && fact[0] == '/' ? 0 : PIT_DAMAGED;
    if (!code)
        snprintf(path, room, "%s", fact);
    pit_run_free(run);
    return code;
}

/* If the folder of the run was deleted, nothing but its pages is left, and they hold memory until they have a
 * place. */
static void make_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length == 0 || length >= sizeof folder)
        return;
    memcpy(folder, path, length);
    folder[length] = 0;
    pit__folders(folder, 0700);
}

/* Returns 1, 0 (live, or gone meanwhile) or a code; path is set to the run's path. */
static int recover_pages(const char *live, char *path, size_t room)
{
    pit_error error;
    snprintf(path, room, "%s", live);
    if (pit_recorder_find(live))
        return 0;
    int pages = open_pages(live, NULL, &error);
    if (pages < 0)
        return pages == -2 ? 0 : PIT_REFUSED;
    int alive = pit__is_live(pages);
    close(pages);
    if (alive)
        return 0;
    int code = path_of_pages(live, path, room);
    if (code)
        return access(live, F_OK) == 0 ? code : 0;
    pages = open_pages(live, NULL, &error);
    if (pages < 0)
        return pages == -2 ? 0 : PIT_REFUSED;
    make_folder(path);
    code = bring_back(pages, live, path, &error);
    close(pages);
    return code;
}

int pit_recover_all(void (*done)(const char *path, int code, void *arg), void *arg)
{
    char prefix[64], live[PATH_MAX], path[PATH_MAX];
    snprintf(prefix, sizeof prefix, PAGES_PREFIX "%ld-", (long)geteuid());
    DIR *folder = opendir(SHM_FOLDER);
    if (!folder)
        return 0;
    int brought = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(live, sizeof live, SHM_FOLDER "%s", entry->d_name);
        int code = recover_pages(live, path, sizeof path);
        if (code == 0)
            continue;
        brought += code == 1;
        if (done)
            done(path, code, arg);
    }
    closedir(folder);
    return brought;
}
