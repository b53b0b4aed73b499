/* Communication between processes: hooks of a library's collective calls and messages, like those of
 * py_hook.c, and the groups of ranks that make them.
 *
 * Python code determines the group and size of a call: `question` is called with the call's own arguments.
 * The span is made by pit_collective_begin, which numbers it and keeps it through a kill. */
#include "py_hook.h"

struct call {
    unsigned group, flags;
    unsigned long long bytes;
};

/* Returns 1 and sets *call; 0: it is not communication of this process, or unknown. */
static int ask(const pitpy_timed *self, PyObject *const *args, size_t nargsf, PyObject *kwnames,
               struct call *call)
{
    size_t count = (size_t)PyVectorcall_NARGS(nargsf); /* args[-1] may be used by the caller */
    PyObject *told = PyObject_Vectorcall(self->question, args, count, kwnames);
    int is_known = told && PyTuple_Check(told) &&
                   PyArg_ParseTuple(told, "IKI", &call->group, &call->bytes, &call->flags);
    Py_XDECREF(told);
    PyErr_Clear(); /* wrong arguments: the call itself will raise */
    call->flags = (call->flags & PIT_SYNC) | PIT_COMM;
    return is_known;
}

static void begin(pitpy_name *name, const struct call *call, pitpy_open *open)
{
    if (PITPY_UNLIKELY(!pitpy_stack_is_settled) && pit__enabled) {
        pitpy_stack_ready();
        pitpy_open_default(pitpy_hot); /* before a begin, because a begin without a recorder takes a number
                                          too */
    }
    pitpy_flow *flow = pitpy_flow_here();
    pit_site *site = pitpy_site_with(name, call->flags);
    open->token = site ? pit_collective_begin(site, call->group, call->bytes) : 0;
    open->flow = flow;
    if (!open->token)
        open->begin_ns = pitpy_monotonic_ns();
    pitpy_begin_flow(flow);
}

static PyObject *outermost(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                           PyObject *kwnames, const struct call *call,
                           struct pitpy_watch_call *watch)
{
    pitpy_open open;
    pitpy_count_span();
    pitpy_works++;
    begin(self->name, call, &open);
    if (watch->begin)
        watch->call = pitpy_watch_now();
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    if (watch->begin)
        watch->done = pitpy_watch_now();
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (!result)
        PyErr_Fetch(&type, &value, &traceback);
    pitpy_end(&open);
    if (!result)
        PyErr_Restore(type, value, traceback);
    return result;
}

/* A call that the library makes inside another one is part of that one. */
static PyObject *comm_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    unsigned before = pitpy_inside;
    struct pitpy_watch_call watch = {0};
    struct call call = {0, 0, 0};
    if (before & self->not_in) {
        pitpy_counts.passed++;
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    if (pitpy_is_watched())
        pitpy_watch_begin(&watch);
    pitpy_inside = before | self->kind;
    PyObject *result = NULL;
    if (ask(self, args, nargsf, kwnames, &call)) {
        result = outermost(self, args, nargsf, kwnames, &call, &watch);
        if (watch.begin)
            pitpy_watch_end(&watch);
    } else {
        result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    pitpy_inside = before;
    return result;
}

/* _hook_comm(function, name, kind, not_in, describe): describe(*args, **kwargs) returns (group, bytes,
 * flags) of a call, or None to pass it on. */
static PyObject *function_hook_comm(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *function, *text, *describe;
    unsigned kind, not_in;
    if (!PyArg_ParseTuple(args, "OUIIO:_hook_comm", &function, &text, &kind, &not_in, &describe))
        return NULL;
    pitpy_name *name = pitpy_name_of(state, text);
    pitpy_timed *self = name ? pitpy_timed_new(state, function, name, comm_vectorcall) : NULL;
    if (self) {
        self->kind = kind;
        self->not_in = not_in;
        self->question = Py_NewRef(describe);
    }
    return (PyObject *)self;
}

/* _group(id, size, rank): the group's number, 0 if there is no room. */
static PyObject *function_group(PyObject *module, PyObject *args)
{
    unsigned long long id;
    unsigned size, rank;
    (void)module;
    if (!PyArg_ParseTuple(args, "KII:_group", &id, &size, &rank))
        return NULL;
    return PyLong_FromUnsignedLong(pit_group_open(id, size, rank));
}

static PyMethodDef functions[] = {{"_hook_comm", function_hook_comm, METH_VARARGS, NULL},
                                  {"_group", function_group, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_dist(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
