/* Watches a live run.
 *
 * The file is mapped once and its blocks are walked once. A refresh maps what was added since, continues
 * the walk, and rereads the statistics line of each node. It does not read histograms, series, rings and
 * journals; the series of one node can be requested. When the run has ended, all of it is read from the
 * same mapping, even if its file has been removed. */
#include "live_map.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct watched { /* one thread */
    uint32_t number;
    size_t table;  /* index among the image's blocks */
    size_t *nodes; /* the same, of its NODES blocks */
    /* the same as pointers; renewed when the list of blocks moves */
    const struct pit__block **blocks;
    uint64_t *first_index;
    size_t nodes_count, nodes_room;
    pit_raw_node *out;
    size_t out_room, known;
};

struct pit_watch {
    pit_run *whole; /* the run has ended: this is all of it, and the members below are not used */
    char *path;
    int fd;
    unsigned char run_id[16];
    int same_boot; /* its clock is this machine's */
    uint64_t mapped;
    struct pit__image image;
    size_t sorted; /* number of blocks that were assigned to threads */
    size_t fact_blocks;
    int has_places; /* places, or groups of ranks */
    struct watched *threads;
    pit_thread *shown;
    size_t count, room;
    struct pit__arena names;  /* lives as long as the watch */
    struct pit__arena facts;  /* valid until new facts arrive */
    struct pit__arena moment; /* valid until the next refresh */
    pit_run run;
};

/* ---- what came since the last look --------------------------------------------------------- */

static void *grown(void *array, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return array;
    size_t more = *room ? *room * 2 : 8;
    void *bigger = realloc(array, more * each);
    if (bigger)
        *room = more;
    return bigger;
}

static int add_thread(pit_watch *watch, const struct pit__block *block, size_t index)
{
    size_t room = watch->room;
    struct watched *threads = grown(watch->threads, watch->count, &room, sizeof *threads);
    if (!threads)
        return PIT_NO_MEMORY;
    watch->threads = threads;
    pit_thread *shown = realloc(watch->shown, room * sizeof *shown);
    if (!shown)
        return PIT_NO_MEMORY;
    watch->shown = shown;
    watch->room = room;
    memset(&shown[watch->count], 0, sizeof *shown);
    threads[watch->count++] = (struct watched){.number = block->thread, .table = index};
    return 0;
}

/* Successive blocks usually belong to the same thread, and a thread's table is its first block. */
static struct watched *thread_of(pit_watch *watch, uint32_t number, struct watched *last)
{
    if (last && last->number == number)
        return last;
    for (size_t i = watch->count; i-- > 0;)
        if (watch->threads[i].number == number)
            return &watch->threads[i];
    return NULL;
}

static int add_nodes(struct watched *thread, size_t index)
{
    size_t room = thread->nodes_room;
    size_t *nodes = grown(thread->nodes, thread->nodes_count, &room, sizeof *nodes);
    if (!nodes)
        return PIT_NO_MEMORY;
    thread->nodes = nodes;
    const struct pit__block **blocks = realloc(thread->blocks, room * sizeof *blocks);
    if (!blocks)
        return PIT_NO_MEMORY;
    thread->blocks = blocks;
    uint64_t *first_index = realloc(thread->first_index, room * sizeof *first_index);
    if (!first_index)
        return PIT_NO_MEMORY;
    thread->first_index = first_index;
    thread->nodes_room = room;
    nodes[thread->nodes_count++] = index;
    return 0;
}

/* Assign the new blocks to their threads. */
static int sort_blocks(pit_watch *watch)
{
    struct watched *last = NULL;
    int code = 0;
    for (; !code && watch->sorted < watch->image.block_count; watch->sorted++) {
        const struct pit__block *block = &watch->image.blocks[watch->sorted];
        if (block->type == PIT_FMT_THREAD && !thread_of(watch, block->thread, NULL)) {
            code = add_thread(watch, block, watch->sorted);
            last = NULL; /* the array of threads may have moved */
        } else if (block->type == PIT_FMT_NODES) {
            last = thread_of(watch, block->thread, last);
            code = last ? add_nodes(last, watch->sorted) : 0;
        }
        watch->has_places |= block->type == PIT_FMT_PLACES || block->type == PIT_FMT_COLLECTIVES;
    }
    return code;
}

static int fail_cut(pit_error *error)
{
    return pit__fail(error, PIT_TRUNCATED, 0, "the file was cut while it was watched");
}

