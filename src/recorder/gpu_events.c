/* gpu_events.c: see gpu_events.h.
 *
 *   span ──▶ mark: an event of the pool into the stream ──▶ list ──▶ our thread ──▶ pit_add_span
 *
 * Our thread finds the driver, creates the events, asks which are complete and reads the time between two.
 * Spans only take events from the pool and record them: they never wait for the device or for a lock.
 * The thread is not the sampler's, so that a driver that hangs stops nothing else.
 * A driver that fails is not called again, and the run reports it.
 *
 * CUDA only gives the time between two events. Each context has a base event; the position of others on its
 * time line is their distance from it, and causality relates that line to the host's clock.
 */
#include "gpu_events.h"

#include "base/own_threads.h"
#include "base/thread_begun.h"
#include "device_line.h"
#include "gpu_driver.h"
#include "main_leaves.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define POOL 256u
#define MOST_OPEN 4096u
#define MOST_CONTEXTS 8u
#define TURN_NS ((uint64_t)10 * 1000000u)
#define FLUSH_NS ((uint64_t)1000 * 1000000u) /* longest wait of a close for our thread */
#define REBASE_NS 1e9 /* further from the base, a float of milliseconds is too coarse */
#define DEINITIALIZED                                                                              \
    4 /* CUDA and HIP: the program is ending, and the driver was shut down before us */
#define LINE_START 1e15 /* of a context's time line: keeps all times above 0 */

struct pit__gpu_frames { /* by depth */
    struct {
        struct pit__gpu_event event; /* NULL in it: none */
        uint64_t ticks;              /* begin of the frame that this event belongs to */
    } begin[PIT_FMT_FRAMES];
};

struct pair { /* a span that has ended */
    void *begin, *end, *context;
    uint64_t before_ns, place;
    const char *name;
};

struct context {
    void *id;
    void *base; /* event; NULL: none yet */
    double base_ns;
    struct pit__device_line line;
    void *pool[POOL]; /* events that are free; guarded by busy */
    uint32_t pooled;
};

/* Guarded by `busy`; spans never wait for it. */
static struct context contexts[MOST_CONTEXTS];
static uint32_t context_count;
static struct pair open_pairs[MOST_OPEN];
static uint32_t open_count;
static uint64_t missed; /* spans without device time: no room, no event, or the lock was taken */
static uint32_t busy;

static const struct pit__gpu_driver *driver; /* NULL: not found yet, or failed */
static uint32_t has_no_context, has_looked, has_thread, has_failed, turns_wanted, turns_done;
static __thread void *stream __attribute__((tls_model("initial-exec")));

void pit_device_stream(void *new_stream)
{
    stream = new_stream;
}

static int try_lock(void)
{
    return __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE) == 0;
}

static void take_lock(void) /* our thread alone */
{
    while (!try_lock())
        usleep(50);
}

