/* Spans that a generator leaves open while it is suspended.
 *
 * Between a `yield` and the next step other code runs, which is not inside the generator's span, and
 * other generators begin and end their spans in any order. So a span that stays open across a `yield` has
 * its own stack (a flow, py_flow.c), like an asyncio task: it appears below the span that was open when it
 * began, and its time is not part of that span's time. All spans of the generator until that span ends are
 * on the same stack.
 *
 * The generator's code shows whether a `with` contains a `yield`; it is checked once for each `with`. A
 * span begun otherwise (by an ExitStack or begin()) is assumed to stay open across a `yield`. Spans that
 * end before the generator yields are like those of a function. A generator of contextlib.contextmanager
 * counts as part of the code that enters it: the block of such a `with` is inside its span.
 */
#include "pitpy.h"

/* The opcodes that we look for, in the running version; -1: not in this version. */
static struct {
    int is_known;
    int with, yield_value, yield_from, resume, extended;
    PyObject *contextlib; /* globals of that module; owned */
} python;

static int opcode_of(PyObject *map, const char *name)
{
    PyObject *number = PyDict_GetItemString(map, name);
    long opcode = number ? PyLong_AsLong(number) : -1;
    return opcode < 256 ? (int)opcode : -1;
}

static int learn_python(void)
{
    if (python.is_known)
        return python.is_known > 0;
    PyObject *module = PyImport_ImportModule("opcode");
    PyObject *map = module ? PyObject_GetAttrString(module, "opmap") : NULL;
    PyObject *contextlib = PyImport_ImportModule("contextlib");
    python.is_known = map && PyDict_Check(map) && contextlib ? 1 : -1;
    if (python.is_known > 0) {
        int with = opcode_of(map, "BEFORE_WITH");
        python.with = with >= 0 ? with : opcode_of(map, "SETUP_WITH");
        python.yield_value = opcode_of(map, "YIELD_VALUE");
        python.yield_from = opcode_of(map, "YIELD_FROM");
        python.resume = opcode_of(map, "RESUME");
        python.extended = opcode_of(map, "EXTENDED_ARG");
        python.contextlib = PyModule_GetDict(contextlib);
    }
    PyErr_Clear();
    Py_XDECREF(map);
    Py_XDECREF(module); /* contextlib is kept */
    return python.is_known > 0;
}

/* ---- does a `with` have a `yield` inside? ----------------------------------------------------- */

struct range {
    Py_ssize_t begin, end; /* units of two bytes */
};

#if PY_VERSION_HEX >= 0x030B0000
static PyObject *bytes_of(PyCodeObject *code)
{
    return PyCode_GetCode(code);
}

/* A number of the exception table: six bits per byte, highest first. */
static Py_ssize_t table_number(const unsigned char **at, const unsigned char *end)
{
    Py_ssize_t number = 0;
    while (*at < end) {
        unsigned char byte = *(*at)++;
        number = number << 6 | (byte & 63);
        if (!(byte & 64))
            break;
    }
    return number;
}

/* The instructions whose exceptions the `with` handles: those with the same target as the next one. */
static struct range inside_with(PyCodeObject *code, const unsigned char *bytes, Py_ssize_t at)
{
    struct range inside = {at + 1, at + 1};
    Py_ssize_t target = -1;
    (void)bytes;
    for (int pass = 0; pass < 2; pass++) {
        const unsigned char *table = (unsigned char *)PyBytes_AS_STRING(code->co_exceptiontable);
        const unsigned char *end = table + PyBytes_GET_SIZE(code->co_exceptiontable);
        while (table < end) {
            Py_ssize_t first = table_number(&table, end), last = first + table_number(&table, end);
            Py_ssize_t to = table_number(&table, end);
            table_number(&table, end); /* depth of the stack */
            if (pass == 0 && first <= at + 1 && at + 1 < last)
                target = to;
            if (pass == 1 && to == target && last > inside.end)
                inside.end = last;
        }
    }
    return inside;
}
#else
static PyObject *bytes_of(PyCodeObject *code)
{
    return Py_NewRef(code->co_code);
}

/* The argument of SETUP_WITH is the distance to its handler. */
static struct range inside_with(PyCodeObject *code, const unsigned char *bytes, Py_ssize_t at)
{
    Py_ssize_t distance = bytes[2 * at + 1];
    (void)code;
    for (Py_ssize_t i = at - 1, shift = 8; i >= 0 && bytes[2 * i] == python.extended;
         i--, shift += 8)
        distance |= (Py_ssize_t)bytes[2 * i + 1] << shift;
#if PY_VERSION_HEX < 0x030A0000
    distance /= 2;
#endif
    return (struct range){at + 1, at + 1 + distance};
}
#endif