/* Map what was added to the file. */
static int map_more(pit_watch *watch, pit_error *error)
{
    struct stat found;
    if (fstat(watch->fd, &found) != 0 || (uint64_t)found.st_size < watch->mapped)
        return fail_cut(error);
    uint64_t bytes = (uint64_t)found.st_size;
    if (bytes > watch->mapped) {
        const unsigned char *base = pit__live_map(watch->fd, bytes);
        if (!base)
            return pit__fail(error, PIT_CANNOT_READ, 0, "cannot map: %s", strerror(errno));
        if (watch->mapped)
            pit__live_unmap(watch->image.base, watch->mapped);
        watch->image.base = base;
        watch->mapped = bytes;
    }
    watch->image.bytes = watch->mapped;
    return 0;
}

/* ---- one look ------------------------------------------------------------------------------ */

/* Reread the changing parts of block headers. */
static void renew(const pit_watch *watch, struct pit__block *block)
{
    const struct pit_fmt_block *raw = (const void *)(watch->image.base + block->offset);
    uint64_t used = PIT_LOAD_ACQUIRE(raw->used);
    if (block->type == PIT_FMT_NODES || block->type == PIT_FMT_PLACES) {
        uint64_t most = block->type == PIT_FMT_NODES ? block->a : PIT_FMT_PLACES_PER_BLOCK;
        if (used <= most && used >= block->used)
            block->used = used;
        return;
    }
    block->used = used;
    block->a = PIT_LOAD(raw->a);
    block->b = PIT_LOAD(raw->b);
}

static int look_at_thread(pit_watch *watch, size_t number)
{
    struct watched *thread = &watch->threads[number];
    struct pit__again again = {.table = &watch->image.blocks[thread->table],
                               .nodes = thread->blocks,
                               .first_index = thread->first_index,
                               .nodes_count = thread->nodes_count,
                               .known = thread->known};
    renew(watch, &watch->image.blocks[thread->table]);
    for (size_t i = 0; i < thread->nodes_count; i++) {
        struct pit__block *block = &watch->image.blocks[thread->nodes[i]];
        if (block->used < block->a)
            renew(watch, block);
        thread->blocks[i] = block;
        thread->first_index[i] = again.count;
        again.count += block->used;
    }
    if (again.count > thread->out_room) {
        size_t room = again.count * 2;
        pit_raw_node *out = realloc(thread->out, room * sizeof *out);
        if (!out)
            return PIT_NO_MEMORY;
        memset(out + thread->out_room, 0, (room - thread->out_room) * sizeof *out);
        thread->out = out;
        thread->out_room = room;
    }
    again.out = thread->out;
    pit__thread_again(&watch->image, &watch->names, &watch->moment, &again, &watch->shown[number]);
    thread->known = again.count;
    return 0;
}

static void look_at_places(pit_watch *watch)
{
    struct pit__image *image = &watch->image;
    size_t *thread_of = pit__arena_array(&watch->moment, image->block_count, sizeof *thread_of);
    for (size_t i = 0; thread_of && i < image->block_count; i++) {
        thread_of[i] = SIZE_MAX;
        if (image->blocks[i].type == PIT_FMT_PLACES)
            renew(watch, &image->blocks[i]);
    }
    for (size_t t = 0; thread_of && t < watch->count; t++) {
        thread_of[watch->threads[t].table] = t;
        for (size_t i = 0; i < watch->threads[t].nodes_count; i++)
            thread_of[watch->threads[t].nodes[i]] = t;
    }
    struct pit__node_index index = pit__node_index(image, &watch->moment, thread_of);
    pit__places_read(image, &watch->moment, &index, &watch->run);
    pit__groups_read(image, &watch->moment, &index, &watch->run);
}

/* A new label is a new block of facts. */
static void look_at_facts(pit_watch *watch)
{
    size_t count = 0;
    for (size_t i = 0; i < watch->image.block_count; i++)
        count += watch->image.blocks[i].type == PIT_FMT_FACTS;
    if (count == watch->fact_blocks)
        return;
    pit__arena_free(&watch->facts);
    watch->facts = (struct pit__arena){0};
    pit__facts_read(&watch->image, &watch->facts, &watch->run);
    watch->fact_blocks = count;
}

/* Set the end to now, from the time since the run's newest clock pair. A run on another machine has another
 * clock: it ends at its last sign of life. */
