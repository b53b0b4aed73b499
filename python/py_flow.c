/* Which stack of open spans a piece of Python code runs on.
 *
 * The recorder has one stack per thread. asyncio runs many tasks on a thread, each in its own context
 * (contextvars), and a task that waits leaves its spans open. So every begin compares the thread's context
 * with the context of the current stack. If they differ, this file handles it:
 *
 *   nothing is open          the stack is given to the new context: most tasks need no other
 *   the context is known     a task continues: switch back to its stack
 *   the context runs inside  Context.run in plain code: same stack, the context is an alias
 *   otherwise                a task that runs while another waits: it gets its own stack
 *
 * A greenlet (gevent, eventlet) has a context of its own too, but Python makes it only when it is needed, as
 * it does for a thread; so the first span makes it. Nobody enters such a context, by which it is told from
 * one that runs inside another.
 *
 * A generator that is suspended inside a span has a flow too (py_generator.c); a weak reference to it takes
 * the place of the context. While a thread has such flows, every begin checks which generators it runs in.
 *
 * Spans of a task begin below the span in which the task was created. A task's context is a copy of its
 * creator's, so that place is kept in a context variable, updated at every begin and end under an event
 * loop; the task that a loop was started with begins below the span around the loop.
 *
 * A flow is a stack and its context. It owns its context as long as spans are open on it, so that the
 * address of a freed context cannot be reused for another one. */
#include "pitpy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPARE_FLOWS 16

/* A thread's waiting flows, by context: open addressing, one entry per context and alias. */
struct entry {
    PyObject *context;
    pitpy_flow *flow; /* NULL: empty */
};

typedef struct pitpy_thread {
    PyObject *own; /* its own context; not a reference */
    struct entry *entries;
    size_t room, used; /* room: a power of two, or 0 */
    pitpy_flow *spare;
    size_t spare_count;
    uint64_t around;   /* while an event loop runs: the place of the plain code around it */
    size_t generators; /* number of flows of generators */
    pitpy_flow *lost;  /* flows with spans that ended on another thread; guarded by `ending` */
} pitpy_thread;

/* For a thread without a flow. Its context matches none, and its count never reaches 0. */
static pitpy_flow nobody = {.context = (PyObject *)&nobody, .open = 1};
/* The flow of the calling thread. Never NULL. pitpy_near has a copy while it belongs to this thread. */
static __thread pitpy_flow *flow_now __attribute__((tls_model("initial-exec"))) = &nobody;
static __thread pitpy_thread *this_thread __attribute__((tls_model("initial-exec")));

/* Threads end without the interpreter's lock; another thread may be ending one of their spans meanwhile. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

pitpy_flow *pitpy_flow_near(void)
{
    char *thread = pitpy_this_thread();
    pitpy_near.flow = flow_now;
    pitpy_near.here = (int32_t)((const char *)pit__here() - thread);
    __atomic_store_n(&pitpy_near.thread, thread, __ATOMIC_RELAXED);
    return flow_now;
}

/* Called with the interpreter's lock. */
static void set_now(pitpy_flow *flow)
{
    flow_now = flow;
    pitpy_flow_near();
}

/* Called when a thread ends, without the lock: another thread may get its thread pointer. The holder of the
 * lock may be taking over pitpy_near at this moment. */
