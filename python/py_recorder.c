/* Recorders (open, close, status) and everything recorded other than spans: values, counts, phases, labels,
 * the journal. A Recorder object of Python is a capsule here; None is the default recorder.
 */
#include "pitpy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CAPSULE "pitwall.recorder"

/* ---- the default recorder, by itself ------------------------------------------------------------ */

static int was_tried; /* an automatic open in this process; a forked child tries again */

static void forget_try(void)
{
    was_tried = 0;
}

/* Does the environment open the recorder? Then the library does it by itself. */
static int environment_asks(void)
{
    const char *file = secure_getenv("PITWALL_FILE"), *on = secure_getenv("PITWALL");
    return (file && *file) || (on && *on && strcmp(on, "0") != 0);
}

int pitpy_open_default(pitpy_state *state)
{
    if (was_tried || pit_default_recorder() || environment_asks())
        return 0;
    was_tried = 1;
    PyObject *package = PyImport_ImportModule("pitwall");
    PyObject *path = package ? PyObject_CallMethod(package, "_path_of_worker", NULL) : NULL;
    PyObject *bytes = path && path != Py_None ? PyUnicode_EncodeFSDefault(path) : NULL;
    PyErr_Clear();
    pit_options options = {.in_memory = bytes == NULL};
    int code = pit_open(bytes ? PyBytes_AS_STRING(bytes) : NULL, &options);
    Py_XDECREF(bytes);
    Py_XDECREF(path);
    Py_XDECREF(package);
    state->is_automatic = code == PIT_OK || code == PIT_NO_FILE;
    pitpy_stack_start();
    return state->is_automatic;
}

/* ---- open and close --------------------------------------------------------------------------- */

static void free_labels(const char **labels)
{
    for (size_t i = 0; labels && labels[i]; i++)
        free((void *)(uintptr_t)labels[i]);
    PyMem_Free(labels);
}

/* "key=value" texts of a list of str, ended by NULL. Returns NULL with an exception. */
static const char **labels_of(PyObject *list)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    const char **labels = PyMem_Calloc((size_t)count + 1, sizeof *labels);
    if (!labels) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        labels[i] = pitpy_utf8_copy(PyList_GET_ITEM(list, i));
        if (!labels[i]) {
            free_labels(labels);
            return NULL;
        }
    }
    return labels;
}

static PyObject *open_failed(pitpy_state *state, const char *path, int code, pit_recorder *rec)
{
    pit_status status;
    const char *what = path ? path : "open";
    if (code != PIT_NO_FILE || pit_get_status(rec, &status) != PIT_OK || !status.system_errno)
        return pitpy_fail(state, code, what, NULL);
    char why[256];
    snprintf(why, sizeof why, "%s: %s", pit_strerror(code), strerror(status.system_errno));
    return pitpy_fail(state, code, what, why);
}

static void recorder_gone(PyObject *capsule)
{
    pit_recorder_free(PyCapsule_GetPointer(capsule, CAPSULE));
}

static PyObject *open_other(pitpy_state *state, const char *path, const pit_options *options)
{
    int code = 0;
    pit_recorder *rec = pit_recorder_open(path, options, &code);
    if (!rec && code == PIT_OFF)
        Py_RETURN_NONE;
    if (!rec || code != PIT_OK) {
        PyObject *failed = open_failed(state, path, code, rec);
        pit_recorder_free(rec);
        return failed;
    }
    PyObject *capsule = PyCapsule_New(rec, CAPSULE, recorder_gone);
    if (!capsule)
        pit_recorder_free(rec);
    return capsule;
}

/* A recorder that a span opened automatically is replaced. */
static PyObject *open_default(pitpy_state *state, const char *path, const pit_options *options)
{
    if (state->is_automatic) {
        pitpy_cut_leave();
        pitpy_stack_stop();
        pit_close();
        state->is_automatic = 0;
    }
    if (state->is_for_samples) {
        pitpy_stack_stop();
        pit_discard_run(); /* fails if it has spans: then it is already open */
        state->is_for_samples = 0;
    }
    int code = pit_open(path, options);
    was_tried = 1;
    pitpy_stack_start();
    if (code != PIT_OK && code != PIT_OFF)
        return open_failed(state, path, code, NULL);
    Py_RETURN_NONE;
}

/* _open(path, is_default, in_memory, ring, max, record, sample_hz, sample_stacks, flags, labels): returns
 * None; for another recorder its capsule, or None with PITWALL=0. */
