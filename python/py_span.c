/* pitwall.span: a context manager and a decorator, with methods begin and end.
 *
 * A `with` looks up __enter__ and __exit__ on the type and would allocate a bound method for each. To avoid
 * that, both are descriptors that return the span itself, and a span is callable: without arguments it
 * enters, with three it exits. Every use has its own object, taken from a free list; the object holds its
 * begin, so it can end in any place.
 */
#include "pitpy.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* An earlier begin of a span that was begun again before it ended: recursion, or shared by threads. */
struct older {
    pitpy_open open;
    pitpy_mark mark;
    struct older *next;
};

/* An ordinary use touches only one cache line. */
typedef struct pitpy_span {
    PyObject_HEAD vectorcallfunc vectorcall;
    union {
        pitpy_name *name;
        struct pitpy_span *next; /* in the list of spares */
    };
    uint32_t id;     /* of its name; 0: none yet, or it has flags: not for the fast path */
    uint32_t begins; /* begins that have not ended; the newest is `open` */
    pitpy_open open; /* while nothing is open, its begin_ns is the duration of the last end */
    struct older *older;
    unsigned flags;  /* used if id is 0 */
    pitpy_mark mark; /* device mark of the newest begin; none if nothing is open */
} pitpy_span;

_Static_assert(offsetof(pitpy_span, older) <= PITPY_LINE, "a span fits a cache line");
_Static_assert(sizeof(pitpy_span) <= sizeof pitpy_near.spans[0], "room for a span");
#define ELAPSED(span) ((span)->open.begin_ns) /* PITPY_NO_TIME: never ended */

/* ---- begin and end, the parts that are rare --------------------------------------------------- */

uint64_t pitpy_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each combination of flags has its own site, so the recorder finds the name without a search. */
PITPY_HOT pit_site *pitpy_site_with(pitpy_name *name, unsigned flags)
{
    pit_site *sites = name->with;
    if (PITPY_UNLIKELY(!sites)) {
        sites = calloc(PITPY_FLAGS, sizeof *sites);
        if (!sites)
            return NULL;
        for (unsigned i = 0; i < PITPY_FLAGS; i++)
            sites[i] = (pit_site){name->site.name, 0, i};
        name->with = sites;
    }
    return &sites[flags];
}

PITPY_HOT static pit_token begin_with(pitpy_name *name, unsigned flags)
{
    pit_site *site = pitpy_site_with(name, flags);
    return site ? pit_begin(site) : pit_begin_with(name->site.name, flags);
}

static pit_token begin_once(pitpy_name *name, unsigned flags)
{
    return flags ? begin_with(name, flags) : pit_begin(&name->site);
}

PITPY_BESIDE pit_token pitpy_begin_rare(pitpy_name *name, unsigned flags, pitpy_open *open)
{
    if (PITPY_UNLIKELY(!pitpy_stack_is_settled) && pit__enabled)
        pitpy_stack_ready();
    if (PITPY_UNLIKELY(flags & PIT_WAIT))
        pitpy_wait_ready();
    pit_token token = begin_once(name, flags);
    if (PITPY_UNLIKELY(!token) && pitpy_open_default(pitpy_hot))
        token = begin_once(name, flags);
    if (!token)
        open->begin_ns = pitpy_monotonic_ns();
    return token;
}

static void leave(pitpy_flow *flow, int is_here)
{
    if (is_here && flow->watch)
        pitpy_flow_moved(flow);
    if (!is_here)
        pitpy_flow_leave(flow);
    else if (--flow->open == 0)
        pitpy_flow_rest(flow);
}

PITPY_BESIDE uint64_t pitpy_end_rare(const pitpy_open *open)
{
    pitpy_flow *flow = open->flow;
    int is_here = pitpy_flow_resume(flow);
    uint64_t ns =
        open->token ? pit_end_out_of_order(open->token) : pitpy_monotonic_ns() - open->begin_ns;
    leave(flow, is_here);
    return ns || !open->token ? ns : PITPY_NO_TIME;
}

