/* Objects that measure and print while the program runs, each as a capsule that a class of the package
 * holds: timers, phases, operations, epochs, stages, windows, the training profiler. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

/* ---- capsules ----------------------------------------------------------------------------------- */

/* wrap_x makes the capsule of a new object; to_x is its converter for PyArg_ParseTuple. */
#define CAPSULE(type)                                                                              \
    static void drop_##type(PyObject *capsule)                                                     \
    {                                                                                              \
        pit_##type##_free(PyCapsule_GetPointer(capsule, "pitwall." #type));                        \
    }                                                                                              \
    static PyObject *wrap_##type(pit_##type *object)                                               \
    {                                                                                              \
        PyObject *capsule =                                                                        \
            object ? PyCapsule_New(object, "pitwall." #type, drop_##type) : PyErr_NoMemory();      \
        if (!capsule)                                                                              \
            pit_##type##_free(object);                                                             \
        return capsule;                                                                            \
    }                                                                                              \
    static int to_##type(PyObject *capsule, void *to)                                              \
    {                                                                                              \
        pit_##type *object = PyCapsule_GetPointer(capsule, "pitwall." #type);                      \
        *(pit_##type **)to = object;                                                               \
        return object != NULL;                                                                     \
    }
CAPSULE(phase_timer)
CAPSULE(monitor)
CAPSULE(epoch_monitor)
CAPSULE(stages)
CAPSULE(window)
CAPSULE(profiler)

#define ARGUMENTS(...)                                                                             \
    if (!PyArg_ParseTuple(args, __VA_ARGS__))                                                      \
    return NULL
#define FUNCTION(name) static PyObject *name(PyObject *module, PyObject *args)

/* Drop the lines of one call if quiet; then returns None, or NULL if sys.stdout raised. */
static PyObject *end_quiet(int before)
{
    pitpy_quiet = before;
    return pitpy_printed(Py_NewRef(Py_None));
}

static int begin_quiet(int quiet)
{
    int before = pitpy_quiet;
    pitpy_quiet = before || quiet;
    return before;
}

/* The device of a begin or end, or None, and the value of wait=. */
#define USE "O&i"
#define USE_OF(use) pitpy_device, &(use).device, &(use).wait

/* ---- a timed call ------------------------------------------------------------------------------- */

struct call {
    PyObject *function, *arguments, *keywords;
    int quiet; /* silences the timer, not the called function */
    unsigned flags;
};

/* Python serves small objects from arenas that it keeps, so resident memory does not show them. */
static PyObject *call_counted(const struct call *call)
{
    pitpy_held held;
    pit_counted counted;
    pitpy_held_begin(&held);
    PyObject *result = PyObject_Call(call->function, call->arguments, call->keywords);
    pitpy_held_end(&held, &counted);
    pit_time_counted(&counted);
    return result;
}

static void *run_call(void *argument)
{
    struct call *call = argument;
    PyObject *result = call->flags & PIT_MEMORY
                           ? call_counted(call)
                           : PyObject_Call(call->function, call->arguments, call->keywords);
    /* A call that raised is not complete: its time counts, but nothing is printed besides the exception. */
    if (!result)
        pit_time_failed();
    pitpy_quiet = call->quiet || !result;
    return result;
}

static int tell_row(pit_timers *timers, PyObject *rows)
{
    size_t count = 0;
    const pit_row *found = pit_timers_rows(timers, &count);
    PyObject *row = count ? pitpy_row_dict(found) : NULL;
    int code = row ? PyList_Append(rows, row) : count ? -1 : 0;
    Py_XDECREF(row);
    return code;
}

/* _time(name, flags, device, wait, quiet, rows, function, args, kwargs): calls the function and returns its
 * result; the row of the call is appended to rows, even if it raised. */
FUNCTION(time_call)
{
    struct call call;
    const char *name;
    PyObject *rows;
    pit_device_use use;
    ARGUMENTS("sI" USE "pO!OO!O!:time", &name, &call.flags, USE_OF(use), &call.quiet, &PyList_Type,
              &rows, &call.function, &PyTuple_Type, &call.arguments, &PyDict_Type, &call.keywords);
    pit_timers *timers = pit_timers_new();
    if (!timers)
        return PyErr_NoMemory();
    pit_timers_set_device(timers, &use);
    pitpy_flow *flow = pitpy_hold(module);
    int before = pitpy_quiet;
    PyObject *result = pit_time(timers, name, call.flags, run_call, &call);
    pitpy_quiet = before;
    pitpy_leave(flow, pitpy_take_up(flow));
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    int code = tell_row(timers, rows);
    pit_timers_free(timers);
    if (code == 0)
        PyErr_Restore(type, value, traceback);
    return pitpy_printed(result);
}

/* ---- phases ------------------------------------------------------------------------------------- */

FUNCTION(phase_new)
{
    const char *name;
    (void)module;
    ARGUMENTS("s:phase_timer", &name);
    return wrap_phase_timer(pit_phase_timer_new(name));
}

FUNCTION(phase_start)
{
    pit_phase_timer *timer;
    const char *phase;
    pit_device_use use;
    ARGUMENTS("O&s" USE ":start_phase", to_phase_timer, &timer, &phase, USE_OF(use));
    pitpy_ready(module);
    pit_phase_timer_set_device(timer, &use);
    pit_phase_timer_start(timer, phase);
    Py_RETURN_NONE;
}

FUNCTION(phase_end)
{
    pit_phase_timer *timer;
    pit_device_use use;
    ARGUMENTS("O&" USE ":end_phase", to_phase_timer, &timer, USE_OF(use));
    pitpy_ready(module);
    pit_phase_timer_set_device(timer, &use);
    pit_phase_timer_end(timer);
    Py_RETURN_NONE;
}

FUNCTION(phase_rows)
{
    pit_phase_timer *timer;
    size_t count;
    (void)module;
    ARGUMENTS("O&:phases", to_phase_timer, &timer);
    const pit_row *rows = pit_phase_timer_rows(timer, &count);
    return pitpy_row_list(rows, count);
}

FUNCTION(phase_print)
{
    pit_phase_timer *timer;
    int quiet;
    (void)module;
    ARGUMENTS("O&p:print_breakdown", to_phase_timer, &timer, &quiet);
    int before = begin_quiet(quiet);
    pit_phase_timer_print(timer);
    return end_quiet(before);
}

/* ---- operations --------------------------------------------------------------------------------- */

struct operation {
    pit_track track;
    pitpy_flow *flow; /* NULL: ended */
};
#define OPERATION "pitwall.operation"

static void drop_operation(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, OPERATION));
}

