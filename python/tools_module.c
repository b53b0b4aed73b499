/* The tools' functions in the module, where their lines go, and small helpers.
 *
 * The monitors print line by line through a hook: into the current sys.stdout, so that redirection,
 * notebooks and tests work, and flushed each time. This takes the interpreter's lock, because a C library
 * may print from its own thread. */
#include "tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

__thread int pitpy_quiet __attribute__((tls_model("initial-exec")));

/* ---- lines ------------------------------------------------------------------------------------- */

static void write_line(const char *text)
{
    PyObject *out = PySys_GetObject("stdout");
    if (!out || out == Py_None || PyErr_Occurred())
        return;
    Py_INCREF(out);
    PyObject *line = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    if (line)
        Py_SETREF(line, PyUnicode_FromFormat("%U\n", line));
    PyObject *done = line ? PyObject_CallMethod(out, "write", "O", line) : NULL;
    if (done && PyObject_HasAttrString(out, "flush"))
        Py_SETREF(done, PyObject_CallMethod(out, "flush", NULL));
    Py_XDECREF(done);
    Py_XDECREF(line);
    Py_DECREF(out);
}

/* If Python called us, an exception of sys.stdout stays set for pitpy_printed, and nothing more is printed.
 * On a thread of C code it cannot be raised. */
static void print_line(void *arg, const char *text)
{
    (void)arg;
    if (pitpy_quiet || !Py_IsInitialized())
        return;
    PyGILState_STATE lock = PyGILState_Ensure();
    write_line(text);
    if (lock == PyGILState_UNLOCKED && PyErr_Occurred())
        PyErr_WriteUnraisable(NULL);
    PyGILState_Release(lock);
}

PyObject *pitpy_printed(PyObject *object)
{
    if (PyErr_Occurred())
        Py_CLEAR(object);
    return object;
}

static PyObject *is_verbose(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyBool_FromLong(pit_is_verbose());
}

/* ---- values ------------------------------------------------------------------------------------ */

int pitpy_put(PyObject *dict, const char *key, PyObject *value)
{
    int code = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return code;
}

PyObject *pitpy_text_of(const char *text)
{
    if (!text)
        return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

double *pitpy_doubles(PyObject *sequence, size_t *count)
{
    PyObject *fast = PySequence_Fast(sequence, "expected a sequence of numbers");
    if (!fast)
        return NULL;
    *count = (size_t)PySequence_Fast_GET_SIZE(fast);
    double *numbers = malloc((*count + 1) * sizeof *numbers);
    if (!numbers)
        PyErr_NoMemory();
    for (size_t i = 0; numbers && i < *count; i++) {
        numbers[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(fast, (Py_ssize_t)i));
        if (numbers[i] == -1 && PyErr_Occurred()) {
            free(numbers);
            numbers = NULL;
        }
    }
    Py_DECREF(fast);
    return numbers;
}

PyObject *pitpy_list_of_doubles(const double *numbers, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (number)
            PyList_SET_ITEM(list, (Py_ssize_t)i, number);
        else
            Py_CLEAR(list);
    }
    return list;
}

int pitpy_whole(PyObject *number, void *to)
{
    PyObject *index = PyNumber_Index(number);
    PyObject *kind = index ? PyExc_ValueError : PyExc_TypeError;
    unsigned long long whole = index ? PyLong_AsUnsignedLongLong(index) : 0;
    Py_XDECREF(index);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Format(kind, "expected a whole number >= 0, not %R", number);
        return 0;
    }
    *(unsigned long long *)to = whole;
    return 1;
}

PyObject *pitpy_written(pitpy_state *state, FILE *out, char **bytes, size_t *length, int code,
                        const char *what)
{
    PyObject *text = NULL;
    if (!out)
        return PyErr_NoMemory();
    int failed = fclose(out) != 0;
    if (PyErr_Occurred())
        ;
    else if (code != 0 && code != PIT_NOTHING)
        pitpy_fail(state, code, what, NULL);
    else if (failed)
        PyErr_NoMemory();
    else
        text = PyUnicode_DecodeUTF8(*bytes, (Py_ssize_t)*length, "replace");
    free(*bytes);
    return text;
}

