/* Hooks: wrappers that stand in place of a library's own functions, for programs that know nothing of
 * Pitwall (pitwall run). They are in C so that a traceback, the depth of recursion and the time of a
 * call stay what they were.
 *
 * A hook is of a kind (a bit: forward, backward, …) and makes a span of the outermost call only: the
 * layers inside a model are passed on after one test. The hook of a loop's `next` also has the loop's
 * steps: one lasts from asking for a batch to asking for the next one.
 */
#include "pitpy.h"

#include <stddef.h>

static __thread unsigned inside
    __attribute__((tls_model("initial-exec"))); /* kinds that are open */
/* Spans of hooks but those of a loop's next, on this thread: whether anything was done in a step. */
static __thread uint64_t works __attribute__((tls_model("initial-exec")));

/* Guarded by the interpreter's lock, as everything below. */
static struct counts {
    uint64_t spans, passed, steps;
    uint64_t watched, watched_ns; /* of every 16th span: what beginning and ending it took */
} counts;
#define WATCH_EVERY 16u
#define WATCH_MOST_NS 10000u /* more is another process's time */
static uint64_t note_at = 1; /* spans at which `note` is to be called */
static PyObject *note;       /* called now and then, with nothing */
static PyObject *loop_name;  /* the attribute of an iterator that holds its loop */

/* Tell Python how many there are: at the first, and then whenever there are four times as many. */
static void call_note(void)
{
    PyObject *type, *value, *traceback;
    note_at *= 4;
    if (!note)
        return;
    unsigned before = inside;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallNoArgs(note);
    Py_XDECREF(result);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    inside = before;
}

static inline void count_span(void)
{
    if (PITPY_UNLIKELY(++counts.spans >= note_at))
        call_note();
}

/* One of the spans that are watched: the program's caches are as cold as they really are. */
static PyObject *watched_call(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames)
{
    pitpy_open open;
    uint64_t begin = pitpy_monotonic_ns();
    pitpy_begin(self->name, 0, &open);
    uint64_t call = pitpy_monotonic_ns();
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    uint64_t done = pitpy_monotonic_ns();
    pitpy_end(&open);
    uint64_t ns = call - begin + pitpy_monotonic_ns() - done;
    PyErr_Restore(type, value, traceback);
    if (ns < WATCH_MOST_NS) {
        counts.watched++;
        counts.watched_ns += ns;
    }
    return result;
}

static void end_keeping_error(const pitpy_open *open)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pitpy_end(open);
    PyErr_Restore(type, value, traceback);
}

/* ---- the outermost call ------------------------------------------------------------------------ */

PITPY_HOT static PyObject *hook_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                           PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    unsigned before = inside;
    if (before & self->not_in) {
        counts.passed++;
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    inside = before | self->kind;
    PyObject *result;
    if (PITPY_UNLIKELY(!self->name)) {
        result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
        inside = before;
        return result;
    }
    pitpy_open open;
    count_span();
    works++;
    if (PITPY_UNLIKELY(works % WATCH_EVERY == 0)) {
        result = watched_call(self, args, nargsf, kwnames);
        inside = before;
        return result;
    }
    pitpy_begin(self->name, 0, &open);
    result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    inside = before;
    if (PITPY_LIKELY(result != NULL))
        pitpy_end(&open);
    else
        end_keeping_error(&open);
    return result;
}

/* ---- loops and their steps --------------------------------------------------------------------- */

/* One loop over a loader. It hangs on the iterator, so a loop that is left by break ends its step when
 * the iterator goes. */
typedef struct loop {
    PyObject_HEAD int is_open; /* in a step */
    pitpy_open step;
    uint64_t works;             /* of the thread, when the step began */
    struct loop *older, *newer; /* loops in a step, of all threads */
} loop;

static loop *newest;

static void loop_unlink(loop *self)
{
    if (self->newer)
        self->newer->older = self->older;
    else
        newest = self->older;
    if (self->older)
        self->older->newer = self->newer;
    self->older = self->newer = NULL;
    self->is_open = 0;
}

/* End its step, and those of loops inside it that were left. */
static void loop_end_step(loop *self)
{
    pitpy_flow *flow = self->step.flow;
    for (loop *other = newest, *older; other != self; other = older) {
        older = other->older;
        if (other->step.flow != flow)
            continue;
        loop_unlink(other);
        pitpy_end(&other->step);
    }
    loop_unlink(self);
    pitpy_end(&self->step);
}

static void loop_begin_step(loop *self, pitpy_name *name)
{
    count_span();
    counts.steps++;
    pitpy_begin(name, 0, &self->step);
    self->is_open = 1;
    self->works = works;
    self->older = newest;
    if (newest)
        newest->newer = self;
    newest = self;
}

/* No batch came: there was no step. */
static void loop_drop_step(loop *self)
{
    loop_unlink(self);
    pitpy_drop(&self->step);
    counts.steps--;
    counts.spans--;
}

static void loop_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    if (((loop *)object)->is_open)
        loop_end_step((loop *)object);
    PyErr_Restore(error, value, traceback);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* The iterator's loop, a new reference, made at its first next. NULL, without an exception: it cannot
 * have one. */