static PyObject *make_operation(PyObject *module, struct operation **made)
{
    struct operation *operation = calloc(1, sizeof *operation);
    PyObject *capsule =
        operation ? PyCapsule_New(operation, OPERATION, drop_operation) : PyErr_NoMemory();
    if (!capsule)
        free(operation);
    else
        operation->flow = pitpy_hold(module);
    *made = operation;
    return capsule;
}

FUNCTION(monitor_new)
{
    (void)module;
    ARGUMENTS(":monitor");
    pit_monitor *monitor = pit_monitor_new();
    pit_monitor_enable(monitor, 1); /* Python decides when */
    return wrap_monitor(monitor);
}

FUNCTION(monitor_begin)
{
    pit_monitor *monitor;
    const char *name;
    int aggregate;
    struct operation *operation;
    pit_device_use use;
    ARGUMENTS("O&sp" USE ":track", to_monitor, &monitor, &name, &aggregate, USE_OF(use));
    PyObject *capsule = make_operation(module, &operation);
    pit_monitor_set_device(monitor, &use);
    if (capsule)
        pit_monitor_begin(monitor, &operation->track, name, aggregate);
    return capsule;
}

FUNCTION(monitor_end)
{
    pit_monitor *monitor;
    PyObject *capsule;
    (void)module;
    ARGUMENTS("O&O:track", to_monitor, &monitor, &capsule);
    struct operation *operation = PyCapsule_GetPointer(capsule, OPERATION);
    if (!operation)
        return NULL;
    if (operation->flow) {
        int is_here = pitpy_take_up(operation->flow);
        pit_monitor_end(monitor, &operation->track);
        pitpy_leave(operation->flow, is_here);
        operation->flow = NULL;
    }
    return pitpy_printed(Py_NewRef(Py_None));
}

FUNCTION(monitor_rows)
{
    pit_monitor *monitor;
    size_t count;
    (void)module;
    ARGUMENTS("O&:metrics", to_monitor, &monitor);
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    return pitpy_row_list(rows, count);
}