static PyObject *function_open(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    int is_default;
    pit_options options = {0};
    unsigned long long ring, most, record;
    PyObject *where, *list, *bytes = NULL;
    if (!PyArg_ParseTuple(args, "OppKKKddIO!:open", &where, &is_default, &options.in_memory, &ring,
                          &most, &record, &options.sample_hz, &options.sample_stacks,
                          &options.span_flags, &PyList_Type, &list) ||
        (where != Py_None && !PyUnicode_FSConverter(where, &bytes)))
        return NULL;
    options.ring_bytes = ring;
    options.max_bytes = most;
    options.record_bytes = record;
    const char **labels = labels_of(list);
    const char *path = bytes ? PyBytes_AS_STRING(bytes) : NULL;
    options.labels = labels;
    PyObject *result = !labels      ? NULL
                       : is_default ? open_default(state, path, &options)
                                    : open_other(state, path, &options);
    free_labels(labels);
    Py_XDECREF(bytes);
    return result;
}

/* The recorder behind a capsule, NULL for None. Returns -1 with an exception for other objects. */
static int recorder_of(PyObject *object, pit_recorder **rec)
{
    *rec = object == Py_None ? NULL : PyCapsule_GetPointer(object, CAPSULE);
    return object != Py_None && !*rec ? -1 : 0;
}

static PyObject *function_close(PyObject *module, PyObject *object)
{
    pitpy_state *state = pitpy_state_of(module);
    pit_recorder *rec;
    if (recorder_of(object, &rec) < 0)
        return NULL;
    if (!rec) {
        pitpy_cut_leave();
        pitpy_marks_flush();
    }
    int code;
    if (!rec)
        pitpy_stack_stop();
    Py_BEGIN_ALLOW_THREADS;
    code = rec ? pit_recorder_close(rec) : pit_close();
    Py_END_ALLOW_THREADS;
    if (!rec)
        state->is_automatic = 0;
    if (code != PIT_OK)
        return pitpy_fail(state, code, "close", NULL);
    Py_RETURN_NONE;
}

/* _make_way(): let a recorder that the program opens replace the default one, as if a span had opened it. */
static PyObject *function_make_way(PyObject *module, PyObject *unused)
{
    (void)unused;
    pitpy_state_of(module)->is_automatic = pit_default_recorder() != NULL;
    Py_RETURN_NONE;
}

static PyObject *function_status(PyObject *module, PyObject *object)
{
    (void)module;
    static const char *const places[] = {"file", "shm", "", "memory"};
    pit_recorder *rec;
    pit_status s = {0};
    if (recorder_of(object, &rec) < 0)
        return NULL;
    int code = pit_get_status(rec, &s);
    if (code != PIT_OK)
        return Py_BuildValue("{s:O,s:i,s:s}", "recording", Py_False, "code", code, "text",
                             pit_strerror(code));
    return Py_BuildValue("{s:O,s:i,s:s,s:i,s:s,s:N,s:N,s:K,s:K,s:d,s:K,s:O}", "recording",
                         s.recording ? Py_True : Py_False, "code", s.code, "text",
                         pit_strerror(s.code), "errno", s.system_errno, "storage",
                         places[s.storage & 3], "path", PyUnicode_DecodeFSDefault(s.path), "run_id",
                         pitpy_hex(s.run_id), "bytes", (unsigned long long)s.bytes, "bytes_in_file",
                         (unsigned long long)s.bytes_in_file, "sample_stacks", s.sample_stacks,
                         "place_samples", (unsigned long long)s.place_samples, "automatic",
                         !rec && pitpy_state_of(module)->is_automatic ? Py_True : Py_False);
}

/* ---- spans of a recorder of one's own ------------------------------------------------------------ */

/* _recorder_begin(recorder or None, name) -> (token, nanoseconds of the clock if token is 0: not recorded) */
static PyObject *function_recorder_begin(PyObject *module, PyObject *args)
{
    PyObject *object, *text;
    pit_recorder *rec;
    if (!PyArg_ParseTuple(args, "OO:begin", &object, &text) || recorder_of(object, &rec) < 0)
        return NULL;
    pitpy_name *name = pitpy_name_of(pitpy_state_of(module), text);
    if (!name)
        return NULL;
    unsigned long long token = rec ? pit_recorder_begin(rec, &name->site) : 0;
    return Py_BuildValue("(KK)", token, token ? 0ULL : (unsigned long long)pitpy_monotonic_ns());
}

