/* pitpy.h: shared by the files of the Python extension.
 *
 *   _pitwall.c      the module: its state, its types, its functions
 *   py_flow.c       which stack of open spans a piece of Python runs on (asyncio, greenlets, threads)
 *   py_context.c    the context of the calling code
 *   py_generator.c  spans that a generator leaves open while it is suspended
 *   py_frame.h      the interpreter's frames
 *   py_name.c       names of spans, resolved once
 *   py_span.c       pitwall.span
 *   py_timed.c      the wrapper of a timed function
 *   py_hook.h       hooks in unmodified programs: wrappers of a library's functions (py_hook.c),
 *                   steps of loops (py_loop.c), steps between two steps of an optimiser (py_cut.c)
 *   py_dist.c       hooks of communication between processes, and groups of ranks
 *   py_iter.c       the wrapper of a timed iterable
 *   py_recorder.c   open, close, values, labels, the journal
 *   py_read.c       runs as dicts and lists; reports as text
 *   py_ranks.c      the ranks of a job
 *   py_peek.c       the instruction that a thread is at, read without the lock
 *   py_stack.c      the thread that samples where the main thread is
 *   py_alloc.c      what a call allocates through Python's allocators
 *   py_blocks.c     blocks of memory by their address
 *   tools_*.c       views, monitors, analyses, benchmarks
 *
 * Everything runs with the interpreter's lock held unless its comment says otherwise. */
#ifndef PITPY_H
#define PITPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "pitwall.h"
#include "pitwall_report.h"
#include "py_frame.h"

#define PITPY_LIKELY(x) __builtin_expect(!!(x), 1)
#define PITPY_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ISO C has no conversion of a function to void *, which slots and methods need. */
#define PITPY_SLOT(function) (__extension__(void *)(function))
#define PITPY_METHOD(function) ((PyCFunction)(void (*)(void))(function))

/* Type flags that older versions lack; without them types are mutable, which does no harm. */
#if PY_VERSION_HEX >= 0x030A0000
#define PITPY_IMMUTABLE Py_TPFLAGS_IMMUTABLETYPE
#define PITPY_NO_NEW Py_TPFLAGS_DISALLOW_INSTANTIATION
#else
#define PITPY_IMMUTABLE 0
#define PITPY_NO_NEW 0
#endif
#define PITPY_VECTORCALL Py_TPFLAGS_HAVE_VECTORCALL

#if PY_VERSION_HEX < 0x030A0000
static inline PyObject *Py_NewRef(PyObject *object)
{
    Py_INCREF(object);
    return object;
}
static inline PyObject *Py_XNewRef(PyObject *object)
{
    Py_XINCREF(object);
    return object;
}
#endif

/* ---- the module ------------------------------------------------------------------------------ */

/* The name of spans. Never freed: the recorder keeps its address. */
typedef struct pitpy_name {
    pit_site site;
    PyObject *text; /* str */
    pit_site *with; /* PITPY_FLAGS sites, indexed by flags; NULL before a span had any */
} pitpy_name;       /* two fit into a cache line */

#define PITPY_FLAGS 256u /* number of combinations of enum pit_span_flag */

#define PITPY_CACHE 256 /* a power of two */
#define PITPY_SPARE 64

#define PITPY_OPTIONS 6 /* of a span */

typedef struct pitpy_state {
    PyTypeObject *span_type, *bind_type, *done_type, *timed_type, *iter_type, *loop_type;
    PyObject *error; /* pitwall.Error */
    PyObject *names; /* str → address of a pitpy_name */
    PyObject *place; /* a ContextVar with an int: the place below which new tasks begin */
    PyObject *tools; /* data of tools_*.c: a dict, or NULL before its first use */
    PyObject *option_keys[PITPY_OPTIONS]; /* keyword names of span(), interned: memory, record, wait, … */
    int is_automatic;                     /* the default recorder was opened by a span */
    int is_for_samples;                   /* the default recorder was opened only for stack samples */
    struct {
        PyObject *text; /* owned, so that its address is not reused */
        pitpy_name *name;
    } cache[PITPY_CACHE]; /* by the address of the str */
} pitpy_state;

extern struct PyModuleDef pitpy_module;

/* A name that was used before, found by the address of its str. */
struct pitpy_known {
    PyObject *text; /* owned, so that its address is not reused */
    pitpy_name *name;
    uint32_t id; /* of its site, not 0 */
    uint64_t spare;
};

#define PITPY_LINE 64
#define PITPY_KNOWN 64 /* a power of two: 1 << 6 */
#define PITPY_KNOWN_OF(text) ((uint32_t)((uint32_t)(uintptr_t)(text)*0x9E3779B1u) >> (32 - 6))
#define PITPY_NEAR_SPANS 8

