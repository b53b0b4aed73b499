/* Opening and closing recorders, and the default one.
 *
 * The default recorder is opened by pit_open, by the first span if the environment asks for it,
 * or by the first span of a forked child whose parent had one. No memory of a recorder is freed
 * while a thread might be inside it: close only stops it.
 */
#include "device.h"
#include "main_leaves.h"
#include "own_file.h"
#include "place.h"
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_MAX_BYTES ((uint64_t)1 << 30)
#define LEAST_MAX_BYTES ((uint64_t)4 << 20)
#define DEFAULT_RING_BYTES ((uint64_t)4 << 20)
#define DEFAULT_RECORD_BYTES ((uint64_t)8 << 20)
#define DEFAULT_SAMPLE_HZ 10.0
#define DEFAULT_SAMPLE_STACKS 10.0
#define MOST_SAMPLE_STACKS 100.0

int pit__enabled; /* 0: every span is a load and a branch */

static pit_recorder *default_recorder; /* changed only with pit__open_lock held */
static pit_recorder *recorders;        /* all that are not freed; guarded by pit__open_lock */
static int switched_off;               /* PITWALL=0 */
static int environment_asks;           /* PITWALL=1 or PITWALL_FILE */
static int is_privileged;              /* has more rights than the user who started it: ignores the
                                          environment */
static uint64_t generations; /* recorders created so far in this process and its parents */

__attribute__((constructor)) static void read_environment(void)
{
    const char *on = secure_getenv("PITWALL"), *file = secure_getenv("PITWALL_FILE");
    switched_off = on && (strcmp(on, "0") == 0 || strcmp(on, "off") == 0);
    environment_asks = !switched_off && ((on && *on) || (file && *file));
    is_privileged = getauxval(AT_SECURE) != 0;
    pit__enabled = environment_asks;
    pit__parent_read();
    pit__stay_loaded();
}

int pit__is_off(void)
{
    return switched_off;
}

/* If another thread is closing the run, the process would end in the middle of that. */
__attribute__((destructor)) static void close_at_exit(void)
{
    pit_close();
    if (default_recorder)
        pit__await_stop(default_recorder);
}

/* ---- opening ------------------------------------------------------------------------------- */

static double environment_number(const char *name, double otherwise)
{
    const char *text = secure_getenv(name);
    char *end = NULL;
    double value = text && *text ? strtod(text, &end) : otherwise;
    return end && *end ? otherwise : value;
}

/* Precedence: the code, the environment, the default. */
static void choose_options(pit_recorder *rec, const pit_options *options)
{
    rec->options = *options;
    rec->options.labels = NULL;
    rec->in_memory = options->in_memory != 0;
    rec->file_mode = pit__file_mode(options->file_mode);
    rec->guarded = (uint32_t)pit__guard_wanted(options);
    rec->sample_hz = options->sample_hz != 0
                         ? options->sample_hz
                         : environment_number("PITWALL_SAMPLE", DEFAULT_SAMPLE_HZ);
    if (!(rec->sample_hz <= 1000))
        rec->sample_hz = 1000;
    rec->sample_stacks = options->sample_stacks != 0
                             ? options->sample_stacks
                             : environment_number("PITWALL_SAMPLE_STACKS", DEFAULT_SAMPLE_STACKS);
    if (!(rec->sample_stacks <= MOST_SAMPLE_STACKS))
        rec->sample_stacks = MOST_SAMPLE_STACKS;
    double ring = environment_number("PITWALL_RING", (double)DEFAULT_RING_BYTES);
    uint64_t bytes = options->ring_bytes ? options->ring_bytes : ring > 0 ? (uint64_t)ring : 0;
    rec->ring_budget =
        options->ring_bytes == PIT_RING_OFF ? 0 : bytes / sizeof(struct pit_fmt_ring);
    uint64_t records = options->record_bytes ? options->record_bytes : DEFAULT_RECORD_BYTES;
    rec->record_budget = records / sizeof(struct pit_fmt_records);
    if (rec->record_budget == 0)
        rec->record_budget = 1;
    unsigned flags = options->span_flags;
    if (environment_number("PITWALL_MEMORY", 0) > 0)
        flags |= PIT_MEMORY;
    rec->span_flags = pit__where_flags(flags);
    if (pit__alloc_present())
        rec->span_flags |= PIT_FMT_WHERE_ALLOC;
}

