/* See mapped_file.h. A line of /proc/self/maps is "from-to rights offset device inode   path". */
#include "mapped_file.h"

#include "file_text.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct text {
    int fd;
    long at, count;
    char room[512];
};

/* The next character, or -1. */
static int next(struct text *text)
{
    if (text->at == text->count) {
        text->count = syscall(SYS_read, text->fd, text->room, sizeof text->room);
        text->at = 0;
        if (text->count <= 0) {
            text->count = 0;
            return -1;
        }
    }
    return (unsigned char)text->room[text->at++];
}

static int hex_digit(int c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c > 0 ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static int skip_line(struct text *text, int c)
{
    while (c >= 0 && c != '\n')
        c = next(text);
    return c >= 0;
}

/* Nothing before the path has a slash. Returns 0 if the line has no path, or a longer one. */
static int read_path(struct text *text, char *path, size_t room)
{
    size_t length = 0;
    int c = next(text);
    while (c >= 0 && c != '\n' && c != '/')
        c = next(text);
    for (; c >= 0 && c != '\n' && length < room; c = next(text))
        path[length++] = (char)c;
    if (length == 0 || length == room)
        return 0;
    path[length] = 0;
    return 1;
}

/* The kernel writes a newline in a name as \012. */
static void unescape(char *path)
{
    for (char *at = strstr(path, "\\012"); at; at = strstr(at + 1, "\\012")) {
        *at = '\n';
        memmove(at + 1, at + 4, strlen(at + 4) + 1);
    }
}

int pit__mapped_file(const void *begin, char *path, size_t room)
{
    struct text text = {.fd = pit__file_open("/proc/self/maps")};
    int is_found = 0, has_more = text.fd >= 0;
    path[0] = 0;
    while (has_more && !is_found) {
        uintptr_t from = 0;
        int c = next(&text);
        for (; hex_digit(c) >= 0; c = next(&text))
            from = from * 16 + (uintptr_t)hex_digit(c);
        is_found = c == '-' && from == (uintptr_t)begin;
        if (!is_found)
            has_more = skip_line(&text, c);
    }
    is_found = is_found && read_path(&text, path, room);
    if (is_found)
        unescape(path);
    if (text.fd >= 0)
        pit__file_close(text.fd);
    return is_found;
}
