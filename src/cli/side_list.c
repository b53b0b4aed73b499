/* side_list.c: the sides of a comparison: from words to files, from files to runs and figures. */
#include "side_list.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int no_memory(void)
{
    return fail(EXIT_CANNOT_READ, "cannot compare", NULL, strerror(ENOMEM));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Does it look like JSON? A run begins with its magic. */
static int is_json(const char *path)
{
    const char *why;
    FILE *file = regular_file_open(path, &why);
    int c = ' ';
    while (file &&
           (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xef || c == 0xbb || c == 0xbf))
        c = getc(file);
    if (file)
        fclose(file);
    return c == '{' || c == '[';
}

static int read_run(struct side_input *input, const char *path)
{
    pit_error error = {0};
    pit_run **runs = realloc(input->runs, (input->run_count + 1) * sizeof *runs);
    if (!runs)
        return no_memory();
    input->runs = runs;
    runs[input->run_count] = pit_run_open(path, &error);
    if (!runs[input->run_count])
        return fail_run(path, &error);
    input->run_count++;
    return 0;
}

/* `may_pass`: the file is from a folder; if it is not usable, it is ignored with a message. */
static int read_json(struct side_input *input, const char *path, int may_pass)
{
    char why[256];
    struct sample_file *files = realloc(input->files, (input->file_count + 1) * sizeof *files);
    if (!files)
        return no_memory();
    input->files = files;
    if (sample_file_read(path, &files[input->file_count], why, sizeof why) != 0) {
        fail(0, may_pass ? "ignored" : "cannot read", path, why);
        return may_pass ? 0 : EXIT_CANNOT_READ;
    }
    input->file_count++;
    return 0;
}

static int is_json_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

static int is_run_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 4, ".pit") == 0;
}

static int read_entry(struct side_input *input, const char *folder, const char *name, int json)
{
    size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (!path)
        return no_memory();
    snprintf(path, length, "%s/%s", folder, name);
    int status = json ? read_json(input, path, 1) : read_run(input, path);
    free(path);
    return status;
}

/* Read its runs; if it has none, its JSON files. */
static int read_folder(struct side_input *input, const char *folder)
{
    struct dirent **entries;
    int status = 0, seen = 0;
    for (int json = 0; json < 2 && seen == 0 && !status; json++) {
        int count = scandir(folder, &entries, json ? is_json_name : is_run_name, alphasort);
        if (count < 0)
            return fail(EXIT_CANNOT_READ, "cannot read the folder", folder, strerror(errno));
        for (int i = 0; i < count; i++) {
            if (!status)
                status = read_entry(input, folder, entries[i]->d_name, json);
            free(entries[i]);
        }
        free(entries);
        seen = count;
    }
    if (!status && input->run_count + input->file_count == 0)
        return fail(EXIT_CANNOT_READ, "cannot read the folder", folder,
                    "it contains no *.pit and no JSON with figures");
    return status;
}

static int read_path(struct side_input *input, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return read_folder(input, path);
    return is_json(path) ? read_json(input, path, 0) : read_run(input, path);
}

