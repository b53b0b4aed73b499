/* Views over plain data, the figures behind them, and text logs. */
#include "tools.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* _view(name, rows, series, curves, entries, title, options) -> str */
static PyObject *view(PyObject *module, PyObject *args)
{
    const char *name, *title;
    PyObject *rows, *series, *curves, *entries, *dict;
    pit_report_options options;
    if (!PyArg_ParseTuple(args, "sOOOOzO:view", &name, &rows, &series, &curves, &entries, &title,
                          &dict) ||
        pitpy_report_options(dict, name, &options) < 0)
        return NULL;
    pitpy_data data = {.data = {.title = title}};
    PyObject *text = NULL;
    if (pitpy_data_rows(&data, rows) == 0 && pitpy_data_series(&data, series) == 0 &&
        pitpy_data_curves(&data, curves) == 0 && pitpy_data_entries(&data, entries) == 0) {
        char *bytes = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&bytes, &length);
        int code = out ? pit_view_print(out, name, &data.data, &options) : 0;
        if (code == PIT_BAD_ARGUMENT)
            PyErr_Format(PyExc_ValueError,
                         "%s: this view needs runs, or does not support this form", name);
        text = pitpy_written(pitpy_state_of(module), out, &bytes, &length, code, name);
    }
    pitpy_data_free(&data);
    return text;
}

/* ---- figures ------------------------------------------------------------------------------------ */

/* _warmup(seconds) -> dict, or None with fewer than two */
static PyObject *warmup(PyObject *module, PyObject *seconds)
{
    size_t count;
    pit_warmup found;
    double *numbers = pitpy_doubles(seconds, &count);
    if (!numbers)
        return NULL;
    int code = pit_find_warmup(numbers, count, &found);
    free(numbers);
    if (code == PIT_NOTHING)
        Py_RETURN_NONE;
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "warm-up", NULL);
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:n,s:d,s:s}", "first", found.first, "steady",
                         found.steady, "overhead", found.overhead, "overhead_pct",
                         found.overhead_pct, "ends_at", (Py_ssize_t)found.ends_at, "steady_level",
                         found.steady_level, "course", pit_course_name(found.course));
}

/* _variance(seconds) -> dict, or None without any */
static PyObject *variance(PyObject *module, PyObject *seconds)
{
    size_t count;
    pit_variance found;
    double *numbers = pitpy_doubles(seconds, &count);
    if (!numbers)
        return NULL;
    int code = pit_find_variance(numbers, count, &found);
    free(numbers);
    if (code == PIT_NOTHING)
        Py_RETURN_NONE;
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "variance", NULL);
    PyObject *outliers = PyList_New(0);
    for (size_t i = 0; outliers && i < found.outlier_count && i < PIT_OUTLIERS; i++) {
        PyObject *index = PyLong_FromSize_t(found.outliers[i]);
        if (!index || PyList_Append(outliers, index) < 0)
            Py_CLEAR(outliers);
        Py_XDECREF(index);
    }
    return !outliers ? NULL
                     : Py_BuildValue("{s:n,s:d,s:d,s:d,s:d,s:d,s:d,s:n,s:N,s:n,s:d}", "count",
                                     (Py_ssize_t)found.count, "mean", found.mean, "median",
                                     found.median, "min", found.min, "max", found.max, "ratio",
                                     found.ratio, "variation", found.variation, "outlier_count",
                                     (Py_ssize_t)found.outlier_count, "outliers", outliers,
                                     "period", (Py_ssize_t)found.period, "drift", found.drift);
}

/* _convergence((name, values, seconds), threshold, maximise, smooth) -> dict, or None if empty */
static PyObject *convergence(PyObject *module, PyObject *args)
{
    PyObject *curve;
    double threshold;
    int maximise;
    unsigned long long smooth;
    if (!PyArg_ParseTuple(args, "OdpO&:convergence", &curve, &threshold, &maximise, pitpy_whole,
                          &smooth))
        return NULL;
    PyObject *list = PyList_New(0);
    pitpy_data data = {0};
    pit_convergence found;
    int code = -1,
        good = list && PyList_Append(list, curve) == 0 && pitpy_data_curves(&data, list) == 0;
    if (good)
        code = pit_find_convergence(data.curves, threshold, maximise, smooth, &found);
    pitpy_data_free(&data);
    Py_XDECREF(list);
    if (!good)
        return NULL;
    if (code == PIT_NOTHING)
        Py_RETURN_NONE;
    if (code)
        return pitpy_fail(pitpy_state_of(module), code, "convergence", NULL);
    return Py_BuildValue("{s:N,s:K,s:d,s:N,s:d,s:d,s:K}", "reached", PyBool_FromLong(found.reached),
                         "epochs", (unsigned long long)found.epochs, "seconds", found.seconds,
                         "stayed", PyBool_FromLong(found.stayed), "best", found.best, "last",
                         found.last, "best_epoch", (unsigned long long)found.best_epoch);
}

