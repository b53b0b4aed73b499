/* The file of a live run: it cannot be written to by mistake, other processes can see that its process
 * is alive, and a program may close every descriptor or copy its own run without harm.
 *
 * The lock is a record lock of the process: a forked child does not have it, and exec and every kind of
 * end release it. The kernel also releases it when the process closes any descriptor of the file, so the
 * sampler takes it again, and the header names the writing process and its start time.
 */
#include "own_file.h"
#include "recorder.h"

#include "base/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_OPEN 0644u /* permissions of a run file */
#define MOST_CLOSED 0600u
#define HIGH_DESCRIPTOR 64 /* no program expects its next file to get such a number */
#define LOCK_EVERY 10u     /* readings */

uint32_t pit__file_mode(unsigned asked)
{
    const char *text = secure_getenv("PITWALL_MODE");
    char *end = NULL;
    if (!asked && text && *text) {
        unsigned long mode = strtoul(text, &end, 8);
        /* "private", any text that is no number, and 0 */
        asked = *end || !mode ? MOST_CLOSED : (unsigned)mode;
    }
    return ((asked ? asked : MOST_OPEN) & MOST_OPEN) | MOST_CLOSED;
}

/* ---- the lock ------------------------------------------------------------------------------ */

static struct flock live_lock(short type)
{
    return (struct flock){
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)PIT_FMT_LOCK_LIVE, .l_len = 1};
}

/* On a filesystem without locks only the second witness is used. */
static void hold_live_lock(int fd)
{
    struct flock lock = live_lock(F_WRLCK);
    fcntl(fd, F_SETLK, &lock);
}

static const char *mapped_path(const pit_recorder *rec)
{
    return rec->live_path[0] ? rec->live_path : rec->path;
}

/* The file may have been renamed; with the recorder's lock held. */
static int is_found_elsewhere(pit_recorder *rec)
{
    return pit__mapped_file(rec->base, rec->moved_path, sizeof rec->moved_path);
}

static int is_own(const pit_recorder *rec, const struct stat *found)
{
    return (uint64_t)found->st_ino == rec->inode && (uint64_t)found->st_dev == rec->device;
}

static int is_own_descriptor(const pit_recorder *rec, int fd)
{
    struct stat found;
    return fd >= 0 && fstat(fd, &found) == 0 && is_own(rec, &found);
}

static int is_writable(int fd)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* ---- its mode ------------------------------------------------------------------------------ */

void pit__file_begin(pit_recorder *rec, int fd)
{
    struct stat found;
    if (fstat(fd, &found) != 0)
        return;
    rec->device = (uint64_t)found.st_dev;
    rec->inode = (uint64_t)found.st_ino;
    rec->rest_mode = (uint32_t)found.st_mode & 0777u;
    if (fchmod(fd, rec->rest_mode & 0444u) != 0)
        errno = 0; /* a filesystem without permissions */
    hold_live_lock(fd);
}

void pit__file_rest(pit_recorder *rec)
{
    if (rec->inode && !rec->live_path[0] && rec->fd >= 0 && fchmod(rec->fd, rec->rest_mode) != 0)
        errno = 0;
}

/* ---- its descriptor ------------------------------------------------------------------------ */

#define STANDARD 3 /* below are those that a program uses even after it has closed them */

int pit__moved_up(int fd)
{
    int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR) : -1;
    if (high < 0 && fd >= 0 && fd < STANDARD)
        high = fcntl(fd, F_DUPFD_CLOEXEC, STANDARD);
    if (high < 0 && (fd < 0 || fd >= STANDARD))
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return high;
}