void pitpy_drop(const pitpy_open *open)
{
    pitpy_flow *flow = open->flow;
    int is_here = pitpy_flow_resume(flow);
    pit_cancel(open->token);
    leave(flow, is_here);
}

uint64_t pitpy_age(const pitpy_open *open)
{
    if (!open->token)
        return pitpy_monotonic_ns() - open->begin_ns;
    uint64_t ns = pitpy_flow_resume(open->flow) ? pit_age_ns(open->token) : 0;
    return ns ? ns : PITPY_NO_TIME;
}

/* ---- one object, several begins --------------------------------------------------------------- */

static PyObject *span_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames);
static PyObject *span_vectorcall_marked(PyObject *object, PyObject *const *args, size_t nargsf,
                                        PyObject *kwnames);

/* Make room for one more begin. Returns -1 if memory is exhausted. */
static int keep_older(pitpy_span *self)
{
    if (PITPY_LIKELY(!self->begins))
        return 0;
    struct older *older = malloc(sizeof *older);
    if (!older)
        return -1;
    *older = (struct older){self->open, self->mark, self->older};
    self->older = older;
    return 0;
}

/* Begin a span in any case. Returns 0, or -1 with an exception. To begin may run Python code, as the first
 * span of a thread or of the program does, and other threads may begin and end the same object meanwhile. So
 * the object is changed only after that. */
static int span_begin(pitpy_span *self)
{
    pitpy_mark mark = {NULL, 0};
    unsigned flags = self->id ? 0 : self->flags;
    if (PITPY_UNLIKELY(flags & PIT_DEVICE) && pitpy_mark_begin(&mark))
        flags &= ~(unsigned)PIT_DEVICE;
    pitpy_open open = self->open;
    PyObject *generator = pitpy_generator_holding();
    PyObject *held = PITPY_UNLIKELY(generator != NULL) ? pitpy_flow_of_generator(generator) : NULL;
    pitpy_begin(self->name, flags, &open);
    if (PITPY_UNLIKELY(held != NULL) && open.token)
        pitpy_flow_hold(&open);
    pitpy_mark_place(&mark);
    Py_XDECREF(held);
    if (PITPY_UNLIKELY(keep_older(self) < 0)) {
        pitpy_drop(&open);
        Py_XDECREF(mark.object);
        PyErr_NoMemory();
        return -1;
    }
    self->open = open;
    self->mark = mark;
    if (PITPY_UNLIKELY(mark.object != NULL))
        self->vectorcall = span_vectorcall_marked;
    self->begins++;
    return 0;
}

/* The newest begin of the calling task, or the newest of all if the task has none. Returns 0 if other threads
 * ended them all while the task was being found. */
static int take_open(pitpy_span *self, pitpy_open *open, pitpy_mark *mark)
{
    const pitpy_flow *here = PITPY_UNLIKELY(self->begins > 1) ? pitpy_flow_here() : NULL;
    if (PITPY_UNLIKELY(!self->begins))
        return 0;
    *open = self->open;
    *mark = self->mark;
    self->mark.object = NULL;
    if (PITPY_LIKELY(--self->begins == 0))
        return 1;
    struct older **at = &self->older, *taken;
    if (open->flow != here)
        while (*at && (*at)->open.flow != here)
            at = &(*at)->next;
    if (open->flow != here && *at) {
        taken = *at;
        self->mark = *mark;
        *open = taken->open;
        *mark = taken->mark;
        *at = taken->next;
    } else {
        taken = self->older;
        self->open = taken->open;
        self->mark = taken->mark;
        self->older = taken->next;
    }
    free(taken);
    return 1;
}

/* End a span in any case; returns its duration. */
PITPY_HOT static uint64_t span_end(pitpy_span *self)
{
    pitpy_open open;
    pitpy_mark mark;
    if (PITPY_UNLIKELY(!take_open(self, &open, &mark)))
        return PITPY_NO_TIME;
    uint64_t taken = pitpy_end_held(&open);
    if (PITPY_LIKELY(!self->begins)) {
        self->vectorcall = span_vectorcall;
        ELAPSED(self) = taken;
    }
    if (PITPY_UNLIKELY(mark.object != NULL))
        pitpy_mark_end(&mark, self->name);
    return taken;
}

