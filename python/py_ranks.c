/* py_ranks.c: the ranks of a job: which files are of it, and the library's documents of them. */
#include "tools.h"
#include "pitwall_ranks.h"

#include <stdlib.h>

/* A view of the ranks as JSON. */
static PyObject *document(pitpy_state *state, const pit_ranks *ranks, const char *view)
{
    char *bytes = NULL;
    size_t length = 0;
    pit_report_options options = {.view = view, .form = PIT_JSON};
    FILE *out = open_memstream(&bytes, &length);
    int code = out ? pit_ranks_write(out, ranks, &options, NULL) : 0;
    return pitpy_written(state, out, &bytes, &length, code, view);
}

static PyObject *read_job(pitpy_state *state, const char *const *paths, size_t count,
                          const char *name)
{
    pit_error error = {0};
    pit_jobs *jobs = pit_jobs_find(paths, count);
    const pit_job *job = !jobs             ? NULL
                         : name            ? pit_job_named(jobs, name)
                         : jobs->count > 0 ? &jobs->jobs[0]
                                           : NULL;
    pit_ranks *ranks = NULL;
    if (!jobs)
        PyErr_NoMemory();
    else if (!job)
        pitpy_fail(state, PIT_NOTHING, name ? name : "ranks",
                   name ? "there is no such job" : "no rank of a job is there");
    else {
        Py_BEGIN_ALLOW_THREADS;
        ranks = pit_ranks_open(job->paths, job->count, &error);
        Py_END_ALLOW_THREADS;
        if (!ranks)
            pitpy_fail(state, error.code, job->name, error.message);
    }
    PyObject *names = ranks ? PyList_New(0) : NULL;
    for (size_t i = 0; names && i < jobs->count; i++) {
        PyObject *one = PyUnicode_DecodeFSDefault(jobs->jobs[i].name);
        if (!one || PyList_Append(names, one) < 0)
            Py_CLEAR(names);
        Py_XDECREF(one);
    }
    PyObject *table = names ? document(state, ranks, "ranks") : NULL;
    PyObject *findings = table ? document(state, ranks, "bottlenecks") : NULL;
    PyObject *result = findings ? PyTuple_Pack(3, table, findings, names) : NULL;
    Py_XDECREF(names);
    Py_XDECREF(table);
    Py_XDECREF(findings);
    pit_ranks_free(ranks);
    pit_jobs_free(jobs);
    return result;
}

/* _ranks([path bytes], job or None) */
static PyObject *function_ranks(PyObject *module, PyObject *args)
{
    PyObject *list;
    const char *job;
    if (!PyArg_ParseTuple(args, "O!z:ranks", &PyList_Type, &list, &job))
        return NULL;
    size_t count = (size_t)PyList_GET_SIZE(list);
    const char **paths = calloc(count + 1, sizeof *paths);
    if (!paths)
        return PyErr_NoMemory();
    int is_good = 1;
    for (size_t i = 0; i < count && is_good; i++) {
        paths[i] = PyBytes_AsString(PyList_GET_ITEM(list, (Py_ssize_t)i));
        is_good = paths[i] != NULL;
    }
    PyObject *result = is_good ? read_job(pitpy_state_of(module), paths, count, job) : NULL;
    free(paths);
    return result;
}

static PyMethodDef functions[] = {{"_ranks", function_ranks, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_ranks(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
