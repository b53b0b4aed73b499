/* sub_runs.c: the runs of processes that a run's process started, and of those that they started:
 * found by the parent that each names, among the files of the run's own folder and of those that links
 * in it lead to (a program below `pitwall run` that opens a run elsewhere leaves one).
 *
 * Of every file there only the header's first bytes are read; the runs that belong beneath one of ours
 * are then opened. A folder may hold hundreds of others. A rank of a job is beneath nobody, even where
 * its launcher has a run: only a worker, which has its rank's environment, is.
 */
#include "jobs.h"

#include "base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".pit"
#define ID_BYTES 16
#define HEAD_BYTES (offsetof(struct pit_fmt_header, parent_run_id) + ID_BYTES)

struct file {
    char *path;
    unsigned char id[ID_BYTES], parent[ID_BYTES];
    uint64_t started;           /* since 1970 */
    struct pit__rank_head head; /* which rank it is */
    int is_taken;               /* it is beneath one of the runs already */
};

struct folder {
    dev_t device;
    ino_t inode;
};

struct search {
    struct file *files; /* by id, each id once */
    size_t file_count, file_room;
    struct file **by_parent; /* the same by parent, then by start */
    struct folder *folders;  /* that were looked at */
    size_t folder_count, folder_room;
    pit_run **runs;
    size_t run_count;
    struct pit__arena arena; /* of the heads' texts */
};

/* ---- the files of a folder ------------------------------------------------------------------ */

/* The folder of the run's file, or NULL: it has none. */
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

static int look_into(struct search *search, const char *folder);

/* Where a link leads: the runs of that folder are looked at, the one itself among them. The path of what
 * is still to be added; NULL: nothing, or *code says why. */
static char *follow_link(struct search *search, char *path, int *code)
{
    struct stat found;
    if (lstat(path, &found) != 0 || !S_ISLNK(found.st_mode))
        return path;
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    char *folder = slash ? strndup(real, (size_t)(slash - real) + 1) : NULL;
    int is_found_there = slash && is_run_name(slash + 1);
    *code = real && !folder ? PIT_NO_MEMORY : folder ? look_into(search, folder) : 0;
    free(path);
    free(folder);
    if (!is_found_there)
        return real;
    free(real);
    return NULL;
}

static int add_file(struct search *search, const char *folder, const char *name)
{
    struct pit_fmt_header header;
    char *path = malloc(strlen(folder) + strlen(name) + 1);
    int code = 0;
    if (!path)
        return PIT_NO_MEMORY;
    strcpy(stpcpy(path, folder), name);
    path = follow_link(search, path, &code);
    if (code || !path || !read_head(path, &header)) {
        free(path);
        return code;
    }
    struct file *files =
        pit__grow(search->files, &search->file_room, search->file_count + 1, sizeof *files, 64);
    if (!files) {
        free(path);
        return PIT_NO_MEMORY;
    }
    search->files = files;
    struct file *file = &search->files[search->file_count++];
    *file = (struct file){.path = path, .started = header.first.wall_ns};
    memcpy(file->id, header.run_id, ID_BYTES);
    memcpy(file->parent, header.parent_run_id, ID_BYTES);
    if (pit__rank_head(path, &search->arena, &file->head, NULL) != 0)
        file->head = (struct pit__rank_head){.rank = PIT_UNKNOWN, .job = ""};
    return 0;
}

/* 1 the first time; also 0 without memory. */
static int note_folder(struct search *search, const char *folder)
{
    struct stat found;
    struct folder *folders = pit__grow(search->folders, &search->folder_room,
                                       search->folder_count + 1, sizeof *folders, 8);
    if (!folders)
        return 0;
    search->folders = folders;
    if (stat(*folder ? folder : ".", &found) != 0)
        return 0;
    for (size_t i = 0; i < search->folder_count; i++)
        if (search->folders[i].device == found.st_dev && search->folders[i].inode == found.st_ino)
            return 0;
    search->folders[search->folder_count++] = (struct folder){found.st_dev, found.st_ino};
    return 1;
}

static int look_into(struct search *search, const char *folder)
{
    DIR *entries = note_folder(search, folder) ? opendir(*folder ? folder : ".") : NULL;
    int code = 0;
    for (struct dirent *entry; entries && !code && (entry = readdir(entries));)
        if (is_run_name(entry->d_name))
            code = add_file(search, folder, entry->d_name);
    if (entries)
        closedir(entries);
    return code;
}

/* ---- who is whose --------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    int order = memcmp(x->id, y->id, ID_BYTES);
    return order ? order : strcmp(x->path, y->path);
}

static int by_parent(const void *a, const void *b)
{
    const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;
    int order = memcmp(x->parent, y->parent, ID_BYTES);
    if (!order)
        order = x->started < y->started ? -1 : x->started > y->started;
    return order ? order : strcmp(x->path, y->path);
}

static struct file *file_of(const struct search *search, const unsigned char *id)
{
    size_t low = 0, high = search->file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(search->files[middle].id, id, ID_BYTES);
        if (order == 0)
            return &search->files[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The run above one that is a rank of its own is no more than its launcher. */