static PyObject *never_begun(pitpy_span *self)
{
    PyErr_Format(pitpy_hot->error,
                 "span '%U' is not open: it has already ended, or was never begun",
                 self->name->text);
    return NULL;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static PyObject *decorate(pitpy_span *self, PyObject *function)
{
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "span '%U' can decorate a function, not %.100s",
                     self->name->text, Py_TYPE(function)->tp_name);
        return NULL;
    }
    PyObject *package = PyImport_ImportModule("pitwall");
    PyObject *wrapped = !package ? NULL
                                 : PyObject_CallMethod(package, "_decorate", "OOI", function,
                                                       self->name->text, self->flags);
    Py_XDECREF(package);
    return wrapped;
}

PITPY_BESIDE static PyObject *span_enter_rare(pitpy_span *self)
{
    return span_begin(self) < 0 ? NULL : Py_NewRef((PyObject *)self);
}

PITPY_BESIDE static PyObject *span_exit_rare(pitpy_span *self)
{
    if (!self->begins)
        return never_begun(self);
    span_end(self);
    Py_RETURN_NONE;
}

/* () enters; (type, value, traceback) exits; (function) decorates. */
__attribute__((noinline)) static PyObject *span_call_rare(pitpy_span *self, PyObject *const *args,
                                                          size_t nargsf, PyObject *kwnames)
{
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (kwnames && PyTuple_GET_SIZE(kwnames)) {
        PyErr_SetString(PyExc_TypeError, "a span takes no keyword arguments when it is called");
        return NULL;
    }
    if (count == 0)
        return span_enter_rare(self);
    if (count == 3)
        return span_exit_rare(self);
    if (count == 1)
        return decorate(self, args[0]);
    PyErr_SetString(PyExc_TypeError, "a span is used as `with span:` or to decorate a function");
    return NULL;
}

/* Used while the span is open and has a mark: its end takes the slow path. */
static PyObject *span_vectorcall_marked(PyObject *object, PyObject *const *args, size_t nargsf,
                                        PyObject *kwnames)
{
    return span_call_rare((pitpy_span *)object, args, nargsf, kwnames);
}

PITPY_BESIDE static PyObject *span_new_rare(PyObject *const *args, size_t nargsf,
                                            PyObject *kwnames);
__attribute__((noinline)) static void span_dealloc_rare(pitpy_span *self);

/* The fast path: functions in the order in which a `with` calls them, in one page. All other cases are
 * handed to the functions above before anything is done. */
#define ONE_PAGE __attribute__((aligned(1024)))

/* A spare has kept its reference to the type: it only needs a new reference count. */
static inline pitpy_span *take_spare(pitpy_span *self)
{
    pitpy_near.spare = self->next;
    pitpy_near.spare_count--;
#ifdef Py_REF_DEBUG
    PyObject_Init((PyObject *)self, pitpy_hot->span_type);
    Py_DECREF(pitpy_hot->span_type);
#else
    Py_SET_REFCNT((PyObject *)self, 1);
#endif
    ELAPSED(self) = PITPY_NO_TIME;
    return self;
}

PITPY_SHORT ONE_PAGE static PyObject *span_type_vectorcall(PyObject *type, PyObject *const *args,
                                                           size_t nargsf, PyObject *kwnames)
{
    (void)type;
    pitpy_span *self = pitpy_near.spare;
    if (PITPY_LIKELY(PyVectorcall_NARGS(nargsf) == 1 && !kwnames && self)) {
        const struct pitpy_known *known = &pitpy_near.known[PITPY_KNOWN_OF(args[0])];
        if (PITPY_LIKELY(known->text == args[0])) {
            __builtin_prefetch(pitpy_near.flow, 1); /* a begin follows soon */
            __builtin_prefetch(*pitpy_here(), 1);
            take_spare(self);
            self->name = known->name;
            self->id = known->id;
            return (PyObject *)self;
        }
    }
    return span_new_rare(args, nargsf, kwnames);
}

/* The result of looking up __enter__ and __exit__. */
PITPY_SHORT static PyObject *bind_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    return Py_NewRef(object ? object : self);
}