enum pitpy_watch {
    PITPY_TASK = 1,       /* an event loop runs it: its context tells where it belongs */
    PITPY_GENERATOR = 2,  /* it belongs to a generator: `context` is a weak reference to the generator */
    PITPY_GENERATORS = 4, /* the thread has flows of generators, one of which may be running */
};

/* A flow is a stack of open spans. A thread has one flow, one more for each context (asyncio task, greenlet)
 * that has open spans while another runs, and one for each generator that is suspended inside a span.
 * Members used by every begin and end come first. */
typedef struct pitpy_flow {
    PyObject *context; /* the context it runs for */
    int64_t open;      /* open spans of Python on it */
    PyObject *owned;   /* the same, a reference while open > 0; NULL: the thread's own, not referenced */
    size_t alias_count;
    int watch; /* enum pitpy_watch: why its spans take the slow path; usually 0 */
    int has_base;
    PyObject *base;              /* with has_base: the context of a thread or a greenlet, never entered */
    pit_stack *stack;            /* its spans while another flow runs */
    int64_t floor;               /* spans that were open when `context` was entered */
    struct pitpy_alias *aliases; /* contexts that run inside it */
    size_t alias_room;
    struct pitpy_thread *thread; /* NULL after the thread has ended */
    struct pitpy_flow *next;     /* in the list of spares */
    struct pitpy_left *held;     /* of a generator: spans that it leaves open, and may end elsewhere */
    uint32_t held_count, held_room;
    struct pitpy_flow *next_lost; /* in the thread's list of flows with spans that ended elsewhere */
    int is_lost;                  /* it is in that list */
} pitpy_flow;

#define PITPY_FLOW_BYTES 128
_Static_assert(sizeof(pitpy_flow) <= PITPY_FLOW_BYTES, "room for a flow");

/* Everything that spans need, in one page. Between two spans the program fills the caches with its own
 * data, so each lookup through types, the module, thread-local variables or the offset table of a shared
 * object would cost a cache line and a page. */
struct pitpy_near {
    /* one cache line that every span needs */
    void *thread;     /* owner of this flow: usually the thread that holds the interpreter's lock */
    pitpy_flow *flow; /* the flow it runs on */
    struct pitpy_span *spare; /* list of freed spans */
    int32_t here;             /* pit__here() of the thread, as an offset in bytes from `thread` */
    uint32_t spare_count;
    pit_token (*begin)(struct pit__thread *const *here, uint32_t id);  /* pit__begin_at */
    uint64_t (*end)(struct pit__thread *const *here, pit_token token); /* pit__end_at */
    PyThreadState *(*thread_state)(void);
    PyObject *none;
    /* the rest */
    pitpy_state *state; /* of the only module; NULL before its start and after its end */
    uint32_t spans_used;
    int flow_is_used;
    struct pitpy_known known[PITPY_KNOWN] __attribute__((aligned(PITPY_LINE)));
    unsigned char spans[PITPY_NEAR_SPANS][2 * PITPY_LINE]; /* the first span objects */
    unsigned char first_flow[PITPY_FLOW_BYTES];
} __attribute__((aligned(4096)));
_Static_assert(sizeof(struct pitpy_near) == 4096, "one page");
_Static_assert(sizeof(struct pitpy_known) == 32, "two fill a cache line");
extern struct pitpy_near pitpy_near __attribute__((visibility("hidden")));
#define pitpy_hot (pitpy_near.state)
#define PITPY_HOT __attribute__((hot))
/* Not on the fast path, but used by spans with flags: its code is placed next to the fast path. */
#define PITPY_BESIDE __attribute__((hot, noinline))
/* Small functions that are not inlined and stay in the order of the file, so that they share few cache
 * lines of code. */
#if defined(__clang__)
#define PITPY_SHORT __attribute__((hot, noinline))
#else
#define PITPY_SHORT __attribute__((hot, noinline, no_reorder))
#endif

/* Is it in this page, so that it must not be freed? */
static inline int pitpy_is_near(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)&pitpy_near < sizeof pitpy_near;
}

/* Free the list of freed spans. */
void pitpy_free_spares(pitpy_state *state);

static inline pitpy_state *pitpy_state_of(PyObject *module)
{
    return (pitpy_state *)PyModule_GetState(module);
}

/* The state, found through one of the module's types. */
static inline pitpy_state *pitpy_state_of_type(PyTypeObject *type)
{
    return (pitpy_state *)PyType_GetModuleState(type);
}

