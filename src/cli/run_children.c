/* run_children.c: estimate how many processes a program starts, by listing them from time to time. The
 * kernel keeps no count, and tracing every fork would slow the program down. */
#include "run_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_SEEN 65536u
#define DEEPEST 32

static long *seen; /* ascending */
static size_t count, room;

static int note(long pid)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (seen[middle] < pid)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && seen[low] == pid)
        return 0;
    if (count == room) {
        size_t more = room ? 2 * room : 64;
        long *bigger = more <= MOST_SEEN ? realloc(seen, more * sizeof *seen) : NULL;
        if (!bigger)
            return -1;
        seen = bigger;
        room = more;
    }
    memmove(seen + low + 1, seen + low, (count - low) * sizeof *seen);
    seen[low] = pid;
    count++;
    return 0;
}

static void look(long pid, int depth);

/* The children of one thread, in a text of pids. */
static void look_at_thread(const char *path, int depth)
{
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    for (char *at = text, *end;; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at || note(pid) < 0)
            return;
        look(pid, depth + 1);
    }
}

static void look(long pid, int depth)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *threads = depth < DEEPEST ? opendir(path) : NULL;
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", pid, entry->d_name);
        look_at_thread(path, depth);
    }
    if (threads)
        closedir(threads);
}

uint64_t run_watch_children(long pid)
{
    if (pid > 0) {
        look(pid, 0);
        return count;
    }
    free(seen);
    seen = NULL;
    count = room = 0;
    return 0;
}
