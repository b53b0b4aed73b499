/* The extension module pitwall._pitwall: its state, its types and functions, its start and end.
 *
 * Uses the C API directly: multi-phase initialisation, heap types, all state in the module. A process has
 * one recorder and one set of stacks, so sub-interpreters are refused.
 */
#include "pitpy.h"

#include <stdlib.h>

struct pitpy_near pitpy_near = {
    .begin = pit__begin_at, .end = pit__end_at, .thread_state = PyThreadState_Get, .none = Py_None};

/* ---- errors ----------------------------------------------------------------------------------- */

PyObject *pitpy_fail(pitpy_state *state, int code, const char *what, const char *detail)
{
    PyObject *text = PyUnicode_FromFormat("%s: %s", what, detail ? detail : pit_strerror(code));
    PyObject *error = text ? PyObject_CallFunctionObjArgs(state->error, text, NULL) : NULL;
    PyObject *number = error ? PyLong_FromLong(code) : NULL;
    if (number && PyObject_SetAttrString(error, "code", number) == 0)
        PyErr_SetObject(state->error, error);
    Py_XDECREF(number);
    Py_XDECREF(error);
    Py_XDECREF(text);
    return NULL;
}

static int add_error(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *members = Py_BuildValue("{s:O}", "code", Py_None);
    if (!members)
        return -1;
    state->error = PyErr_NewExceptionWithDoc(
        "pitwall.Error",
        "Pitwall could not do what was asked.\n\n"
        ".code is the library's error code (enum pit_code in pitwall.h), or None.",
        PyExc_RuntimeError, members);
    Py_DECREF(members);
    if (!state->error)
        return -1;
    return pitpy_add_object(module, "Error", state->error);
}

static int add_codes(PyObject *module)
{
#define CODE(name, number, text)                                                                   \
    if (PyModule_AddIntConstant(module, #name, number) < 0)                                        \
        return -1;
    PIT_CODES(CODE)
#undef CODE
    static const struct {
        const char *name;
        int value;
    } flags[] = {{"MEMORY", PIT_MEMORY}, {"RECORD", PIT_RECORD}, {"LEAKS", PIT_LEAKS},
                 {"WAIT", PIT_WAIT},     {"SYNC", PIT_SYNC},     {"ENERGY", PIT_ENERGY},
                 {"DEVICE", PIT_DEVICE}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (PyModule_AddIntConstant(module, flags[i].name, flags[i].value) < 0)
            return -1;
    return PyModule_AddStringConstant(module, "__version__", PITWALL_VERSION);
}

int pitpy_add_object(PyObject *module, const char *name, PyObject *object)
{
    Py_XINCREF(object);
    if (object && PyModule_AddObject(module, name, object) == 0)
        return 0;
    Py_XDECREF(object);
    return -1;
}

/* ---- types ------------------------------------------------------------------------------------ */

PyTypeObject *pitpy_make_type(PyObject *module, PyType_Spec *spec)
{
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
}

PyTypeObject *pitpy_add_type(PyObject *module, PyType_Spec *spec)
{
    PyTypeObject *type = pitpy_make_type(module, spec);
    if (type && PyModule_AddType(module, type) < 0)
        Py_CLEAR(type);
    return type;
}

/* ---- the module ------------------------------------------------------------------------------- */

#if PY_VERSION_HEX < 0x030C0000
/* Newer versions refuse sub-interpreters by the slot below. */
static int is_main_interpreter(void)
{
    if (PyInterpreterState_Get() == PyInterpreterState_Main())
        return 1;
    PyErr_SetString(PyExc_ImportError, "pitwall does not support loading in sub-interpreters: "
                                       "a process has one recorder");
    return 0;
}
#else
static int is_main_interpreter(void)
{
    return 1;
}
#endif

static int module_exec(PyObject *module)
{
    if (!is_main_interpreter())
        return -1;
    pitpy_state *state = pitpy_state_of(module);
    if (pitpy_hot) {
        PyErr_SetString(PyExc_ImportError, "pitwall is already loaded in this process");
        return -1;
    }
    pitpy_hot = state;
    pitpy_near.spare_count = 0;
    state->names = PyDict_New();
    state->place = PyContextVar_New("pitwall.place", NULL);
    if (!state->names || !state->place || add_error(module) < 0 || add_codes(module) < 0)
        return -1;
    if (pitpy_add_span(module) < 0 || pitpy_add_timed(module) < 0 || pitpy_add_marks(module) < 0 ||
        pitpy_add_hook(module) < 0 || pitpy_add_dist(module) < 0 || pitpy_add_iter(module) < 0 ||
        pitpy_add_recorder(module) < 0 || pitpy_add_stack(module) < 0 ||
        pitpy_add_read(module) < 0 || pitpy_add_ranks(module) < 0)
        return -1;
    return pitpy_add_tools(module);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    pitpy_state *state = pitpy_state_of(module);
    Py_VISIT(state->error);
    Py_VISIT(state->span_type);
    Py_VISIT(state->bind_type);
    Py_VISIT(state->done_type);
    Py_VISIT(state->timed_type);
    Py_VISIT(state->iter_type);
    Py_VISIT(state->loop_type);
    Py_VISIT(state->place);
    Py_VISIT(state->names);
    Py_VISIT(state->tools);
    return 0;
}

static int module_clear(PyObject *module)
{
    pitpy_state *state = pitpy_state_of(module);
    pitpy_names_clear(state);
    pitpy_free_spares(state);
    if (pitpy_hot == state) {
        pitpy_hot = NULL;
        pitpy_near.spare_count = PITPY_SPARE; /* spans freed from now on are not kept */
    }
    Py_CLEAR(state->error);
    Py_CLEAR(state->span_type);
    Py_CLEAR(state->bind_type);
    Py_CLEAR(state->done_type);
    Py_CLEAR(state->timed_type);
    Py_CLEAR(state->iter_type);
    Py_CLEAR(state->loop_type);
    Py_CLEAR(state->place);
    Py_CLEAR(state->names);
    Py_CLEAR(state->tools);
    for (size_t i = 0; i < PITPY_OPTIONS; i++)
        Py_CLEAR(state->option_keys[i]);
    return 0;
}

static void module_free(void *module)
{
    module_clear((PyObject *)module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, PITPY_SLOT(module_exec)},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};

struct PyModuleDef pitpy_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pitwall._pitwall",
    .m_doc = "The Pitwall recorder, used by the package pitwall.",
    .m_size = sizeof(pitpy_state),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__pitwall(void); /* called by its name */
PyMODINIT_FUNC PyInit__pitwall(void)
{
    return PyModuleDef_Init(&pitpy_module);
}