static int is_own_rank(const struct search *search, const struct pit__rank_head *head)
{
    const struct file *above = file_of(search, head->parent);
    return pit__is_rank(head) && above && !pit__same_rank(&above->head, head);
}

/* Sorted, and of files with the same id (copies) only the first. */
static int put_in_order(struct search *search)
{
    size_t kept = 0;
    if (search->file_count > 0)
        qsort(search->files, search->file_count, sizeof *search->files, by_id);
    for (size_t i = 0; i < search->file_count; i++) {
        struct file *file = &search->files[i];
        if (kept > 0 && memcmp(search->files[kept - 1].id, file->id, ID_BYTES) == 0)
            free(file->path);
        else
            search->files[kept++] = *file;
    }
    search->file_count = kept;
    for (size_t i = 0; i < kept; i++)
        if (is_own_rank(search, &search->files[i].head))
            memset(search->files[i].parent, 0, ID_BYTES);
    search->by_parent = calloc(kept + 1, sizeof(struct file *));
    if (!search->by_parent)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < kept; i++)
        search->by_parent[i] = &search->files[i];
    qsort(search->by_parent, kept, sizeof *search->by_parent, by_parent);
    return 0;
}

/* Where the children of a run begin in by_parent. */
static size_t first_child(const struct search *search, const unsigned char *id)
{
    size_t low = 0, high = search->file_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(search->by_parent[middle]->parent, id, ID_BYTES) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_none(const unsigned char *id)
{
    static const unsigned char none[ID_BYTES];
    return memcmp(id, none, ID_BYTES) == 0;
}

/* ---- which of ours are beneath others --------------------------------------------------------- */

enum mark { UNSEEN, ON_WAY, DONE };

struct kin { /* a run that is known: by its file, or because it is one of ours */
    const unsigned char *id, *parent;
    struct kin *above; /* its parent; NULL: none, or not known */
    enum mark mark;
    int is_ours, in_circle;
    int has_ours; /* it, or one above it, is one of ours */
};

static int by_kin_id(const void *a, const void *b)
{
    return memcmp(((const struct kin *)a)->id, ((const struct kin *)b)->id, ID_BYTES);
}

static struct kin *find_kin(struct kin *kin, size_t count, const unsigned char *id)
{
    struct kin wanted = {.id = id};
    return is_none(id) || count == 0 ? NULL : bsearch(&wanted, kin, count, sizeof *kin, by_kin_id);
}

/* The id of the run that it is beneath; none of a rank. */
static const unsigned char *parent_of(const struct search *search, const pit_run *run)
{
    static const unsigned char none[ID_BYTES];
    struct pit__rank_head head;
    pit__rank_head_of(run, &head);
    return is_own_rank(search, &head) ? none : run->parent_run_id;
}

/* All that are known, by id, each once; how many. */
static size_t list_kin(const struct search *search, struct kin *kin)
{
    size_t count = 0, kept = 0;
    for (size_t r = 0; r < search->run_count; r++)
        kin[count++] = (struct kin){.id = search->runs[r]->run_id,
                                    .parent = parent_of(search, search->runs[r]),
                                    .is_ours = 1};
    for (size_t i = 0; i < search->file_count; i++)
        kin[count++] = (struct kin){.id = search->files[i].id, .parent = search->files[i].parent};
    if (count > 0)
        qsort(kin, count, sizeof *kin, by_kin_id);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && memcmp(kin[kept - 1].id, kin[i].id, ID_BYTES) == 0) {
            if (kin[i].is_ours) /* what was opened goes before what the file says now */
                kin[kept - 1].parent = kin[i].parent;
            kin[kept - 1].is_ours |= kin[i].is_ours;
        } else {
            kin[kept++] = kin[i];
        }
    }
    for (size_t i = 0; i < kept; i++)
        kin[i].above = find_kin(kin, kept, kin[i].parent);
    return kept;
}

/* A file that lies about its parent may lead in a circle: what is in it is beneath nobody. */
static void close_circle(struct kin *in)
{
    int has_ours = 0;
    struct kin *at = in;
    do {
        has_ours |= at->is_ours;
        at->in_circle = 1;
        at = at->above;
    } while (at != in);
    do {
        at->has_ours = has_ours;
        at->mark = DONE;
        at = at->above;
    } while (at != in);
}