static uint64_t max_bytes_of(const pit_options *options)
{
    uint64_t bytes = options->max_bytes ? options->max_bytes : DEFAULT_MAX_BYTES;
    return bytes < LEAST_MAX_BYTES ? LEAST_MAX_BYTES : bytes;
}

static void fill_header(pit_recorder *rec)
{
    struct pit_fmt_header *header = rec->header;
    header->major = PIT_FMT_MAJOR;
    header->minor = PIT_FMT_MINOR;
    header->header_bytes = PIT_FMT_HEADER_BYTES;
    header->endian = PIT_FMT_ENDIAN;
    header->block_align = PIT_FMT_ALIGN;
    header->state = PIT_FMT_RECORDING;
    header->pid = (uint32_t)getpid();
    header->uid = (uint32_t)geteuid();
    header->clock = (uint32_t)rec->clock->kind;
    header->nominal_hz = rec->clock->nominal_hz;
    header->ring_bytes = rec->ring_budget * sizeof(struct pit_fmt_ring);
    header->first = pit__clock_pair();
    header->last[0] = rec->first = header->first;
    pit__clock_begin(&header->first);
}

static void name_parent(pit_recorder *rec, const pit_recorder *parent)
{
    if (!parent) {
        pit__name_inherited(rec->header);
        return;
    }
    memcpy(rec->header->parent_run_id, parent->header->run_id, sizeof parent->header->run_id);
    if (parent->path[0])
        pit__fact_add(rec, "parent_path", parent->path);
}

/* The control of a recorder outlives it and is reused by the next one: a program may open any number of
 * recorders, one after another. In a child the list ends after its first element, which was wiped. */
static struct pit__control *spare_controls; /* guarded by the process lock */

static struct pit__control *control_take(void)
{
    struct pit__lock *lock = pit__process_lock();
    if (!lock)
        return NULL;
    if (!pit__lock_take(lock))
        return NULL;
    struct pit__control *control = spare_controls;
    if (control)
        spare_controls = control->next_spare;
    pit__lock_give(lock);
    if (!control)
        return pit__wiped_alloc(sizeof *control);
    *control = (struct pit__control){0};
    return control;
}

static void control_give(struct pit__control *control)
{
    struct pit__lock *lock = pit__process_lock();
    if (!pit__lock_take(lock))
        return;
    control->next_spare = spare_controls;
    spare_controls = control;
    pit__lock_give(lock);
}

static pit_recorder *recorder_alloc(void)
{
    pit_recorder *rec =
        mmap(NULL, sizeof *rec, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rec == MAP_FAILED)
        return NULL;
    rec->fd = -1;
    rec->control = control_take();
    if (rec->control)
        return rec;
    munmap(rec, sizeof *rec);
    return NULL;
}

pit_recorder *pit__recorder_blank(void)
{
    pit_recorder *rec = recorder_alloc();
    if (!rec)
        return NULL;
    rec->clock = pit__clock_get();
    rec->in_memory = 1;
    if (pit__run_map(rec, -1, LEAST_MAX_BYTES) == 0) {
        fill_header(rec);
        return rec;
    }
    munmap(rec, sizeof *rec);
    return NULL;
}

/* Everything except making it the default one, with the open lock held. The magic is written last:
 * before that the file is not a run. */
