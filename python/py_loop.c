/* py_loop.c: steps of loops over a loader. The hook of the loop's `next` records them: a step lasts from the
 * request for a batch to the request for the next one.
 */
#include "py_hook.h"

#include "py_frame.h"

#define CALLERS 8

static PyObject *loop_name; /* attribute of an iterator that holds its loop */
static int was_thrown;      /* the last loop was left after one batch without any work */

/* One loop over a loader. It is an attribute of the iterator, so a loop that is left by break ends its
 * step when the iterator is destroyed. */
typedef struct loop {
    PyObject_HEAD int is_open; /* in a step */
    pitpy_open step;
    int learns;              /* its step is a training step */
    int64_t depth;           /* number of open spans, including the step */
    unsigned steps;          /* steps that it began */
    uint64_t works, updates; /* pitpy_works and pitpy_updates of the thread when the step began */
    uintptr_t caller;        /* the code that requested the first batch */
    struct loop *older, *newer; /* loops inside a step, of all threads */
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

/* End its step, and the steps of loops inside it that were left. */
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

static void loop_begin_step(loop *self, int learns, pitpy_name *name)
{
    pitpy_count_span();
    self->learns = learns;
    pitpy_counts.steps++;
    pitpy_begin(name, 0, &self->step);
    self->is_open = 1;
    self->depth = self->step.flow->open;
    self->works = pitpy_works;
    self->updates = pitpy_updates;
    self->steps++;
    self->older = newest;
    if (newest)
        newest->newer = self;
    newest = self;
}

/* No batch came, so there was no step. */
static void loop_drop_step(loop *self)
{
    loop_unlink(self);
    pitpy_drop(&self->step);
    pitpy_counts.steps--;
    pitpy_counts.spans--;
}

/* next(iter(loader)): the batch is used after the iterator is gone, so this was not a step. */
static int is_thrown(const loop *self)
{
    was_thrown = self->steps == 1 && self == newest && self->works == pitpy_works &&
                 self->step.flow == pitpy_flow_here() && pitpy_has_optimizer();
    return was_thrown;
}

static void loop_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    loop *self = (loop *)object;
    if (self->is_open && is_thrown(self))
        loop_drop_step(self);
    else if (self->is_open)
        loop_end_step(self);
    PyErr_Restore(error, value, traceback);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* The iterator's loop, a new reference, created at its first next. Returns NULL without an exception if it
 * cannot have one. */
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
        made->steps = 0;
        made->older = made->newer = NULL;
        if (PyObject_SetAttr(iterator, loop_name, (PyObject *)made) == 0)
            return made;
        Py_DECREF(made);
    }
    PyErr_Clear();
    return NULL;
}

/* The innermost loop with an open step here, or NULL. */
static loop *loop_here(void)
{
    const pitpy_flow *flow = pitpy_flow_here();
    loop *other = newest;
    while (other && other->step.flow != flow)
        other = other->older;
    return other;
}

/* The current instructions of the calls on the stack, as one number. */
static uintptr_t calling_instructions(void)
{
    uintptr_t all = 0;
    const pitpy_frame *frame = pitpy_frame_now(PyThreadState_Get());
    for (int i = 0; frame && i < CALLERS; i++, frame = pitpy_frame_caller(frame))
        all =
            (all * 31 + (uintptr_t)frame->f_code) * 31 + (uintptr_t)pitpy_frame_instruction(frame);
    return all;
}

/* The second batch is requested by other code than the first, without any work in between: the program
 * fetches one batch ahead. The step belongs to the first batch. */
static int is_ahead(const loop *own)
{
    return own->steps == 1 && own->works == pitpy_works && own == loop_here() &&
           own->caller != calling_instructions();
}

void pitpy_loop_pause(void)
{
    loop *own = newest ? loop_here() : NULL;
    if (!own || !own->learns || own->step.flow->open != own->depth)
        return;
    if (own->works != pitpy_works)
        loop_end_step(own);
    else if (pitpy_has_optimizer())
        loop_drop_step(own); /* the optimiser's step will end it: py_cut.c */
}

/* A step of a loop is about to begin while the step of another one is open here. Returns 1 if it may begin:
 * the other step is over then, because its loop was left and its iterator kept, or because the loops alternate
 * or nest. Returns 0 if the batch is for the other step:
 *   - nothing was done in it yet: two loaders side by side, as in zip
 *   - it trains and has not updated the model yet: a second loader that is read in the middle of a step */
