/* Benchmarks of Python functions, comparisons of figures, growth.
 *
 * If a function raises, its benchmark ends: the remaining calls do nothing, and the exception propagates to
 * the caller.
 */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

struct target {
    PyObject *function, *arguments;
    PyObject *setup; /* or NULL */
    int failed;
};

static void call(struct target *target, PyObject *function, PyObject *arguments)
{
    if (target->failed || PyErr_Occurred()) { /* of another target that is timed in turn with this one */
        target->failed = 1;
        return;
    }
    PyObject *result =
        arguments ? PyObject_CallObject(function, arguments) : PyObject_CallNoArgs(function);
    if (!result)
        target->failed = 1;
    Py_XDECREF(result);
}

static void call_function(void *argument)
{
    struct target *target = argument;
    call(target, target->function, target->arguments);
}

static void call_setup(void *argument)
{
    struct target *target = argument;
    call(target, target->setup, NULL);
}

static void call_sized(void *argument, uint64_t size)
{
    struct target *target = argument;
    int is_over = target->failed || PyErr_Occurred();
    PyObject *arguments = is_over ? NULL : Py_BuildValue("(K)", (unsigned long long)size);
    if (arguments)
        call(target, target->function, arguments);
    else
        target->failed = 1;
    Py_XDECREF(arguments);
}

/* ---- results ------------------------------------------------------------------------------------ */

#define RESULT(name, kind)                                                                         \
    {                                                                                              \
#name, kind, offsetof(pit_bench_result, name)                                              \
    }
static const pitpy_member result_members[] = {
    RESULT(mean, 'd'),
    RESULT(std, 'd'),
    RESULT(min, 'd'),
    RESULT(max, 'd'),
    RESULT(median, 'd'),
    RESULT(p95, 'd'),
    RESULT(p99, 'd'),
    RESULT(total, 'd'),
    RESULT(cpu_mean, 'd'),
    RESULT(process_cpu_mean, 'd'),
    RESULT(samples_per_second, 'd'),
    RESULT(trials, 'u'),
    RESULT(iterations, 'u'),
    RESULT(interrupted, 'u'),
    RESULT(resolution, 'd'),
    RESULT(at_resolution, 'i'),
    RESULT(too_few, 'i'),
    RESULT(session, 'u'),
    RESULT(blocks, 'u'),
    {.key = NULL},
};

PyObject *pitpy_result_dict(const pit_bench_result *result)
{
    PyObject *dict = pitpy_dict(result, result_members);
    if (dict && pitpy_put(dict, "times",
                          pitpy_list_of_doubles(result->times, result->times ? result->trials : 0)))
        Py_CLEAR(dict);
    return dict;
}

int pitpy_result_fill(pit_bench_result *result, PyObject *dict)
{
    *result = (pit_bench_result){.cpu_mean = (double)NAN, .process_cpu_mean = (double)NAN};
    if (dict == Py_None)
        return 0;
    if (pitpy_fill(result, result_members, dict) < 0)
        return -1;
    PyObject *times = PyDict_GetItemString(dict, "times");
    size_t count = 0;
    if (!times || times == Py_None || PyObject_Size(times) == 0)
        return 0;
    result->times = pitpy_doubles(times, &count);
    if (result->times && count != result->trials) {
        free(result->times);
        result->times = NULL;
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- a function --------------------------------------------------------------------------------- */

#define OPTION(name, kind)                                                                         \
    {                                                                                              \
#name, kind, offsetof(pit_bench_options, name)                                             \
    }
static const pitpy_member option_members[] = {
    OPTION(name, 's'),        OPTION(warmup, 'u'),      OPTION(trials, 'u'),
    OPTION(min_seconds, 'd'), OPTION(max_seconds, 'd'), OPTION(iterations, 'u'),
    OPTION(batch, 'u'),       OPTION(wait, 'i'),        {.key = NULL},
};

/* _bench(function, args, setup or None, options) -> dict */
static PyObject *bench(PyObject *module, PyObject *args)
{
    struct target target = {0};
    PyObject *setup, *dict, *found = NULL;
    pit_bench_options options = {0};
    pit_bench_result result;
    if (!PyArg_ParseTuple(args, "OO!OO!:bench", &target.function, &PyTuple_Type, &target.arguments,
                          &setup, &PyDict_Type, &dict) ||
        pitpy_fill(&options, option_members, dict) < 0)
        return NULL;
    if (setup != Py_None) {
        target.setup = setup;
        options.setup = call_setup;
    }
    pitpy_ready(module);
    int code = pit_bench(call_function, &target, &options, &result);
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "bench", NULL);
    if (!target.failed)
        found = pitpy_result_dict(&result);
    pit_bench_free(&result);
    return found;
}

/* _bench_print(name, result, percentiles, form) -> str */
static PyObject *bench_print(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject *dict, *text = NULL;
    int percentiles, form;
    pit_bench_result result;
    if (!PyArg_ParseTuple(args, "sOpi:bench_print", &name, &dict, &percentiles, &form))
        return NULL;
    if (pitpy_result_fill(&result, dict) == 0) {
        char *bytes = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&bytes, &length);
        int code = out ? pit_bench_print(out, name, &result, percentiles, (enum pit_form)form) : 0;
        text = pitpy_written(pitpy_state_of(module), out, &bytes, &length, code, name);
    }
    pit_bench_free(&result);
    return text;
}