PITPY_SHORT static PyObject *span_enter(pitpy_span *self)
{
    pitpy_flow *flow = pitpy_near.flow;
    if (PITPY_UNLIKELY(!pitpy_near_is_mine()) || PITPY_UNLIKELY(self->begins) ||
        PITPY_UNLIKELY(!self->id) || PITPY_UNLIKELY(flow->watch))
        return span_enter_rare(self);
    const PyThreadState *state = pitpy_near.thread_state();
    if (PITPY_UNLIKELY(state->context != flow->context) ||
        PITPY_UNLIKELY(pitpy_frame_is_generator(pitpy_frame_now(state))))
        return span_enter_rare(self);
    pit_token token = pitpy_near.begin(pitpy_here(), self->id);
    if (PITPY_UNLIKELY(!token))
        return span_enter_rare(self);
    if (flow->open++ == 0)
        Py_XINCREF(flow->owned);
    self->begins = 1;
    self->open.token = token;
    self->open.flow = flow;
    return Py_NewRef((PyObject *)self);
}

PITPY_SHORT static PyObject *span_exit(pitpy_span *self)
{
    uint64_t taken =
        PITPY_LIKELY(self->begins == 1) ? pitpy_end_common(&self->open) : PITPY_NO_TIME;
    if (PITPY_UNLIKELY(taken == PITPY_NO_TIME))
        return span_exit_rare(self);
    self->begins = 0;
    ELAPSED(self) = taken;
    pitpy_end_flow(self->open.flow);
    return Py_NewRef(pitpy_near.none);
}

PITPY_SHORT static PyObject *span_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                             PyObject *kwnames)
{
    pitpy_span *self = (pitpy_span *)object;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    if (PITPY_UNLIKELY(kwnames))
        return span_call_rare(self, args, nargsf, kwnames);
    if (count == 0)
        return span_enter(self);
    if (PITPY_LIKELY(count == 3))
        return span_exit(self);
    return span_call_rare(self, args, nargsf, kwnames);
}

PITPY_SHORT static void span_dealloc(PyObject *object)
{
    pitpy_span *self = (pitpy_span *)object;
    if (PITPY_UNLIKELY(self->begins) || PITPY_UNLIKELY(pitpy_near.spare_count >= PITPY_SPARE)) {
        span_dealloc_rare(self);
        return;
    }
    self->next = pitpy_near.spare;
    pitpy_near.spare = self;
    pitpy_near.spare_count++;
}

/* ---- make and throw away, where it is rare ------------------------------------------------------ */

/* In the page that spans need anyway, while there is room. Returns NULL if memory is exhausted. */
static pitpy_span *span_alloc(void)
{
    pitpy_span *self;
    if (pitpy_near.spans_used < PITPY_NEAR_SPANS)
        self = (pitpy_span *)(void *)pitpy_near.spans[pitpy_near.spans_used++];
    else
        self = aligned_alloc(PITPY_LINE, sizeof pitpy_near.spans[0]);
    if (!self)
        return NULL;
    PyObject_Init((PyObject *)self, pitpy_hot->span_type);
    self->vectorcall = span_vectorcall;
    self->older = NULL;
    self->mark.object = NULL;
    self->begins = 0;
    self->open.begin_ns = 0;
    ELAPSED(self) = PITPY_NO_TIME;
    return self;
}

static void span_free(pitpy_span *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (!pitpy_is_near(self))
        free(self);
    Py_DECREF(type);
}

void pitpy_free_spares(pitpy_state *state)
{
    (void)state;
    while (pitpy_near.spare) {
        pitpy_span *span = pitpy_near.spare;
        pitpy_near.spare = span->next;
        span_free(span);
    }
    pitpy_near.spare_count = 0;
}

/* A span that is destroyed while it is open ends then. */
static void end_all(pitpy_span *self)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    while (self->begins)
        span_end(self);
    PyErr_Restore(type, value, traceback);
}

static void span_dealloc_rare(pitpy_span *self)
{
    if (self->begins)
        end_all(self);
    if (!pitpy_hot || pitpy_near.spare_count >= PITPY_SPARE) {
        span_free(self);
        return;
    }
    self->next = pitpy_near.spare;
    pitpy_near.spare = self;
    pitpy_near.spare_count++;
}

