/* py_ranks.c: the ranks of a job: finds the files of the job and returns the library's documents. */
#include "pitwall_ranks.h"
#include "tools.h"

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

/* The job with this name; NULL with an error. */
static const pit_job *named(pitpy_state *state, const pit_jobs *jobs, const char *name)
{
    const pit_job *job = jobs && name ? pit_job_named(jobs, name) : NULL;
    if (!jobs)
        PyErr_NoMemory();
    else if (!job)
        pitpy_fail(state, PIT_NOTHING, name ? name : "ranks",
                   name ? "no such job" : "no run here belongs to a job");
    return job;
}

static PyObject *read_job(pitpy_state *state, const char *const *paths, size_t count,
                          const char *name)
{
    pit_error error = {0};
    pit_jobs *jobs = pit_jobs_find(paths, count);
    const pit_job *job =
        jobs && !name && jobs->count > 0 ? &jobs->jobs[0] : named(state, jobs, name);
    pit_ranks *ranks = NULL;
    if (job) {
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

/* The files of one job, chosen like `pitwall report` does: the job with this name, or the newest if a job
 * has two ranks. None if there is no job. */
static PyObject *job_paths(pitpy_state *state, const char *const *paths, size_t count,
                           const char *name)
{
    pit_jobs *jobs = pit_jobs_find(paths, count);
    const pit_job *job = !jobs || name ? named(state, jobs, name) : NULL;
    int has_ranks = 0;
    for (size_t i = 0; jobs && !name && i < jobs->count; i++)
        has_ranks |= jobs->jobs[i].count > 1;
    if (has_ranks)
        job = &jobs->jobs[0];
    PyObject *list = job ? PyList_New(0) : PyErr_Occurred() ? NULL : (Py_INCREF(Py_None), Py_None);
    for (size_t i = 0; job && list && i < job->count + jobs->unread_count; i++) {
        PyObject *one = PyUnicode_DecodeFSDefault(i < job->count ? job->paths[i]
                                                                 : jobs->unread[i - job->count]);
        if (!one || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    pit_jobs_free(jobs);
    return list;
}

typedef PyObject *use_paths(pitpy_state *, const char *const *, size_t, const char *);

/* ([path bytes], job or None) */
static PyObject *with_paths(PyObject *module, PyObject *args, use_paths *use)
{
    PyObject *list;
    const char *job;
    if (!PyArg_ParseTuple(args, "O!z", &PyList_Type, &list, &job))
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
    PyObject *result = is_good ? use(pitpy_state_of(module), paths, count, job) : NULL;
    free(paths);
    return result;
}

static PyObject *function_ranks(PyObject *module, PyObject *args)
{
    return with_paths(module, args, read_job);
}

static PyObject *function_job_paths(PyObject *module, PyObject *args)
{
    return with_paths(module, args, job_paths);
}

static PyMethodDef functions[] = {{"_ranks", function_ranks, METH_VARARGS, NULL},
                                  {"_job_paths", function_job_paths, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_ranks(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