#define FORECAST(name, kind)                                                                       \
    {                                                                                              \
#name, kind, offsetof(pit_forecast_options, name)                                          \
    }
static const pitpy_member forecast_members[] = {
    FORECAST(name, 's'), FORECAST(steps, 'u'), FORECAST(trials, 'u'), FORECAST(warmup_trials, 'u'),
    FORECAST(wait, 'i'), FORECAST(seed, 'u'),  {.key = NULL},
};

/* _forecast(function, options) -> (single, full) */
static PyObject *forecast(PyObject *module, PyObject *args)
{
    struct target target = {0};
    PyObject *dict, *found = NULL;
    pit_forecast_options options = {0};
    pit_bench_result single, full;
    if (!PyArg_ParseTuple(args, "OO!:forecast", &target.function, &PyDict_Type, &dict) ||
        pitpy_fill(&options, forecast_members, dict) < 0)
        return NULL;
    pitpy_ready(module);
    int code = pit_bench_forecast(call_sized, &target, &options, &single, &full);
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "forecast", NULL);
    if (!target.failed)
        found = Py_BuildValue("(NN)", pitpy_result_dict(&single), pitpy_result_dict(&full));
    pit_bench_free(&single);
    pit_bench_free(&full);
    return found;
}

static PyObject *pairs_of(pit_bench_result *singles, pit_bench_result *fulls, size_t count)
{
    PyObject *list = PyErr_Occurred() ? NULL : PyList_New(0);
    for (size_t i = 0; i < count; i++) {
        PyObject *pair = list ? Py_BuildValue("(NN)", pitpy_result_dict(&singles[i]),
                                              pitpy_result_dict(&fulls[i]))
                              : NULL;
        if (list && (!pair || PyList_Append(list, pair) < 0))
            Py_CLEAR(list);
        Py_XDECREF(pair);
        pit_bench_free(&singles[i]);
        pit_bench_free(&fulls[i]);
    }
    return list;
}

/* _bench_models([(name, function)], options) -> [(single, full)] */
static PyObject *bench_models(PyObject *module, PyObject *args)
{
    PyObject *list, *dict, *found = NULL;
    pit_forecast_options options = {0};
    if (!PyArg_ParseTuple(args, "O!O!:bench_models", &PyList_Type, &list, &PyDict_Type, &dict) ||
        pitpy_fill(&options, forecast_members, dict) < 0)
        return NULL;
    size_t count = (size_t)PyList_GET_SIZE(list);
    struct target *targets = calloc(count + 1, sizeof *targets);
    pit_bench_model *models = calloc(count + 1, sizeof *models);
    pit_bench_result *results = calloc(2 * count + 1, sizeof *results);
    int good = targets && models && results;
    if (!good)
        PyErr_NoMemory();
    for (size_t i = 0; i < count && good; i++) {
        models[i] = (pit_bench_model){.forecast = call_sized, .argument = &targets[i]};
        good = PyArg_ParseTuple(PyList_GET_ITEM(list, (Py_ssize_t)i), "sO", &models[i].name,
                                &targets[i].function);
    }
    if (good) {
        pitpy_ready(module);
        int code = pit_bench_models(models, count, &options, results, results + count);
        if (code)
            pitpy_fail(pitpy_state_of(module), code, "benchmark_models", NULL);
        else
            found = pairs_of(results, results + count, count);
    }
    free(targets);
    free(models);
    free(results);
    return found;
}

/* ---- two sides ---------------------------------------------------------------------------------- */

static PyObject *comparison_dict(const pit_comparison *c)
{
    static const char *const verdicts[] = {"no verdict", "faster", "slower", "same"};
    return Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:N,s:d,s:d,s:n,s:n,s:n,s:s}", "verdict",
                         verdicts[c->verdict], "change", c->change, "low", c->low, "high", c->high,
                         "p", c->p, "is_real", PyBool_FromLong(c->is_real), "a", c->a, "b", c->b,
                         "a_runs", (Py_ssize_t)c->a_runs, "b_runs", (Py_ssize_t)c->b_runs,
                         "more_runs", (Py_ssize_t)c->more_runs, "reason", c->reason);
}