/* Add functions to the module. Returns 0, or -1 with an exception. */
int pitpy_add_span(PyObject *module);
int pitpy_add_timed(PyObject *module);
int pitpy_add_marks(PyObject *module);
int pitpy_add_hook(PyObject *module);
int pitpy_add_dist(PyObject *module);
int pitpy_add_iter(PyObject *module);
int pitpy_add_recorder(PyObject *module);
int pitpy_add_stack(PyObject *module);
int pitpy_add_read(PyObject *module);
int pitpy_add_ranks(PyObject *module);
int pitpy_add_tools(PyObject *module); /* views, monitors, analyses and benchmarks */

/* A heap type of the module; pitpy_add_type also makes it an attribute. Returns NULL with an exception. The
 * state owns the reference. */
PyTypeObject *pitpy_make_type(PyObject *module, PyType_Spec *spec);
PyTypeObject *pitpy_add_type(PyObject *module, PyType_Spec *spec);

/* Add an attribute; the caller keeps its reference to object. NULL counts as a failure. */
int pitpy_add_object(PyObject *module, const char *name, PyObject *object);

/* Raise pitwall.Error with its code: "what: why". Always returns NULL. detail NULL: the text of the code. */
PyObject *pitpy_fail(pitpy_state *state, int code, const char *what, const char *detail);

/* ---- names ----------------------------------------------------------------------------------- */

/* The text as UTF-8, to be freed. Lone surrogates, which UTF-8 cannot represent, are escaped. Returns NULL
 * with an exception. */
char *pitpy_utf8_copy(PyObject *text);

/* The same as bytes, for O& in PyArg_ParseTuple: a PyObject * that the caller releases. */
int pitpy_to_utf8(PyObject *text, void *bytes);

/* The slow path: a larger table of addresses, then a comparison of texts. Returns NULL with an exception if
 * text is not a str or empty. */
pitpy_name *pitpy_name_find(pitpy_state *state, PyObject *text);

static inline pitpy_name *pitpy_name_of(pitpy_state *state, PyObject *text)
{
    const struct pitpy_known *known = &pitpy_near.known[PITPY_KNOWN_OF(text)];
    return PITPY_LIKELY(known->text == text) ? known->name : pitpy_name_find(state, text);
}

/* Forget the addresses of texts. */
void pitpy_names_clear(pitpy_state *state);

/* ---- flows: one stack of open spans each ----------------------------------------------------- */

struct pitpy_alias {
    PyObject *context; /* a reference */
    int64_t floor;
};

/* Identifies the calling thread among living threads: its thread pointer, one load. */
static inline void *pitpy_this_thread(void)
{
#if defined(__x86_64__)
    void *pointer;
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
#elif defined(__aarch64__)
    return __builtin_thread_pointer();
#else
    static __thread char own;
    return &own;
#endif
}

/* Does pitpy_near belong to the calling thread? Threads that end release it without the lock. */
static inline int pitpy_near_is_mine(void)
{
    return __atomic_load_n(&pitpy_near.thread, __ATOMIC_RELAXED) == pitpy_this_thread();
}

static inline struct pit__thread *const *pitpy_here(void)
{
    return (struct pit__thread *const *)(uintptr_t)((uintptr_t)pitpy_this_thread() +
                                                    (uintptr_t)(intptr_t)pitpy_near.here);
}

typedef struct pitpy_open {
    pit_token token; /* 0: not recorded */
    pitpy_flow *flow;
    uint64_t begin_ns; /* if token is 0: of CLOCK_MONOTONIC; if a generator holds it: _RAW */
} pitpy_open;

/* py_context.c. The context of the calling code, made if there is none yet. NULL if memory is exhausted. */
PyObject *pitpy_context_now(void);
/* Does code run in it by Context.run or as a task? The own context of a thread or a greenlet is never entered
 * and does not count. */
int pitpy_context_is_entered(PyObject *context);
/* The running context, if it is the thread's own; else NULL. */
PyObject *pitpy_context_own(PyObject *context);
/* Contexts made while an event loop runs on this thread belong to tasks. */
int pitpy_loop_is_running(void);

/* Make pitpy_near the calling thread's; returns its flow. */
pitpy_flow *pitpy_flow_near(void);
/* Find the flow of the calling code and switch to it. */
pitpy_flow *pitpy_flow_switch(void);
/* Switch to a generator's flow, created if necessary, for a span that it leaves open. Returns an object to
 * pass back once the span has begun; NULL: treat the span like any other. */