/* Each is walked over twice at most: up to what is known already, and back with what is above. */
static void look_up(struct kin *from, struct kin **way)
{
    size_t count = 0;
    struct kin *at = from;
    while (at && at->mark == UNSEEN) {
        at->mark = ON_WAY;
        way[count++] = at;
        at = at->above;
    }
    if (at && at->mark == ON_WAY)
        close_circle(at);
    while (count-- > 0) {
        at = way[count];
        if (at->mark == DONE)
            continue;
        at->has_ours = at->is_ours || (at->above && at->above->has_ours);
        at->mark = DONE;
    }
}

/* A byte for each run: is another of them above it? NULL without memory. */
static unsigned char *find_nested(const struct search *search)
{
    size_t room = search->run_count + search->file_count + 1;
    unsigned char *nested = calloc(search->run_count + 1, 1);
    struct kin *kin = calloc(room, sizeof *kin), **way = calloc(room, sizeof *way);
    if (nested && kin && way) {
        size_t count = list_kin(search, kin);
        for (size_t i = 0; i < count; i++)
            look_up(&kin[i], way);
        for (size_t r = 0; r < search->run_count; r++) {
            const pit_run *run = search->runs[r];
            const struct kin *own = find_kin(kin, count, run->run_id);
            const struct kin *above =
                own ? own->above : find_kin(kin, count, parent_of(search, run));
            nested[r] = !(own && own->in_circle) && above && above->has_ours;
        }
    }
    int is_good = kin && way;
    free(kin);
    free(way);
    if (is_good)
        return nested;
    free(nested);
    return NULL;
}

/* ---- beneath one run ------------------------------------------------------------------------ */

struct waiting { /* a file whose turn comes, and how deep it lies */
    struct file *file;
    unsigned depth;
};

/* The children of `id` that are not taken, the first of them on top. */
static size_t push_children(const struct search *search, const unsigned char *id, unsigned depth,
                            struct waiting *stack, size_t top)
{
    size_t first = first_child(search, id), end = first;
    while (end < search->file_count && memcmp(search->by_parent[end]->parent, id, ID_BYTES) == 0)
        end++;
    while (end-- > first) {
        struct file *file = search->by_parent[end];
        if (file->is_taken)
            continue;
        file->is_taken = 1;
        stack[top++] = (struct waiting){file, depth};
    }
    return top;
}

static int gather_below(const struct search *search, pit_run *run)
{
    struct waiting *stack = calloc(search->file_count + 1, sizeof *stack);
    pit_run **below = calloc(search->file_count + 1, sizeof *below);
    size_t top = 0, count = 0;
    if (!stack || !below) {
        free(stack);
        free(below);
        return PIT_NO_MEMORY;
    }
    if (!is_none(run->run_id))
        top = push_children(search, run->run_id, 1, stack, 0);
    while (top > 0) {
        struct waiting next = stack[--top];
        pit_run *sub = pit_run_open(next.file->path, NULL);
        if (sub)
            sub->depth = next.depth;
        else
            run->below_unread++;
        if (sub)
            below[count] = pit__judge_end(sub, run, below, count);
        count += sub != NULL;
        top = push_children(search, next.file->id, next.depth + 1, stack, top);
    }
    free(stack);
    run->below = below;
    run->below_count = count;
    return 0;
}

static void take_ours(struct search *search)
{
    for (size_t r = 0; r < search->run_count; r++) {
        struct file *file = file_of(search, search->runs[r]->run_id);
        if (file)
            file->is_taken = 1;
    }
}

/* ---- public --------------------------------------------------------------------------------- */

static int look_around(struct search *search)
{
    int code = 0;
    for (size_t r = 0; r < search->run_count && !code; r++) {
        errno = 0;
        char *folder = folder_of(search->runs[r]);
        if (!folder && errno == ENOMEM)
            code = PIT_NO_MEMORY;
        if (folder)
            code = look_into(search, folder);
        free(folder);
    }
    return code ? code : put_in_order(search);
}

/* Runs that are beneath others leave the list; which they are is found before the first leaves. */
static int drop_nested(struct search *search, size_t *count)
{
    unsigned char *nested = find_nested(search);
    size_t kept = 0;
    if (!nested)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < search->run_count; r++) {
        if (nested[r])
            pit_run_free(search->runs[r]);
        else
            search->runs[kept++] = search->runs[r];
    }
    free(nested);
    search->run_count = *count = kept;
    return 0;
}

int pit_runs_nest(pit_run **runs, size_t *count)
{
    struct search search = {.runs = runs, .run_count = *count};
    int code = look_around(&search);
    if (!code)
        code = drop_nested(&search, count);
    if (!code)
        take_ours(&search);
    for (size_t r = 0; r < search.run_count && !code; r++)
        if (!runs[r]->below)
            code = gather_below(&search, runs[r]);
    for (size_t i = 0; i < search.file_count; i++)
        free(search.files[i].path);
    free(search.files);
    free(search.by_parent);
    free(search.folders);
    pit__arena_free(&search.arena);
    return code;
}