static void bring_up_to_now(pit_watch *watch)
{
    const struct pit_fmt_header *header = &watch->image.header;
    const struct pit_fmt_pair *last = &header->last[header->last_pair & 1];
    struct timespec raw, wall;
    if (!last->ticks)
        last = &header->first;
    if (!watch->same_boot || clock_gettime(CLOCK_MONOTONIC_RAW, &raw) != 0 ||
        clock_gettime(CLOCK_REALTIME, &wall) != 0)
        return;
    double raw_ns = (double)raw.tv_sec * 1e9 + (double)raw.tv_nsec - (double)last->raw_ns;
    double wall_ns = (double)wall.tv_sec * 1e9 + (double)wall.tv_nsec - (double)last->wall_ns;
    if (raw_ns < 0 || raw_ns > wall_ns + 5e9) /* another time namespace */
        return;
    uint64_t now = last->ticks + (uint64_t)(raw_ns / watch->run.ns_per_tick);
    pit_run *run = &watch->run;
    if (now <= run->end_ticks)
        return;
    run->end_ticks = now;
    run->duration_ns = (double)(now - run->start_ticks) * run->ns_per_tick;
    run->end_wall_ns = run->start_wall_ns + (uint64_t)run->duration_ns;
}

static int look(pit_watch *watch, pit_error *error)
{
    pit_run *run = &watch->run;
    int code = sort_blocks(watch);
    pit__arena_free(&watch->moment);
    watch->moment = (struct pit__arena){0};
    run->losses = (pit_losses){0};
    pit__head_read(&watch->image, run);
    look_at_facts(watch);
    for (size_t i = 0; !code && i < watch->count; i++)
        code = look_at_thread(watch, i);
    run->threads = watch->shown;
    run->thread_count = code ? 0 : watch->count;
    if (watch->has_places)
        look_at_places(watch);
    pit__samples_read(&watch->image, &watch->moment, run);
    pit__end_read(run);
    if (run->state == PIT_RUN_LIVE)
        bring_up_to_now(watch);
    if (code || watch->names.failed || watch->facts.failed || watch->moment.failed)
        return pit__fail(error, PIT_NO_MEMORY, 0, "out of memory");
    return 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

pit_run *pit_watch_snapshot(pit_watch *watch, pit_error *error)
{
    if (watch->whole)
        return pit_run_open(watch->path, error);
    struct pit__image image = {
        .base = watch->image.base, .bytes = watch->mapped, .alive = watch->image.alive};
    pit_run *run = pit__walk(&image, NULL, error) == 0 ? pit__run_build(&image, error) : NULL;
    if (run && (run->path = pit__run_text(run, watch->path)))
        return run;
    pit_run_free(run);
    return NULL;
}

static void let_go(pit_watch *watch)
{
    if (watch->mapped)
        pit__live_unmap(watch->image.base, watch->mapped);
    if (watch->fd >= 0)
        close(watch->fd);
    free(watch->image.blocks);
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->threads[i].nodes);
        free(watch->threads[i].blocks);
        free(watch->threads[i].first_index);
        free(watch->threads[i].out);
    }
    free(watch->threads);
    free(watch->shown);
    pit__arena_free(&watch->names);
    pit__arena_free(&watch->facts);
    pit__arena_free(&watch->moment);
    *watch = (pit_watch){.whole = watch->whole, .path = watch->path, .fd = -1};
}

/* Has the file been replaced under the watch? Its size does not tell: it may have been truncated and
 * written again. */
static int is_cut(const pit_watch *watch)
{
    return pit__live_was_cut(watch->image.base) ||
           memcmp(watch->image.header.run_id, watch->run_id, sizeof watch->run_id) != 0;
}

/* The run has ended: read all of it. Returns 1, or a code. */
static int read_whole(pit_watch *watch, pit_error *error)
{
    watch->image.alive = 0;
    pit_run *whole = pit_watch_snapshot(watch, error);
    if (is_cut(watch)) {
        pit_run_free(whole);
        return fail_cut(error);
    }
    if (!whole)
        return error ? error->code : PIT_NO_MEMORY;
    watch->whole = pit__judge_alone(whole);
    let_go(watch);
    return 1;
}

int pit_watch_refresh(pit_watch *watch, pit_error *error)
{
    if (watch->whole)
        return 0;
    /* checked before the pages are read: if the process is dead now, they are final */
    int is_alive = pit__is_live(watch->fd);
    int code = map_more(watch, error);
    watch->image.alive = is_alive;
    if (!code)
        code = pit__walk_on(&watch->image, error);
    if (!code && is_cut(watch))
        code = fail_cut(error);
    if (code)
        return code;
    if (!is_alive || watch->image.header.state == PIT_FMT_CLOSED)
        return read_whole(watch, error);
    code = look(watch, error);
    if (!code && is_cut(watch))
        code = fail_cut(error);
    return code ? code : 1;
}

const pit_run *pit_watch_run(const pit_watch *watch)
{
    return watch->whole ? watch->whole : &watch->run;
}

/* ---- one node's series ---------------------------------------------------------------------- */