static void not_near(void)
{
    void *thread = pitpy_this_thread();
    __atomic_compare_exchange_n(&pitpy_near.thread, &thread, NULL, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* ---- the table of flows that wait ------------------------------------------------------------ */

static size_t place_of(const pitpy_thread *thread, PyObject *context)
{
    size_t at = ((uintptr_t)context >> 4) * (size_t)0x9E3779B97F4A7C15u;
    return (at >> 20) & (thread->room - 1);
}

static void table_put(pitpy_thread *thread, PyObject *context, pitpy_flow *flow)
{
    size_t at = place_of(thread, context);
    while (thread->entries[at].flow)
        at = (at + 1) & (thread->room - 1);
    thread->entries[at] = (struct entry){context, flow};
    thread->used++;
}

/* Make room for `more` entries. Returns 0 if memory is exhausted. */
static int table_reserve(pitpy_thread *thread, size_t more)
{
    if ((thread->used + more) * 2 <= thread->room)
        return 1;
    size_t before_room = thread->room, room = before_room ? before_room * 2 : 64;
    while ((thread->used + more) * 2 > room)
        room *= 2;
    struct entry *before = thread->entries, *entries = calloc(room, sizeof *entries);
    if (!entries)
        return 0;
    thread->entries = entries;
    thread->room = room;
    thread->used = 0;
    for (size_t i = 0; i < before_room; i++)
        if (before[i].flow)
            table_put(thread, before[i].context, before[i].flow);
    free(before);
    return 1;
}

static pitpy_flow *table_find(const pitpy_thread *thread, PyObject *context)
{
    if (!thread->used)
        return NULL;
    size_t at = place_of(thread, context);
    while (thread->entries[at].flow && thread->entries[at].context != context)
        at = (at + 1) & (thread->room - 1);
    return thread->entries[at].flow;
}

/* Entries after the gap move up, so that every search still ends at the first empty entry. */
static void table_remove(pitpy_thread *thread, PyObject *context)
{
    size_t mask = thread->room - 1, at = place_of(thread, context);
    while (thread->entries[at].flow && thread->entries[at].context != context)
        at = (at + 1) & mask;
    if (!thread->entries[at].flow)
        return;
    thread->used--;
    for (size_t gap = at;;) {
        at = (at + 1) & mask;
        if (!thread->entries[at].flow) {
            thread->entries[gap].flow = NULL;
            return;
        }
        size_t home = place_of(thread, thread->entries[at].context);
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            thread->entries[gap] = thread->entries[at];
            gap = at;
        }
    }
}

/* ---- flows come and go ----------------------------------------------------------------------- */

static void flow_free(pitpy_flow *flow)
{
    pit_stack_free(flow->stack);
    free(flow->aliases);
    free(flow->held);
    flow->held = NULL;
    if (!pitpy_is_near(flow))
        free(flow);
}

/* Members used by every begin and end are in one cache line. */
static pitpy_flow *flow_alloc(void)
{
    pitpy_flow *flow = (pitpy_flow *)(void *)pitpy_near.first_flow;
    if (pitpy_near.flow_is_used)
        flow = aligned_alloc(PITPY_LINE, PITPY_FLOW_BYTES);
    pitpy_near.flow_is_used = 1;
    if (flow)
        memset(flow, 0, sizeof *flow);
    return flow;
}

static pitpy_flow *flow_new(pitpy_thread *thread)
{
    pitpy_flow *flow = thread->spare;
    if (flow) {
        thread->spare = flow->next;
        thread->spare_count--;
    } else {
        flow = flow_alloc();
        if (!flow)
            return NULL;
    }
    flow->thread = thread;
    return flow;
}

/* Called if nothing is open on it and it is not in use. */
static void flow_retire(pitpy_thread *thread, pitpy_flow *flow)
{
    if (thread->spare_count == SPARE_FLOWS) {
        flow_free(flow);
        return;
    }
    flow->next = thread->spare;
    thread->spare = flow;
    thread->spare_count++;
}

static void uncount_lost(const pitpy_flow *flow);

/* The recorder counts the spans of the current flow as left open, even those that ended elsewhere. */
static void orphan(pitpy_flow *flow)
{
    if (flow == flow_now)
        uncount_lost(flow);
    else
        pit__stack_leave(flow->stack, (uint64_t)flow->open);
    if (flow->open > 0)
        flow->thread = NULL; /* its last span frees it, on whichever thread it ends */
    else
        flow_free(flow);
}

/* Runs without the interpreter's lock, so contexts are not released here. */
static void thread_ended(void *arg)
{
    pitpy_thread *thread = arg;
    not_near();
    pthread_mutex_lock(&ending);
    if (flow_now != &nobody)
        orphan(flow_now);
    for (size_t i = 0; i < thread->room; i++) {
        pitpy_flow *flow = thread->entries[i].flow;
        if (!flow || flow->context != thread->entries[i].context)
            continue; /* empty, or an alias: the flow has its own entry */
        orphan(flow);
    }
    pthread_mutex_unlock(&ending);
    while (thread->spare) {
        pitpy_flow *flow = thread->spare;
        thread->spare = flow->next;
        flow_free(flow);
    }
    free(thread->entries);
    free(thread);
    flow_now = &nobody;
    this_thread = NULL;
}

static void make_key(void)
{
    pthread_key_create(&at_thread_end, thread_ended);
}

/* Name a thread as Python does. Only threads started by Python have a useful name. */
static void name_thread(void)
{
    PyObject *module_name = PyUnicode_FromString("threading");
    PyObject *threading = module_name ? PyImport_GetModule(module_name) : NULL;
    PyObject *active = threading ? PyObject_GetAttrString(threading, "_active") : NULL;
    PyObject *ident = active ? PyLong_FromUnsignedLong(PyThread_get_thread_ident()) : NULL;
    PyObject *thread = ident ? PyObject_GetItem(active, ident) : NULL;
    PyObject *main = thread ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    if (main && main != thread) {
        PyObject *name = PyObject_GetAttrString(thread, "name");
        char *text = name ? pitpy_utf8_copy(name) : NULL;
        if (text)
            pit_thread_name(text);
        free(text);
        Py_XDECREF(name);
    }
    PyErr_Clear();
    Py_XDECREF(main);
    Py_XDECREF(thread);
    Py_XDECREF(ident);
    Py_XDECREF(active);
    Py_XDECREF(threading);
    Py_XDECREF(module_name);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void set_context(pitpy_flow *flow, PyObject *context)
{
    flow->context = context;
    flow->owned = flow->thread && context == flow->thread->own ? NULL : context;
}

/* Give a flow without open spans to another context, the running one. */
static void adopt(pitpy_flow *flow, PyObject *context)
{
    set_context(flow, context);
    flow->base = context;
    flow->has_base = !context || !pitpy_context_is_entered(context);
    int is_task = context && !flow->has_base && pitpy_loop_is_running();
    flow->watch = (flow->watch & PITPY_GENERATORS) | (is_task ? PITPY_TASK : 0);
}

/* ---- places ----------------------------------------------------------------------------------- */

/* The place where the running context was created; 0: unknown. */
static uint64_t place_of_context(void)
{
    PyObject *value = NULL;
    if (!pitpy_hot || PyContextVar_Get(pitpy_hot->place, NULL, &value) < 0)
        PyErr_Clear();
    uint64_t place = value ? PyLong_AsUnsignedLongLong(value) : 0;
    Py_XDECREF(value);
    return place;
}

/* Set where spans of the current flow begin; nothing is open on it. */
static void find_place(const pitpy_thread *thread, const pitpy_flow *flow)
{
    uint64_t place = flow->context ? place_of_context() : 0;
    pit_set_root(place || !(flow->watch & PITPY_TASK) ? place : thread->around);
}

void pitpy_flow_moved(const pitpy_flow *flow)
{
    PyObject *type, *value, *traceback;
    if (!pitpy_hot || !(flow->watch & PITPY_TASK) ||
        pitpy_near.thread_state()->context != flow->context)
        return; /* ended from outside: the context is not the running one */
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *place = PyLong_FromUnsignedLongLong(pit_position());
    PyObject *token = place ? PyContextVar_Set(pitpy_hot->place, place) : NULL;
    Py_XDECREF(token);
    Py_XDECREF(place);
    PyErr_Restore(type, value, traceback);
}

static int is_base(const pitpy_flow *flow)
{
    return flow->has_base && flow->context == flow->base;
}

/* Its present context waits while `context` runs inside it. Returns 0 if memory is exhausted. */
static int run_inside(pitpy_flow *flow, PyObject *context)
{
    if (flow->alias_count == flow->alias_room) {
        size_t room = flow->alias_room ? flow->alias_room * 2 : 8;
        struct pitpy_alias *aliases = realloc(flow->aliases, room * sizeof *aliases);
        if (!aliases)
            return 0;
        flow->aliases = aliases;
        flow->alias_room = room;
    }
    if (!flow->owned)
        Py_XINCREF(flow->context);
    flow->aliases[flow->alias_count++] = (struct pitpy_alias){flow->context, flow->floor};
    flow->context = flow->owned = Py_NewRef(context);
    flow->floor = flow->open;
    return 1;
}

/* Return to the code that called a context which was left without open spans. */
static void settle(pitpy_flow *flow)
{
    while (flow->alias_count > 0 && flow->open <= flow->floor && !is_base(flow) &&
           !pitpy_context_is_entered(flow->context)) {
        PyObject *left = flow->context;
        struct pitpy_alias alias = flow->aliases[--flow->alias_count];
        flow->context = flow->owned = alias.context;
        flow->floor = alias.floor;
        Py_XDECREF(left);
    }
}

static int take_alias(pitpy_flow *flow, PyObject *context)
{
    for (size_t i = flow->alias_count; i-- > 0;)
        if (flow->aliases[i].context == context) {
            struct pitpy_alias alias = flow->aliases[i];
            flow->aliases[i] = (struct pitpy_alias){flow->context, flow->floor};
            flow->context = flow->owned = alias.context;
            flow->floor = alias.floor;
            return 1;
        }
    return 0;
}

/* ---- switching ------------------------------------------------------------------------------- */

/* Stacks of a closed recorder, or from before a fork, are refused: then use new ones. */
static void switch_stacks(pitpy_flow *from, pitpy_flow *to)
{
    for (int tries = 0; tries < 2; tries++) {
        if (!from->stack)
            from->stack = pit_stack_new();
        if (!to->stack)
            to->stack = pit_stack_new();
        if (!from->stack || !to->stack ||
            pit_stack_switch(from->stack, to->stack) != PIT_BAD_ARGUMENT)
            return;
        pit_stack_free(from->stack);
        pit_stack_free(to->stack);
        from->stack = to->stack = NULL;
    }
}

static void put_away(pitpy_thread *thread, pitpy_flow *flow)
{
    table_put(thread, flow->context, flow);
    for (size_t i = 0; i < flow->alias_count; i++)
        table_put(thread, flow->aliases[i].context, flow);
}

static void take_up(pitpy_thread *thread, pitpy_flow *flow)
{
    table_remove(thread, flow->context);
    for (size_t i = 0; i < flow->alias_count; i++)
        table_remove(thread, flow->aliases[i].context);
}

/* Returns 0 if there is no memory for the table; nothing was changed then. */
static int change_flow(pitpy_thread *thread, pitpy_flow *to)
{
    pitpy_flow *from = flow_now;
    int is_waiting = from->open > 0 || from->is_lost; /* until sweep() has removed its frames */
    if (is_waiting && !table_reserve(thread, 1 + from->alias_count))
        return 0;
    switch_stacks(from, to);
    set_now(to);
    to->watch = (to->watch & ~PITPY_GENERATORS) | (thread->generators ? PITPY_GENERATORS : 0);
    if (!(to->watch & (PITPY_TASK | PITPY_GENERATOR)))
        thread->around = 0;
    if (is_waiting)
        put_away(thread, from);
    else
        flow_retire(thread, from);
    return 1;
}

/* A thread's first flow. If memory is exhausted: `nobody`. */
static pitpy_flow *first_flow(PyObject *context)
{
    pthread_once(&key_once, make_key);
    pitpy_thread *thread = calloc(1, sizeof *thread);
    pitpy_flow *flow = thread ? flow_new(thread) : NULL;
    if (!flow || pthread_setspecific(at_thread_end, thread) != 0) {
        if (flow)
            flow_free(flow);
        free(thread);
        return &nobody;
    }
    this_thread = thread;
    thread->own = pitpy_context_own(context);
    set_now(flow);
    adopt(flow, context);
    find_place(thread, flow);
    name_thread();
    return flow;
}

/* Switch to a waiting flow; returns the current flow. */
static pitpy_flow *take_now(pitpy_thread *thread, pitpy_flow *flow)
{
    if (flow == flow_now)
        return flow;
    take_up(thread, flow);
    if (!change_flow(thread, flow))
        put_away(thread, flow);
    return flow_now;
}

/* ---- generators that continue on another thread ------------------------------------------------ */

/* A span that a generator leaves open. The generator may be resumed, closed or collected on another thread:
 * the span is then added there as finished, and its own thread removes the open frame, which only that
 * thread may write, before it begins or ends another span. */
struct pitpy_left {
    pit_token token;
    uint64_t place, begin_ns; /* its pit_position; when it began, by CLOCK_MONOTONIC_RAW */
    int is_lost;              /* it has ended on another thread */
};

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* If memory is exhausted, the span can end only on its own thread. */
void pitpy_flow_hold(pitpy_open *open)
{
    pitpy_flow *flow = open->flow;
    uint64_t place = pit_position();
    uint32_t at = 0;
    while (at < flow->held_count && flow->held[at].token != open->token)
        at++;
    if (at == flow->held_room) {
        uint32_t room = flow->held_room ? 2 * flow->held_room : 4;
        struct pitpy_left *more = realloc(flow->held, room * sizeof *more);
        if (!more)
            return;
        flow->held = more;
        flow->held_room = room;
    }
    if (at == flow->held_count)
        flow->held_count++;
    open->begin_ns = raw_ns();
    flow->held[at] = (struct pitpy_left){open->token, place, open->begin_ns, 0};
}

static struct pitpy_left *held_of(const pitpy_open *open)
{
    const pitpy_flow *flow = open->flow;
    for (uint32_t i = 0; open->token && i < flow->held_count; i++)
        if (flow->held[i].token == open->token && flow->held[i].begin_ns == open->begin_ns)
            return &flow->held[i];
    return NULL;
}

static void uncount_lost(const pitpy_flow *flow)
{
    for (uint32_t i = 0; i < flow->held_count; i++)
        if (flow->held[i].is_lost)
            pit__left_open(flow->held[i].token, -1);
}

/* A waiting flow keeps its context until its thread returns to it. */
static void leave_and_unlock(pitpy_flow *flow)
{
    PyObject *context = NULL;
    int is_last = --flow->open == 0 && !flow->thread;
    if (is_last)
        context = flow->owned;
    pthread_mutex_unlock(&ending);
    if (!is_last)
        return;
    for (size_t i = 0; i < flow->alias_count; i++)
        Py_XDECREF(flow->aliases[i].context);
    flow_free(flow);
    Py_XDECREF(context);
}

uint64_t pitpy_end_held(const pitpy_open *open)
{
    pitpy_flow *flow = open->flow;
    struct pitpy_left *held = held_of(open);
    if (!held || flow == flow_now || (flow->thread && flow->thread == this_thread))
        return pitpy_end_rare(open);
    pitpy_flow_near(); /* so that its thread's next begin or end takes the slow path */
    uint64_t end = raw_ns(), begin = held->begin_ns;
    pit__add_at(held->place, begin, end);
    pthread_mutex_lock(&ending);
    held->is_lost = 1;
    if (flow->thread && !flow->is_lost) {
        flow->is_lost = 1;
        flow->next_lost = flow->thread->lost;
        flow->thread->lost = flow;
    }
    if (!flow->thread) /* it was counted when its thread ended */
        pit__left_open(held->token, -1);
    leave_and_unlock(flow);
    return end - begin;
}

static pitpy_flow *next_lost(pitpy_thread *thread)
{
    pthread_mutex_lock(&ending);
    pitpy_flow *flow = thread->lost;
    if (flow) {
        thread->lost = flow->next_lost;
        flow->is_lost = 0;
    }
    pthread_mutex_unlock(&ending);
    return flow;
}

/* Remove the frames of spans that ended on other threads, the innermost first. */
static void sweep(pitpy_thread *thread)
{
    pitpy_flow *flow;
    while (thread->lost && (flow = next_lost(thread))) {
        if (take_now(thread, flow) != flow)
            continue; /* out of memory: they stay open */
        for (uint32_t i = flow->held_count; i-- > 0;) {
            if (!flow->held[i].is_lost)
                continue;
            pit_cancel(flow->held[i].token);
            flow->held[i] = (struct pitpy_left){0};
        }
        if (flow->open == 0)
            pitpy_flow_rest(flow);
    }
}

/* The flow of the generator behind a weak reference, or NULL. */
static pitpy_flow *flow_of_weak(PyObject *weak)
{
    return flow_now->context == weak ? flow_now : table_find(this_thread, weak);
}

static int has_context(const pitpy_flow *flow, const PyObject *context)
{
    int has = flow->context == context;
    for (size_t i = 0; i < flow->alias_count && !has; i++)
        has = flow->aliases[i].context == context;
    return has;
}

/* The context in which the running one, or one that it runs inside, was entered, and which has a flow; NULL:
 * none has. */
static PyObject *entered_in(PyObject *context)
{
    PyObject *outer = NULL;
    if (!context || !pitpy_context_is_entered(context) || PyContext_Exit(context) < 0) {
        PyErr_Clear();
        return NULL;
    }
    outer = pitpy_near.thread_state()->context;
    if (outer && !has_context(flow_now, outer) && !table_find(this_thread, outer))
        outer = entered_in(outer);
    if (PyContext_Enter(context) < 0)
        PyErr_Clear();
    return outer;
}

/* The running context has no flow. If it runs inside plain code that has open spans, it shares that flow:
 * switch to it. Returns NULL otherwise. */
static pitpy_flow *go_on(pitpy_thread *thread, PyObject *context)
{
    PyObject *outer = entered_in(context);
    if (!outer || pitpy_loop_is_running())
        return NULL;
    pitpy_flow *flow = has_context(flow_now, outer) ? flow_now : table_find(thread, outer);
    if (take_now(thread, flow) != flow)
        return NULL;
    settle(flow);
    return flow->open > 0 && flow->context == outer && run_inside(flow, context) ? flow : NULL;
}

pitpy_flow *pitpy_flow_switch(void)
{
    PyObject *context = pitpy_context_now();
    pitpy_thread *thread = this_thread;
    if (!thread)
        return first_flow(context);
    sweep(thread);
    pitpy_flow *flow = flow_now;
    if (thread->generators) {
        pitpy_flow *running = pitpy_generator_running(flow_of_weak);
        if (running)
            return take_now(thread, running);
        if (flow->context == context)
            return flow;
    }
    pitpy_flow *other = table_find(thread, context);
    if (other) {
        if (take_now(thread, other) != other)
            return flow;
        if (other->context != context)
            take_alias(other, context);
        return other;
    }
    if (flow->open > 0 && !(flow->watch & PITPY_GENERATOR)) {
        settle(flow);
        if (flow->context == context || take_alias(flow, context))
            return flow;
    }
    other = go_on(thread, context);
    if (other)
        return other;
    flow = flow_now;
    if (flow->open == 0) {
        adopt(flow, context);
        find_place(thread, flow);
        return flow;
    }
    int is_generator = flow->watch & PITPY_GENERATOR; /* a generator that is suspended now */
    other = flow_new(thread);
    if (!other)
        return flow;
    adopt(other, context);
    uint64_t around = is_generator || flow->watch & PITPY_TASK ? thread->around : pit_position();
    if (!change_flow(thread, other)) {
        flow_retire(thread, other);
        return flow;
    }
    thread->around = around;
    find_place(thread, other);
    return other;
}

PyObject *pitpy_flow_of_generator(PyObject *generator)
{
    pitpy_flow_here();
    pitpy_thread *thread = this_thread;
    PyObject *weak = thread ? PyWeakref_NewRef(generator, NULL) : NULL;
    if (!weak || flow_of_weak(weak)) {
        PyErr_Clear();
        return weak;
    }
    uint64_t place = pit_position();
    pitpy_flow *flow = flow_new(thread);
    if (!flow) {
        Py_DECREF(weak);
        return NULL;
    }
    set_context(flow, weak);
    flow->has_base = 0;
    flow->watch = PITPY_GENERATOR;
    thread->generators++;
    if (!change_flow(thread, flow)) {
        thread->generators--;
        flow_retire(thread, flow);
        Py_DECREF(weak);
        return NULL;
    }
    pit_set_root(place);
    return weak;
}

int pitpy_flow_resume(pitpy_flow *flow)
{
    if (flow != flow_now && (!flow->thread || flow->thread != this_thread))
        return 0;
    if (this_thread)
        sweep(this_thread);
    return take_now(this_thread, flow) == flow;
}

void pitpy_flow_leave(pitpy_flow *flow)
{
    pthread_mutex_lock(&ending);
    leave_and_unlock(flow);
}

/* Releasing a context can run any code, even spans, so the flow is made ready first. */
void pitpy_flow_rest(pitpy_flow *flow)
{
    struct pitpy_alias *aliases = flow->aliases;
    PyObject *context = flow->owned;
    size_t count = flow->alias_count;
    flow->aliases = NULL;
    flow->alias_count = flow->alias_room = 0;
    flow->floor = 0;
    flow->held_count = 0;
    set_context(flow, flow->context);
    if (flow->watch & PITPY_GENERATOR) { /* unused until a context takes it over */
        flow->context = (PyObject *)&nobody;
        flow->owned = NULL;
        flow->watch = PITPY_GENERATORS;
        if (flow->thread)
            flow->thread->generators--;
    }
    for (size_t i = 0; i < count; i++)
        Py_XDECREF(aliases[i].context);
    free(aliases);
    Py_XDECREF(context);
}