#define RAISED 1 /* result of a callback whose function raised */

/* The function returns p10 and median of the calls of one run. */
static int run_side(void *argument, size_t side, size_t round, double *figures)
{
    PyObject *found = PyObject_CallFunction(argument, "nn", (Py_ssize_t)side, (Py_ssize_t)round);
    int good = found && PyArg_ParseTuple(found, "dd", &figures[0], &figures[1]);
    Py_XDECREF(found);
    return good ? 0 : RAISED;
}

/* _race(run, rounds, budget, level, effect): run(side, round) -> (p10, median) */
static PyObject *race(PyObject *module, PyObject *args)
{
    PyObject *run;
    Py_ssize_t rounds;
    pit_race_options options = {.has_median = 1};
    pit_race_result result;
    if (!PyArg_ParseTuple(args, "Onddd:race", &run, &rounds, &options.budget, &options.level,
                          &options.effect))
        return NULL;
    options.runs = (size_t)rounds;
    int code = rounds < 0 ? PIT_BAD_ARGUMENT : pit_race(run_side, run, &options, &result);
    if (code == RAISED)
        return NULL;
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "race", NULL);
    PyObject *found = comparison_dict(&result.comparisons->items[0]);
    pit_race_free(&result);
    return found;
}

/* _calls(seconds) -> (p10, median) with the warm-up left out, or None */
static PyObject *calls(PyObject *module, PyObject *seconds)
{
    size_t count;
    pit_call_times found;
    double *numbers = pitpy_doubles(seconds, &count);
    if (!numbers)
        return NULL;
    int code = pit_find_call_times(numbers, count, &found);
    free(numbers);
    if (code == PIT_NOTHING)
        Py_RETURN_NONE;
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "calls", NULL);
    return Py_BuildValue("(dd)", found.p10, found.median);
}

/* ---- growth ------------------------------------------------------------------------------------- */

#define SCALING "pitwall.scaling"

static void drop_scaling(PyObject *capsule)
{
    free(PyCapsule_GetPointer(capsule, SCALING));
}

static PyObject *scaling_dict(pit_scaling *scaling)
{
    PyObject *capsule = PyCapsule_New(scaling, SCALING, drop_scaling);
    if (!capsule) {
        free(scaling);
        return NULL;
    }
    return Py_BuildValue("{s:N,s:s,s:d,s:d,s:d,s:s,s:d,s:d,s:d,s:N,s:s}", "own", capsule, "name",
                         scaling->name, "constant", scaling->constant, "factor", scaling->factor,
                         "error", scaling->error, "also", scaling->also, "tail", scaling->tail,
                         "tail_low", scaling->tail_low, "tail_high", scaling->tail_high,
                         "low_confidence", PyBool_FromLong(scaling->low_confidence), "warning",
                         scaling->warning);
}

/* _scaling(sizes, costs) -> dict */
static PyObject *find_scaling(PyObject *module, PyObject *args)
{
    PyObject *first, *second;
    size_t count = 0, costs_count = 0;
    if (!PyArg_ParseTuple(args, "OO:scaling", &first, &second))
        return NULL;
    double *sizes = pitpy_doubles(first, &count);
    double *costs = sizes ? pitpy_doubles(second, &costs_count) : NULL;
    pit_scaling *scaling = costs ? calloc(1, sizeof *scaling) : NULL;
    int code = count != costs_count ? PIT_BAD_ARGUMENT : 0;
    if (scaling && !code)
        code = pit_find_scaling(sizes, costs, count, scaling);
    free(sizes);
    free(costs);
    if (!scaling)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    if (!code)
        return scaling_dict(scaling);
    free(scaling);
    if (count != costs_count)
        return PyErr_Format(PyExc_ValueError,
                            "costs and sizes must have the same length, not %zu and %zu",
                            costs_count, count);
    return pitpy_fail(pitpy_state_of(module), code, "scaling",
                      code == PIT_NOTHING ? "needs at least three sizes" : NULL);
}