/* ---- flows ------------------------------------------------------------------------------------- */

void pitpy_ready(PyObject *module)
{
    if (PITPY_UNLIKELY(!pit_default_recorder()))
        pitpy_open_default(pitpy_state_of(module));
    pitpy_flow_here();
}

pitpy_flow *pitpy_hold(PyObject *module)
{
    if (PITPY_UNLIKELY(!pit_default_recorder()))
        pitpy_open_default(pitpy_state_of(module));
    pitpy_flow *flow = pitpy_flow_here();
    if (flow->open++ == 0)
        Py_XINCREF(flow->owned);
    return flow;
}

int pitpy_take_up(pitpy_flow *flow)
{
    return pitpy_flow_resume(flow);
}

void pitpy_leave(pitpy_flow *flow, int is_here)
{
    if (!is_here)
        pitpy_flow_leave(flow);
    else if (--flow->open == 0)
        pitpy_flow_rest(flow);
}

/* ---- files ------------------------------------------------------------------------------------- */

static int write_bytes(FILE *out, void *arg)
{
    PyObject *bytes = arg;
    size_t count = (size_t)PyBytes_GET_SIZE(bytes);
    return fwrite(PyBytes_AS_STRING(bytes), 1, count, out) == count ? 0 : PIT_CANNOT_WRITE;
}

/* Returns None, or raises OSError from errno. Takes the path's reference. */
static PyObject *saved(int code, PyObject *path)
{
    if (code) {
        PyObject *name = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
        if (name)
            PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, name);
        Py_XDECREF(name);
    }
    Py_DECREF(path);
    return code ? NULL : Py_NewRef(Py_None);
}

/* _save(path, bytes): the file appears whole or not at all. */
static PyObject *save(PyObject *module, PyObject *args)
{
    PyObject *path, *bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&S:save", PyUnicode_FSConverter, &path, &bytes))
        return NULL;
    return saved(pit_save(PyBytes_AS_STRING(path), write_bytes, bytes), path);
}

/* _save_members(path, bytes): merge the members of a JSON object into the object in the file. */
static PyObject *save_members(PyObject *module, PyObject *args)
{
    PyObject *path, *bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&S:save_members", PyUnicode_FSConverter, &path, &bytes))
        return NULL;
    int code = pit_save_members(PyBytes_AS_STRING(path), PyBytes_AS_STRING(bytes));
    if (code == PIT_CANNOT_READ && errno == EINVAL) {
        PyErr_Format(PyExc_ValueError, "%s: does not contain a JSON object; file left unchanged",
                     PyBytes_AS_STRING(path));
        Py_DECREF(path);
        return NULL;
    }
    return saved(code, path);
}

/* ---- a clock that tests move --------------------------------------------------------------------- */

static PyObject *clock_function;

static uint64_t read_clock(void *arg)
{
    (void)arg;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *now = clock_function ? PyObject_CallNoArgs(clock_function) : NULL;
    unsigned long long ns = now ? PyLong_AsUnsignedLongLong(now) : 0;
    Py_XDECREF(now);
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(clock_function);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(lock);
    return ns;
}

/* _set_clock(function that returns nanoseconds, or None for the real clock): the clock of the monitors. */
static PyObject *set_clock(PyObject *module, PyObject *function)
{
    pit_sources sources = {.monotonic_ns = read_clock};
    (void)module;
    pit_set_sources(NULL);
    Py_XSETREF(clock_function, function == Py_None ? NULL : Py_NewRef(function));
    if (clock_function)
        pit_set_sources(&sources);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_is_verbose", is_verbose, METH_NOARGS, NULL},
                                  {"_set_clock", set_clock, METH_O, NULL},
                                  {"_save", save, METH_VARARGS, NULL},
                                  {"_save_members", save_members, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_tools(PyObject *module)
{
    pit_set_print(print_line, NULL);
    if (PyModule_AddFunctions(module, functions) < 0)
        return -1;
    return pitpy_add_views(module) < 0 || pitpy_add_monitors(module) < 0 ||
                   pitpy_add_benches(module) < 0 || pitpy_add_profiles(module) < 0 ||
                   pitpy_add_device(module) < 0
               ? -1
               : 0;
}
