/* Counts what a call allocates through Python's own allocators, by hooks on the domains "mem" and "object".
 *
 * The hooks are installed while a call is counted on any thread. They keep a table of the blocks that such
 * calls allocated. A block that is not in the table existed before or belongs to other code; its free does
 * not count. The domain "raw" is not hooked: it is used without the interpreter's lock, which protects
 * everything here.
 *
 * A call is counted on its own thread. For nested calls, the allocations inside count for each of them. A
 * block knows its thread (owner) and the number of the last call begun when it was allocated: it counts for
 * the open calls of that owner that began no later. It does not matter which thread frees it.
 *
 * Other code, above all tracemalloc, may install hooks above ours and remove them at any time. So our hooks
 * are removed only while they are topmost; otherwise they stay, forward all calls, and serve the next
 * counted call if they are still reached. If other code removes our hooks during a call, the memory left at
 * its end is unknown. */
#include "tools.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PYMALLOC_LARGEST = 512 }; /* larger blocks come from malloc */

typedef struct layer layer;
struct layer {
    struct hook {
        PyMemAllocatorEx below;
        layer *layer;
    } hooks[2];
};
static const PyMemAllocatorDomain domains[2] = {PYMEM_DOMAIN_MEM, PYMEM_DOMAIN_OBJ};

typedef struct owner {
    pitpy_held *top; /* NULL: no open call */
} owner;

static layer *ours;     /* the active layer, installed or perhaps installed */
static layer *spare;    /* a removed layer that no other code refers to */
static layer *counting; /* `ours` while a call is open, else NULL */
static owner **owners;  /* kept: a block may refer to an owner whose calls have ended */
static uint32_t owner_count;
static uint32_t epoch; /* calls begun so far */
static size_t open_count;
static size_t largest; /* larger blocks are counted by libpitwall-alloc */
static PyInterpreterState *main_interpreter;

static __thread uint32_t here __attribute__((tls_model("initial-exec"))); /* owner + 1, or 0 */

/* From 3.12 on, another interpreter can have its own lock; its blocks are ignored. */
static inline int is_guarded(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyThreadState *thread = PyThreadState_GetUnchecked();
    return thread && thread->interp == main_interpreter;
#elif PY_VERSION_HEX >= 0x030C0000
    PyThreadState *thread = _PyThreadState_UncheckedGet();
    return thread && thread->interp == main_interpreter;
#else
    return 1;
#endif
}

/* ---- counting ---------------------------------------------------------------------------------- */

static void discount(const pitpy_block *block)
{
    for (pitpy_held *held = owners[block->owner]->top; held; held = held->outer)
        if ((int32_t)(block->epoch - held->epoch) >= 0)
            held->live -= block->size;
}

static void forget(uintptr_t address)
{
    pitpy_block block;
    if (pitpy_blocks_take(address, &block))
        discount(&block);
}

static void remember(const void *pointer, size_t size)
{
    if (!here || size > largest)
        return;
    pitpy_block before, block = {(uintptr_t)pointer, size, epoch, here - 1};
    int code = pitpy_blocks_add(&block, &before);
    if (code < 0)
        return;
    if (code > 0) /* its free was missed, or a hook of one domain calls the other */
        discount(&before);
    for (pitpy_held *held = owners[here - 1]->top; held; held = held->outer) {
        held->live += size;
        if (held->live > held->peak)
            held->peak = held->live;
    }
}

static void *hook_malloc(void *ctx, size_t size)
{
    struct hook *hook = ctx;
    void *pointer = hook->below.malloc(hook->below.ctx, size);
    if (hook->layer == counting && pointer && is_guarded())
        remember(pointer, size);
    return pointer;
}

static void *hook_calloc(void *ctx, size_t count, size_t size)
{
    struct hook *hook = ctx;
    void *pointer = hook->below.calloc(hook->below.ctx, count, size);
    if (hook->layer == counting && pointer && is_guarded())
        remember(pointer, count * size);
    return pointer;
}

/* A free of the old block and an allocation of the new one, as in libpitwall-alloc. */
static void *hook_realloc(void *ctx, void *old, size_t size)
{
    struct hook *hook = ctx;
    uintptr_t before = (uintptr_t)old;
    void *pointer = hook->below.realloc(hook->below.ctx, old, size);
    if (hook->layer == counting && pointer && is_guarded()) {
        if (before)
            forget(before);
        remember(pointer, size);
    }
    return pointer;
}

static void hook_free(void *ctx, void *pointer)
{
    struct hook *hook = ctx;
    if (hook->layer == counting && pointer && is_guarded())
        forget((uintptr_t)pointer);
    hook->below.free(hook->below.ctx, pointer);
}

/* ---- on and off -------------------------------------------------------------------------------- */

static int is_topmost(const layer *which)
{
    PyMemAllocatorEx now[2];
    for (int i = 0; i < 2; i++)
        PyMem_GetAllocator(domains[i], &now[i]);
    return now[0].ctx == &which->hooks[0] && now[1].ctx == &which->hooks[1];
}