FUNCTION(monitor_total)
{
    pit_monitor *monitor;
    (void)module;
    ARGUMENTS("O&:total", to_monitor, &monitor);
    return PyFloat_FromDouble(pit_monitor_total(monitor));
}

FUNCTION(monitor_time)
{
    pit_monitor *monitor;
    const char *name;
    (void)module;
    ARGUMENTS("O&s:operation_time", to_monitor, &monitor, &name);
    return PyFloat_FromDouble(pit_monitor_time(monitor, name));
}

FUNCTION(monitor_print)
{
    pit_monitor *monitor;
    int show_aggregate, quiet;
    (void)module;
    ARGUMENTS("O&pp:print_summary", to_monitor, &monitor, &show_aggregate, &quiet);
    int before = begin_quiet(quiet);
    pit_monitor_print(monitor, show_aggregate);
    return end_quiet(before);
}

FUNCTION(monitor_clear)
{
    pit_monitor *monitor;
    (void)module;
    ARGUMENTS("O&:clear", to_monitor, &monitor);
    pit_monitor_clear(monitor);
    Py_RETURN_NONE;
}

FUNCTION(performance_begin)
{
    const char *name;
    struct operation *operation;
    pit_device_use use;
    ARGUMENTS("s" USE ":track_performance", &name, USE_OF(use));
    PyObject *capsule = make_operation(module, &operation);
    if (capsule)
        pit_performance_begin_on(&operation->track, name, &use);
    return capsule;
}

/* _performance_pause(operation, pause): pause it, or resume it. */
FUNCTION(performance_pause)
{
    PyObject *capsule;
    int pause;
    (void)module;
    ARGUMENTS("Op:track_performance", &capsule, &pause);
    struct operation *operation = PyCapsule_GetPointer(capsule, OPERATION);
    if (!operation)
        return NULL;
    if (pause)
        pit_track_pause(&operation->track);
    else
        pit_track_resume(&operation->track);
    Py_RETURN_NONE;
}

FUNCTION(performance_end)
{
    PyObject *capsule;
    int print, quiet;
    (void)module;
    ARGUMENTS("Opp:track_performance", &capsule, &print, &quiet);
    struct operation *operation = PyCapsule_GetPointer(capsule, OPERATION);
    if (!operation)
        return NULL;
    int before = begin_quiet(quiet);
    if (operation->flow) {
        int is_here = pitpy_take_up(operation->flow);
        pit_performance_end(&operation->track, print);
        pitpy_leave(operation->flow, is_here);
        operation->flow = NULL;
    }
    return end_quiet(before);
}

/* ---- epochs ------------------------------------------------------------------------------------- */

/* _epoch_new(enabled, batches) */
FUNCTION(epoch_new)
{
    int enabled, batches;
    (void)module;
    ARGUMENTS("pi:epoch_monitor", &enabled, &batches);
    pit_epoch_options options = {.verbose_batches = batches > 0 ? batches : -1,
                                 .disabled = !enabled};
    return wrap_epoch_monitor(pit_epoch_monitor_new(&options));
}

FUNCTION(epoch_begin)
{
    pit_epoch_monitor *monitor;
    pit_device_use use;
    ARGUMENTS("O&" USE ":on_epoch_start", to_epoch_monitor, &monitor, USE_OF(use));
    pitpy_ready(module);
    pit_epoch_monitor_set_device(monitor, &use);
    pit_epoch_begin(monitor);
    Py_RETURN_NONE;
}

FUNCTION(batch_begin)
{
    pit_epoch_monitor *monitor;
    unsigned long long batch;
    pit_device_use use;
    ARGUMENTS("O&O&" USE ":on_batch_start", to_epoch_monitor, &monitor, pitpy_whole, &batch,
              USE_OF(use));
    pitpy_ready(module);
    pit_epoch_monitor_set_device(monitor, &use);
    pit_epoch_batch_begin(monitor, batch);
    Py_RETURN_NONE;
}

