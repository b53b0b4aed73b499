/* save_members.c: adds members of a JSON object to a file that others also write.
 *
 * The library does not parse JSON elsewhere: foreign members of the file are copied unchanged.
 */
#include "pitwall_bench.h"

#include "report/json_members.h"
#include "report/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct merge {
    const char *old, *members;
    size_t old_bytes, members_bytes;
};

static int write_merged(FILE *out, void *arg)
{
    const struct merge *merge = arg;
    int code = pit__json_merge(out, merge->old, merge->old_bytes, merge->members,
                               merge->members_bytes, 0, 1);
    putc('\n', out);
    return code == 0 ? 0 : code == PIT__JSON_NO_MEMORY ? PIT_NO_MEMORY : PIT_CANNOT_READ;
}

static int write_plain(FILE *out, void *arg)
{
    const struct merge *merge = arg;
    fwrite(merge->members, 1, merge->members_bytes, out);
    return 0;
}

static int is_object(const char *text, size_t bytes)
{
    struct pit__json_member *members;
    size_t count;
    int code = pit__json_members(text, bytes, &members, &count);
    free(members);
    return code != PIT__JSON_NOT_AN_OBJECT;
}

static int read_all(FILE *file, struct pit__text *text)
{
    char bytes[16384];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        pit__text_add(text, bytes, count);
    return ferror(file) ? PIT_CANNOT_READ : text->failed ? PIT_NO_MEMORY : 0;
}

/* The content of a regular file; empty if it does not exist or is not a regular file. */
static int read_old(const char *path, struct pit__text *text)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return errno == ENOENT ? 0 : PIT_CANNOT_READ;
    if (!S_ISREG(facts.st_mode))
        return 0;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return PIT_CANNOT_READ;
    int code = read_all(file, text);
    fclose(file);
    return code;
}

static int is_blank(const struct pit__text *text)
{
    return strspn(pit__text_string(text), " \t\r\n") == text->length;
}

PIT_API int pit_save_members(const char *path, const char *members)
{
    if (!path || !*path || !members || !is_object(members, strlen(members)))
        return PIT_BAD_ARGUMENT;
    struct pit__text old = {0};
    int code = read_old(path, &old);
    const char *text = pit__text_string(&old);
    if (!code && !is_blank(&old) && !is_object(text, old.length)) {
        errno = EINVAL;
        code = PIT_CANNOT_READ;
    }
    if (!code) {
        struct merge merge = {text, members, old.length, strlen(members)};
        code = pit_save(path, is_blank(&old) ? write_plain : write_merged, &merge);
    }
    int why = errno;
    pit__text_free(&old);
    errno = why;
    return code;
}
