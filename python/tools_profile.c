/* Model profiles: the library builds and compares them; Python gets the JSON that it writes. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL(name, kind)                                                                          \
    {                                                                                              \
#name, kind, offsetof(pit_model, name)                                                     \
    }
static const pitpy_member model_members[] = {
    MODEL(name, 's'),         MODEL(kind, 's'),       MODEL(parameters, 'u'),
    MODEL(latent_dim, 'u'),   MODEL(lag, 'u'),        MODEL(hidden_dim, 'u'),
    MODEL(layers, 'u'),       MODEL(output_dim, 'u'), MODEL(sequence, 'u'),
    MODEL(heads, 'u'),        MODEL(kernel, 'u'),     MODEL(channels_in, 'u'),
    MODEL(channels_out, 'u'), MODEL(height, 'u'),     MODEL(width, 'u'),
    MODEL(grid, 'u'),         MODEL(order, 'u'),      MODEL(patterns, 'd'),
    MODEL(pattern_size, 'd'), MODEL(nodes, 'd'),      MODEL(degree, 'd'),
    MODEL(batch, 'u'),        {.key = NULL},
};

/* _profile(model, training seconds, single or None, full or None, steps, parameter bytes) -> JSON */
static PyObject *profile(PyObject *module, PyObject *args)
{
    PyObject *dict, *singles, *fulls, *text = NULL;
    double training;
    unsigned long long steps, bytes_each;
    pit_model model = {0};
    pit_bench_result single = {0}, full = {0};
    pit_profile built;
    if (!PyArg_ParseTuple(args, "O!dOOO&O&:profile", &PyDict_Type, &dict, &training, &singles,
                          &fulls, pitpy_whole, &steps, pitpy_whole, &bytes_each) ||
        pitpy_fill(&model, model_members, dict) < 0)
        return NULL;
    if (pitpy_result_fill(&single, singles) == 0 && pitpy_result_fill(&full, fulls) == 0) {
        int code = pit_profile_build(&built, &model, training, &single, &full, steps, bytes_each);
        if (code) {
            pitpy_fail(pitpy_state_of(module), code, "profile", NULL);
        } else {
            char *bytes = NULL;
            size_t length = 0;
            FILE *out = open_memstream(&bytes, &length);
            code = out ? pit_profile_print(out, &built) : 0;
            text = pitpy_written(pitpy_state_of(module), out, &bytes, &length, code, "profile");
            pit_profile_free(&built);
        }
    }
    pit_bench_free(&single);
    pit_bench_free(&full);
    return text;
}

static const pitpy_member profile_members[] = {
    {"model_name", 's', offsetof(pit_profile, model_name)},
    {"training_seconds", 'd', offsetof(pit_profile, training_seconds)},
    {"model_parameters", 'u', offsetof(pit_profile, model_parameters)},
    {"parameter_memory_mb", 'd', offsetof(pit_profile, parameter_memory_mb)},
    {.key = NULL},
};

/* The parts that a comparison needs: names, training, timings, parameters. */
static int fill_profile(pit_profile *to, PyObject *dict)
{
    to->training_seconds = (double)NAN;
    if (pitpy_fill(to, profile_members, dict) < 0)
        return -1;
    PyObject *single = PyDict_GetItemString(dict, "single_step");
    PyObject *full = PyDict_GetItemString(dict, "full_trajectory");
    if (!to->model_name) {
        PyErr_SetString(PyExc_ValueError, "a profile needs a model_name");
        return -1;
    }
    to->model.name = to->model_name;
    if (pitpy_result_fill(&to->single_step, single ? single : Py_None) < 0)
        return -1;
    return pitpy_result_fill(&to->full_trajectory, full ? full : Py_None);
}

/* _profiles_compare(list of dicts) -> JSON */
static PyObject *profiles_compare(PyObject *module, PyObject *list)
{
    PyObject *text = NULL, *fast = PySequence_Fast(list, "expected a list of profiles");
    if (!fast)
        return NULL;
    size_t count = (size_t)PySequence_Fast_GET_SIZE(fast);
    pit_profile *profiles = calloc(count + 1, sizeof *profiles);
    int good = profiles != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = fill_profile(&profiles[i], PySequence_Fast_GET_ITEM(fast, (Py_ssize_t)i)) == 0;
    if (good) {
        char *bytes = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&bytes, &length);
        int code = out ? pit_profiles_compare(out, profiles, count) : 0;
        text = pitpy_written(pitpy_state_of(module), out, &bytes, &length, code, "comparison");
    }
    for (size_t i = 0; profiles && i < count; i++) { /* the names belong to Python */
        pit_bench_free(&profiles[i].single_step);
        pit_bench_free(&profiles[i].full_trajectory);
    }
    if (!profiles)
        PyErr_NoMemory();
    free(profiles);
    Py_DECREF(fast);
    return text;
}

static PyMethodDef functions[] = {{"_profile", profile, METH_VARARGS, NULL},
                                  {"_profiles_compare", profiles_compare, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_profiles(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
