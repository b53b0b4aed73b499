/* The wrapper of a timed function: it times calls and otherwise behaves like the function. It has the
 * function's attributes (name, doc, module, signature by __wrapped__), binds to objects as a method, and is
 * pickled by its qualified name. */
#include "pitpy.h"

#include <stddef.h>

typedef pitpy_timed timed;

PITPY_HOT static PyObject *timed_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                            PyObject *kwnames)
{
    timed *self = (timed *)object;
    pitpy_open open;
    pitpy_begin(self->name, self->flags, &open);
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    if (PITPY_LIKELY(result != NULL)) {
        pitpy_end(&open);
        return result;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pitpy_end(&open);
    PyErr_Restore(type, value, traceback);
    return NULL;
}

/* A function with device=True. */
static PyObject *timed_device_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                         PyObject *kwnames)
{
    timed *self = (timed *)object;
    pitpy_mark mark;
    if (!pitpy_mark_begin(&mark))
        return timed_vectorcall(object, args, nargsf, kwnames);
    pitpy_open open;
    pitpy_begin(self->name, self->flags & ~(unsigned)PIT_DEVICE, &open);
    pitpy_mark_place(&mark);
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    pitpy_end(&open);
    pitpy_mark_end(&mark, self->name);
    PyErr_Restore(type, value, traceback);
    return result;
}

static PyObject *timed_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

static PyObject *timed_repr(PyObject *self)
{
    const timed *own = (timed *)self;
    PyObject *name = own->name ? own->name->text : Py_None;
    return PyUnicode_FromFormat("<pitwall.timed %R of %R>", name, own->function);
}

/* Pickled by its qualified name, like functions; that name refers to the wrapper. */
static PyObject *timed_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self, "__qualname__");
}

/* Attributes that the wrapper lacks come from the function. */
static PyObject *timed_getattro(PyObject *self, PyObject *name)
{
    PyObject *found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return found;
    PyErr_Clear();
    return PyObject_GetAttr(((timed *)self)->function, name);
}

static int timed_traverse(PyObject *object, visitproc visit, void *arg)
{
    timed *self = (timed *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->function);
    Py_VISIT(self->question);
    Py_VISIT(self->loss);
    Py_VISIT(self->attributes);
    return 0;
}

static int timed_clear(PyObject *object)
{
    timed *self = (timed *)object;
    Py_CLEAR(self->function);
    Py_CLEAR(self->question);
    Py_CLEAR(self->loss);
    Py_CLEAR(self->attributes);
    return 0;
}

static void timed_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (((timed *)object)->weak)
        PyObject_ClearWeakRefs(object);
    timed_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef timed_methods[] = {{"__reduce__", timed_reduce, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

static PyMemberDef timed_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(timed, vectorcall), READONLY, NULL},
    {"__dictoffset__", T_PYSSIZET, offsetof(timed, attributes), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(timed, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyGetSetDef timed_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot timed_slots[] = {{Py_tp_dealloc, PITPY_SLOT(timed_dealloc)},
                                    {Py_tp_traverse, PITPY_SLOT(timed_traverse)},
                                    {Py_tp_clear, PITPY_SLOT(timed_clear)},
                                    {Py_tp_call, PITPY_SLOT(PyVectorcall_Call)},
                                    {Py_tp_descr_get, PITPY_SLOT(timed_get)},
                                    {Py_tp_repr, PITPY_SLOT(timed_repr)},
                                    {Py_tp_getattro, PITPY_SLOT(timed_getattro)},
                                    {Py_tp_methods, timed_methods},
                                    {Py_tp_members, timed_members},
                                    {Py_tp_getset, timed_getset},
                                    {0, NULL}};
static PyType_Spec timed_spec = {"pitwall._pitwall._timed", sizeof(timed), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | PITPY_VECTORCALL |
                                     PITPY_NO_NEW | Py_TPFLAGS_METHOD_DESCRIPTOR,
                                 timed_slots};

pitpy_timed *pitpy_timed_new(pitpy_state *state, PyObject *function, pitpy_name *name,
                             vectorcallfunc vectorcall)
{
    timed *self = PyObject_GC_New(timed, state->timed_type);
    if (!self)
        return NULL;
    self->vectorcall = vectorcall;
    self->state = state;
    self->name = name;
    self->flags = self->kind = self->not_in = self->role = 0;
    self->loss = NULL;
    self->function = Py_NewRef(function);
    self->question = self->attributes = self->weak = NULL;
    PyObject_GC_Track(self);
    return self;
}

/* _wrap(function, name, flags): the wrapper that pitwall.timed returns for a plain function. */
static PyObject *wrap(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *function, *text;
    unsigned flags;
    if (!PyArg_ParseTuple(args, "OOI:_wrap", &function, &text, &flags))
        return NULL;
    pitpy_name *name = pitpy_name_of(state, text);
    vectorcallfunc call = flags & PIT_DEVICE ? timed_device_vectorcall : timed_vectorcall;
    timed *self = name ? pitpy_timed_new(state, function, name, call) : NULL;
    if (self)
        self->flags = flags;
    return (PyObject *)self;
}

static PyMethodDef functions[] = {{"_wrap", wrap, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int pitpy_add_timed(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    state->timed_type = pitpy_add_type(module, &timed_spec);
    return state->timed_type ? PyModule_AddFunctions(module, functions) : -1;
}