static const struct pit_fmt_node *node_at(const pit_watch *watch, const struct watched *thread,
                                          size_t node, uint64_t *ref)
{
    size_t i = thread->nodes_count;
    while (i > 0 && thread->first_index[i - 1] > node)
        i--;
    if (i == 0 || node >= thread->known)
        return NULL;
    uint64_t offset = watch->image.blocks[thread->nodes[i - 1]].offset +
                      sizeof(struct pit_fmt_block) +
                      (node - thread->first_index[i - 1]) * sizeof(struct pit_fmt_node);
    *ref = offset >> PIT_FMT_REF_SHIFT;
    return (const void *)(watch->image.base + offset);
}

const pit_series_bin *pit_watch_series(pit_watch *watch, size_t thread, size_t node, size_t *count)
{
    const pit_run *run = pit_watch_run(watch);
    *count = 0;
    if (thread >= run->thread_count || node >= run->threads[thread].node_count)
        return NULL;
    if (watch->whole) {
        *count = run->threads[thread].nodes[node].series_count;
        return run->threads[thread].nodes[node].series;
    }
    uint64_t ref;
    const struct watched *own = &watch->threads[thread];
    const struct pit_fmt_node *raw = node_at(watch, own, node, &ref);
    if (!raw)
        return NULL;
    const struct pit_fmt_thread *table =
        (const void *)(watch->image.base + watch->image.blocks[own->table].offset);
    struct pit__pending pending;
    pit_raw_node out = {0};
    pit__node_stats(raw, table, ref, &out);
    pit__pending_read(table, &pending);
    pending.applied = pit_fmt_ref_of(pending.where) == ref && out.count == pending.count + 1;
    pit__node_series(&watch->image, &watch->moment, raw, ref, &pending, &out);
    *count = out.series_count;
    return out.series;
}

/* ---- open and close ------------------------------------------------------------------------- */

static int is_same_boot(const unsigned char *id)
{
    char text[64] = "";
    unsigned char own[16] = {0};
    size_t digits = 0;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    for (ssize_t i = 0; i < got && digits < 32; i++) {
        const char *hex = "0123456789abcdef", *digit = text[i] ? strchr(hex, text[i]) : NULL;
        if (!digit)
            continue;
        own[digits / 2] = (unsigned char)(own[digits / 2] << 4 | (digit - hex));
        digits++;
    }
    return digits == 32 && memcmp(own, id, sizeof own) == 0;
}

/* Map a live run. Returns 1; 0 if it is not live and must be read by pit_run_open; or a code. */
static int begin(pit_watch *watch, const char *path, pit_error *error)
{
    char live[256];
    int where = pit__find_live_pages(path, live, sizeof live);
    if (pit_recorder_find(path) || (where && pit_recorder_find(live)))
        return pit__fail(error, PIT_BAD_ARGUMENT, 0, "a run of this process: pit_run_read");
    watch->fd = pit__open_file(where ? live : path);
    if (watch->fd < 0)
        return pit__fail(error, PIT_CANNOT_READ, 0, "%s", strerror(errno));
    if (!pit__is_live(watch->fd))
        return 0;
    int code = map_more(watch, error);
    if (!code)
        code = pit__walk(&watch->image, NULL, error);
    if (code)
        return code;
    memcpy(watch->run_id, watch->image.header.run_id, sizeof watch->run_id);
    watch->same_boot = is_same_boot(watch->image.header.boot_id);
    watch->image.alive = 1;
    watch->run.path = watch->path;
    code = pit_watch_refresh(watch, error);
    return code < 0 ? code : 1;
}

pit_watch *pit_watch_open(const char *path, pit_error *error)
{
    pit_watch *watch = calloc(1, sizeof *watch);
    if (!path || !watch) {
        pit__fail(error, path ? PIT_NO_MEMORY : PIT_BAD_ARGUMENT, 0,
                  path ? "out of memory" : "no path");
        free(watch);
        return NULL;
    }
    watch->fd = -1;
    watch->path = strdup(path);
    int code = watch->path ? begin(watch, path, error)
                           : pit__fail(error, PIT_NO_MEMORY, 0, "out of memory");
    if (code == 0) {
        let_go(watch);
        watch->whole = pit__judge_alone(pit_run_open(path, error));
        code = watch->whole ? 1 : PIT_CANNOT_READ;
    }
    if (code > 0)
        return watch;
    pit_watch_close(watch);
    return NULL;
}

void pit_watch_close(pit_watch *watch)
{
    if (!watch)
        return;
    let_go(watch);
    pit_run_free(watch->whole);
    free(watch->path);
    free(watch);
}