static int parse_flag(PyObject *value, unsigned flag, unsigned *flags)
{
    int is_true = value == Py_True || PyObject_IsTrue(value);
    if (is_true > 0)
        *flags |= flag;
    return is_true < 0 ? -1 : 0;
}

static const struct {
    const char *key;
    unsigned flag;
} options[] = {{"memory", PIT_MEMORY}, {"record", PIT_RECORD}, {"wait", PIT_WAIT},
               {"leaks", PIT_LEAKS},   {"energy", PIT_ENERGY}, {"device", PIT_DEVICE}};
_Static_assert(sizeof options / sizeof options[0] == PITPY_OPTIONS, "a key for each");

/* The index of an option; PITPY_OPTIONS: unknown. Keywords in compiled code are interned, like ours. */
static size_t option_of(PyObject *key)
{
    size_t option = 0;
    while (option < PITPY_OPTIONS && pitpy_hot->option_keys[option] != key)
        option++;
    if (PITPY_LIKELY(option < PITPY_OPTIONS))
        return option;
    option = 0;
    while (option < PITPY_OPTIONS &&
           PyUnicode_CompareWithASCIIString(key, options[option].key) != 0)
        option++;
    return option;
}

/* span(name, memory=False, record=False, *, wait=False, leaks=False, energy=False, device=False). Returns
 * 0, or -1 with an exception. */
static int parse_arguments(PyObject *const *args, Py_ssize_t count, PyObject *kwnames,
                           PyObject **text, unsigned *flags)
{
    if (count > 3) {
        PyErr_Format(PyExc_TypeError, "span() takes at most 3 positional arguments, not %zd",
                     count);
        return -1;
    }
    *text = count ? args[0] : NULL;
    for (Py_ssize_t i = 1; i < count; i++)
        if (parse_flag(args[i], options[i - 1].flag, flags) < 0)
            return -1;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++) {
        PyObject *key = PyTuple_GET_ITEM(kwnames, i);
        size_t option = option_of(key);
        int is_name = option == PITPY_OPTIONS && PyUnicode_CompareWithASCIIString(key, "name") == 0;
        if (is_name && !*text) {
            *text = args[count + i];
        } else if (is_name || option == PITPY_OPTIONS || (Py_ssize_t)option + 1 < count) {
            PyErr_Format(PyExc_TypeError, "span() got an unexpected or repeated argument '%U'",
                         key);
            return -1;
        } else if (parse_flag(args[count + i], options[option].flag, flags) < 0) {
            return -1;
        }
    }
    if (*text)
        return 0;
    PyErr_SetString(PyExc_TypeError, "span() needs a name");
    return -1;
}

static PyObject *span_new_rare(PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyObject *text = NULL;
    unsigned flags = 0;
    if (parse_arguments(args, PyVectorcall_NARGS(nargsf), kwnames, &text, &flags) < 0)
        return NULL;
    pitpy_name *name = pitpy_name_of(pitpy_hot, text);
    if (!name)
        return NULL;
    pitpy_span *self = pitpy_near.spare ? take_spare(pitpy_near.spare) : span_alloc();
    if (!self)
        return PyErr_NoMemory();
    self->name = name;
    self->id = flags ? 0 : name->site.id;
    self->flags = flags;
    return (PyObject *)self;
}

/* ---- methods ---------------------------------------------------------------------------------- */

static PyObject *method_begin(PyObject *self, PyObject *unused)
{
    (void)unused;
    return span_begin((pitpy_span *)self) < 0 ? NULL : Py_NewRef(self);
}

static PyObject *method_end(PyObject *object, PyObject *unused)
{
    (void)unused;
    pitpy_span *self = (pitpy_span *)object;
    if (!self->begins)
        return never_begun(self);
    return pitpy_seconds(span_end(self));
}