static void give_lock(void)
{
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* With the lock held. NULL: all contexts are in use. */
static struct context *context_of(void *id)
{
    for (uint32_t i = 0; i < context_count; i++)
        if (contexts[i].id == id)
            return &contexts[i];
    if (context_count == MOST_CONTEXTS)
        return NULL;
    contexts[context_count].id = id;
    return &contexts[context_count++];
}

static void give_back(void *id, void *event) /* with the lock held */
{
    struct context *context = event ? context_of(id) : NULL;
    if (context && context->pooled < POOL)
        context->pool[context->pooled++] = event;
}

/* ---- our thread ------------------------------------------------------------------------------ */

static void fail(const char *call, int code)
{
    char text[160];
    const struct pit__gpu_driver *gpu = driver;
    PIT_STORE_ORDERED(driver, NULL);
    snprintf(text, sizeof text, "%s events stopped: %s gave error %d", gpu->name, call, code);
    if (code != DEINITIALIZED)
        pit_add_fact("device_events", text);
    PIT_STORE_ORDERED(has_failed, 1);
}

/* Create enough events for the spans until the next turn. 0: the driver failed. */
static int fill_pools(const struct pit__gpu_driver *gpu)
{
    for (uint32_t i = 0; i < PIT_LOAD_ACQUIRE(context_count); i++) {
        struct context *context = &contexts[i];
        int code = PIT_LOAD(context->pooled) < POOL / 2 ? gpu->use(context->id) : 0;
        while (!code && PIT_LOAD(context->pooled) < POOL / 2) {
            void *event = NULL;
            code = gpu->event_new(&event, 0);
            take_lock();
            if (!code)
                give_back(context->id, event);
            give_lock();
        }
        if (code) {
            fail("making an event", code);
            return 0;
        }
    }
    return 1;
}

/* Computes the begin of a pair on its context's time line, and its duration. Returns 0 or a code of the
 * driver. */
static int place_on_line(const struct pit__gpu_driver *gpu, struct context *context,
                         const struct pair *pair, double *at_ns, double *long_ns)
{
    float ms = 0, from_base = 0;
    int code = gpu->event_elapsed(&ms, pair->begin, pair->end);
    if (!code && context->base)
        code = gpu->event_elapsed(&from_base, context->base, pair->begin);
    if (!context->base)
        context->base_ns = LINE_START;
    *at_ns = context->base_ns + (double)from_base * 1e6;
    *long_ns = (double)ms * 1e6;
    return code;
}

/* 1: finished; 0: not complete yet; below 0: the driver failed. */
static int resolve(const struct pit__gpu_driver *gpu, const struct pair *pair)
{
    double at_ns, long_ns;
    take_lock();
    struct context *context = context_of(pair->context);
    give_lock();
    int code = gpu->event_query(pair->end);
    if (code == PIT__GPU_NOT_READY)
        return 0;
    const char *call = "asking for an event";
    if (!code) {
        code = place_on_line(gpu, context, pair, &at_ns, &long_ns);
        call = "asking for the time between events";
    }
    if (code) {
        fail(call, code);
        return -1;
    }
    pit__line_add(&context->line, gpu->name,
                  &(struct pit__line_work){pair->place, pair->name, (uint64_t)at_ns,
                                           (uint64_t)(at_ns + long_ns), pair->before_ns});
    int rebases = !context->base || at_ns - context->base_ns > REBASE_NS;
    take_lock();
    give_back(pair->context, pair->end);
    if (rebases) {
        give_back(context->id, context->base);
        context->base = pair->begin;
        context->base_ns = at_ns;
    } else {
        give_back(pair->context, pair->begin);
    }
    give_lock();
    return 1;
}

static void look_at_pairs(const struct pit__gpu_driver *gpu)
{
    static struct pair taken[MOST_OPEN];
    take_lock();
    uint32_t count = open_count, kept = 0;
    for (uint32_t i = 0; i < count; i++)
        taken[i] = open_pairs[i];
    open_count = 0;
    give_lock();
    for (uint32_t i = 0; i < count && PIT_LOAD(driver); i++)
        if (resolve(gpu, &taken[i]) == 0)
            taken[kept++] = taken[i];
    take_lock(); /* pairs that arrived meanwhile are appended */
    for (uint32_t i = 0; i < kept && PIT_LOAD(driver); i++)
        if (open_count < MOST_OPEN)
            open_pairs[open_count++] = taken[i];
        else
            missed++;
    give_lock();
}

static void *watch(void *unused)
{
    pit__thread_begins();
    pit__own_thread_begins();
    for (;;) {
        uint32_t wanted = PIT_LOAD_ACQUIRE(turns_wanted);
        const struct pit__gpu_driver *gpu = PIT_LOAD(driver);
        if (!gpu && !PIT_LOAD(has_failed)) {
            gpu = pit__gpu_driver_find();
            PIT_STORE_ORDERED(driver, gpu);
            PIT_STORE_ORDERED(has_looked, 1);
        }
        if (gpu && fill_pools(gpu))
            look_at_pairs(gpu);
        PIT_STORE_ORDERED(turns_done, wanted);
        pit__wake(&turns_done);
        pit__wait_while(&turns_wanted, wanted, TURN_NS);
    }
    return unused;
}

/* Why spans with PIT_DEVICE have no device times. */
static void tell_why(void)
{
    char text[120] = "";
    uint64_t without = PIT_LOAD(missed);
    if (!PIT_LOAD_ACQUIRE(has_looked))
        return;
    if (!PIT_LOAD(driver))
        snprintf(text, sizeof text,
                 "no device times: the program has loaded neither libcuda.so.1 nor libamdhip64.so");
    else if (PIT_LOAD(has_no_context))
        snprintf(text, sizeof text, "%s shows no device to threads that asked for device times",
                 PIT_LOAD(driver)->name);
    else if (without > 0)
        snprintf(text, sizeof text, "%llu spans have no device time: too many at once",
                 (unsigned long long)without);
    if (*text)
        pit_add_fact("device_events", text);
}

/* When the recorder closes, collect completed work: one more turn, if the driver does not hang. */
static void last_turn(void *unused)
{
    (void)unused;
    if (PIT_LOAD(has_failed))
        return;
    uint32_t wanted = __atomic_add_fetch(&turns_wanted, 1, __ATOMIC_ACQ_REL);
    pit__wake(&turns_wanted);
    for (uint64_t until = pit__clock_monotonic_ns() + FLUSH_NS;
         PIT_LOAD_ACQUIRE(turns_done) != wanted && pit__clock_monotonic_ns() < until;)
        pit__wait_while(&turns_done, wanted - 1, TURN_NS);
    if (!PIT_LOAD(has_failed))
        tell_why();
}

/* A child has neither the thread nor the device. */
static void in_child(void)
{
    driver = NULL;
    has_failed = 1;
    turns_wanted = turns_done = 0;
    missed = 0;
}

/* Started by the first span with PIT_DEVICE: a thread started by the sampler would share its table of
 * descriptors, which does not contain the driver's. */
static void start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    pit__own_signals(&all);
    pthread_atfork(NULL, NULL, in_child);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int begun = pit__threads_before();
    if (pthread_create(&thread, NULL, watch, NULL) == 0) {
        pit__thread_await(begun);
        pthread_setname_np(thread, "pitwall-gpu");
        pthread_detach(thread);
        (void)pit__main_may_leave();
        pit_before_close(last_turn, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- spans ----------------------------------------------------------------------------------- */

struct pit__gpu_event pit__gpu_mark(void)
{
    struct pit__gpu_event mark = {NULL, NULL, 0};
    const struct pit__gpu_driver *gpu = PIT_LOAD_ACQUIRE(driver);
    if (PIT_UNLIKELY(!PIT_LOAD(has_thread)) && !pit__is_bare_clone() &&
        __atomic_exchange_n(&has_thread, 1, __ATOMIC_ACQ_REL) == 0)
        start_thread();
    if (!gpu)
        return mark;
    if (gpu->context(&mark.context) != 0 || !mark.context) {
        mark.context = NULL;
        PIT_STORE(has_no_context, 1);
        return mark;
    }
    if (!try_lock())
        return mark;
    struct context *context = context_of(mark.context);
    if (context && context->pooled > 0)
        mark.event = context->pool[--context->pooled];
    give_lock();
    mark.before_ns = raw_ns();
    if (mark.event && gpu->event_record(mark.event, stream) != 0)
        mark.event = NULL; /* the event is not used again */
    return mark;
}

static struct pit__gpu_frames *frames_of(struct pit__thread *t)
{
    if (!t->gpu)
        t->gpu = pit__map_pages(sizeof *t->gpu);
    return t->gpu;
}

void pit__gpu_begin(struct pit__thread *t, pit_token token, struct pit__gpu_event event)
{
    uint32_t depth = (uint32_t)(t->top - t->file->frames);
    if (!event.event || !token || !frames_of(t))
        return;
    t->gpu->begin[depth].event = event; /* the event of a dropped frame there is lost */
    t->gpu->begin[depth].ticks = t->top->begin;
    if (!t->special || depth < t->special)
        t->special = depth; /* the hot path must not end it */
}

void pit__gpu_end(struct pit__thread *t, const struct pit_fmt_frame *frame)
{
    uint64_t depth = (uint64_t)(frame - t->file->frames);
    struct pit__gpu_event begin = t->gpu->begin[depth].event;
    if (!begin.event || t->gpu->begin[depth].ticks != frame->begin)
        return;
    t->gpu->begin[depth].event.event = NULL;
    struct pit__gpu_event end = pit__gpu_mark();
    uint32_t ref = pit_fmt_ref_of(frame->where);
    const struct pit_fmt_node *node = pit__checked_at(t->recorder, ref, sizeof *node);
    const struct pit__name *name =
        node ? pit__name_of(node->id & ~(PIT__DETACHED_BIT | PIT__DEVICE_BIT)) : NULL;
    if (!try_lock())
        return;
    if (end.event && end.context == begin.context && name && open_count < MOST_OPEN) {
        uint64_t place = t->recorder->generation << PIT__TOKEN_GENERATION_SHIFT | ref;
        open_pairs[open_count++] = (struct pair){begin.event,     end.event, begin.context,
                                                 begin.before_ns, place,     name->text};
    } else {
        give_back(begin.context, begin.event);
        give_back(end.context, end.event);
        missed++;
    }
    give_lock();
}
