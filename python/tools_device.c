/* A device whose memory and work Python code tells of: torch.cuda, or what the user gives.
 *
 * The library calls reset_peak with a lock of its own held, and Python code must not run then: it may
 * let another thread go on, which would wait for that lock with the interpreter's in hand. So the
 * reading of the memory also resets the device's mark, the highest one since is kept here, and
 * reset_peak only forgets that.
 */
#include "tools.h"

static struct {
    PyObject *memory; /* () -> (allocated, reserved, peak since the last call), or None */
    PyObject *wait;   /* (), or None */
    uint64_t peak;    /* since the last reset_peak; 0: none was read */
} given;

static void forget_error(PyObject *type, PyObject *value, PyObject *traceback)
{
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(given.memory);
    PyErr_Restore(type, value, traceback);
}

static int read_memory(void *arg, pit_device_memory *memory)
{
    unsigned long long allocated, reserved, peak;
    PyObject *type, *value, *traceback, *found;
    int code = -1;
    (void)arg;
    if (!Py_IsInitialized())
        return -1;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &traceback);
    found = given.memory ? PyObject_CallNoArgs(given.memory) : NULL;
    if (found && PyTuple_Check(found) &&
        PyArg_ParseTuple(found, "KKK", &allocated, &reserved, &peak)) {
        if (peak > given.peak)
            given.peak = peak;
        *memory = (pit_device_memory){allocated, reserved, given.peak};
        code = 0;
    }
    Py_XDECREF(found);
    forget_error(type, value, traceback);
    PyGILState_Release(lock);
    return code;
}

static int reset_peak(void *arg)
{
    (void)arg;
    given.peak = 0;
    return 0;
}

static int await_work(void *arg)
{
    PyObject *type, *value, *traceback;
    (void)arg;
    if (!Py_IsInitialized())
        return -1;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *done = given.wait ? PyObject_CallNoArgs(given.wait) : NULL;
    int code = done ? 0 : -1;
    Py_XDECREF(done);
    forget_error(type, value, traceback);
    PyGILState_Release(lock);
    return code;
}

/* _set_device(memory, wait): None, None: there is none. */
static PyObject *set_device(PyObject *module, PyObject *args)
{
    static const pit_device device = {
        .name = "python", .memory = read_memory, .reset_peak = reset_peak, .wait = await_work};
    PyObject *memory, *wait;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:set_device", &memory, &wait))
        return NULL;
    pit_set_device(NULL);
    Py_XSETREF(given.memory, memory == Py_None ? NULL : Py_NewRef(memory));
    Py_XSETREF(given.wait, wait == Py_None ? NULL : Py_NewRef(wait));
    given.peak = 0;
    if (given.memory)
        pit_set_device(&device);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_set_device", set_device, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_device(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