static pit_recorder *recorder_new(const char *path, const pit_options *options,
                                  const pit_recorder *parent, int *code)
{
    static const pit_options defaults;
    options = options ? options : &defaults;
    pit_recorder *rec = pit__threads_init() == 0 ? recorder_alloc() : NULL;
    *code = PIT_NO_MEMORY;
    if (!rec)
        return NULL;
    rec->clock = pit__clock_get();
    rec->generation =
        __atomic_fetch_add(&generations, 1, __ATOMIC_RELAXED) % PIT__TOKEN_GENERATIONS;
    rec->generation |= PIT__TOKEN_BIT >> PIT__TOKEN_GENERATION_SHIFT;
    choose_options(rec, options);
    if (parent && !path && !rec->in_memory && parent->path[0] &&
        pit__path_of_child(rec->path, parent->path) != 0)
        rec->path[0] = 0;
    *code = pit__place_run(rec, path, max_bytes_of(options));
    if (*code == PIT_NO_MEMORY) {
        munmap(rec, sizeof *rec);
        return NULL;
    }
    if (rec->guarded)
        pit__guard_begin(rec);
    fill_header(rec);
    pit__name_process(rec);
    rec->header->span_cost_ps = pit__measure_cost(rec->clock);
    pit__facts_write(rec, options);
    name_parent(rec, parent);
    rec->objects = pit__block_new(rec, PIT_FMT_OBJECTS, PIT_FMT_NO_THREAD, sizeof *rec->objects, 0);
    for (size_t i = 8; i-- > 0;)
        PIT_STORE_ORDERED(rec->header->magic[i], (uint8_t)PIT_FMT_MAGIC[i]);
    if (rec->is_mirrored)
        pit__mirror(rec, 0);
    if (rec->fd >= 0 || rec->is_mirrored)
        pit__leave_link(rec->path, parent && parent->path[0] ? parent->path : NULL);
    rec->next = recorders;
    recorders = rec;
    pit__samples_new(rec);
    pit__clock_mark(rec); /* a second pair at once: a run killed soon has a scale too */
    PIT_STORE_ORDERED(rec->control->alive, 1);
    pit__sampler_start(rec);
    return rec;
}

void pit__samplers_stop(void)
{
    struct pit__lock *lock = pit__open_lock();
    if (!lock || !pit__lock_take(lock))
        return;
    for (pit_recorder *rec = recorders; rec; rec = rec->next)
        if (pit__is_alive(rec))
            pit__sampler_stop(rec);
    pit__lock_give(lock);
}

int pit__is_alive(const pit_recorder *rec)
{
    return rec && PIT_LOAD_ACQUIRE(rec->control->alive);
}

/* The recorder of the parent process after a fork: here it is only an inactive copy. */
const pit_recorder *pit__forked_from(const pit_recorder *rec)
{
    return rec && !pit__is_alive(rec) && !PIT_LOAD(rec->closed) ? rec : NULL;
}

/* The arguments for creating a recorder. */
struct wanted {
    const char *path;
    const pit_options *options;
    const pit_recorder *parent;
    pit_recorder *made;
    int code;
};

static void make_wanted(void *arg)
{
    struct wanted *want = arg;
    want->made = recorder_new(want->path, want->options, want->parent, &want->code);
}

/* With the open lock held. Creating a recorder needs more stack than some threads have. */
static pit_recorder *recorder_make(const char *path, const pit_options *options,
                                   const pit_recorder *parent, int *code)
{
    struct wanted want = {path, options, parent, NULL, PIT_BUSY};
    pit__with_room(make_wanted, &want);
    *code = want.code;
    return want.made;
}

/* A signal handler may have closed the run that it had interrupted, and left a gate open. */
static void make_default(pit_recorder *rec)
{
    if (default_recorder && PIT_LOAD(default_recorder->closed))
        pit__threads_stop(default_recorder);
    PIT_STORE_ORDERED(default_recorder, rec);
}

/* Without a path, the environment and the current folder would decide where to write; both are chosen by
 * the user who started the program. */
static int may_open(const char *path, const pit_options *options)
{
    return !switched_off && (!is_privileged || (path && *path) || (options && options->in_memory));
}

