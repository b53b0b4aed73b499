/* Names of spans: each str becomes a site of the recorder once. A small table near the hot path (pitpy.h)
 * and a larger one find a name by the address of its literal; names that are in neither are looked up by
 * equality.
 */
#include "pitpy.h"

#include <stdlib.h>
#include <string.h>

static PyObject *utf8_of(PyObject *text)
{
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "must be str, not %.200s", Py_TYPE(text)->tp_name);
    PyObject *bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (bytes && strlen(PyBytes_AS_STRING(bytes)) != (size_t)PyBytes_GET_SIZE(bytes)) {
        PyErr_SetString(PyExc_ValueError, "a name must not contain a null character");
        Py_CLEAR(bytes);
    }
    return bytes;
}

int pitpy_to_utf8(PyObject *text, void *bytes)
{
    PyObject **to = bytes;
    if (!text) { /* a later argument was refused */
        Py_CLEAR(*to);
        return 1;
    }
    *to = utf8_of(text);
    return *to ? Py_CLEANUP_SUPPORTED : 0;
}

char *pitpy_utf8_copy(PyObject *text)
{
    PyObject *bytes = utf8_of(text);
    char *copy = bytes ? strdup(PyBytes_AS_STRING(bytes)) : NULL;
    if (bytes && !copy)
        PyErr_NoMemory();
    Py_XDECREF(bytes);
    return copy;
}

/* Names are stored close together, so that a few of them are a few cache lines. Returns the next free one,
 * or NULL. */
#define SLAB 64
static pitpy_name *slab;
static size_t slab_used = SLAB;

static pitpy_name *free_name(void)
{
    if (slab_used == SLAB) {
        pitpy_name *more = aligned_alloc(64, SLAB * sizeof *more);
        if (!more)
            return NULL;
        memset(more, 0, SLAB * sizeof *more);
        slab = more;
        slab_used = 0;
    }
    return &slab[slab_used];
}

static pitpy_name *name_new(pitpy_state *state, PyObject *text)
{
    char *copy = pitpy_utf8_copy(text);
    if (!copy)
        return NULL;
    pitpy_name *name = free_name();
    PyObject *address = name ? PyLong_FromVoidPtr(name) : PyErr_NoMemory();
    if (!address || PyDict_SetItem(state->names, text, address) < 0) {
        Py_XDECREF(address);
        free(copy);
        return NULL;
    }
    Py_DECREF(address);
    slab_used++;
    name->site.name = copy;
    name->text = Py_NewRef(text);
    return name;
}

static size_t slot_of(PyObject *text)
{
    return ((uintptr_t)text >> 4) & (PITPY_CACHE - 1);
}

/* Add it to the near table, once the recorder has given it a number. */
static void make_known(PyObject *text, pitpy_name *name)
{
    struct pitpy_known *known = &pitpy_near.known[PITPY_KNOWN_OF(text)];
    PyObject *before = known->text;
    if (!name->site.id)
        return;
    known->text = Py_NewRef(text);
    known->name = name;
    known->id = name->site.id;
    Py_XDECREF(before);
}

void pitpy_names_clear(pitpy_state *state)
{
    for (size_t i = 0; i < PITPY_KNOWN; i++)
        Py_CLEAR(pitpy_near.known[i].text);
    for (size_t i = 0; i < PITPY_CACHE; i++)
        Py_CLEAR(state->cache[i].text);
}

pitpy_name *pitpy_name_find(pitpy_state *state, PyObject *text)
{
    size_t slot = slot_of(text);
    if (state->cache[slot].text == text) {
        make_known(text, state->cache[slot].name);
        return state->cache[slot].name;
    }
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "a name must be a str, not %.100s", Py_TYPE(text)->tp_name);
        return NULL;
    }
    if (PyUnicode_GET_LENGTH(text) == 0) {
        PyErr_SetString(PyExc_ValueError, "a name must not be empty");
        return NULL;
    }
    PyObject *address = PyDict_GetItemWithError(state->names, text);
    pitpy_name *name = address            ? PyLong_AsVoidPtr(address)
                       : PyErr_Occurred() ? NULL
                                          : name_new(state, text);
    if (!name)
        return NULL;
    /* A text made at run time is soon gone: only texts that others hold too are worth an entry. */
    if (Py_REFCNT(text) > 1) {
        PyObject *before = state->cache[slot].text;
        state->cache[slot].text = Py_NewRef(text);
        state->cache[slot].name = name;
        Py_XDECREF(before);
    }
    return name;
}