static int was_seen(void *pointer, void (*release)(void *))
{
    pitpy_block block;
    int seen = pointer && pitpy_blocks_take((uintptr_t)pointer, &block) && block.size == 0;
    release(pointer);
    return seen;
}

/* Do allocations reach our hooks? A call must be open on this thread. Other hooks may be installed above
 * ours, so only a test allocation tells. */
static int is_reached(void)
{
    if (!ours || is_topmost(ours))
        return ours != NULL;
    void *object = PyObject_Malloc(0), *mem = PyMem_Malloc(0);
    int object_seen = was_seen(object, PyObject_Free);
    return was_seen(mem, PyMem_Free) && object_seen;
}

/* Open calls have missed allocations: keep what they know until now. */
static void spoil_open_calls(const pitpy_held *but)
{
    for (uint32_t i = 0; i < owner_count; i++)
        for (pitpy_held *held = owners[i]->top; held; held = held->outer)
            if (held != but && !held->is_spoilt) {
                held->is_spoilt = 1;
                held->sure_peak = held->peak;
            }
}

static void put_on(void)
{
    ours = spare ? spare : calloc(1, sizeof *ours);
    spare = NULL;
    counting = ours;
    for (int i = 0; ours && i < 2; i++) {
        struct hook *hook = &ours->hooks[i];
        hook->layer = ours;
        PyMem_GetAllocator(domains[i], &hook->below);
        PyMemAllocatorEx allocator = {hook, hook_malloc, hook_calloc, hook_realloc, hook_free};
        PyMem_SetAllocator(domains[i], &allocator);
    }
}

static void take_off(int reached)
{
    counting = NULL;
    pitpy_blocks_clear();
    if (ours && is_topmost(ours)) {
        for (int i = 0; i < 2; i++)
            PyMem_SetAllocator(domains[i], &ours->hooks[i].below);
        spare = ours;
        ours = NULL;
    } else if (!reached) {
        ours = NULL; /* not freed: other code may have saved it to install it again */
    }
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* With libpitwall-alloc, count only what pymalloc serves from its own arenas. */
static size_t find_largest(void)
{
    pit_probe probe;
    pit_probe_begin(&probe);
    pit_probe_end(&probe);
    const char *name = getenv("PYTHONMALLOC");
    if (!probe.has_alloc || (name && strncmp(name, "mimalloc", 8) == 0))
        return SIZE_MAX / 2;
    return name && strncmp(name, "malloc", 6) == 0 ? 0 : PYMALLOC_LARGEST;
}

/* In a forked child, the calls of other threads are gone, and so are their stacks. */
static void after_fork(void)
{
    open_count = 0;
    for (uint32_t i = 0; i < owner_count; i++) {
        if (i + 1 != here)
            owners[i]->top = NULL;
        for (const pitpy_held *held = owners[i]->top; held; held = held->outer)
            open_count++;
    }
    if (open_count == 0)
        counting = NULL;
}

/* This thread's owner, or one whose calls have all ended: its blocks are older than any future call.
 * Returns -1 if memory is exhausted. */
static int find_owner(void)
{
    for (uint32_t i = 0; !here && i < owner_count; i++)
        if (!owners[i]->top)
            here = i + 1;
    if (here)
        return 0;
    owner **more = realloc(owners, (owner_count + 1) * sizeof(owner *));
    if (!more)
        return -1;
    owners = more;
    if (!(owners[owner_count] = calloc(1, sizeof(owner))))
        return -1;
    here = ++owner_count;
    return 0;
}

void pitpy_held_begin(pitpy_held *held)
{
    *held = (pitpy_held){.owner = PITPY_NO_OWNER};
    if (!main_interpreter) {
        main_interpreter = PyInterpreterState_Get();
        largest = find_largest();
        pthread_atfork(NULL, NULL, after_fork);
    }
    if (largest == 0 || find_owner() != 0)
        return;
    held->owner = here - 1;
    held->outer = owners[held->owner]->top;
    held->epoch = ++epoch;
    owners[held->owner]->top = held;
    open_count++;
    counting = ours;
    if (!is_reached()) {
        spoil_open_calls(held);
        put_on();
    }
    held->table_bytes = pitpy_blocks_bytes();
}

void pitpy_held_end(pitpy_held *held, pit_counted *counted)
{
    *counted = (pit_counted){.peak = 0};
    if (held->owner == PITPY_NO_OWNER)
        return;
    int reached = is_reached();
    owner *own = owners[held->owner];
    counted->overhead = pitpy_blocks_bytes() - held->table_bytes;
    counted->peak = held->is_spoilt ? held->sure_peak : held->peak;
    counted->live = reached && !held->is_spoilt ? held->live : 0;
    pitpy_held **link = &own->top;
    while (*link && *link != held)
        link = &(*link)->outer;
    if (*link)
        *link = held->outer;
    if (!own->top)
        here = 0;
    if (--open_count == 0)
        take_off(reached);
}
