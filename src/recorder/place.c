/* Where a run is kept: mapped at its own path if the filesystem supports shared mappings well, else in
 * shared memory with a mirror at the path, else in anonymous memory.
 */
#include "place.h"
#include "own_file.h"
#include "recorder.h"

#include "base/file_kind.h"
#include "base/folders.h"
#include "base/hex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SHM_FOLDER "/dev/shm/"
#define SHM_LEAST_FREE ((uint64_t)256 * 1024 * 1024)

/* Filesystems on which a mapped file keeps every store after the process is killed, at memory
 * speed. Others are remote, or write pages back unpredictably. */
static int keeps_mappings(const char *folder)
{
    static const unsigned long good[] = {
        0xEF53,     /* ext2, 3, 4 */
        0x58465342, /* xfs */
        0x01021994, /* tmpfs */
        0x858458f6, /* ramfs */
        0x794c7630, /* overlay */
        0xF2F52010, /* f2fs */
    };
    struct statfs fs;
    if (statfs(folder, &fs) != 0)
        return 0;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (((unsigned long)fs.f_type & 0xffffffffu) == good[i])
            return 1;
    return 0;
}

int pit__make_folders(const char *path, char *folder, uint32_t file_mode)
{
    snprintf(folder, PATH_MAX, "%s", path);
    char *last = strrchr(folder, '/');
    if (!last)
        return EINVAL;
    last[last == folder] = 0;
    return pit__folders(folder,
                        file_mode | (file_mode & 0444u) >> 2); /* readers may list the folder */
}

static int place_in_file(pit_recorder *rec, uint64_t max_bytes)
{
    int fd = pit__create_beside(rec->path, rec->file_mode);
    if (fd < 0)
        return errno;
    pit__file_begin(rec, fd);
    int error = pit__run_map(rec, fd, max_bytes);
    if (error) {
        unlink(rec->path);
        close(fd);
        rec->inode = 0;
        return error;
    }
    rec->place = PIT_FMT_IN_PLACE;
    return 0;
}

static int shm_has_room(void)
{
    struct statvfs fs;
    return statvfs(SHM_FOLDER, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize >= SHM_LEAST_FREE;
}

static int place_in_shm(pit_recorder *rec, const unsigned char *run_id, uint64_t max_bytes)
{
    char id[33];
    pit__hex(run_id, 16, id);
    snprintf(rec->live_path, sizeof rec->live_path, SHM_FOLDER "pitwall-%ld-%s.pit",
             (long)geteuid(), id);
    int fd = pit__moved_up(
        open(rec->live_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    int error = fd < 0 ? errno : 0;
    if (!error) {
        pit__file_begin(rec, fd);
        error = pit__run_map(rec, fd, max_bytes);
        if (error) {
            unlink(rec->live_path);
            close(fd);
        }
    }
    if (error) {
        rec->inode = 0;
        rec->live_path[0] = 0;
        return error;
    }
    rec->place = PIT_FMT_SHM;
    snprintf(rec->header->live_name, sizeof rec->header->live_name, "%s",
             rec->live_path + strlen(SHM_FOLDER));
    return 0;
}

static int place_in_memory(pit_recorder *rec, uint64_t max_bytes)
{
    if (pit__run_map(rec, -1, max_bytes) != 0)
        return PIT_NO_MEMORY;
    rec->place = PIT_FMT_MEMORY;
    return PIT_OK;
}

/* For a filesystem that is not suitable for mapping: the file at the path is created first, to take the
 * name, and gets a copy every few seconds. The pages are in shared memory, which outlives the program,
 * or in the program's own memory if there is too little of that. */
static int place_mirrored(pit_recorder *rec, const unsigned char *run_id, uint64_t max_bytes)
{
    int at_path = pit__create_beside(rec->path, rec->file_mode);
    if (at_path < 0)
        return errno;
    close(at_path);
    rec->is_mirrored = 1;
    if (shm_has_room() && place_in_shm(rec, run_id, max_bytes) == 0)
        return 0;
    if (place_in_memory(rec, max_bytes) == PIT_OK)
        return 0;
    unlink(rec->path);
    rec->is_mirrored = 0;
    return ENOMEM;
}

/* Is it the run that the environment asks for: no path was given, or exactly that one? */
static int is_asked_for(const char *path, const char *wanted)
{
    char asked[PATH_MAX];
    return !wanted || (pit__path_expand(asked, NULL) == 0 && strcmp(asked, path) == 0);
}

/* 0 or an errno. */
static int place_on_disk(pit_recorder *rec, const char *wanted, unsigned char *run_id,
                         uint64_t max_bytes)
{
    char folder[PATH_MAX];
    int has_path = rec->path[0] != 0, error = has_path ? 0 : pit__path_expand(rec->path, wanted);
    if (error) {
        rec->path[0] = 0;
        return error;
    }
    if (pit__is_null_device(rec->path)) {
        rec->path[0] = 0;
        rec->in_memory = rec->options.in_memory = 1; /* also for a forked child */
        return 0;
    }
    if (!has_path && is_asked_for(rec->path, wanted))
        pit__take_id(rec->path, run_id);
    error = pit__make_folders(rec->path, folder, rec->file_mode);
    if (error)
        return error;
    const char *live = secure_getenv("PITWALL_LIVE");
    int in_shm = live && strcmp(live, "shm") == 0;
    if (!in_shm && keeps_mappings(folder))
        return place_in_file(rec, max_bytes);
    return place_mirrored(rec, run_id, max_bytes);
}

int pit__place_run(pit_recorder *rec, const char *wanted, uint64_t max_bytes)
{
    unsigned char run_id[16];
    pit__random(run_id, sizeof run_id);
    int error = rec->in_memory ? 0 : place_on_disk(rec, wanted, run_id, max_bytes);
    if (rec->in_memory || error) {
        if (place_in_memory(rec, max_bytes) != PIT_OK)
            return PIT_NO_MEMORY;
        rec->header->open_errno = (uint32_t)error;
    }
    rec->header->place = rec->place;
    memcpy(rec->header->run_id, run_id, sizeof run_id);
    if (!error)
        return PIT_OK;
    rec->code = PIT_NO_FILE;
    rec->system_errno = error;
    return PIT_NO_FILE;
}