/* _batch_end(monitor, batch, loss or None, quiet) */
FUNCTION(batch_end)
{
    pit_epoch_monitor *monitor;
    unsigned long long batch;
    PyObject *object;
    int quiet;
    ARGUMENTS("O&O&Op:on_batch_end", to_epoch_monitor, &monitor, pitpy_whole, &batch, &object,
              &quiet);
    double loss = object == Py_None ? 0 : PyFloat_AsDouble(object);
    if (loss == -1 && PyErr_Occurred())
        return NULL;
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    pit_epoch_batch_end(monitor, batch, object == Py_None ? NULL : &loss);
    return end_quiet(before);
}

FUNCTION(epoch_end)
{
    pit_epoch_monitor *monitor;
    int quiet;
    ARGUMENTS("O&p:on_epoch_end", to_epoch_monitor, &monitor, &quiet);
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    pit_epoch_end(monitor);
    return end_quiet(before);
}

#define STATISTIC(name, kind)                                                                      \
    {                                                                                              \
#name, kind, offsetof(pit_epoch_statistics, name)                                          \
    }

FUNCTION(epoch_statistics)
{
    static const pitpy_member members[] = {
        STATISTIC(total_epoch_time, 'd'),
        STATISTIC(avg_epoch_time, 'd'),
        STATISTIC(total_batch_time, 'd'),
        STATISTIC(avg_batch_time, 'd'),
        STATISTIC(min_batch_time, 'd'),
        STATISTIC(max_batch_time, 'd'),
        STATISTIC(num_batches, 'u'),
        STATISTIC(num_epochs, 'u'),
        {.key = NULL},
    };
    pit_epoch_monitor *monitor;
    pit_epoch_statistics found;
    (void)module;
    ARGUMENTS("O&:get_statistics", to_epoch_monitor, &monitor);
    return pit_epoch_statistics_of(monitor, &found) == 0 ? pitpy_dict(&found, members)
                                                         : PyDict_New();
}

/* ---- stages ------------------------------------------------------------------------------------- */

FUNCTION(stages_new)
{
    (void)module;
    ARGUMENTS(":stages");
    return wrap_stages(pit_stages_new());
}

static PyObject *stage_time(pit_stages *stages, const char *name)
{
    double seconds = pit_stages_time(stages, name);
    return isnan(seconds) ? Py_NewRef(Py_None) : PyFloat_FromDouble(seconds);
}

/* _stage(stages, name, seconds or None, quiet): seconds of all its calls, or None. */
FUNCTION(stage)
{
    pit_stages *stages;
    const char *name;
    PyObject *object;
    int quiet;
    ARGUMENTS("O&sOp:log", to_stages, &stages, &name, &object, &quiet);
    double seconds = object == Py_None ? 0 : PyFloat_AsDouble(object);
    if (seconds == -1 && PyErr_Occurred())
        return NULL;
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    if (object == Py_None)
        pit_stage(stages, name);
    else
        pit_stage_took(stages, name, seconds);
    PyObject *done = end_quiet(before);
    if (!done || object == Py_None)
        return done;
    Py_DECREF(done);
    return stage_time(stages, name);
}

FUNCTION(stage_enter)
{
    pit_stages *stages;
    const char *name;
    int memory, quiet;
    pit_device_use use;
    ARGUMENTS("O&sp" USE "p:stage", to_stages, &stages, &name, &memory, USE_OF(use), &quiet);
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    pit_stages_set_device(stages, &use);
    pit_stage_enter(stages, name, memory);
    return end_quiet(before);
}

/* _stage_leave(stages, name, quiet): seconds of all its calls. */
FUNCTION(stage_leave)
{
    pit_stages *stages;
    const char *name;
    int quiet;
    ARGUMENTS("O&sp:stage", to_stages, &stages, &name, &quiet);
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    pit_stage_leave(stages, name);
    PyObject *done = end_quiet(before);
    if (!done)
        return NULL;
    Py_DECREF(done);
    return stage_time(stages, name);
}

FUNCTION(stages_rows)
{
    pit_stages *stages;
    size_t count;
    (void)module;
    ARGUMENTS("O&:stages", to_stages, &stages);
    const pit_row *rows = pit_stages_rows(stages, &count);
    return pitpy_row_list(rows, count);
}

FUNCTION(stages_summary)
{
    pit_stages *stages;
    int quiet;
    (void)module;
    ARGUMENTS("O&p:summary", to_stages, &stages, &quiet);
    int before = begin_quiet(quiet);
    pit_stages_summary(stages);
    return end_quiet(before);
}

