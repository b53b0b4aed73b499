/* place_checks.c: where a run's file and pages are, and whether other processes see that it is live. */
#include "checks.h"

#include "report/units.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHM_FOLDER "/dev/shm"
#define SHM_LEAST_FREE ((uint64_t)256 << 20) /* with less, the recorder does not use it */
#define RUN_ROOM ((uint64_t)64 << 20)        /* size of a run with many spans and records */

/* Free bytes for us; PIT_UNKNOWN if the filesystem does not report them. */
static uint64_t free_bytes(const char *folder)
{
    struct statvfs fs;
    return statvfs(folder, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : PIT_UNKNOWN;
}

/* The type of the filesystem of this folder: the mount point with the longest matching path. */
static void filesystem_name(const char *folder, char *name, size_t size)
{
    char real[PATH_MAX];
    size_t best = 0;
    snprintf(name, size, "a filesystem without a name");
    FILE *mounts = realpath(folder, real) ? setmntent("/proc/self/mounts", "re") : NULL;
    for (struct mntent *mount; mounts && (mount = getmntent(mounts));) {
        size_t length = strlen(mount->mnt_dir);
        int is_root = strcmp(mount->mnt_dir, "/") == 0;
        int is_above = is_root || (strncmp(real, mount->mnt_dir, length) == 0 &&
                                   (real[length] == '/' || real[length] == '\0'));
        if (is_above && length >= best) {
            best = length;
            snprintf(name, size, "%s", mount->mnt_type);
        }
    }
    if (mounts)
        endmntent(mounts);
}

static const char *remedy_of(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "make room there, or set PITWALL_FILE to a folder on another filesystem";
    case EACCES:
    case EPERM:
    case EROFS:
        return "set PITWALL_FILE to a folder that you may write to";
    case EFBIG:
        return "raise the limit of file sizes: ulimit -f";
    default:
        return "set PITWALL_FILE to another folder";
    }
}

static void folder_check(struct checks *checks, const struct probe *probe)
{
    static const char *const words[] = {"mapped in place", "in shared memory, copied there", "",
                                        "only in memory"};
    char type[64], room[PIT__UNIT_BYTES];
    struct check *check = check_add(checks, "run files", 1);
    uint64_t left = free_bytes(probe->folder);
    filesystem_name(probe->folder, type, sizeof type);
    pit__text_add_visible(&check->figure, probe->wanted);
    pit__text_puts(&check->figure, ": ");
    pit__text_add_visible(&check->figure, type);
    pit__text_printf(&check->figure, ", %s", words[probe->storage & 3]);
    if (left != PIT_UNKNOWN)
        pit__text_printf(&check->figure, ", %s free", pit__unit_bytes_words(room, (double)left));
    if (probe->storage == PIT_STORAGE_MEMORY) {
        check_bad(check, CHECK_NO, strerror(probe->system_errno), remedy_of(probe->system_errno));
        pit__text_puts(&check->why, "; runs stay in memory and are lost with the process");
    } else if (probe->storage == PIT_STORAGE_SHM) {
        const char *live = getenv("PITWALL_LIVE");
        check_bad(check, CHECK_LIMITED,
                  live && *live ? "PITWALL_LIVE is set"
                                : "a mapped file is not safe on this kind of filesystem",
                  "put runs on a local disk (PITWALL_FILE); recover a killed run with "
                  "`pitwall recover`");
    } else if (left < RUN_ROOM) {
        check_bad(check, CHECK_LIMITED, "a long run may run out of space", remedy_of(ENOSPC));
    }
}

/* Checked by another process, because a process cannot see its own lock. */
static void lock_check(struct checks *checks, const struct probe *probe)
{
    struct check *check = check_add(checks, "live runs", 1);
    if (probe->storage == PIT_STORAGE_MEMORY) {
        check_bad(check, CHECK_NO, "other processes cannot see a run without a file",
                  "see run files");
        return;
    }
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        pit_run *run = pit_run_open(probe->path, NULL);
        _exit(!run ? 2 : run->state != PIT_RUN_LIVE);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && status == 0)
        pit__text_puts(&check->figure, "distinguished from dead runs by a lock on the file");
    else
        check_bad(check, CHECK_NO,
                  "other processes cannot detect a live run: locks do not work on this "
                  "filesystem",
                  "put runs on a local disk, or mount the share with locks (nfs: without nolock)");
}

static void shm_check(struct checks *checks)
{
    char room[PIT__UNIT_BYTES];
    struct check *check = check_add(checks, "shared memory", 1);
    uint64_t left = free_bytes(SHM_FOLDER);
    if (left == PIT_UNKNOWN || access(SHM_FOLDER, W_OK) != 0) {
        check_bad(check, CHECK_NO, strerror(errno), "mount a tmpfs on " SHM_FOLDER);
        return;
    }
    pit__text_printf(&check->figure, "%s free in " SHM_FOLDER,
                     pit__unit_bytes_words(room, (double)left));
    if (left < SHM_LEAST_FREE)
        check_bad(check, CHECK_LIMITED,
                  "less than 256 MB: runs on network filesystems go to memory and are lost with "
                  "their process",
                  "docker run --shm-size=1g, or mount -o remount,size=1g " SHM_FOLDER);
}

static void size_check(struct checks *checks)
{
    char room[PIT__UNIT_BYTES];
    struct rlimit limit;
    struct check *check = check_add(checks, "file size", 1);
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        pit__text_puts(&check->figure, "no limit");
        return;
    }
    pit__text_printf(&check->figure, "limit %s",
                     pit__unit_bytes_words(room, (double)limit.rlim_cur));
    if (limit.rlim_cur < RUN_ROOM)
        check_bad(check, CHECK_LIMITED, "a long run continues in memory if its file cannot grow",
                  remedy_of(EFBIG));
}

void place_checks(struct checks *checks, const struct probe *probe)
{
    folder_check(checks, probe);
    lock_check(checks, probe);
    shm_check(checks);
    size_check(checks);
}
