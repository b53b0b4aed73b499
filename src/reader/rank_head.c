/* rank_head.c: the first bytes of a run: its process, its parent and its rank. A folder may hold a
 * thousand runs, so only one piece of each file is read. */
#include "jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Facts about the launcher come first: they are written when the run is opened. */
#define HEAD_BYTES ((size_t)32 * 1024)

static uint64_t number_of(const pit_run *run, const char *key, uint64_t missing)
{
    const char *text = pit_run_fact(run, key);
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits > 0 && digits < 10 && !text[digits] ? strtoull(text, NULL, 10) : missing;
}

static const char *text_of(const pit_run *run, const char *key)
{
    const char *text = pit_run_fact(run, key);
    return text ? text : "";
}

void pit__rank_head_of(const pit_run *run, struct pit__rank_head *head)
{
    memcpy(head->id, run->run_id, sizeof head->id);
    memcpy(head->parent, run->parent_run_id, sizeof head->parent);
    head->start_wall_ns = run->start_wall_ns;
    head->rank = number_of(run, "rank", PIT_UNKNOWN);
    head->world_size = number_of(run, "world_size", PIT_UNKNOWN);
    head->nodes = number_of(run, "nodes", PIT_UNKNOWN);
    head->restart = number_of(run, "restart", 0);
    head->job = text_of(run, "job");
    head->launcher = text_of(run, "launcher");
    head->program = text_of(run, "program");
}

static int read_facts(const void *bytes, size_t count, struct pit__arena *arena,
                      struct pit__rank_head *head, pit_error *error)
{
    pit_run run = {0};
    struct pit__image image = {
        .base = bytes, .bytes = count, .wanted = (uint32_t)1 << PIT_FMT_FACTS};
    int code = pit__walk(&image, NULL, error);
    if (code)
        return code;
    pit__head_read(&image, &run);
    pit__facts_read(&image, arena, &run);
    free(image.blocks);
    pit__rank_head_of(&run, head);
    return arena->failed ? pit__fail(error, PIT_NO_MEMORY, 0, "out of memory") : 0;
}

static ssize_t read_start(const char *path, void *bytes, size_t room, pit_error *error)
{
    struct stat found;
    int fd = pit__open_file(path);
    int is_other = fd >= 0 && (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode));
    ssize_t got = fd < 0 || is_other ? -1 : pread(fd, bytes, room, 0);
    if (got < 0)
        pit__fail(error, PIT_CANNOT_READ, 0, "%s",
                  is_other ? "not a regular file" : strerror(errno));
    else if (got == 0)
        pit__fail(error, PIT_NOT_A_RUN, 0, "the file is empty");
    if (fd >= 0)
        close(fd);
    return got;
}

int pit__rank_head(const char *path, struct pit__arena *arena, struct pit__rank_head *head,
                   pit_error *error)
{
    /* Opening and closing the run of this process would drop the lock that marks it as live. */
    pit_recorder *own = pit_recorder_find(path);
    size_t bytes = 0;
    const void *memory = own ? pit_recorder_memory(own, &bytes) : NULL;
    if (memory)
        return read_facts(memory, bytes < HEAD_BYTES ? bytes : HEAD_BYTES, arena, head, error);
    _Alignas(uint64_t) unsigned char start[HEAD_BYTES];
    pit_error own_error = {0};
    error = error ? error : &own_error;
    ssize_t got = read_start(path, start, sizeof start, error);
    return got > 0 ? read_facts(start, (size_t)got, arena, head, error) : error->code;
}

int pit__is_rank(const struct pit__rank_head *head)
{
    return head->rank != PIT_UNKNOWN && head->world_size != 1;
}

int pit__same_rank(const struct pit__rank_head *a, const struct pit__rank_head *b)
{
    return a->rank == b->rank && a->restart == b->restart && strcmp(a->job, b->job) == 0;
}