static int ends_another(loop *other, int learns)
{
    int has_worked = other->works != pitpy_works;
    int is_updated = other->updates != pitpy_updates || !pitpy_has_optimizer();
    if (other->learns == learns && (!has_worked || (learns && !is_updated)))
        return 0;
    if (other->step.flow->open != other->depth)
        return 1; /* spans of the program are in between */
    if (has_worked)
        loop_end_step(other);
    else if (pitpy_has_optimizer())
        loop_drop_step(other); /* one batch, to look at */
    return 1;
}

int pitpy_in_loop(void)
{
    return newest && loop_here();
}

int pitpy_loop_was_thrown(void)
{
    return was_thrown;
}

/* Begin a step of the loop if one begins here; else return NULL. */
static loop *begin_step(pitpy_timed *self, PyObject *iterator)
{
    loop *own = loop_of(self->state, iterator);
    if (!own)
        return NULL;
    if (PITPY_UNLIKELY(own->is_open && own->steps == 1) && is_ahead(own)) {
        own->steps++;
        Py_DECREF(own);
        return NULL;
    }
    if (own->is_open)
        loop_end_step(own);
    if (own->steps)
        was_thrown = 0;
    else
        own->caller = calling_instructions();
    int is_new = own->steps == 0;
    int learns = pitpy_ask(self->question, 1) && !pitpy_is_evaluating();
    loop *other = newest ? loop_here() : NULL;
    int begins = !other || ends_another(other, learns);
    if (begins && learns && is_new)
        pitpy_look("loader", iterator);
    pitpy_name *name = learns ? pitpy_hook_names.step : pitpy_hook_names.eval_step;
    if (!begins || !name || !pitpy_cut_for_loop(learns, is_new)) {
        own->steps++;
        Py_DECREF(own);
        return NULL;
    }
    loop_begin_step(own, learns, name);
    return own;
}

/* Inside a trainer's loop, which makes the steps: only inspect the loader, once. */
static void see_loader(pitpy_timed *self, PyObject *iterator)
{
    loop *own = loop_of(self->state, iterator);
    if (own && own->steps++ == 0 && pitpy_scope_trains())
        pitpy_look("loader", iterator);
    Py_XDECREF(own);
}

static void end_without_item(const pitpy_open *open, loop *step, int has_begun)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!type || PyErr_GivenExceptionMatches(type, PyExc_StopIteration)) {
        pitpy_drop(open);
        pitpy_counts.spans--;
    } else {
        pitpy_end(open);
    }
    if (step && step->is_open)
        loop_drop_step(step);
    if (has_begun)
        pitpy_scope_no_item();
    PyErr_Restore(type, value, traceback);
}

PITPY_HOT PyObject *pitpy_next_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                          PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    unsigned before = pitpy_inside;
    if (before & self->not_in || PyVectorcall_NARGS(nargsf) < 1) {
        pitpy_counts.passed++;
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    struct pitpy_watch_call watch = {0};
    if (PITPY_UNLIKELY(pitpy_is_watched()))
        pitpy_watch_begin(&watch);
    loop *step = before == 0 ? begin_step(self, args[0]) : NULL;
    int has_begun = pitpy_scope && pitpy_scope_before_next();
    if (PITPY_UNLIKELY(pitpy_scope != NULL))
        see_loader(self, args[0]);
    pitpy_open open;
    pitpy_inside = before | self->kind;
    pitpy_count_span();
    pitpy_begin(self->name, 0, &open);
    if (PITPY_UNLIKELY(watch.begin))
        watch.call = pitpy_watch_now();
    PyObject *item = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    if (PITPY_UNLIKELY(watch.begin))
        watch.done = pitpy_watch_now();
    pitpy_inside = before;
    if (PITPY_LIKELY(item != NULL))
        pitpy_end(&open);
    else
        end_without_item(&open, step, has_begun);
    Py_XDECREF(step);
    if (PITPY_UNLIKELY(watch.begin))
        pitpy_watch_end(&watch);
    return item;
}

static PyType_Slot loop_slots[] = {{Py_tp_dealloc, PITPY_SLOT(loop_dealloc)}, {0, NULL}};
static PyType_Spec loop_spec = {"pitwall._pitwall._loop", sizeof(loop), 0,
                                Py_TPFLAGS_DEFAULT | PITPY_IMMUTABLE | PITPY_NO_NEW, loop_slots};

int pitpy_add_loop(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    state->loop_type = pitpy_make_type(module, &loop_spec);
    if (!loop_name)
        loop_name = PyUnicode_InternFromString("_pitwall_loop");
    return state->loop_type && loop_name ? 0 : -1;
}
