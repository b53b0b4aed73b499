/* Devices whose memory and work Python functions report: those of torch.cuda, or functions of the user.
 *
 * A device is never freed, because work that began on it may end at any time. When it is dropped, only its
 * functions are released; from then on it reports no memory and no work.
 */
#include "tools.h"

#include <stdlib.h>

#define DEVICE "pitwall.device"

struct device {
    pit_device device;
    PyObject *memory; /* () -> (allocated, reserved, peak), or NULL */
    PyObject *wait;   /* () or NULL */
    PyObject *reset;  /* () or NULL */
};

/* Call a function of the device; exceptions are printed, not passed on. Returns a new reference or NULL.
 * Called with the interpreter's lock. */
static PyObject *call(PyObject *function)
{
    PyObject *kept = Py_XNewRef(function); /* its own call may drop it */
    PyObject *found = kept ? PyObject_CallNoArgs(kept) : NULL;
    if (!found && PyErr_Occurred())
        PyErr_WriteUnraisable(kept);
    Py_XDECREF(kept);
    return found;
}

static int read_memory(void *arg, pit_device_memory *memory)
{
    struct device *device = arg;
    unsigned long long allocated, reserved, peak;
    PyObject *type, *value, *traceback;
    int code = -1;
    if (!Py_IsInitialized())
        return -1;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *found = call(device->memory);
    if (found && PyTuple_Check(found) &&
        PyArg_ParseTuple(found, "KKK", &allocated, &reserved, &peak)) {
        *memory = (pit_device_memory){allocated, reserved, peak};
        code = 0;
    }
    Py_XDECREF(found);
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(device->memory);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(lock);
    return code;
}

static int call_for(PyObject **function)
{
    PyObject *type, *value, *traceback;
    if (!Py_IsInitialized())
        return -1;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *done = call(*function);
    int code = done ? 0 : -1;
    Py_XDECREF(done);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(lock);
    return code;
}

static int reset_peak(void *arg)
{
    return call_for(&((struct device *)arg)->reset);
}

static int await_work(void *arg)
{
    return call_for(&((struct device *)arg)->wait);
}

/* _device_new(memory, wait, reset), each a function or None: creates a device. */
static PyObject *device_new(PyObject *module, PyObject *args)
{
    PyObject *memory, *wait, *reset;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:device", &memory, &wait, &reset))
        return NULL;
    struct device *device = calloc(1, sizeof *device);
    PyObject *capsule = device ? PyCapsule_New(device, DEVICE, NULL) : PyErr_NoMemory();
    if (!capsule) {
        free(device);
        return NULL;
    }
    device->memory = memory == Py_None ? NULL : Py_NewRef(memory);
    device->wait = wait == Py_None ? NULL : Py_NewRef(wait);
    device->reset = reset == Py_None ? NULL : Py_NewRef(reset);
    device->device = (pit_device){.name = "python",
                                  .memory = device->memory ? read_memory : NULL,
                                  .reset_peak = device->reset ? reset_peak : NULL,
                                  .wait = device->wait ? await_work : NULL,
                                  .arg = device};
    return capsule;
}

/* _device_drop(device): from now on it has no memory and no work. */
static PyObject *device_drop(PyObject *module, PyObject *capsule)
{
    struct device *device = PyCapsule_GetPointer(capsule, DEVICE);
    (void)module;
    if (!device)
        return NULL;
    Py_CLEAR(device->memory);
    Py_CLEAR(device->wait);
    Py_CLEAR(device->reset);
    Py_RETURN_NONE;
}

int pitpy_device(PyObject *capsule, void *to)
{
    struct device *device = NULL;
    if (capsule != Py_None && !(device = PyCapsule_GetPointer(capsule, DEVICE)))
        return 0;
    *(const pit_device **)to = device ? &device->device : NULL;
    return 1;
}

/* _set_device(device or None): sets the process's device. */
static PyObject *set_device(PyObject *module, PyObject *capsule)
{
    const pit_device *device;
    (void)module;
    if (!pitpy_device(capsule, &device))
        return NULL;
    pit_set_device(device);
    Py_RETURN_NONE;
}

/* _device_wait(device, or None for the process's): waits until its work is done. */
static PyObject *device_wait(PyObject *module, PyObject *capsule)
{
    const pit_device *device;
    (void)module;
    if (!pitpy_device(capsule, &device))
        return NULL;
    device = device ? device : pit_get_device();
    if (device && device->wait)
        device->wait(device->arg);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_device_new", device_new, METH_VARARGS, NULL},
                                  {"_device_drop", device_drop, METH_O, NULL},
                                  {"_device_wait", device_wait, METH_O, NULL},
                                  {"_set_device", set_device, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_device(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