int pit_open(const char *path, const pit_options *options)
{
    if (!may_open(path, options))
        return PIT_OFF;
    struct pit__lock *lock = pit__open_lock();
    if (!lock)
        return PIT_NO_MEMORY;
    pit__resume();
    struct pit__guard before = pit__guard_enter();
    int code = PIT_BUSY;
    if (pit__lock_take(lock)) {
        code = PIT_ALREADY_OPEN;
        pit_recorder *rec =
            pit__is_alive(default_recorder)
                ? NULL
                : recorder_make(path, options, pit__forked_from(default_recorder), &code);
        if (rec) {
            make_default(rec);
            PIT_STORE(pit__enabled, 1);
        }
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return code;
}

pit_recorder *pit_recorder_open(const char *path, const pit_options *options, int *code)
{
    int unused = 0;
    code = code ? code : &unused;
    *code = PIT_OFF;
    if (!may_open(path, options))
        return NULL;
    struct pit__lock *lock = pit__open_lock();
    *code = PIT_NO_MEMORY;
    if (!lock)
        return NULL;
    pit__resume();
    struct pit__guard before = pit__guard_enter();
    pit_recorder *rec = NULL;
    *code = PIT_BUSY;
    if (pit__lock_take(lock)) {
        rec = recorder_make(path, options, NULL, code);
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return rec;
}

pit_recorder *pit_recorder_find(const char *path)
{
    struct stat found;
    struct pit__lock *lock = path && stat(path, &found) == 0 ? pit__open_lock() : NULL;
    if (!lock)
        return NULL;
    pit__resume();
    struct pit__guard before = pit__guard_enter();
    pit_recorder *rec = NULL;
    if (pit__lock_take(lock)) {
        rec = recorders;
        while (rec && !(pit__is_alive(rec) && rec->inode == (uint64_t)found.st_ino &&
                        rec->device == (uint64_t)found.st_dev))
            rec = rec->next;
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return rec;
}

pit_recorder *pit_default_recorder(void)
{
    return PIT_LOAD_ACQUIRE(default_recorder);
}

/* The slow part of pit__default_recorder, with the open lock held. */
static pit_recorder *open_unasked(void)
{
    pit_recorder *rec = default_recorder;
    if (pit__is_alive(rec))
        return rec;
    const pit_recorder *parent = pit__forked_from(rec);
    if (switched_off || (!parent && (rec || !environment_asks)))
        return NULL;
    int code;
    rec = recorder_make(NULL, parent ? &parent->options : NULL, parent, &code);
    if (rec)
        make_default(rec);
    else if (code == PIT_BUSY)
        pit__count_refused(); /* a handler's stack is too small: the next span opens it */
    else
        PIT_STORE(pit__enabled, 0); /* no memory: do not try again at every span */
    return rec;
}

pit_recorder *pit__default_recorder(void)
{
    pit_recorder *rec = pit_default_recorder();
    if (pit__is_alive(rec))
        return rec;
    struct pit__lock *lock = pit__open_lock();
    if (!lock)
        return NULL;
    struct pit__guard before = pit__guard_enter();
    rec = NULL;
    if (pit__lock_take(lock)) {
        rec = open_unasked();
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return rec;
}

/* ---- closing ------------------------------------------------------------------------------- */

int pit_close(void)
{
    pit_recorder *rec = pit_default_recorder();
    if (!pit__is_alive(rec)) /* switched off by the environment: not an error */
        return switched_off || (is_privileged && !rec) ? 0 : PIT_NOT_OPEN;
    pit__ask_before_close();
    PIT_STORE(pit__enabled, 0);
    return pit__recorder_stop(rec);
}

int pit_recorder_close(pit_recorder *recorder)
{
    if (!recorder || !pit__is_alive(recorder))
        return PIT_NOT_OPEN;
    if (recorder == pit_default_recorder())
        PIT_STORE(pit__enabled, 0);
    return pit__recorder_stop(recorder);
}

/* Returns 0 if other threads may still find it. */
static int forget(const pit_recorder *rec)
{
    struct pit__lock *lock = pit__open_lock();
    struct pit__guard before = pit__guard_enter();
    int is_held = pit__lock_take(lock);
    if (is_held) {
        if (rec == default_recorder)
            PIT_STORE_ORDERED(default_recorder, NULL);
        pit_recorder **at = &recorders;
        while (*at && *at != rec)
            at = &(*at)->next;
        if (*at)
            *at = rec->next;
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return is_held;
}

void pit_recorder_free(pit_recorder *recorder)
{
    if (!recorder)
        return;
    pit_recorder_close(recorder);
    pit__resume();
    if (PIT_LOAD(pit__inside) || pit__is_entered(pit__tls) || recorder->control->sampler_running ||
        !forget(recorder)) { /* the code that this handler interrupted may be using it: keep it */
        pit__count_refused();
        return;
    }
    pit__threads_forget(recorder);
    if (recorder->name_offsets)
        munmap(recorder->name_offsets, recorder->name_room * sizeof *recorder->name_offsets);
    pit__places_free(recorder);
    pit__guard_end(recorder);
    munmap(recorder->base, recorder->address_bytes);
    control_give(recorder->control);
    munmap(recorder, sizeof *recorder);
}
