/* See file_text.h. */
#include "file_text.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bare system calls: the sampler's thread has its own table of descriptors, and tools that track
 * descriptors through libc calls would confuse the two. */
int pit__file_open(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

void pit__file_close(int fd)
{
    syscall(SYS_close, fd);
}

int pit__file_read(int fd, char *text, size_t room)
{
    long got = fd < 0 ? -1 : syscall(SYS_pread64, fd, text, room - 1, 0L);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

int pit__file_text(const char *path, char *text, size_t room)
{
    int fd = pit__file_open(path);
    int is_read = pit__file_read(fd, text, room);
    if (fd >= 0)
        pit__file_close(fd);
    return is_read;
}

uint64_t pit__number_at(const char *text)
{
    uint64_t number = 0;
    if (*text < '0' || *text > '9')
        return PIT__UNKNOWN;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

uint64_t pit__number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return PIT__UNKNOWN;
    at += strlen(key);
    return pit__number_at(at + strspn(at, " \t:"));
}

uint64_t pit__number_in(const char *path)
{
    char text[64];
    return pit__file_text(path, text, sizeof text) ? pit__number_at(text) : PIT__UNKNOWN;
}