static PyObject *method_drop(PyObject *object, PyObject *unused)
{
    (void)unused;
    pitpy_span *self = (pitpy_span *)object;
    if (!self->begins)
        return never_begun(self);
    pitpy_open open;
    pitpy_mark mark;
    if (PITPY_UNLIKELY(!take_open(self, &open, &mark)))
        return never_begun(self);
    Py_XDECREF(mark.object); /* its event is lost */
    if (!self->begins) {
        self->vectorcall = span_vectorcall;
        ELAPSED(self) = PITPY_NO_TIME;
    }
    pitpy_drop(&open);
    Py_RETURN_NONE;
}

static PyObject *get_is_open(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((pitpy_span *)self)->begins != 0);
}

static PyObject *get_elapsed(PyObject *object, void *unused)
{
    (void)unused;
    pitpy_span *self = (pitpy_span *)object;
    if (self->begins)
        return pitpy_seconds(pitpy_age(&self->open));
    ELAPSED(self) = pitpy_in_ns(ELAPSED(self)); /* convert once, and keep the result */
    return pitpy_seconds(ELAPSED(self));
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((pitpy_span *)self)->name->text);
}

static PyObject *span_repr(PyObject *object)
{
    pitpy_span *self = (pitpy_span *)object;
    const char *how = self->begins                     ? "open"
                      : ELAPSED(self) == PITPY_NO_TIME ? "not begun"
                                                       : "ended";
    return PyUnicode_FromFormat("<pitwall.span %R, %s>", self->name->text, how);
}

/* ---- `async with`: what is awaited is done at once --------------------------------------------- */

typedef struct done {
    PyObject_HEAD PyObject *value;
} done;

static PyObject *done_new(pitpy_state *state, PyObject *value)
{
    done *self = PyObject_New(done, state->done_type);
    if (self)
        self->value = Py_NewRef(value);
    return (PyObject *)self;
}

static void done_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_DECREF(((done *)object)->value);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *done_await(PyObject *self)
{
    return Py_NewRef(self);
}

static PyObject *done_next(PyObject *self)
{
    PyErr_SetObject(PyExc_StopIteration, ((done *)self)->value);
    return NULL;
}

static PyType_Slot done_slots[] = {{Py_tp_dealloc, PITPY_SLOT(done_dealloc)},
                                   {Py_am_await, PITPY_SLOT(done_await)},
                                   {Py_tp_iter, PITPY_SLOT(done_await)},
                                   {Py_tp_iternext, PITPY_SLOT(done_next)},
                                   {0, NULL}};
static PyType_Spec done_spec = {"pitwall._pitwall._done", sizeof(done), 0,
                                Py_TPFLAGS_DEFAULT | PITPY_IMMUTABLE | PITPY_NO_NEW, done_slots};

static PyObject *method_aenter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return span_begin((pitpy_span *)self) < 0 ? NULL : done_new(pitpy_hot, self);
}

static PyObject *method_aexit(PyObject *object, PyObject *unused)
{
    (void)unused;
    pitpy_span *self = (pitpy_span *)object;
    if (!self->begins)
        return never_begun(self);
    span_end(self);
    return done_new(pitpy_hot, Py_None);
}

/* ---- __enter__ and __exit__ -------------------------------------------------------------------- */

typedef struct bind {
    PyObject_HEAD
} bind;

/* type(span).__enter__(span), as ExitStack calls it: the span is the first argument. */
static PyObject *bind_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    pitpy_state *state = pitpy_state_of_type(Py_TYPE(self));
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1 || (count != 1 && count != 4) || (kwargs && PyDict_GET_SIZE(kwargs)) ||
        !Py_IS_TYPE(PyTuple_GET_ITEM(args, 0), state->span_type)) {
        PyErr_SetString(PyExc_TypeError,
                        "__enter__ takes a span; __exit__ takes a span and three arguments");
        return NULL;
    }
    PyObject *rest[3];
    if (count == 1) /* without an instance there is nothing to bind */
        return span_enter_rare((pitpy_span *)PyTuple_GET_ITEM(args, 0));
    for (Py_ssize_t i = 1; i < count; i++)
        rest[i - 1] = PyTuple_GET_ITEM(args, i);
    return span_vectorcall(PyTuple_GET_ITEM(args, 0), rest, (size_t)count - 1, NULL);
}

