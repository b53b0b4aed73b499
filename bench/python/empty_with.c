/* The floor of Python's spans: an extension module with a type whose `with` does nothing, in the cheapest
 * form that CPython has, for bench_python.py. Like pitwall.span, it is its own __enter__ and __exit__ and
 * takes its objects from a free list; it reads no clock and has no name. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stddef.h>

#define SLOT(function) (__extension__(void *)(function))

typedef struct empty {
    PyObject_HEAD vectorcallfunc vectorcall;
} empty;

/* One interpreter, one thread: a benchmark. */
static empty *spare[64];
static int spare_count;
static PyTypeObject *empty_type;

static PyObject *empty_vectorcall(PyObject *self, PyObject *const *args, size_t nargsf,
                                  PyObject *kwnames)
{
    (void)args;
    (void)kwnames;
    PyObject *result = PyVectorcall_NARGS(nargsf) == 0 ? self : Py_None;
    Py_INCREF(result);
    return result;
}

static PyObject *type_vectorcall(PyObject *type, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames)
{
    (void)args;
    (void)nargsf;
    (void)kwnames;
    if (spare_count > 0) {
        PyObject *again = (PyObject *)spare[--spare_count];
        Py_SET_REFCNT(again, 1);
        return again;
    }
    empty *self = PyObject_New(empty, (PyTypeObject *)type);
    if (self)
        self->vectorcall = empty_vectorcall;
    return (PyObject *)self;
}

static void empty_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (spare_count < 64) {
        spare[spare_count++] = (empty *)self; /* with its reference to the type */
        return;
    }
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *bind_get(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    PyObject *result = object ? object : self;
    Py_INCREF(result);
    return result;
}

static PyMemberDef empty_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(empty, vectorcall), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot empty_slots[] = {{Py_tp_dealloc, SLOT(empty_dealloc)},
                                    {Py_tp_call, SLOT(PyVectorcall_Call)},
                                    {Py_tp_members, empty_members},
                                    {0, NULL}};
static PyType_Spec empty_spec = {"empty_with.empty", sizeof(empty), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, empty_slots};
static PyType_Slot bind_slots[] = {{Py_tp_descr_get, SLOT(bind_get)}, {0, NULL}};
static PyType_Spec bind_spec = {"empty_with.bind", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                bind_slots};

static int module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &empty_spec, NULL);
    PyObject *bind_type = PyType_FromModuleAndSpec(module, &bind_spec, NULL);
    PyObject *bind = bind_type ? PyObject_CallNoArgs(bind_type) : NULL;
    if (!type || !bind || PyObject_SetAttrString(type, "__enter__", bind) < 0 ||
        PyObject_SetAttrString(type, "__exit__", bind) < 0)
        return -1;
    empty_type = (PyTypeObject *)type;
    empty_type->tp_vectorcall = type_vectorcall;
#ifdef Py_TPFLAGS_IMMUTABLETYPE
    empty_type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
#endif
    PyType_Modified(empty_type);
    return PyModule_AddType(module, empty_type);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, SLOT(module_exec)}, {0, NULL}};
static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = "empty_with",
                                        .m_slots = module_slots};

PyMODINIT_FUNC PyInit_empty_with(void); /* called by its name */
PyMODINIT_FUNC PyInit_empty_with(void)
{
    return PyModuleDef_Init(&module_def);
}
