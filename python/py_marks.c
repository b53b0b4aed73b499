/* Device times from events that Python code records, such as those of torch.cuda: for spans with
 * device=True and for phases of hooks. Marks are defined in _auto_device.py; here they are only passed from
 * a begin to its end. Without such a device Python is called only for spans with device=True. */
#include "pitpy.h"

int pitpy_marks_hooks; /* hooks use marks */

static PyObject *begin_mark, *end_mark, *flush_marks; /* NULL: not set yet */
/* code that runs for a mark gets no marks itself; other threads do meanwhile */
static __thread int is_marking __attribute__((tls_model("initial-exec")));

/* Errors never reach the program. Returns a new reference or NULL. */
static PyObject *call(PyObject *function, PyObject *const *args, size_t count)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    is_marking = 1;
    PyObject *result = PyObject_Vectorcall(function, args, count, NULL);
    is_marking = 0;
    if (!result)
        PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return result;
}

/* The module sets its functions when it is imported. */
static int is_ready(void)
{
    static int was_tried;
    if (begin_mark || was_tried)
        return begin_mark != NULL;
    was_tried = 1;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_XDECREF(PyImport_ImportModule("pitwall._auto_device"));
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return begin_mark != NULL;
}

int pitpy_mark_begin(pitpy_mark *mark)
{
    *mark = (pitpy_mark){NULL, 0};
    if (is_marking || !is_ready())
        return 0;
    mark->object = call(begin_mark, NULL, 0);
    if (mark->object == Py_None)
        Py_CLEAR(mark->object);
    return mark->object != NULL;
}

void pitpy_mark_end(const pitpy_mark *mark, const pitpy_name *name)
{
    if (!mark->object)
        return;
    PyObject *place = PyLong_FromUnsignedLongLong(mark->place);
    PyObject *args[] = {mark->object, place, name->text};
    if (place)
        Py_XDECREF(call(end_mark, args, 3));
    else
        PyErr_Clear();
    Py_XDECREF(place);
    Py_DECREF(mark->object);
}

void pitpy_marks_flush(void)
{
    if (flush_marks && !is_marking)
        Py_XDECREF(call(flush_marks, NULL, 0));
}

void pitpy_wait_ready(void)
{
    static PyObject *find;
    static int was_tried;
    if (!find && !was_tried) {
        PyObject *type, *value, *traceback;
        was_tried = 1;
        PyErr_Fetch(&type, &value, &traceback);
        PyObject *module = PyImport_ImportModule("pitwall._device");
        find = module ? PyObject_GetAttrString(module, "find") : NULL;
        Py_XDECREF(module);
        PyErr_Clear();
        PyErr_Restore(type, value, traceback);
    }
    if (find && !is_marking)
        Py_XDECREF(call(find, NULL, 0));
}

/* ---- the module's functions -------------------------------------------------------------------- */

/* _marks(begin, end, flush): begin() returns a mark or None, end(mark, place, name) is called with it,
 * flush() before the recorder closes. */
static PyObject *function_marks(PyObject *module, PyObject *args)
{
    PyObject *begin, *end, *flush;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:_marks", &begin, &end, &flush))
        return NULL;
    Py_XSETREF(begin_mark, Py_NewRef(begin));
    Py_XSETREF(end_mark, Py_NewRef(end));
    Py_XSETREF(flush_marks, Py_NewRef(flush));
    Py_RETURN_NONE;
}

static PyObject *function_marks_hooks(PyObject *module, PyObject *wanted)
{
    (void)module;
    pitpy_marks_hooks = wanted == Py_True;
    Py_RETURN_NONE;
}

/* _add_device(clock, place, name, begin_ns, end_ns, launched_ns): returns whether it was added. */
static PyObject *function_add_device(PyObject *module, PyObject *args)
{
    const char *clock, *name;
    unsigned long long place, begin_ns, end_ns, launched_ns;
    (void)module;
    if (!PyArg_ParseTuple(args, "sKsKKK:_add_device", &clock, &place, &name, &begin_ns, &end_ns,
                          &launched_ns))
        return NULL;
    return PyBool_FromLong(pit_add_device(clock, place, name, begin_ns, end_ns, launched_ns) != 0);
}

static PyMethodDef functions[] = {{"_marks", function_marks, METH_VARARGS, NULL},
                                  {"_marks_hooks", function_marks_hooks, METH_O, NULL},
                                  {"_add_device", function_add_device, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_marks(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
