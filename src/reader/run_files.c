/* run_files.c: the run files of folders, by their heads.
 *
 * Of every file only the header's first bytes are read: a folder may hold hundreds of runs.
 */
#include "run_files.h"

#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".pit"
#define ID_BYTES PIT__ID_BYTES
#define HEAD_BYTES (offsetof(struct pit_fmt_header, parent_run_id) + ID_BYTES)

struct pit__run_folder {
    dev_t device;
    ino_t inode;
};

/* The folder of the run's file, or NULL if it has no file. */
static char *folder_of(const pit_run *run)
{
    struct stat found;
    const char *path = stat(run->path, &found) == 0 ? run->path : pit_run_fact(run, "path");
    if (run->storage == PIT_STORAGE_MEMORY || !path || !*path)
        return NULL;
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
}

/* A run of this process must not be opened: the close would drop its lock. */
static int read_head(const char *path, struct pit_fmt_header *header)
{
    memset(header, 0, sizeof *header);
    pit_recorder *own = pit_recorder_find(path);
    const void *memory = own ? pit_recorder_memory(own, NULL) : NULL;
    if (memory) {
        memcpy(header, memory, HEAD_BYTES);
    } else {
        int fd = pit__open_file(path);
        ssize_t got = fd >= 0 ? pread(fd, header, HEAD_BYTES, 0) : -1;
        if (fd >= 0)
            close(fd);
        if (got != (ssize_t)HEAD_BYTES)
            return 0;
    }
    return memcmp(header->magic, PIT_FMT_MAGIC, sizeof header->magic) == 0 &&
           header->endian == PIT_FMT_ENDIAN && header->major <= PIT_FMT_MAJOR;
}

static int is_run_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && name[0] != '.' && strcmp(name + length - suffix, SUFFIX) == 0;
}

static int look_into(struct pit__run_files *found, const char *folder);

/* Search the folder that a link leads to; this also finds the linked run. Returns the path that remains to
 * be added, or NULL: nothing, or *code is an error. */
static char *follow_link(struct pit__run_files *found, char *path, int *code)
{
    struct stat facts;
    if (lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode))
        return path;
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    char *folder = slash ? strndup(real, (size_t)(slash - real) + 1) : NULL;
    int is_found_there = slash && is_run_name(slash + 1);
    *code = real && !folder ? PIT_NO_MEMORY : folder ? look_into(found, folder) : 0;
    free(path);
    free(folder);
    if (!is_found_there)
        return real;
    free(real);
    return NULL;
}

static int add_file(struct pit__run_files *found, const char *folder, const char *name)
{
    struct pit_fmt_header header;
    char *path = malloc(strlen(folder) + strlen(name) + 1);
    int code = 0;
    if (!path)
        return PIT_NO_MEMORY;
    strcpy(stpcpy(path, folder), name);
    path = follow_link(found, path, &code);
    if (code || !path || !read_head(path, &header)) {
        free(path);
        return code;
    }
    struct pit__run_file *files =
        pit__grow(found->list, &found->room, found->count + 1, sizeof *files, 64);
    if (!files) {
        free(path);
        return PIT_NO_MEMORY;
    }
    found->list = files;
    struct pit__run_file *file = &found->list[found->count++];
    *file = (struct pit__run_file){.path = path, .started = header.first.wall_ns};
    memcpy(file->id, header.run_id, ID_BYTES);
    memcpy(file->parent, header.parent_run_id, ID_BYTES);
    if (pit__rank_head(path, &found->arena, &file->head, NULL) != 0)
        file->head = (struct pit__rank_head){.rank = PIT_UNKNOWN, .job = ""};
    return 0;
}

/* Returns 1 the first time; 0 later, and if memory is exhausted. */
static int note_folder(struct pit__run_files *found, const char *folder)
{
    struct stat facts;
    struct pit__run_folder *folders =
        pit__grow(found->folders, &found->folder_room, found->folder_count + 1, sizeof *folders, 8);
    if (!folders)
        return 0;
    found->folders = folders;
    if (stat(*folder ? folder : ".", &facts) != 0)
        return 0;
    for (size_t i = 0; i < found->folder_count; i++)
        if (found->folders[i].device == facts.st_dev && found->folders[i].inode == facts.st_ino)
            return 0;
    found->folders[found->folder_count++] = (struct pit__run_folder){facts.st_dev, facts.st_ino};
    return 1;
}

static int look_into(struct pit__run_files *found, const char *folder)
{
    DIR *entries = note_folder(found, folder) ? opendir(*folder ? folder : ".") : NULL;
    int code = 0;
    for (struct dirent *entry; entries && !code && (entry = readdir(entries));)
        if (is_run_name(entry->d_name))
            code = add_file(found, folder, entry->d_name);
    if (entries)
        closedir(entries);
    return code;
}

struct pit__run_file *pit__run_file_of(const struct pit__run_files *found, const unsigned char *id)
{
    size_t low = 0, high = found->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(found->list[middle].id, id, ID_BYTES);
        if (order == 0)
            return &found->list[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int pit__is_own_rank(const struct pit__run_files *found, const struct pit__rank_head *head)
{
    const struct pit__run_file *above = pit__run_file_of(found, head->parent);
    return pit__is_rank(head) && above && !pit__same_rank(&above->head, head);
}

static int by_id(const void *a, const void *b)
{
    const struct pit__run_file *x = a, *y = b;
    int order = memcmp(x->id, y->id, ID_BYTES);
    return order ? order : strcmp(x->path, y->path);
}

/* Of files with the same id (copies) the first is kept. */
static void sort_files(struct pit__run_files *found)
{
    size_t kept = 0;
    if (found->count > 0)
        qsort(found->list, found->count, sizeof *found->list, by_id);
    for (size_t i = 0; i < found->count; i++) {
        struct pit__run_file *file = &found->list[i];
        if (kept > 0 && memcmp(found->list[kept - 1].id, file->id, ID_BYTES) == 0)
            free(file->path);
        else
            found->list[kept++] = *file;
    }
    found->count = kept;
}

int pit__run_files_find(struct pit__run_files *found, pit_run *const *runs, size_t count)
{
    int code = 0;
    for (size_t r = 0; r < count && !code; r++) {
        errno = 0;
        char *folder = folder_of(runs[r]);
        if (!folder && errno == ENOMEM)
            code = PIT_NO_MEMORY;
        if (folder)
            code = look_into(found, folder);
        free(folder);
    }
    sort_files(found);
    return code;
}

void pit__run_files_free(struct pit__run_files *found)
{
    for (size_t i = 0; i < found->count; i++)
        free(found->list[i].path);
    free(found->list);
    free(found->folders);
    pit__arena_free(&found->arena);
}