/* _recorder_end(recorder or None, token, ns) -> seconds */
static PyObject *function_recorder_end(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object;
    unsigned long long token, begin_ns;
    pit_recorder *rec;
    if (!PyArg_ParseTuple(args, "OKK:end", &object, &token, &begin_ns) ||
        recorder_of(object, &rec) < 0)
        return NULL;
    if (!token)
        return pitpy_seconds(pitpy_monotonic_ns() - begin_ns);
    uint64_t ns = rec ? pit_recorder_end(rec, token) : 0;
    return pitpy_seconds(ns ? ns : PITPY_NO_TIME);
}

/* ---- beside spans ------------------------------------------------------------------------------ */

/* Counts belong to the open span of the calling task. */
static void ready(pitpy_state *state)
{
    if (PITPY_UNLIKELY(!was_tried))
        pitpy_open_default(state);
    pitpy_flow_here();
}

static PyObject *function_value(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    pitpy_state *state = pitpy_state_of(module);
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "value() takes a name and a number, not %zd arguments",
                     count);
        return NULL;
    }
    pitpy_name *name = pitpy_name_of(state, args[0]);
    double value = name ? PyFloat_AsDouble(args[1]) : -1;
    if (!name || (value == -1 && PyErr_Occurred()))
        return NULL;
    ready(state);
    pit_value(name->site.name, value);
    Py_RETURN_NONE;
}

/* Parse a count that is not negative. Returns -1 with an exception. */
static int count_of(PyObject *number, const char *what, uint64_t *n)
{
    PyObject *index = PyNumber_Index(number);
    *n = index ? PyLong_AsUnsignedLongLong(index) : 0;
    Py_XDECREF(index);
    if (!PyErr_Occurred())
        return 0;
    if (index && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s() takes a number from 0 to 2^64 - 1, not %R", what,
                     number);
    }
    return -1;
}

#define COUNTER(which)                                                                             \
    static PyObject *function_##which(PyObject *module, PyObject *number)                          \
    {                                                                                              \
        uint64_t n;                                                                                \
        if (count_of(number, #which, &n) < 0)                                                      \
            return NULL;                                                                           \
        ready(pitpy_state_of(module));                                                             \
        pit_##which(n);                                                                            \
        Py_RETURN_NONE;                                                                            \
    }
COUNTER(items)
COUNTER(bytes)
COUNTER(flops)

static PyObject *function_phase(PyObject *module, PyObject *text)
{
    pitpy_state *state = pitpy_state_of(module);
    pitpy_name *name = text == Py_None ? NULL : pitpy_name_of(state, text);
    if (!name && text != Py_None)
        return NULL;
    ready(state);
    if (name)
        pit_phase(&name->site);
    else
        pit_phase_end();
    Py_RETURN_NONE;
}

static PyObject *label(pitpy_state *state, const char *key, const char *value)
{
    ready(state);
    int code = pit_label(key, value);
    if (code == PIT_BAD_ARGUMENT)
        return PyErr_Format(PyExc_ValueError,
                            "label '%.40s': needs a key; key and value take at most 4 kB", key);
    if (code != PIT_OK && code != PIT_NOT_OPEN && code != PIT_OFF)
        return pitpy_fail(state, code, "label", NULL);
    Py_RETURN_NONE;
}

static PyObject *function_label(PyObject *module, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "O&O&:label", pitpy_to_utf8, &key, pitpy_to_utf8, &value))
        return NULL;
    PyObject *result =
        label(pitpy_state_of(module), PyBytes_AS_STRING(key), PyBytes_AS_STRING(value));
    Py_DECREF(key);
    Py_DECREF(value);
    return result;
}

/* _fact(key, value): for hooks. */
static PyObject *function_fact(PyObject *module, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "O&O&:_fact", pitpy_to_utf8, &key, pitpy_to_utf8, &value))
        return NULL;
    int code = pit_add_fact(PyBytes_AS_STRING(key), PyBytes_AS_STRING(value));
    Py_DECREF(key);
    Py_DECREF(value);
    if (code != PIT_OK)
        return pitpy_fail(pitpy_state_of(module), code, "fact", NULL);
    Py_RETURN_NONE;
}