static uint64_t *whole_sizes(PyObject *list, size_t *count)
{
    PyObject *fast = PySequence_Fast(list, "sizes must be a list of whole numbers");
    if (!fast)
        return NULL;
    *count = (size_t)PySequence_Fast_GET_SIZE(fast);
    uint64_t *sizes = malloc((*count + 1) * sizeof *sizes);
    if (!sizes)
        PyErr_NoMemory();
    for (size_t i = 0; sizes && i < *count && !PyErr_Occurred(); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(fast, (Py_ssize_t)i),
                 *whole = PyNumber_Index(item);
        sizes[i] = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
        Py_XDECREF(whole);
        if (PyErr_Occurred())
            PyErr_Format(PyErr_ExceptionMatches(PyExc_TypeError) ? PyExc_TypeError
                                                                 : PyExc_ValueError,
                         "a size must be a whole number >= 0, not %R", item);
    }
    Py_DECREF(fast);
    if (PyErr_Occurred()) {
        free(sizes);
        sizes = NULL;
    }
    return sizes;
}

/* _scale(function, sizes, rounds) -> (dict, costs) */
static PyObject *scale(PyObject *module, PyObject *args)
{
    struct target target = {0};
    PyObject *list, *found = NULL;
    unsigned long long rounds;
    size_t count;
    if (!PyArg_ParseTuple(args, "OOO&:scale", &target.function, &list, pitpy_whole, &rounds))
        return NULL;
    uint64_t *sizes = whole_sizes(list, &count);
    double *costs = sizes ? calloc(count + 1, sizeof *costs) : NULL;
    pit_scaling *scaling = costs ? calloc(1, sizeof *scaling) : NULL;
    int code = 0;
    if (scaling) {
        pitpy_ready(module);
        code = pit_scale(call_sized, &target, sizes, count, rounds, costs, scaling);
        if (!target.failed && !code)
            found =
                Py_BuildValue("(NN)", scaling_dict(scaling), pitpy_list_of_doubles(costs, count));
        else
            free(scaling);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    free(sizes);
    free(costs);
    if (code && !PyErr_Occurred())
        pitpy_fail(pitpy_state_of(module), code, "scale",
                   code == PIT_NOTHING ? "needs at least three sizes" : NULL);
    return found;
}

/* _scaling_predict(own, size) -> (cost, low, high) */
static PyObject *scaling_predict(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    double size, low, high;
    (void)module;
    if (!PyArg_ParseTuple(args, "Od:predict", &capsule, &size))
        return NULL;
    pit_scaling *scaling = PyCapsule_GetPointer(capsule, SCALING);
    if (!scaling)
        return NULL;
    double cost = pit_scaling_predict(scaling, size, &low, &high);
    return Py_BuildValue("(ddd)", cost, low, high);
}

/* _scaling_print(own, sizes, costs, predict, unit, options) -> str */
static PyObject *scaling_print(PyObject *module, PyObject *args)
{
    PyObject *capsule, *lists[3], *dict, *text = NULL;
    double *arrays[3] = {NULL, NULL, NULL};
    size_t counts[3] = {0, 0, 0};
    const char *unit;
    pit_report_options options;
    if (!PyArg_ParseTuple(args, "OOOOzO:scaling_print", &capsule, &lists[0], &lists[1], &lists[2],
                          &unit, &dict) ||
        pitpy_report_options(dict, NULL, &options) < 0)
        return NULL;
    pit_scaling *scaling = PyCapsule_GetPointer(capsule, SCALING);
    int good = scaling != NULL;
    for (size_t i = 0; good && i < 3; i++)
        good = (arrays[i] = pitpy_doubles(lists[i], &counts[i])) != NULL;
    if (good && counts[0] == counts[1]) {
        char *bytes = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&bytes, &length);
        int code = out ? pit_scaling_print(out, scaling, arrays[0], arrays[1], counts[0], arrays[2],
                                           counts[2], unit, &options)
                       : 0;
        text = pitpy_written(pitpy_state_of(module), out, &bytes, &length, code, "scaling");
    } else if (good) {
        PyErr_SetString(PyExc_ValueError, "costs and sizes must have the same length");
    }
    for (size_t i = 0; i < 3; i++)
        free(arrays[i]);
    return text;
}

static PyMethodDef functions[] = {{"_bench", bench, METH_VARARGS, NULL},
                                  {"_bench_print", bench_print, METH_VARARGS, NULL},
                                  {"_forecast", forecast, METH_VARARGS, NULL},
                                  {"_bench_models", bench_models, METH_VARARGS, NULL},
                                  {"_race", race, METH_VARARGS, NULL},
                                  {"_calls", calls, METH_O, NULL},
                                  {"_scaling", find_scaling, METH_VARARGS, NULL},
                                  {"_scale", scale, METH_VARARGS, NULL},
                                  {"_scaling_predict", scaling_predict, METH_VARARGS, NULL},
                                  {"_scaling_print", scaling_print, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_benches(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