static void bind_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyType_Slot bind_slots[] = {{Py_tp_dealloc, PITPY_SLOT(bind_dealloc)},
                                   {Py_tp_descr_get, PITPY_SLOT(bind_get)},
                                   {Py_tp_call, PITPY_SLOT(bind_call)},
                                   {0, NULL}};
static PyType_Spec bind_spec = {"pitwall._pitwall._bind", sizeof(bind), 0,
                                Py_TPFLAGS_DEFAULT | PITPY_IMMUTABLE | PITPY_NO_NEW, bind_slots};

/* ---- the type --------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    span_doc,
    "span(name, memory=False, record=False, *, wait=False, leaks=False, energy=False, "
    "device=False)\n--\n\n"
    "Time a block of code under a name.\n\n"
    "    with pitwall.span(\"forward\"):\n        loss = model(x)\n\n"
    "Also usable with `async with`, as a decorator, and with begin() and end(). .elapsed is the\n"
    "time in seconds, so far or in all.\n\n"
    "memory: measure RSS and the process's peak too.\n"
    "record: keep each call individually.\n"
    "wait: wait for the device's work at both ends.\n"
    "leaks: report memory that is left allocated (requires libpitwall-alloc to be preloaded).\n"
    "energy: read the machine's energy counters.\n"
    "device: also time the GPU's work for this span, by events in its stream.");

static PyMethodDef span_methods[] = {
    {"begin", method_begin, METH_NOARGS,
     "begin($self, /)\n--\n\nBegin the span; returns the span."},
    {"end", method_end, METH_NOARGS, "end($self, /)\n--\n\nEnd the span; returns seconds."},
    {"drop", method_drop, METH_NOARGS,
     "drop($self, /)\n--\n\nDiscard the span: it is not recorded."},
    {"__aenter__", method_aenter, METH_NOARGS, NULL},
    {"__aexit__", method_aexit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef span_getset[] = {
    {"elapsed", get_elapsed, NULL, "Seconds so far, or in all once ended; nan before begin.", NULL},
    {"is_open", get_is_open, NULL, "True between begin and end.", NULL},
    {"name", get_name, NULL, "The span's name.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef span_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(pitpy_span, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot span_slots[] = {{Py_tp_dealloc, PITPY_SLOT(span_dealloc)},
                                   {Py_tp_doc, (void *)(uintptr_t)span_doc},
                                   {Py_tp_call, PITPY_SLOT(PyVectorcall_Call)},
                                   {Py_tp_repr, PITPY_SLOT(span_repr)},
                                   {Py_tp_methods, span_methods},
                                   {Py_tp_getset, span_getset},
                                   {Py_tp_members, span_members},
                                   {0, NULL}};
/* Mutable while it is created: __enter__ and __exit__ are set by hand. */
static PyType_Spec span_spec = {"pitwall.span", sizeof(pitpy_span), 0,
                                Py_TPFLAGS_DEFAULT | PITPY_VECTORCALL | PITPY_NO_NEW, span_slots};

int pitpy_add_span(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    state->done_type = pitpy_make_type(module, &done_spec);
    state->bind_type = pitpy_make_type(module, &bind_spec);
    state->span_type = pitpy_add_type(module, &span_spec);
    if (!state->done_type || !state->bind_type || !state->span_type)
        return -1;
    for (size_t i = 0; i < PITPY_OPTIONS; i++)
        if (!(state->option_keys[i] = PyUnicode_InternFromString(options[i].key)))
            return -1;
    PyObject *bound = (PyObject *)PyObject_New(bind, state->bind_type);
    PyObject *type = (PyObject *)state->span_type;
    int failed = !bound || PyObject_SetAttrString(type, "__enter__", bound) < 0 ||
                 PyObject_SetAttrString(type, "__exit__", bound) < 0;
    Py_XDECREF(bound);
    if (failed)
        return -1;
    state->span_type->tp_vectorcall = span_type_vectorcall;
    state->span_type->tp_flags |= PITPY_IMMUTABLE;
    PyType_Modified(state->span_type);
    return 0;
}