/* _speedups(rows, baseline) -> list of ratios */
static PyObject *speedups(PyObject *module, PyObject *args)
{
    PyObject *rows, *ratios = NULL;
    const char *baseline;
    if (!PyArg_ParseTuple(args, "Oz:speedups", &rows, &baseline))
        return NULL;
    pitpy_data data = {0};
    if (pitpy_data_rows(&data, rows) == 0) {
        double *found = calloc(data.data.row_count + 1, sizeof *found);
        int code = found ? pit_find_speedups(data.rows, data.data.row_count, baseline, found) : 0;
        if (!found)
            PyErr_NoMemory();
        else if (code)
            pitpy_fail(pitpy_state_of(module), code, "baseline", "no timer of that name");
        else
            ratios = pitpy_list_of_doubles(found, data.data.row_count);
        free(found);
    }
    pitpy_data_free(&data);
    return ratios;
}

static PyObject *finding_list(const pit_advice *advice)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < advice->count; i++) {
        const pit_finding *f = &advice->findings[i];
        PyObject *row = Py_BuildValue("{s:s,s:i,s:s,s:s,s:s,s:s,s:d}", "rule", f->rule, "severity",
                                      f->severity, "headline", f->headline, "evidence", f->evidence,
                                      "remedy", f->remedy, "path", f->path, "share", f->share);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* _advise(rows, batches, ascii) -> list of findings */
static PyObject *advise(PyObject *module, PyObject *args)
{
    PyObject *rows, *batches, *list = NULL;
    int ascii;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOp:advise", &rows, &batches, &ascii))
        return NULL;
    pitpy_data data = {0};
    if (pitpy_data_rows(&data, rows) == 0 && pitpy_data_series(&data, batches) == 0) {
        pit_advice *advice = pit_advise_rows(data.rows, data.data.row_count, data.series,
                                             data.data.series_count, ascii);
        list = advice ? finding_list(advice) : PyErr_NoMemory();
        pit_advice_free(advice);
    }
    pitpy_data_free(&data);
    return list;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* _save_timings(path, form, section, rows) */
static PyObject *save_timings(PyObject *module, PyObject *args)
{
    PyObject *path, *rows, *done = NULL;
    int form;
    const char *section;
    if (!PyArg_ParseTuple(args, "O&isO:save_timings", PyUnicode_FSConverter, &path, &form, &section,
                          &rows))
        return NULL;
    pitpy_data data = {0};
    if (pitpy_data_rows(&data, rows) == 0) {
        int code = pit_save_timings(PyBytes_AS_STRING(path), (enum pit_form)form, section,
                                    data.rows, data.data.row_count, 0);
        if (code == 0)
            done = Py_NewRef(Py_None);
        else if (code == PIT_CANNOT_WRITE)
            PyErr_SetFromErrnoWithFilename(PyExc_OSError, PyBytes_AS_STRING(path));
        else
            pitpy_fail(pitpy_state_of(module), code, PyBytes_AS_STRING(path), NULL);
    }
    pitpy_data_free(&data);
    Py_DECREF(path);
    return done;
}

/* _log_read(path) -> (entries, lines, malformed) */
static PyObject *log_read(PyObject *module, PyObject *args)
{
    PyObject *path;
    pit_error error;
    if (!PyArg_ParseTuple(args, "O&:log_read", PyUnicode_FSConverter, &path))
        return NULL;
    FILE *in = fopen(PyBytes_AS_STRING(path), "re");
    if (!in) {
        PyErr_SetFromErrnoWithFilename(PyExc_OSError, PyBytes_AS_STRING(path));
        Py_DECREF(path);
        return NULL;
    }
    pit_log *log = pit_log_read(in, &error);
    fclose(in);
    PyObject *found = NULL;
    if (log)
        found = Py_BuildValue("(NKK)", pitpy_entry_list(log->entries, log->count),
                              (unsigned long long)log->lines, (unsigned long long)log->malformed);
    else
        pitpy_fail(pitpy_state_of(module), error.code, PyBytes_AS_STRING(path), error.message);
    pit_log_free(log);
    Py_DECREF(path);
    return found;
}

static PyMethodDef functions[] = {{"_view", view, METH_VARARGS, NULL},
                                  {"_warmup", warmup, METH_O, NULL},
                                  {"_variance", variance, METH_O, NULL},
                                  {"_convergence", convergence, METH_VARARGS, NULL},
                                  {"_speedups", speedups, METH_VARARGS, NULL},
                                  {"_advise", advise, METH_VARARGS, NULL},
                                  {"_save_timings", save_timings, METH_VARARGS, NULL},
                                  {"_log_read", log_read, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_views(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