static PyObject *function_thread_name(PyObject *module, PyObject *args)
{
    PyObject *name;
    if (!PyArg_ParseTuple(args, "O&:thread_name", pitpy_to_utf8, &name))
        return NULL;
    ready(pitpy_state_of(module));
    pit_thread_name(PyBytes_AS_STRING(name));
    Py_DECREF(name);
    Py_RETURN_NONE;
}

#define MOST_FIGURES 64

/* The figures of a list of (key, value, unit). Returns their number, or -1 with an exception. */
static Py_ssize_t figures_of(PyObject *list, pit_figure figures[MOST_FIGURES])
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    if (count > MOST_FIGURES) {
        PyErr_Format(PyExc_ValueError, "a journal entry takes at most %d figures, not %zd",
                     MOST_FIGURES, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "sdz", &figures[i].key, &figures[i].value,
                              &figures[i].unit))
            return -1;
    return count;
}

/* _journal(kind, text, [(key, value, unit)], wall_ns) */
static PyObject *function_journal(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    const char *kind, *text;
    PyObject *list;
    unsigned long long wall_ns;
    pit_figure figures[MOST_FIGURES];
    if (!PyArg_ParseTuple(args, "ssO!K:journal", &kind, &text, &PyList_Type, &list, &wall_ns))
        return NULL;
    Py_ssize_t count = figures_of(list, figures);
    if (count < 0)
        return NULL;
    ready(state);
    int code = pit_journal(kind, text, figures, (size_t)count, wall_ns);
    if (code == PIT_BAD_ARGUMENT)
        return PyErr_Format(PyExc_ValueError,
                            "entry '%.40s': needs a kind, and takes at most 16 kB in all", kind);
    if (code != PIT_OK && code != PIT_NOT_OPEN && code != PIT_OFF)
        return pitpy_fail(state, code, "journal", NULL);
    Py_RETURN_NONE;
}

static PyObject *function_rss(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    uint64_t bytes = pit_rss();
    if (!bytes)
        Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(bytes);
}

static PyObject *function_device_stream(PyObject *module, PyObject *stream)
{
    (void)module;
    void *handle = PyLong_AsVoidPtr(stream);
    if (!handle && PyErr_Occurred())
        return NULL;
    pit_device_stream(handle);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_open", function_open, METH_VARARGS, NULL},
    {"_close", function_close, METH_O, NULL},
    {"_make_way", function_make_way, METH_NOARGS, NULL},
    {"_fact", function_fact, METH_VARARGS, NULL},
    {"_status", function_status, METH_O, NULL},
    {"_recorder_begin", function_recorder_begin, METH_VARARGS, NULL},
    {"_recorder_end", function_recorder_end, METH_VARARGS, NULL},
    {"_journal", function_journal, METH_VARARGS, NULL},
    {"value", PITPY_METHOD(function_value), METH_FASTCALL,
     "value(name, number, /)\n--\n\nRecord a number that changes over time, such as the loss."},
    {"device_stream", function_device_stream, METH_O,
     "device_stream(stream, /)\n--\n\nSet the device stream (a number) in which this thread's "
     "spans with\ndevice=True record their events; 0 is the default stream. For PyTorch "
     "pass\ntorch.cuda.current_stream().cuda_stream."},
    {"items", function_items, METH_O,
     "items(n, /)\n--\n\nCount items done in the innermost open span; reports show items per "
     "second."},
    {"bytes", function_bytes, METH_O,
     "bytes(n, /)\n--\n\nCount bytes handled in the innermost open span."},
    {"flops", function_flops, METH_O,
     "flops(n, /)\n--\n\nCount floating-point operations of the innermost open span."},
    {"phase", function_phase, METH_O,
     "phase(name, /)\n--\n\nBegin a phase. This ends the previous phase of the same span; "
     "phase(None)\nonly ends it. The end of the enclosing span ends its last phase."},
    {"label", function_label, METH_VARARGS,
     "label(key, value, /)\n--\n\nAttach a key and a text to the run."},
    {"thread_name", function_thread_name, METH_VARARGS,
     "thread_name(name, /)\n--\n\nSet the name of this thread in reports."},
    {"rss", function_rss, METH_NOARGS,
     "rss()\n--\n\nResident memory of the process in bytes; None if it cannot be read."},
    {NULL, NULL, 0, NULL}};

int pitpy_add_recorder(PyObject *module)
{
    static int is_registered;
    if (!is_registered && pthread_atfork(NULL, NULL, forget_try) == 0)
        is_registered = 1;
    return PyModule_AddFunctions(module, functions);
}