static loop *loop_of(pitpy_state *state, PyObject *iterator)
{
    PyObject *found = PyObject_GetAttr(iterator, loop_name);
    if (found && Py_IS_TYPE(found, state->loop_type))
        return (loop *)found;
    PyErr_Clear();
    Py_XDECREF(found);
    loop *made = PyObject_New(loop, state->loop_type);
    if (made) {
        made->is_open = 0;
        made->older = made->newer = NULL;
        if (PyObject_SetAttr(iterator, loop_name, (PyObject *)made) == 0)
            return made;
        Py_DECREF(made);
    }
    PyErr_Clear();
    return NULL;
}

/* Another loop's step has just begun here and nothing was done in it: two loaders side by side, as in
 * zip, feed one step. */
static int is_beside_another(void)
{
    const pitpy_flow *flow = pitpy_flow_here();
    const loop *other = newest;
    while (other && other->step.flow != flow)
        other = other->older;
    return other && other->works == works;
}

static pitpy_name *step_name(const pitpy_timed *self)
{
    PyObject *answer = self->question ? PyObject_CallNoArgs(self->question) : NULL;
    int learns = answer ? PyObject_IsTrue(answer) : 1;
    Py_XDECREF(answer);
    if (learns < 0 || !answer)
        PyErr_Clear();
    PyObject *text = PyUnicode_InternFromString(learns ? "step" : "eval_step");
    pitpy_name *name = text ? pitpy_name_of(self->state, text) : NULL;
    Py_XDECREF(text);
    if (!name)
        PyErr_Clear();
    return name;
}

/* A step of the loop, if one begins here; NULL if not. */
static loop *begin_step(pitpy_timed *self, PyObject *iterator)
{
    loop *own = loop_of(self->state, iterator);
    if (own && own->is_open)
        loop_end_step(own);
    pitpy_name *name = own && !is_beside_another() ? step_name(self) : NULL;
    if (!name) {
        Py_XDECREF(own);
        return NULL;
    }
    loop_begin_step(own, name);
    return own;
}

static void end_without_item(const pitpy_open *open, loop *step)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!type || PyErr_GivenExceptionMatches(type, PyExc_StopIteration)) {
        pitpy_drop(open);
        counts.spans--;
    } else {
        pitpy_end(open);
    }
    if (step && step->is_open)
        loop_drop_step(step);
    PyErr_Restore(type, value, traceback);
}

PITPY_HOT static PyObject *next_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                           PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    unsigned before = inside;
    if (before & self->not_in || PyVectorcall_NARGS(nargsf) < 1) {
        counts.passed++;
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    loop *step = before == 0 ? begin_step(self, args[0]) : NULL;
    pitpy_open open;
    inside = before | self->kind;
    count_span();
    pitpy_begin(self->name, 0, &open);
    PyObject *item = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    inside = before;
    if (PITPY_LIKELY(item != NULL))
        pitpy_end(&open);
    else
        end_without_item(&open, step);
    Py_XDECREF(step);
    return item;
}

/* ---- the module's functions -------------------------------------------------------------------- */

/* _hook(function, name or None, kind, not_in), _hook_next(function, name, kind, not_in, question) */
static PyObject *make(PyObject *module, PyObject *args, vectorcallfunc vectorcall)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *function, *text, *question = NULL;
    unsigned kind, not_in;
    if (!PyArg_ParseTuple(args, "OOII|O:_hook", &function, &text, &kind, &not_in, &question))
        return NULL;
    pitpy_name *name = text == Py_None ? NULL : pitpy_name_of(state, text);
    if (!name && text != Py_None)
        return NULL;
    pitpy_timed *self = pitpy_timed_new(state, function, name, vectorcall);
    if (self) {
        self->kind = kind;
        self->not_in = not_in;
        self->question = Py_XNewRef(question);
    }
    return (PyObject *)self;
}

static PyObject *function_hook(PyObject *module, PyObject *args)
{
    return make(module, args, hook_vectorcall);
}

static PyObject *function_hook_next(PyObject *module, PyObject *args)
{
    return make(module, args, next_vectorcall);
}

/* _hook_counts(): spans, calls that were passed on, steps, spans that were watched, their nanoseconds. */
static PyObject *function_counts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return Py_BuildValue("KKKKK", (unsigned long long)counts.spans,
                         (unsigned long long)counts.passed, (unsigned long long)counts.steps,
                         (unsigned long long)counts.watched, (unsigned long long)counts.watched_ns);
}

/* _hook_start(note): count from nothing, and call note() now and then. */
static PyObject *function_start(PyObject *module, PyObject *function)
{
    (void)module;
    counts = (struct counts){0};
    note_at = 1;
    Py_XDECREF(note);
    note = Py_NewRef(function);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_hook", function_hook, METH_VARARGS, NULL},
                                  {"_hook_next", function_hook_next, METH_VARARGS, NULL},
                                  {"_hook_counts", function_counts, METH_NOARGS, NULL},
                                  {"_hook_start", function_start, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

static PyType_Slot loop_slots[] = {{Py_tp_dealloc, PITPY_SLOT(loop_dealloc)}, {0, NULL}};
static PyType_Spec loop_spec = {"pitwall._pitwall._loop", sizeof(loop), 0,
                                Py_TPFLAGS_DEFAULT | PITPY_IMMUTABLE | PITPY_NO_NEW, loop_slots};

int pitpy_add_hook(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    state->loop_type = pitpy_make_type(module, &loop_spec);
    if (!loop_name)
        loop_name = PyUnicode_InternFromString("_pitwall_loop");
    return state->loop_type && loop_name ? PyModule_AddFunctions(module, functions) : -1;
}
