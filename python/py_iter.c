/* The wrapper of a timed iterable: every next is a span. Length, items and attributes are those of the
 * iterable, and each `for` over it starts a new iteration. The call that finds the end is not a span, so
 * the count is the number of items.
 */
#include "pitpy.h"

typedef struct timed_iter {
    PyObject_HEAD pitpy_state *state;
    pitpy_name *name;
    unsigned flags;
    PyObject *source;
    PyObject *iterator; /* NULL before the first next, whose time includes creating it */
} timed_iter;

static PyObject *iter_make(pitpy_state *state, pitpy_name *name, unsigned flags, PyObject *source)
{
    timed_iter *self = PyObject_GC_New(timed_iter, state->iter_type);
    if (!self)
        return NULL;
    self->state = state;
    self->name = name;
    self->flags = flags;
    self->source = Py_NewRef(source);
    self->iterator = NULL;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyObject *iter_iter(PyObject *object)
{
    timed_iter *self = (timed_iter *)object;
    return iter_make(self->state, self->name, self->flags, self->source);
}

static PyObject *next_item(timed_iter *self)
{
    if (PITPY_UNLIKELY(!self->iterator) && !(self->iterator = PyObject_GetIter(self->source)))
        return NULL;
    return Py_TYPE(self->iterator)->tp_iternext(self->iterator);
}

PITPY_HOT static PyObject *iter_next(PyObject *object)
{
    timed_iter *self = (timed_iter *)object;
    pitpy_open open;
    pitpy_begin(self->name, self->flags, &open);
    PyObject *item = next_item(self);
    if (PITPY_LIKELY(item != NULL)) {
        pitpy_end(&open);
        return item;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (!type || PyErr_GivenExceptionMatches(type, PyExc_StopIteration))
        pitpy_drop(&open);
    else
        pitpy_end(&open);
    PyErr_Restore(type, value, traceback);
    return NULL;
}

/* ---- what is the iterable's own ---------------------------------------------------------------- */

static PyObject *source_of(PyObject *self)
{
    return ((timed_iter *)self)->source;
}

static Py_ssize_t iter_length(PyObject *self)
{
    return PyObject_Size(source_of(self));
}

static PyObject *iter_item(PyObject *self, PyObject *key)
{
    return PyObject_GetItem(source_of(self), key);
}

static int iter_contains(PyObject *self, PyObject *value)
{
    return PySequence_Contains(source_of(self), value);
}

static int iter_bool(PyObject *self)
{
    return PyObject_IsTrue(source_of(self));
}

static PyObject *iter_getattro(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(source_of(self), name);
}

static int iter_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(source_of(self), name, value);
}

static PyObject *iter_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<pitwall.iter %R over %R>", ((timed_iter *)self)->name->text,
                                source_of(self));
}

/* ---- the type --------------------------------------------------------------------------------- */

static int iter_traverse(PyObject *object, visitproc visit, void *arg)
{
    timed_iter *self = (timed_iter *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->source);
    Py_VISIT(self->iterator);
    return 0;
}

static int iter_clear(PyObject *object)
{
    timed_iter *self = (timed_iter *)object;
    Py_CLEAR(self->source);
    Py_CLEAR(self->iterator);
    return 0;
}

static void iter_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    iter_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyType_Slot iter_slots[] = {{Py_tp_dealloc, PITPY_SLOT(iter_dealloc)},
                                   {Py_tp_traverse, PITPY_SLOT(iter_traverse)},
                                   {Py_tp_clear, PITPY_SLOT(iter_clear)},
                                   {Py_tp_iter, PITPY_SLOT(iter_iter)},
                                   {Py_tp_iternext, PITPY_SLOT(iter_next)},
                                   {Py_mp_length, PITPY_SLOT(iter_length)},
                                   {Py_mp_subscript, PITPY_SLOT(iter_item)},
                                   {Py_sq_contains, PITPY_SLOT(iter_contains)},
                                   {Py_nb_bool, PITPY_SLOT(iter_bool)},
                                   {Py_tp_getattro, PITPY_SLOT(iter_getattro)},
                                   {Py_tp_setattro, PITPY_SLOT(iter_setattro)},
                                   {Py_tp_repr, PITPY_SLOT(iter_repr)},
                                   {0, NULL}};
static PyType_Spec iter_spec = {
    "pitwall._pitwall._iter", sizeof(timed_iter), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | PITPY_IMMUTABLE | PITPY_NO_NEW, iter_slots};

/* _iter(iterable, name, flags) */
static PyObject *wrap(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *source, *text;
    unsigned flags;
    if (!PyArg_ParseTuple(args, "OOI:_iter", &source, &text, &flags))
        return NULL;
    pitpy_name *name = pitpy_name_of(state, text);
    if (!name)
        return NULL;
    if (!Py_TYPE(source)->tp_iter && !PySequence_Check(source)) {
        PyErr_Format(PyExc_TypeError, "'%.100s' object is not iterable", Py_TYPE(source)->tp_name);
        return NULL;
    }
    return iter_make(state, name, flags, source);
}

static PyMethodDef functions[] = {{"_iter", wrap, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int pitpy_add_iter(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    state->iter_type = pitpy_add_type(module, &iter_spec);
    return state->iter_type ? PyModule_AddFunctions(module, functions) : -1;
}
