/* run_list.c: the runs named on a command line. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes over `path`, which may be NULL for lack of memory. */
static int add(struct run_list *list, char *path)
{
    char **paths = path ? realloc(list->paths, (list->count + 1) * sizeof *paths) : NULL;
    if (!paths) {
        free(path);
        return fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, strerror(ENOMEM));
    }
    list->paths = paths;
    list->paths[list->count++] = path;
    return 0;
}

static int is_run_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".pit") == 0;
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    char *path = malloc(length + strlen(name) + 2);
    if (path) {
        memcpy(path, folder, length);
        path[length] = '/';
        strcpy(path + length + 1, name);
    }
    return path;
}

/* A link to a run that was in another folder, and was deleted there. */
static int leads_nowhere(const char *path)
{
    struct stat facts;
    return stat(path, &facts) != 0 && errno == ENOENT && lstat(path, &facts) == 0 &&
           S_ISLNK(facts.st_mode);
}

/* All *.pit of a folder, which may have none. */
static int add_folder(struct run_list *list, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_run_name, alphasort), status = 0;
    if (count < 0)
        return fail(EXIT_CANNOT_READ, "cannot read the folder", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char *path = status ? NULL : join(folder, entries[i]->d_name);
        if (path && leads_nowhere(path))
            free(path);
        else if (!status)
            status = add(list, path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int add_arguments(struct run_list *list, char *const *arguments, int count, int may_be_empty)
{
    int status = 0;
    *list = (struct run_list){0};
    for (int i = 0; i < count && !status; i++) {
        size_t before = list->count;
        int folder = is_folder(arguments[i]);
        if (may_be_empty && !folder && access(arguments[i], F_OK) != 0)
            return fail(EXIT_CANNOT_READ, "cannot read", arguments[i], strerror(errno));
        status = folder ? add_folder(list, arguments[i]) : add(list, strdup(arguments[i]));
        if (!status && folder && list->count == before && !may_be_empty)
            return fail(EXIT_CANNOT_READ, "cannot read the folder", arguments[i],
                        "it contains no *.pit; `pitwall run -- PROGRAM` records one");
    }
    return status;
}

int run_list_make(struct run_list *list, char *const *arguments, int count)
{
    return add_arguments(list, arguments, count, 0);
}

int run_list_find(struct run_list *list, char *const *arguments, int count)
{
    return add_arguments(list, arguments, count, 1);
}

int run_list_here(struct run_list *list)
{
    *list = (struct run_list){0};
    int status = is_folder("pitwall-runs") ? add_folder(list, "pitwall-runs") : 0;
    return status ? status : add_folder(list, ".");
}

/* When a run began; 0 if it cannot be read. A run that another run started counts as older than all
 * others, because its report is part of that run's report. */
static uint64_t age_key(const char *path, int *is_rank)
{
    static const unsigned char no_parent[16];
    pit_run *run = pit_run_peek(path, NULL);
    uint64_t key = 0;
    if (run)
        key = memcmp(run->parent_run_id, no_parent, sizeof no_parent) == 0 ? run->start_wall_ns : 1;
    *is_rank = run && pit_run_fact(run, "rank") != NULL;
    pit_run_free(run);
    return key;
}

int run_list_newest(struct run_list *list, const char *command)
{
    uint64_t newest = 0;
    size_t found = 0;
    int is_rank, found_rank = 0, status = run_list_here(list);
    for (size_t i = 0; !status && i < list->count; i++) {
        uint64_t key = age_key(list->paths[i], &is_rank);
        if (key > newest) {
            newest = key;
            found = i;
            found_rank = is_rank;
        }
    }
    if (status || found_rank)
        return status;
    if (newest == 0)
        return fail_usage(command, "no run in this folder or in pitwall-runs", NULL, NULL);
    char *path = list->paths[found];
    list->paths[found] = list->paths[0];
    list->paths[0] = path;
    while (list->count > 1)
        free(list->paths[--list->count]);
    fprintf(stderr, "pitwall: %s, the newest run of this folder\n", path);
    return 0;
}

int run_list_add(struct run_list *list, const char *path)
{
    return add(list, strdup(path));
}

void run_list_free(struct run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
}