/* An existing path, or several paths separated by commas. */
static int read_word(struct side_input *input, const char *word)
{
    struct stat facts;
    if (stat(word, &facts) == 0 || !strchr(word, ','))
        return read_path(input, word);
    char *copy = strdup(word), *rest = copy, *path;
    int status = copy ? 0 : no_memory();
    while (!status && (path = strsep(&rest, ",")) != NULL)
        if (*path)
            status = read_path(input, path);
    free(copy);
    return status;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static struct side_input *add_input(struct side_list *list, const char *name)
{
    struct side_input *inputs = realloc(list->inputs, (list->count + 1) * sizeof *inputs);
    if (!inputs)
        return NULL;
    list->inputs = inputs;
    inputs[list->count] = (struct side_input){.name = strdup(name)};
    if (!inputs[list->count].name)
        return NULL;
    return &inputs[list->count++];
}

/* The words of one side. */
static int read_side(struct side_list *list, char *const *words, int count)
{
    char name[512];
    snprintf(name, sizeof name, count > 1 ? "%s ... %s" : "%s", words[0], words[count - 1]);
    struct side_input *input = add_input(list, name);
    int status = input ? 0 : no_memory();
    for (int i = 0; i < count && !status; i++)
        status = read_word(input, words[i]);
    if (!status && input->run_count > 0 && input->file_count > 0)
        status = fail(EXIT_USAGE, "a side cannot have both runs and JSON files", name, NULL);
    return status;
}

static int read_sides(struct side_list *list, char *const *words, int count)
{
    int has_vs = 0, status = 0;
    for (int i = 0; i < count; i++)
        has_vs |= strcmp(words[i], "vs") == 0;
    for (int from = 0; from < count && !status;) {
        int to = from;
        while (to < count && has_vs && strcmp(words[to], "vs") != 0)
            to++;
        if (!has_vs)
            to = from + 1;
        if (to == from || (has_vs && to == count - 1))
            return fail_usage("compare", "vs: needs runs before and after it", NULL, NULL);
        status = read_side(list, words + from, to - from);
        from = has_vs ? to + 1 : to;
    }
    return status;
}

/* One file with several commands: each command is a side. */
static int split_commands(struct side_list *list)
{
    struct side_input whole = list->inputs[0];
    int status = 0;
    free(list->inputs);
    *list = (struct side_list){0};
    for (size_t f = 0; f < whole.file_count && !status; f++)
        for (size_t i = 0; i < whole.files[f].count && !status; i++) {
            struct sample_set *set = &whole.files[f].sets[i];
            if (!set->is_named || set->is_memory || set->count == 0)
                continue;
            struct side_input *input = add_input(list, set->name);
            struct sample_file *file = input ? calloc(1, sizeof *file) : NULL;
            struct sample_set *moved = file ? malloc(sizeof *moved) : NULL;
            if (moved) {
                *moved = *set;
                *set = (struct sample_set){0};
                *file = (struct sample_file){moved, 1};
                input->files = file;
                input->file_count = 1;
            } else {
                free(file);
                status = no_memory();
            }
        }
    for (size_t f = 0; f < whole.file_count; f++)
        sample_file_free(&whole.files[f]);
    free(whole.files);
    free(whole.name);
    return status;
}

/* If every side is one command or one benchmark, they are compared regardless of their names. */
static int unite_names(struct side_list *list)
{
    int all_runs = 1, all_alike = 1;
    const char *first = NULL;
    for (size_t s = 0; s < list->count; s++) {
        struct sample_set *set = sample_only_set(list->inputs[s].files, list->inputs[s].file_count);
        if (!set)
            return 0;
        all_runs = all_runs && set->is_runs;
        first = first ? first : set->name;
        all_alike = all_alike && strcmp(first, set->name) == 0;
    }
    /* a benchmark has a name; a whole run is recognised as such */
    if (all_alike && !all_runs)
        return 0;
    for (size_t s = 0; s < list->count; s++)
        for (size_t f = 0; f < list->inputs[s].file_count; f++)
            for (size_t i = 0; i < list->inputs[s].files[f].count; i++) {
                struct sample_set *set = &list->inputs[s].files[f].sets[i];
                if (!set->is_named || set->count == 0)
                    continue;
                char *name = strdup(set->is_memory ? "peak memory"
                                    : all_runs     ? "wall time"
                                                   : "benchmark");
                if (!name)
                    return no_memory();
                free(set->name);
                set->name = name;
                set->is_whole = 1;
            }
    return 0;
}

static int are_interleaved(const struct side_list *list)
{
    const struct side_input *a = &list->inputs[0];
    for (size_t s = 1; s < list->count; s++) {
        const struct side_input *b = &list->inputs[s];
        if (!pit_runs_interleaved((const pit_run *const *)a->runs, a->run_count,
                                  (const pit_run *const *)b->runs, b->run_count))
            return 0;
    }
    return 1;
}

int side_list_make(struct side_list *list, char *const *words, int count)
{
    *list = (struct side_list){0};
    int status = read_sides(list, words, count);
    if (!status && list->count == 1 && list->inputs[0].file_count == 1)
        status = split_commands(list);
    if (!status && list->count < 2)
        return fail_usage("compare", "give two sides: runs, folders of runs, or JSON files", NULL,
                          NULL);
    if (!status)
        status = unite_names(list);
    for (size_t i = 0; i < list->count && !status; i++) {
        struct side_input *input = &list->inputs[i];
        input->side = input->file_count
                          ? sample_side_make(input->name, input->files, input->file_count)
                          : pit_side_of_runs((const pit_run *const *)input->runs, input->run_count,
                                             input->name);
        if (!input->side)
            status = no_memory();
    }
    if (!status)
        list->interleaved = are_interleaved(list);
    return status;
}

void side_list_free(struct side_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct side_input *input = &list->inputs[i];
        if (input->file_count)
            sample_side_free(input->side);
        else
            pit_side_free(input->side);
        for (size_t k = 0; k < input->run_count; k++)
            pit_run_free(input->runs[k]);
        for (size_t k = 0; k < input->file_count; k++)
            sample_file_free(&input->files[k]);
        free(input->runs);
        free(input->files);
        free(input->name);
    }
    free(list->inputs);
    *list = (struct side_list){0};
}