FUNCTION(stages_save)
{
    pit_stages *stages;
    PyObject *path;
    (void)module;
    ARGUMENTS("O&O&:save", to_stages, &stages, PyUnicode_FSConverter, &path);
    int code = pit_stages_save(stages, PyBytes_AS_STRING(path));
    if (code)
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return code ? NULL : Py_NewRef(Py_None);
}

/* ---- windows ------------------------------------------------------------------------------------ */

/* The items, (label, kind) each; returns their number, or -1. Labels live as long as the list. */
static Py_ssize_t window_items(PyObject *list, pit_window_item *items, Py_ssize_t room)
{
    Py_ssize_t count = PyList_GET_SIZE(list);
    if (count < 1 || count > room) {
        PyErr_Format(PyExc_ValueError, "a window takes 1 to %zd items, not %zd", room, count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int kind;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "si", &items[i].label, &kind))
            return -1;
        items[i].kind = (enum pit_window_kind)kind;
    }
    return count;
}

FUNCTION(window_new)
{
    const char *tag, *unit;
    unsigned long long every;
    PyObject *list;
    pit_window_item items[32];
    (void)module;
    ARGUMENTS("ssO&O!:window", &tag, &unit, pitpy_whole, &every, &PyList_Type, &list);
    Py_ssize_t count = window_items(list, items, 32);
    if (count < 0)
        return NULL;
    return wrap_window(pit_window_new(tag, unit, every, items, (size_t)count));
}

FUNCTION(window_add)
{
    pit_window *window;
    PyObject *list;
    int quiet;
    size_t count;
    ARGUMENTS("O&Op:add", to_window, &window, &list, &quiet);
    double *figures = pitpy_doubles(list, &count);
    if (!figures)
        return NULL;
    pitpy_ready(module);
    int before = begin_quiet(quiet);
    pit_window_add(window, figures);
    free(figures);
    return end_quiet(before);
}

FUNCTION(window_count)
{
    pit_window *window;
    (void)module;
    ARGUMENTS("O&:count", to_window, &window);
    return PyLong_FromUnsignedLongLong(pit_window_count(window));
}

FUNCTION(window_sum)
{
    pit_window *window;
    Py_ssize_t item;
    (void)module;
    ARGUMENTS("O&n:sum", to_window, &window, &item);
    return PyFloat_FromDouble(pit_window_sum(window, (size_t)item));
}

FUNCTION(window_keep)
{
    pit_window *window;
    unsigned long long most;
    (void)module;
    ARGUMENTS("O&O&:keep", to_window, &window, pitpy_whole, &most);
    pit_window_keep(window, most);
    Py_RETURN_NONE;
}

FUNCTION(window_figures)
{
    pit_window *window;
    Py_ssize_t item;
    (void)module;
    ARGUMENTS("O&n:values", to_window, &window, &item);
    size_t count = pit_window_figures(window, (size_t)item, NULL, 0);
    double *figures = malloc((count + 1) * sizeof *figures);
    if (!figures)
        return PyErr_NoMemory();
    count = pit_window_figures(window, (size_t)item, figures, count);
    PyObject *list = pitpy_list_of_doubles(figures, count);
    free(figures);
    return list;
}

FUNCTION(window_percentile)
{
    pit_window *window;
    Py_ssize_t item;
    double percent;
    (void)module;
    ARGUMENTS("O&nd:percentile", to_window, &window, &item, &percent);
    return PyFloat_FromDouble(pit_window_percentile(window, (size_t)item, percent));
}

/* ---- the training profiler ---------------------------------------------------------------------- */

FUNCTION(profiler_new)
{
    (void)module;
    ARGUMENTS(":profiler");
    return wrap_profiler(pit_profiler_new(UINT64_MAX)); /* Python decides when to print, also for wandb */
}

FUNCTION(profiler_start)
{
    pit_profiler *profiler;
    const char *operation;
    pit_device_use use;
    /* None: only the time */
    ARGUMENTS("O&z" USE ":start_timer", to_profiler, &profiler, &operation, USE_OF(use));
    pitpy_ready(module);
    pit_profiler_set_device(profiler, &use);
    return PyFloat_FromDouble(pit_profiler_start(profiler, operation));
}

