/* py_scope.c: steps of a library's own trainer (Lightning, transformers, Keras), by hooks on the
 * functions of the trainer's loop. These give exact steps, which other hooks can only infer.
 *
 *     TRAINS, EVALUATES   the loop itself: steps inside are `step` or `eval_step`, and come from BEGIN, END
 *                         and WHOLE alone. A step that is open when the loop ends also ends
 *     BEGIN               the call begins a step, unless one is open; none if the call finds no more data
 *     END                 a step ends when the call returns
 *     WHOLE               the call is a step
 *     CLOSURE             the function that an optimiser calls: its time is not the optimiser's. The span
 *                         of the optimiser, which has just begun, is dropped and begins again after the
 *                         first call
 *
 * In a loop with is_by_loader set, a loader's next begins a step like BEGIN. */
#include "py_hook.h"

struct pitpy_scope {
    struct pitpy_scope *outer;
    int trains, is_by_loader;
    int is_open; /* a step is open */
    pitpy_open open;
    int64_t depth;  /* number of open spans, including it */
    uint64_t works; /* pitpy_works when it began */
};

PITPY_THREAD struct pitpy_scope *pitpy_scope;
PITPY_THREAD struct pitpy_optimizer pitpy_optimizer;

/* ---- the step of a loop ------------------------------------------------------------------------------- */

static int is_here(const struct pitpy_scope *scope)
{
    return scope->is_open && scope->open.flow == pitpy_flow_here();
}

static int is_innermost(const struct pitpy_scope *scope)
{
    return scope->open.flow->open == scope->depth;
}

static int is_idle(const struct pitpy_scope *scope)
{
    return is_here(scope) && scope->works == pitpy_works && is_innermost(scope);
}

static void drop_step(struct pitpy_scope *scope)
{
    scope->is_open = 0;
    pitpy_drop(&scope->open);
    pitpy_counts.spans--;
}

static void end_step(struct pitpy_scope *scope)
{
    scope->is_open = 0;
    pitpy_counts.steps++;
    pitpy_end(&scope->open);
}

/* Returns 1 if a step began. */
static int begin_step(struct pitpy_scope *scope)
{
    pitpy_name *name = scope->trains ? pitpy_hook_names.step : pitpy_hook_names.eval_step;
    if (scope->is_open || !name)
        return 0;
    pitpy_count_span();
    pitpy_begin(name, 0, &scope->open);
    scope->is_open = 1;
    scope->depth = scope->open.flow->open;
    scope->works = pitpy_works;
    return 1;
}

int pitpy_scope_before_next(void)
{
    struct pitpy_scope *scope = pitpy_scope;
    return scope && scope->is_by_loader ? begin_step(scope) : 0;
}

void pitpy_scope_no_item(void)
{
    if (pitpy_scope && is_idle(pitpy_scope))
        drop_step(pitpy_scope);
}

int pitpy_scope_trains(void)
{
    return pitpy_scope && pitpy_scope->trains;
}

/* ---- hooks -------------------------------------------------------------------------------------------- */

/* The loop is over: end its open step if any work was done in it, else cancel it. */
static void leave(struct pitpy_scope *scope)
{
    pitpy_scope = scope->outer;
    if (!scope->is_open)
        return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (is_idle(scope))
        drop_step(scope);
    else
        end_step(scope);
    PyErr_Restore(type, value, traceback);
}

/* A loop reported by a callback, where the trainer's own function has no hook. One per thread: if there is
 * an earlier one, it was left by an exception. */
static PITPY_THREAD struct pitpy_scope told;

PyObject *pitpy_trainer_begin(PyObject *module, PyObject *kind)
{
    (void)module;
    unsigned long bit = PyLong_AsUnsignedLong(kind);
    if (PyErr_Occurred())
        return NULL;
    if (pitpy_scope == &told)
        leave(&told);
    if (pitpy_scope)
        Py_RETURN_FALSE;
    pitpy_cut_scope();
    told = (struct pitpy_scope){.trains = 1};
    pitpy_scope = &told;
    pitpy_inside |= (unsigned)bit;
    Py_RETURN_TRUE;
}

PyObject *pitpy_trainer_end(PyObject *module, PyObject *kind)
{
    (void)module;
    unsigned long bit = PyLong_AsUnsignedLong(kind);
    if (PyErr_Occurred())
        return NULL;
    if (pitpy_scope == &told) {
        leave(&told);
        pitpy_inside &= ~(unsigned)bit;
    }
    Py_RETURN_NONE;
}

static PyObject *call_loop(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames)
{
    unsigned before = pitpy_inside;
    struct pitpy_scope scope = {.outer = pitpy_scope, .trains = self->role == PITPY_TRAINS};
    scope.is_by_loader = self->role == PITPY_EVALUATES_LOADER;
    if (scope.outer && is_idle(scope.outer))
        drop_step(scope.outer);
    pitpy_cut_scope();
    pitpy_scope = &scope;
    pitpy_inside = before | self->kind;
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    pitpy_inside = before;
    leave(&scope);
    return result;
}

static PyObject *call_part(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames)
{
    struct pitpy_scope *scope = pitpy_scope;
    int has_begun = self->role != PITPY_STEP_END && begin_step(scope);
    int ends = self->role != PITPY_STEP_BEGIN;
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    if (!scope->is_open || (result ? !ends : !has_begun))
        return result;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int is_none = !result && PyErr_GivenExceptionMatches(type, PyExc_StopIteration);
    if (!is_here(scope))
        ;
    else if (is_innermost(scope) && (is_none || (!result && scope->works == pitpy_works)))
        drop_step(scope);
    else if (ends)
        end_step(scope);
    PyErr_Restore(type, value, traceback);
    return result;
}

static PyObject *call_closure(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                              PyObject *kwnames)
{
    struct pitpy_optimizer stepping = pitpy_optimizer;
    unsigned before = pitpy_inside;
    if (!(before & self->kind) || !stepping.open || stepping.open->flow != pitpy_flow_here() ||
        stepping.open->flow->open != stepping.depth)
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    pitpy_optimizer.open = NULL;
    pitpy_drop(stepping.open);
    pitpy_inside = before & ~self->kind;
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    pitpy_inside = before;
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (!result)
        PyErr_Fetch(&type, &value, &traceback);
    pitpy_begin(stepping.name, 0, stepping.open);
    pitpy_optimizer.has_failed = !result;
    if (!result)
        PyErr_Restore(type, value, traceback);
    return result;
}

PyObject *pitpy_scope_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    if (!(pitpy_inside & self->not_in)) {
        if (self->role >= PITPY_TRAINS)
            return call_loop(self, args, nargsf, kwnames);
        if (self->role == PITPY_CLOSURE)
            return call_closure(self, args, nargsf, kwnames);
        if (pitpy_scope)
            return call_part(self, args, nargsf, kwnames);
    }
    return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
}