static int open_own(const pit_recorder *rec, const char *path, int flags)
{
    int fd = pit__moved_up(open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (fd < 0 || is_own_descriptor(rec, fd))
        return fd;
    close(fd);
    return -1;
}

static int open_again(pit_recorder *rec, int flags)
{
    int fd = open_own(rec, mapped_path(rec), flags);
    if (fd < 0 && is_found_elsewhere(rec))
        fd = open_own(rec, rec->moved_path, flags);
    return fd;
}

/* The owner gets write permission only for this moment. */
static int reopened(pit_recorder *rec)
{
    int reading = open_again(rec, O_RDONLY);
    if (reading < 0)
        return -1;
    int changed = fchmod(reading, rec->rest_mode | S_IWUSR) == 0;
    int fd = open_again(rec, O_RDWR);
    if (changed)
        fchmod(reading, rec->rest_mode & 0444u);
    close(reading); /* this also releases the lock, if it was held */
    if (fd >= 0)
        hold_live_lock(fd);
    return fd;
}

/* The descriptor of a sampler for its own recorder's run, plus 1; 0: not open. */
static __thread int in_own_table __attribute__((tls_model("initial-exec")));

/* The program may have closed our descriptor and opened a file with its number: another one, or this one for
 * reading. A sampler cannot use the number, nor say that the program's descriptor is lost. */
int pit__own_descriptor(pit_recorder *rec)
{
    int fd = pit__has_own_table ? in_own_table - 1 : rec->fd;
    if (rec->inode && !(is_own_descriptor(rec, fd) && is_writable(fd)))
        fd = reopened(rec);
    if (pit__has_own_table)
        in_own_table = fd + 1;
    else
        rec->fd = fd;
    return fd;
}

int pit__has_descriptor(const pit_recorder *rec)
{
    return is_own_descriptor(rec, rec->fd);
}

/* ---- checks by the sampler ------------------------------------------------------------------ */

/* The file is shorter than its mapping: a store beyond its end would kill the program. Copy the rest
 * to memory, which then replaces the file's pages at once. With the lock held. */
static void leave_file(pit_recorder *rec, uint64_t left)
{
    uint64_t bytes = rec->file_bytes;
    unsigned char *copy =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return; /* tried again at the next reading */
    pit__guard_count();
    if (left >= sizeof *rec->header) /* for readers of the rest of the file */
        PIT_STORE(rec->header->counters[PIT_FMT_MENDED], pit__guard_mended());
    memcpy(copy, rec->base, left < bytes ? left : bytes);
    if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, rec->base) == MAP_FAILED) {
        munmap(copy, bytes);
        return;
    }
    rec->was_cut = left < rec->used_bytes;
    if (is_own_descriptor(rec, rec->fd))
        close(rec->fd);
    rec->fd = -1;
    rec->inode = 0;
    rec->file_bytes = 0;
    rec->code = PIT_DISK_FULL;
    rec->system_errno = EIO;
    PIT_STORE(rec->header->growth_errno, (uint32_t)EIO);
}

/* Runs in a separate table of descriptors, with bare system calls: see sample_source.c. A read lock
 * is visible as well, and needs no write permission. */
static int open_for_watch(const pit_recorder *rec, const char *path)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path,
                          O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || is_own_descriptor(rec, fd))
        return fd;
    syscall(SYS_close, fd);
    return -1;
}

/* Once open, it stays: the program cannot close it, and it follows renames. */
static void watch_file(pit_recorder *rec, struct pit__file_watch *watch)
{
    if (!watch->has_table || watch->fd >= 0)
        return;
    watch->fd = open_for_watch(rec, mapped_path(rec));
    if (watch->fd < 0 && !watch->has_searched) {
        watch->has_searched = 1;
        if (is_found_elsewhere(rec))
            watch->fd = open_for_watch(rec, rec->moved_path);
    }
}

/* It is not granted while the program's own lock is there. */
static void hold_own_lock(struct pit__file_watch *watch)
{
    struct flock lock = live_lock(F_RDLCK);
    if (!watch->is_locked && watch->fd >= 0 && watch->turns++ % LOCK_EVERY == 0)
        watch->is_locked = fcntl(watch->fd, F_SETLK, &lock) == 0;
}

/* Bytes that the file has; as many as are mapped if it is not found. */
static uint64_t present_bytes(const pit_recorder *rec, const struct pit__file_watch *watch)
{
    struct stat found;
    int fd = watch->has_table ? watch->fd : rec->fd;
    int is_known = fd >= 0 && fstat(fd, &found) == 0 && is_own(rec, &found);
    if (!is_known)
        is_known = stat(mapped_path(rec), &found) == 0 && is_own(rec, &found);
    return is_known ? (uint64_t)found.st_size : rec->file_bytes;
}

static void watch_locked(pit_recorder *rec, struct pit__file_watch *watch)
{
    watch_file(rec, watch);
    uint64_t present = present_bytes(rec, watch);
    if (present < rec->file_bytes)
        leave_file(rec, present);
    else if (watch->has_table)
        hold_own_lock(watch);
    else if (pit__own_descriptor(rec) >= 0)
        hold_live_lock(rec->fd);
}

/* Nothing is stored in the run before its file is known to have its pages. */
void pit__file_watch(pit_recorder *rec, struct pit__file_watch *watch)
{
    if (rec->inode) {
        if (!pit__lock_take(&rec->control->lock))
            return;
        watch_locked(rec, watch);
        pit__lock_give(&rec->control->lock);
    }
    PIT_STORE(rec->header->counters[PIT_FMT_MENDED], pit__guard_mended());
}

/* ---- the second witness --------------------------------------------------------------------- */

static uint64_t own_start(void)
{
    char text[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return pit_fmt_start_of(text);
}

void pit__name_process(pit_recorder *rec)
{
    struct stat space;
    rec->header->pid_start = own_start();
    rec->header->pid_space = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
    rec->header->file_inode = rec->inode;
}