/* _profiler_end(profiler, operation, start, device, wait): returns the steps so far. */
FUNCTION(profiler_end)
{
    pit_profiler *profiler;
    const char *operation;
    double start;
    pit_device_use use;
    ARGUMENTS("O&sd" USE ":end_timer", to_profiler, &profiler, &operation, &start, USE_OF(use));
    pitpy_ready(module);
    pit_profiler_set_device(profiler, &use);
    pit_profiler_end(profiler, operation, start);
    return pitpy_printed(PyLong_FromUnsignedLongLong(pit_profiler_steps(profiler)));
}

FUNCTION(profiler_steps)
{
    pit_profiler *profiler;
    (void)module;
    ARGUMENTS("O&:steps", to_profiler, &profiler);
    return PyLong_FromUnsignedLongLong(pit_profiler_steps(profiler));
}

FUNCTION(profiler_log)
{
    pit_profiler *profiler;
    unsigned long long number;
    int quiet;
    (void)module;
    ARGUMENTS("O&O&p:log_metrics", to_profiler, &profiler, pitpy_whole, &number, &quiet);
    uint64_t step = number;
    int before = begin_quiet(quiet);
    pit_profiler_log(profiler, &step);
    return end_quiet(before);
}

FUNCTION(profiler_rows)
{
    pit_profiler *profiler;
    size_t count;
    (void)module;
    ARGUMENTS("O&:get_summary", to_profiler, &profiler);
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    return pitpy_row_list(rows, count);
}

FUNCTION(profiler_reset)
{
    pit_profiler *profiler;
    (void)module;
    ARGUMENTS("O&:reset", to_profiler, &profiler);
    pit_profiler_reset(profiler);
    Py_RETURN_NONE;
}

/* ---- the list ----------------------------------------------------------------------------------- */

#define ENTRY(name, function)                                                                      \
    {                                                                                              \
        name, function, METH_VARARGS, NULL                                                         \
    }
static PyMethodDef functions[] = {
    ENTRY("_time", time_call),
    ENTRY("_phase_new", phase_new),
    ENTRY("_phase_start", phase_start),
    ENTRY("_phase_end", phase_end),
    ENTRY("_phase_rows", phase_rows),
    ENTRY("_phase_print", phase_print),
    ENTRY("_monitor_new", monitor_new),
    ENTRY("_monitor_begin", monitor_begin),
    ENTRY("_monitor_end", monitor_end),
    ENTRY("_monitor_rows", monitor_rows),
    ENTRY("_monitor_total", monitor_total),
    ENTRY("_monitor_time", monitor_time),
    ENTRY("_monitor_print", monitor_print),
    ENTRY("_monitor_clear", monitor_clear),
    ENTRY("_performance_begin", performance_begin),
    ENTRY("_performance_end", performance_end),
    ENTRY("_performance_pause", performance_pause),
    ENTRY("_epoch_new", epoch_new),
    ENTRY("_epoch_begin", epoch_begin),
    ENTRY("_batch_begin", batch_begin),
    ENTRY("_batch_end", batch_end),
    ENTRY("_epoch_end", epoch_end),
    ENTRY("_epoch_statistics", epoch_statistics),
    ENTRY("_stages_new", stages_new),
    ENTRY("_stage", stage),
    ENTRY("_stage_enter", stage_enter),
    ENTRY("_stage_leave", stage_leave),
    ENTRY("_stages_rows", stages_rows),
    ENTRY("_stages_summary", stages_summary),
    ENTRY("_stages_save", stages_save),
    ENTRY("_window_new", window_new),
    ENTRY("_window_add", window_add),
    ENTRY("_window_count", window_count),
    ENTRY("_window_sum", window_sum),
    ENTRY("_window_keep", window_keep),
    ENTRY("_window_figures", window_figures),
    ENTRY("_window_percentile", window_percentile),
    ENTRY("_profiler_new", profiler_new),
    ENTRY("_profiler_start", profiler_start),
    ENTRY("_profiler_end", profiler_end),
    ENTRY("_profiler_steps", profiler_steps),
    ENTRY("_profiler_log", profiler_log),
    ENTRY("_profiler_rows", profiler_rows),
    ENTRY("_profiler_reset", profiler_reset),
    {NULL, NULL, 0, NULL},
};

int pitpy_add_monitors(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
