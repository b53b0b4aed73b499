/* The context (contextvars) of the calling code. */
#include "pitpy.h"

PyObject *pitpy_context_now(void)
{
    const PyThreadState *state = pitpy_near.thread_state();
    if (!state->context && pitpy_hot) {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        PyObject *unknown = PyLong_FromLong(0);
        PyObject *token = unknown ? PyContextVar_Set(pitpy_hot->place, unknown) : NULL;
        if (token)
            PyContextVar_Reset(pitpy_hot->place, token);
        Py_XDECREF(token);
        Py_XDECREF(unknown);
        PyErr_Restore(type, value, traceback);
    }
    return state->context;
}

int pitpy_context_is_entered(PyObject *context)
{
    if (PyContext_Enter(context) < 0) {
        PyErr_Clear();
        return 1;
    }
    PyContext_Exit(context);
    return 0;
}

/* A module that the program has imported, or NULL. */
static PyObject *imported(const char *module)
{
    PyObject *name = PyUnicode_FromString(module);
    PyObject *found = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    return found;
}

int pitpy_loop_is_running(void)
{
    PyObject *module = imported("asyncio");
    PyObject *loop = module ? PyObject_CallMethod(module, "_get_running_loop", NULL) : NULL;
    int runs = loop && loop != Py_None;
    PyErr_Clear();
    Py_XDECREF(loop);
    Py_XDECREF(module);
    return runs;
}

/* Called at the first span of a thread. With greenlets it may be that of one, which can be freed at any time. */
PyObject *pitpy_context_own(PyObject *context)
{
    PyObject *greenlet = imported("greenlet");
    int is_own = context && !greenlet && !pitpy_context_is_entered(context);
    PyErr_Clear();
    Py_XDECREF(greenlet);
    return is_own ? context : NULL;
}
