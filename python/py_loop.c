/* py_loop.c: steps of loops over a loader. The hook of the loop's `next` records them: a step lasts from the
 * request for a batch to the request for the next one.
 */
#include "py_hook.h"

static PyObject *loop_name; /* the attribute of an iterator that holds its loop */
static int was_thrown;      /* the last loop was left after a batch, before anything was done */

/* One loop over a loader. It is an attribute of the iterator, so a loop that is left by break ends its
 * step when the iterator is destroyed. */
typedef struct loop {
    PyObject_HEAD int is_open; /* in a step */
    pitpy_open step;
    unsigned steps;             /* that it began */
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
    pitpy_count_span();
    pitpy_counts.steps++;
    pitpy_begin(name, 0, &self->step);
    self->is_open = 1;
    self->works = pitpy_works;
    self->steps++;
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
    pitpy_counts.steps--;
    pitpy_counts.spans--;
}

/* next(iter(loader)): the batch is used after the iterator has gone, so this was no step. */
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
        made->steps = 0;
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
    return other && other->works == pitpy_works;
}

int pitpy_in_loop(void)
{
    if (PITPY_LIKELY(!newest))
        return 0;
    const pitpy_flow *flow = pitpy_flow_here();
    const loop *other = newest;
    while (other && other->step.flow != flow)
        other = other->older;
    return other != NULL;
}

int pitpy_loop_was_thrown(void)
{
    return was_thrown;
}

/* A step of the loop, if one begins here; NULL if not. */
static loop *begin_step(pitpy_timed *self, PyObject *iterator)
{
    loop *own = loop_of(self->state, iterator);
    if (!own)
        return NULL;
    if (own->is_open)
        loop_end_step(own);
    if (own->steps)
        was_thrown = 0;
    int begins = !is_beside_another(), is_new = own->steps == 0;
    int learns = begins && pitpy_ask(self->question, 1) && !pitpy_is_evaluating();
    if (learns && is_new)
        pitpy_look("loader", iterator);
    pitpy_name *name = learns ? pitpy_hook_names.step : pitpy_hook_names.eval_step;
    if (!begins || !name || !pitpy_cut_for_loop(learns, is_new)) {
        own->steps++;
        Py_DECREF(own);
        return NULL;
    }
    loop_begin_step(own, name);
    return own;
}

/* In a trainer's loop: it has the steps. What a loader is like is looked at once. */
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