PyObject *pitpy_flow_of_generator(PyObject *generator);
/* The generator that will leave the span that begins now open; borrowed. NULL: none. */
PyObject *pitpy_generator_holding(void);
/* The first flow, found by flow_of, among the generators that the calling code runs in, innermost first. */
pitpy_flow *pitpy_generator_running(pitpy_flow *(*flow_of)(PyObject *weak));
/* Switch to a flow to end a span on it. Returns 0 if it belongs to another thread. */
int pitpy_flow_resume(pitpy_flow *flow);
/* A span that a generator leaves open has begun. */
void pitpy_flow_hold(pitpy_open *open);
/* End a span, maybe one that a generator left open on another thread. */
uint64_t pitpy_end_held(const pitpy_open *open);
/* A span on another thread's flow has been destroyed. */
void pitpy_flow_leave(pitpy_flow *flow);
/* The last span of a flow has ended. */
void pitpy_flow_rest(pitpy_flow *flow);
/* A span of a task has begun or ended: tasks that it creates from now on begin there. */
void pitpy_flow_moved(const pitpy_flow *flow);

/* The flow of the calling code. */
static inline pitpy_flow *pitpy_flow_here(void)
{
    pitpy_flow *flow = PITPY_LIKELY(pitpy_near_is_mine()) ? pitpy_near.flow : pitpy_flow_near();
    const PyObject *context = pitpy_near.thread_state()->context;
    if (PITPY_UNLIKELY(flow->context != context) || PITPY_UNLIKELY(flow->watch & PITPY_GENERATORS))
        flow = pitpy_flow_switch();
    return flow;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Begin a span on the slow path: the first one of a name, or one with flags. If there is no recorder and
 * none was requested, one is opened; otherwise nothing is recorded. */
pit_token pitpy_begin_rare(pitpy_name *name, unsigned flags, pitpy_open *open);
uint64_t pitpy_end_rare(const pitpy_open *open);
/* Nanoseconds since it began. */
uint64_t pitpy_age(const pitpy_open *open);
uint64_t pitpy_monotonic_ns(void);

/* A duration: nanoseconds, or ticks of the clock, which are converted only on request. */
#define PITPY_TICKS ((uint64_t)1 << 63)
#define PITPY_NO_TIME UINT64_MAX /* not available */

/* The site of a name with these flags; lives as long as the name. NULL if memory is exhausted. */
pit_site *pitpy_site_with(pitpy_name *name, unsigned flags);

/* Call this after a span has begun on the flow. */
static inline void pitpy_begin_flow(pitpy_flow *flow)
{
    if (flow->open++ == 0)
        Py_XINCREF(flow->owned);
    if (PITPY_UNLIKELY(flow->watch))
        pitpy_flow_moved(flow);
}

static inline void pitpy_begin(pitpy_name *name, unsigned flags, pitpy_open *open)
{
    pitpy_flow *flow = pitpy_flow_here();
    uint32_t id = flags ? 0 : name->site.id;
    pit_token token = PITPY_LIKELY(id != 0) ? pitpy_near.begin(pitpy_here(), id) : 0;
    if (PITPY_UNLIKELY(!token))
        token = pitpy_begin_rare(name, flags, open);
    pitpy_begin_flow(flow);
    open->token = token;
    open->flow = flow;
}

/* The common case of an end. Returns the duration, or PITPY_NO_TIME: not the common case, nothing was done. */
static inline uint64_t pitpy_end_common(const pitpy_open *open)
{
    if (PITPY_UNLIKELY(!pitpy_near_is_mine()) || PITPY_UNLIKELY(open->flow != pitpy_near.flow) ||
        PITPY_UNLIKELY(!open->token))
        return PITPY_NO_TIME;
    return pitpy_near.end(pitpy_here(), open->token) | PITPY_TICKS;
}

/* Call this after pitpy_end_common. */
static inline void pitpy_end_flow(pitpy_flow *flow)
{
    if (PITPY_UNLIKELY(flow->watch))
        pitpy_flow_moved(flow);
    if (--flow->open == 0 && PITPY_UNLIKELY(flow->owned || flow->alias_count))
        pitpy_flow_rest(flow);
}

/* End a span; returns its duration, or PITPY_NO_TIME. */
static inline uint64_t pitpy_end(const pitpy_open *open)
{
    uint64_t taken = pitpy_end_common(open);
    if (PITPY_UNLIKELY(taken == PITPY_NO_TIME))
        return pitpy_end_rare(open);
    pitpy_end_flow(open->flow);
    return taken;
}

/* Cancel a span, as if it had not begun. */
void pitpy_drop(const pitpy_open *open);

/* ---- py_marks.c: device times by events of Python code ------------------------------------------ */

typedef struct pitpy_mark {
    PyObject *object; /* NULL: none */
    uint64_t place;   /* of the span */
} pitpy_mark;

/* Call this before a begin. Returns 0 if there is no such device and the recorder handles PIT_DEVICE. */
int pitpy_mark_begin(pitpy_mark *mark);
/* Call these after the begin and after the end. Objects that are not marks are ignored. */
static inline void pitpy_mark_place(pitpy_mark *mark)
{
    if (PITPY_UNLIKELY(mark->object != NULL))
        mark->place = pit_position();
}
void pitpy_mark_end(const pitpy_mark *mark, const pitpy_name *name);
/* Called before the recorder closes. */
void pitpy_marks_flush(void);
/* A span with PIT_WAIT begins: let Python look for the device to wait for. */
void pitpy_wait_ready(void);
/* Hooks use marks: it is known whether there is such a device. */
extern int pitpy_marks_hooks __attribute__((visibility("hidden")));

/* ---- wrappers of functions --------------------------------------------------------------------- */

typedef struct pitpy_timed {
    PyObject_HEAD vectorcallfunc vectorcall;
    pitpy_state *state;
    pitpy_name *name; /* NULL: a hook that makes no span */
    unsigned flags;
    unsigned kind,
        not_in;    /* hooks: the bit of its kind, and the kinds inside which it is ignored */
    unsigned role; /* hooks: enum pitpy_role */
    PyTypeObject *loss; /* hook of modules: the class of losses, or NULL */
    PyObject *function;
    PyObject *question;   /* hooks of models and loops: a function that tells whether gradients are on; or
                             NULL */
    PyObject *attributes; /* __dict__ */
    PyObject *weak;
} pitpy_timed;

pitpy_timed *pitpy_timed_new(pitpy_state *state, PyObject *function, pitpy_name *name,
                             vectorcallfunc vectorcall);

/* Cancel the step that a hook has open on this thread, if any: the recorder closes. */
void pitpy_cut_leave(void);

/* ---- allocations ----------------------------------------------------------------------------- */

typedef struct pitpy_block {
    uintptr_t address;
    size_t size;
    uint32_t epoch, owner; /* see py_alloc.c */
} pitpy_block;

/* Returns 0; 1: a block with that address existed, now in *before; -1: no room. */
int pitpy_blocks_add(const pitpy_block *block, pitpy_block *before);
/* Removes a block; returns 1 if it existed. */
int pitpy_blocks_take(uintptr_t address, pitpy_block *block);
size_t pitpy_blocks_bytes(void); /* memory that the table itself uses */
void pitpy_blocks_clear(void);

#define PITPY_NO_OWNER UINT32_MAX

/* A call whose allocations are counted; begun and ended on one thread. */
typedef struct pitpy_held {
    struct pitpy_held *outer;
    size_t live, peak;
    size_t table_bytes; /* at the begin */
    uint32_t epoch, owner;
    int is_spoilt; /* the hooks were off for a while: only sure_peak is valid */
    size_t sure_peak;
} pitpy_held;

void pitpy_held_begin(pitpy_held *held);
void pitpy_held_end(pitpy_held *held, pit_counted *counted);

/* ---- samples of the main thread's stack ------------------------------------------------------- */

/* Is sampling decided for the open recorder? 0 at first, and after each close and fork. */
extern int pitpy_stack_is_settled __attribute__((visibility("hidden")));
/* The default recorder may have been opened: start sampling, or record why not. */
void pitpy_stack_start(void);
/* The same; also opens the recorder if the environment or a fork requires one. */
void pitpy_stack_ready(void);
/* Called before the close. Releases the interpreter's lock for a while. */
void pitpy_stack_stop(void);

/* ---- recorders ------------------------------------------------------------------------------- */

/* Open the default recorder in memory, unless there is or was one. Returns 1 if it was opened. */
int pitpy_open_default(pitpy_state *state);

/* A run's id in hex. */
PyObject *pitpy_hex(const unsigned char id[16]);

/* A duration as nanoseconds, if available. */
static inline uint64_t pitpy_in_ns(uint64_t taken)
{
    int is_ticks = taken != PITPY_NO_TIME && taken & PITPY_TICKS;
    return is_ticks ? pit__ticks_ns(taken & ~PITPY_TICKS) : taken;
}

/* A duration in seconds, or NaN for PITPY_NO_TIME, as a float object. */
static inline PyObject *pitpy_seconds(uint64_t taken)
{
    uint64_t ns = pitpy_in_ns(taken);
    return PyFloat_FromDouble(ns == PITPY_NO_TIME ? Py_NAN : (double)ns * 1e-9);
}

#endif
