/* Is the process that writes a run alive? There are two checks, and it is dead only if both say so.
 *
 * The lock works across namespaces and machines, but the kernel drops it when the process closes any
 * descriptor of the file. On the same boot and in the same pid namespace the process itself can be
 * checked: its pid, its start time, and whether it still has this file mapped, which is not so after an
 * exec. A copy is a different file and belongs to no process.
 */
#include "reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tests for a write lock, which conflicts with every lock of another process. */
static int is_locked(int fd)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)PIT_FMT_LOCK_LIVE, .l_len = 1};
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, room - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static int is_this_boot(const struct pit_fmt_header *header)
{
    char text[64];
    unsigned char id[16] = {0};
    size_t digits = 0;
    if (!read_text("/proc/sys/kernel/random/boot_id", text, sizeof text))
        return 0;
    for (const char *c = text; *c && digits < 32; c++) {
        const char one[2] = {*c, 0};
        if (*c == '-' || *c == '\n')
            continue;
        id[digits / 2] = (unsigned char)((unsigned)id[digits / 2] << 4 | strtoul(one, NULL, 16));
        digits++;
    }
    return digits == 32 && memcmp(id, header->boot_id, sizeof id) == 0;
}

static int is_this_space(const struct pit_fmt_header *header)
{
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 && (uint64_t)space.st_ino == header->pid_space;
}

/* Lines are "from-to rights offset device inode path". Returns 1 too if another user's process may not be
 * inspected. */
static int has_mapped(uint32_t pid, uint64_t inode)
{
    char path[40], line[8192];
    snprintf(path, sizeof path, "/proc/%u/maps", pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return 1;
    int found = 0;
    while (!found && fgets(line, sizeof line, maps)) {
        unsigned long long mapped = 0;
        found = sscanf(line, "%*s %*s %*s %*s %llu", &mapped) == 1 && mapped == inode;
    }
    fclose(maps);
    return found;
}

static int process_lives(int fd)
{
    struct pit_fmt_header header;
    struct stat found;
    char path[40], text[1024];
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.magic, PIT_FMT_MAGIC, sizeof header.magic) != 0 ||
        header.endian != PIT_FMT_ENDIAN || header.state != PIT_FMT_RECORDING || !header.pid_start ||
        fstat(fd, &found) != 0)
        return 0;
    /* a mirror of memory, not of shared pages */
    int is_copy = header.place == PIT_FMT_MIRROR && !header.live_name[0];
    if ((!is_copy && header.file_inode != (uint64_t)found.st_ino) || !is_this_boot(&header) ||
        !is_this_space(&header))
        return 0;
    snprintf(path, sizeof path, "/proc/%u/stat", header.pid);
    return read_text(path, text, sizeof text) && pit_fmt_start_of(text) == header.pid_start &&
           (is_copy || has_mapped(header.pid, header.file_inode));
}

int pit__is_live(int fd)
{
    return is_locked(fd) || process_lives(fd);
}