/* An `await` suspends the whole task and is not a yield. */
static int is_yield(const PyCodeObject *code, const unsigned char *unit, const unsigned char *end)
{
    if (python.resume < 0)
        return unit[0] == python.yield_value ||
               (unit[0] == python.yield_from && !(code->co_flags & CO_ASYNC_GENERATOR));
    int is_await = unit + 3 < end && unit[2] == python.resume && (unit[3] & 3) == 3;
    return unit[0] == python.yield_value && !is_await;
}

static int find_yield(PyCodeObject *code, Py_ssize_t at)
{
    PyObject *object = bytes_of(code);
    if (!object) {
        PyErr_Clear();
        return 0;
    }
    const unsigned char *bytes = (unsigned char *)PyBytes_AS_STRING(object);
    Py_ssize_t units = PyBytes_GET_SIZE(object) / 2;
    while (at >= 0 && at < units && bytes[2 * at] == python.extended)
        at++; /* a part of the next instruction */
    int found = at < 0 || at >= units || bytes[2 * at] != python.with; /* not a `with`: unknown */
    if (!found) {
        struct range inside = inside_with(code, bytes, at);
        for (Py_ssize_t i = inside.begin; i < inside.end && i < units && !found; i++)
            found = is_yield(code, bytes + 2 * i, bytes + 2 * units);
    }
    Py_DECREF(object);
    return found;
}

/* Cached answers. The code is owned, so that its address is not reused. */
#define ANSWERS 256u
static struct {
    PyCodeObject *code;
    Py_ssize_t at;
    int answer;
} answers[ANSWERS];

static int has_yield_inside(PyCodeObject *code, Py_ssize_t at)
{
    size_t slot = (((uintptr_t)code >> 4) * 31u + (size_t)at) % ANSWERS;
    if (answers[slot].code == code && answers[slot].at == at)
        return answers[slot].answer;
    PyCodeObject *before = answers[slot].code;
    int answer = find_yield(code, at);
    answers[slot].code = (PyCodeObject *)Py_NewRef((PyObject *)code);
    answers[slot].at = at;
    answers[slot].answer = answer;
    Py_XDECREF(before);
    return answer;
}

/* ---- which generator -------------------------------------------------------------------------- */

/* False for coroutines: spans that they leave open belong to their task. */
static int yields_values(PyObject *object)
{
    return PyGen_CheckExact(object) || PyAsyncGen_CheckExact(object);
}

PyObject *pitpy_generator_holding(void)
{
    pitpy_frame *frame = pitpy_frame_now(pitpy_near.thread_state());
    if (!frame)
        return NULL;
    int is_plain = !pitpy_frame_is_generator(frame);
    if (is_plain && frame->f_globals != python.contextlib && python.is_known)
        return NULL;
    if (!learn_python())
        return NULL;
    for (; frame; frame = pitpy_frame_caller(frame)) {
        if (frame->f_globals == python.contextlib)
            continue;
        if (!pitpy_frame_is_generator(frame) || !yields_values(pitpy_frame_generator(frame)))
            return NULL;
        const pitpy_frame *caller = pitpy_frame_caller(frame);
        if (!caller || caller->f_globals != python.contextlib)
            break;
    }
    return frame && has_yield_inside(frame->f_code, pitpy_frame_instruction(frame))
               ? pitpy_frame_generator(frame)
               : NULL;
}

/* Flows are found by a weak reference to the generator, so a generator without weak references has none. */
pitpy_flow *pitpy_generator_running(pitpy_flow *(*flow_of)(PyObject *weak))
{
    pitpy_frame *frame = pitpy_frame_now(pitpy_near.thread_state());
    for (; frame; frame = pitpy_frame_caller(frame)) {
        if (!pitpy_frame_is_generator(frame))
            continue;
        PyObject *generator = pitpy_frame_generator(frame);
        if (!((PyGenObject *)generator)->gi_weakreflist)
            continue;
        PyObject *weak = PyWeakref_NewRef(generator, NULL);
        pitpy_flow *flow = weak ? flow_of(weak) : NULL;
        PyErr_Clear();
        Py_XDECREF(weak);
        if (flow)
            return flow;
    }
    return NULL;
}
