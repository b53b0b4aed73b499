/* See own_threads.h. */
#include "own_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 16 /* with more of them, the process is never considered left alone */

static int threads[MOST]; /* their numbers; 0: free */

__thread int pit__own_number __attribute__((tls_model("initial-exec")));

void pit__own_signals(sigset_t *blocked)
{
    sigfillset(blocked);
    sigdelset(blocked, SIGSYS);
}

int pit__thread_is_gone(int thread)
{
    int why = errno;
    int is_gone = syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
    errno = why;
    return is_gone;
}

void pit__own_thread_begins(void)
{
    int own = pit__own_number = (int)syscall(SYS_gettid);
    for (int i = 0; i < MOST; i++) {
        int none = 0;
        if (__atomic_compare_exchange_n(&threads[i], &none, own, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
}

void pit__own_thread_ends(void)
{
    int own = (int)syscall(SYS_gettid);
    for (int i = 0; i < MOST; i++) {
        int found = own;
        __atomic_compare_exchange_n(&threads[i], &found, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

static int is_own(int thread)
{
    for (int i = 0; i < MOST; i++)
        if (__atomic_load_n(&threads[i], __ATOMIC_RELAXED) == thread)
            return 1;
    return 0;
}

/* The state of the process in /proc is that of its main thread: "number (name) state …". */
static int main_has_ended(void)
{
    char text[256];
    int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") Z", 3) == 0;
}

size_t pit__list_threads(int listed[PIT__THREADS_LISTED])
{
    struct entry { /* struct linux_dirent64 */
        uint64_t inode, offset;
        uint16_t bytes;
        unsigned char type;
        char name[];
    };
    _Alignas(8) char room[2048];
    size_t count = 0;
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long bytes = folder < 0 ? 0 : syscall(SYS_getdents64, folder, room, sizeof room);
    for (long at = 0; at < bytes && count < PIT__THREADS_LISTED;) {
        const struct entry *entry = (const void *)(room + at);
        if (entry->name[0] != '.')
            listed[count++] = (int)strtol(entry->name, NULL, 10);
        at += entry->bytes;
    }
    if (folder >= 0)
        close(folder);
    return count;
}

int pit__only_own_threads(void)
{
    int listed[PIT__THREADS_LISTED];
    if (!main_has_ended())
        return 0;
    size_t count = pit__list_threads(listed);
    int all_own = count > 0;
    for (size_t i = 0; i < count; i++)
        all_own &= listed[i] == getpid() || is_own(listed[i]);
    return all_own;
}
