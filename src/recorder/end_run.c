/* end_run.c: stores how a started program ended, in the run that it wrote itself or in a small one
 * created for it.
 *
 * The program is dead when this is called, so there is no other writer. The figures are stored in the
 * header, not in a block, so they can be read whatever the state of the rest of the run.
 */
#include "own_file.h"
#include "place.h"
#include "recorder.h"
#include "sample_source.h"

#include "base/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pit_fmt_ended as_stored(const pit_ended *e)
{
    return (struct pit_fmt_ended){
        .is_there = 1,
        .pid = (uint64_t)e->pid,
        .start_wall_ns = e->start_wall_ns,
        .duration_ns = e->duration_ns,
        .exit_status = e->exit_status < 0 ? UINT64_MAX : (uint64_t)e->exit_status,
        .exit_signal = (uint64_t)(e->exit_signal > 0 ? e->exit_signal : 0),
        .dumped_core = e->dumped_core != 0,
        .user_ns = e->user_ns,
        .system_ns = e->system_ns,
        .rss_peak = e->rss_peak,
        .minor_faults = e->minor_faults,
        .major_faults = e->major_faults,
        .switches = e->switches,
        .forced_switches = e->forced_switches,
        .read_bytes = e->read_bytes,
        .write_bytes = e->write_bytes,
        .read_chars = e->read_chars,
        .write_chars = e->write_chars,
        .children = e->children,
        .oom_kills = pit__oom_kills(),
    };
}

static int write_at(int fd, const void *bytes, size_t count, size_t offset)
{
    ssize_t wrote;
    do
        wrote = pwrite(fd, bytes, count, (off_t)offset);
    while (wrote < 0 && errno == EINTR);
    if (wrote >= 0 && wrote < (ssize_t)count)
        errno = EIO;
    return wrote == (ssize_t)count ? 0 : -1;
}

/* ---- the program's own run ------------------------------------------------------------------- */

static int is_its_run(int fd, const unsigned char *run_id, struct pit_fmt_header *header)
{
    return pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           memcmp(header->magic, PIT_FMT_MAGIC, sizeof header->magic) == 0 &&
           header->endian == PIT_FMT_ENDIAN &&
           memcmp(header->run_id, run_id, sizeof header->run_id) == 0;
}

/* Open it for writing if it is the run; -1 if not. A killed run still has no write permission, which is
 * no longer needed. */
static int open_own(const char *path, const unsigned char *run_id, struct pit_fmt_header *header)
{
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), writing = -1;
    if (fd >= 0 && is_its_run(fd, run_id, header)) {
        if (fstat(fd, &found) == 0 && !(found.st_mode & S_IWUSR))
            fchmod(fd, (found.st_mode & 0777) | S_IWUSR);
        writing = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY); /* waits while somebody reads it */
        if (writing >= 0 && !is_its_run(writing, run_id, header)) {
            close(writing);
            writing = -1;
        }
    }
    if (fd >= 0)
        close(fd);
    return writing;
}

/* Find the run with the id, at path or the names after it: its descriptor, and its name in `found`; -1:
 * there is none. The newest names are tried first: it took the first free one. */
static int find_own(const char *path, const unsigned char *run_id, char *found,
                    struct pit_fmt_header *header)
{
    int fd = pit__path_beside(found, path, 1) == 0 ? open_own(found, run_id, header) : -1;
    for (int number = fd < 0 ? pit__free_beside(path) : 1; fd < 0 && number > 1; number--)
        if (pit__path_beside(found, path, number) == 0)
            fd = open_own(found, run_id, header);
    return fd;
}

/* Its parent is our own parent run, which it could not know. */
static int add_to_own(int fd, struct pit_fmt_header *header, const pit_ended *ended)
{
    static const unsigned char none[sizeof header->parent_run_id];
    struct pit_fmt_ended stored = as_stored(ended);
    int failed = 0;
    if (memcmp(header->parent_run_id, none, sizeof none) == 0 && pit__name_inherited(header))
        failed = write_at(fd, header->parent_run_id, sizeof header->parent_run_id,
                          offsetof(struct pit_fmt_header, parent_run_id));
    return failed ? failed
                  : write_at(fd, &stored, sizeof stored, offsetof(struct pit_fmt_header, ended));
}

/* ---- a small run ---------------------------------------------------------------------------- */

/* The clock's ticks are nanoseconds. */
static void fill_header(struct pit_fmt_header *header, const unsigned char *run_id,
                        const pit_ended *ended)
{
    struct pit_fmt_pair now = pit__clock_pair();
    uint64_t end = pit__clock_monotonic_ns();
    uint64_t most = end < now.raw_ns ? end : now.raw_ns; /* both clocks begin at 0 */
    uint64_t took = ended->duration_ns < most ? ended->duration_ns : most - 1;
    header->place = PIT_FMT_IN_PLACE;
    header->state = ended->exit_signal > 0 ? PIT_FMT_RECORDING : PIT_FMT_CLOSED;
    header->pid = (uint32_t)ended->pid;
    header->clock = PIT_FMT_CLOCK_MONOTONIC;
    header->nominal_hz = 1000000000u;
    header->ring_bytes = 0;
    header->first = (struct pit_fmt_pair){end - took, now.raw_ns - took, ended->start_wall_ns, 0};
    header->last[0] =
        (struct pit_fmt_pair){end, now.raw_ns, ended->start_wall_ns + ended->duration_ns, 0};
    header->last_pair = 0;
    header->ended = as_stored(ended);
    memcpy(header->run_id, run_id, sizeof header->run_id);
    pit__name_inherited(header);
    memcpy(header->magic, PIT_FMT_MAGIC, sizeof header->magic);
}

/* 0 or an errno. */
static int write_small(char *path, pit_recorder *rec)
{
    char folder[PATH_MAX];
    int error = strchr(path, '/') ? pit__make_folders(path, folder, pit__file_mode(0)) : 0;
    if (error)
        return error;
    rec->fd = pit__create_beside(path, pit__file_mode(0));
    if (rec->fd < 0)
        return errno;
    error = pit__run_save(rec);
    if (close(rec->fd) != 0 && !error)
        error = errno;
    rec->fd = -1;
    if (error)
        unlink(path);
    return error;
}

static int leave_small(char *path, const unsigned char *run_id, const char *const *argv,
                       const pit_ended *ended)
{
    pit_recorder *rec = pit__recorder_blank();
    if (!rec) {
        errno = ENOMEM;
        return PIT_NOT_SAVED;
    }
    fill_header(rec->header, run_id, ended);
    pit__facts_of_other(rec, path, argv, ended);
    int error = write_small(path, rec);
    pit_recorder_free(rec);
    errno = error;
    return error ? PIT_NOT_SAVED : 0;
}

int pit_record_ending(char *path, const unsigned char run_id[16], const char *const *argv,
                      const pit_ended *ended)
{
    char found[PATH_MAX];
    struct pit_fmt_header header;
    if (!path || !run_id || !argv || !argv[0] || !ended) {
        errno = EINVAL;
        return PIT_NOT_SAVED;
    }
    if (pit__is_null_device(path))
        return 0;
    int fd = find_own(path, run_id, found, &header);
    if (fd < 0)
        return leave_small(path, run_id, argv, ended);
    int failed = add_to_own(fd, &header, ended), why = errno;
    close(fd);
    memcpy(path, found, strlen(found) + 1);
    errno = why;
    return failed ? PIT_NOT_SAVED : 1;
}
