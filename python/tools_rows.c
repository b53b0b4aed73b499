/* Converts Python's lists and dicts to the library's rows, series, curves, entries and options, and back. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- structs by the names of their members ---------------------------------------------------- */

/* The UTF-8 of a str, which must not contain null characters: C would see only its beginning. */
static const char *whole_text(PyObject *text)
{
    Py_ssize_t length = 0;
    const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length);
    if (!utf8 || strlen(utf8) == (size_t)length)
        return utf8;
    PyErr_Format(PyExc_ValueError, "%R contains a null character", text);
    return NULL;
}

/* Raise for a value of a wrong type or size, with the name that the caller knows. */
static int refuse(const pitpy_member *member, PyObject *value)
{
    const char *wanted = member->kind == 'd'   ? "a number"
                         : member->kind == 'u' ? "a whole number >= 0"
                         : member->kind == 'i' ? "a whole number"
                         : member->kind == 'b' ? "True or False"
                                               : "a str";
    PyObject *kind = PyErr_ExceptionMatches(PyExc_TypeError)       ? PyExc_TypeError
                     : PyErr_ExceptionMatches(PyExc_OverflowError) ? PyExc_ValueError
                                                                   : NULL;
    if (kind) {
        PyErr_Clear();
        PyErr_Format(kind, "%s must be %s, not %R", member->key, wanted, value);
    }
    return -1;
}

static int fill_one(void *to, const pitpy_member *member, PyObject *value)
{
    char *at = (char *)to + member->offset;
    if (member->kind == 'd') {
        double number = PyFloat_AsDouble(value);
        memcpy(at, &number, sizeof number);
    } else if (member->kind == 'u') {
        PyObject *whole = PyNumber_Index(value);
        uint64_t number = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
        Py_XDECREF(whole);
        memcpy(at, &number, sizeof number);
    } else if (member->kind == 'b') {
        int number = PyObject_IsTrue(value);
        memcpy(at, &number, sizeof number);
    } else if (member->kind == 'i') {
        long given = PyLong_AsLong(value);
        int number = (int)given;
        if (number != given)
            PyErr_SetNone(PyExc_OverflowError);
        memcpy(at, &number, sizeof number);
    } else {
        const char *text = whole_text(value);
        memcpy(at, &text, sizeof text);
    }
    return PyErr_Occurred() ? refuse(member, value) : 0;
}

int pitpy_fill(void *to, const pitpy_member *members, PyObject *dict)
{
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "expected a dict, not %.100s", Py_TYPE(dict)->tp_name);
        return -1;
    }
    for (const pitpy_member *m = members; m->key; m++) {
        PyObject *value = PyDict_GetItemString(dict, m->key);
        if (value && value != Py_None && fill_one(to, m, value) < 0)
            return -1;
    }
    return 0;
}

static PyObject *value_of(const void *from, const pitpy_member *member)
{
    const char *at = (const char *)from + member->offset;
    double number;
    uint64_t whole;
    int integer;
    const char *text;
    switch (member->kind) {
    case 'd':
        memcpy(&number, at, sizeof number);
        return PyFloat_FromDouble(number);
    case 'u':
        memcpy(&whole, at, sizeof whole);
        return PyLong_FromUnsignedLongLong(whole);
    case 'i':
        memcpy(&integer, at, sizeof integer);
        return PyLong_FromLong(integer);
    default:
        memcpy(&text, at, sizeof text);
        return pitpy_text_of(text);
    }
}

PyObject *pitpy_dict(const void *from, const pitpy_member *members)
{
    PyObject *dict = PyDict_New();
    for (const pitpy_member *m = members; dict && m->key; m++)
        if (pitpy_put(dict, m->key, value_of(from, m)) < 0)
            Py_CLEAR(dict);
    return dict;
}

/* ---- what must live as long as the data --------------------------------------------------------- */

static void *keep(pitpy_data *data, void *block)
{
    if (block && data->kept_count == data->kept_room) {
        size_t room = data->kept_room ? 2 * data->kept_room : 16;
        void **more = realloc(data->kept, room * sizeof *more);
        if (more) {
            data->kept = more;
            data->kept_room = room;
        } else {
            free(block);
            block = NULL;
        }
    }
    if (block)
        data->kept[data->kept_count++] = block;
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    return block;
}

static const char *keep_text(pitpy_data *data, PyObject *object)
{
    PyObject *text = PyObject_Str(object); /* names of any type, as dict keys may be */
    char *utf8 = text ? pitpy_utf8_copy(text) : NULL;
    Py_XDECREF(text);
    return utf8 ? keep(data, utf8) : NULL;
}

void pitpy_data_free(pitpy_data *data)
{
    for (size_t i = 0; i < data->kept_count; i++)
        free(data->kept[i]);
    free(data->kept);
    memset(data, 0, sizeof *data);
}

/* ---- rows --------------------------------------------------------------------------------------- */

#define ROW(name, kind)                                                                            \
    {                                                                                              \
#name, kind, offsetof(pit_row, name)                                                       \
    }
static const pitpy_member row_members[] = {
    ROW(seconds, 'd'),      ROW(count, 'u'),       ROW(min_seconds, 'd'),  ROW(max_seconds, 'd'),
    ROW(items, 'd'),        ROW(nested, 'i'),      ROW(cpu_start_mb, 'd'), ROW(cpu_end_mb, 'd'),
    ROW(cpu_delta_mb, 'd'), ROW(cpu_peak_mb, 'd'), ROW(gpu_start_mb, 'd'), ROW(gpu_end_mb, 'd'),
    ROW(gpu_delta_mb, 'd'), ROW(gpu_peak_mb, 'd'), ROW(p50_seconds, 'd'),  ROW(p95_seconds, 'd'),
    ROW(p99_seconds, 'd'),  {.key = NULL},
};

static int has(PyObject *dict, const char *key)
{
    PyObject *value = PyDict_GetItemString(dict, key);
    return value && value != Py_None;
}

/* Rows from the library say which figures are known; in other rows, those that are present count. */
static int is_known(PyObject *dict, const char *said, const char *delta, const char *peak)
{
    PyObject *word = PyDict_GetItemString(dict, said);
    int is = word ? PyObject_IsTrue(word) : 1;
    return is == 1 ? has(dict, delta) || has(dict, peak) : is;
}

static int row_of_dict(pitpy_data *data, pit_row *row, PyObject *dict)
{
    PyObject *name = PyDict_GetItemString(dict, "name");
    if (!name || !has(dict, "seconds")) {
        PyErr_SetString(PyExc_ValueError, "a row needs a name and seconds");
        return -1;
    }
    row->has_memory = is_known(dict, "has_memory", "cpu_delta_mb", "cpu_peak_mb");
    row->has_device = is_known(dict, "has_device", "gpu_delta_mb", "gpu_peak_mb");
    if (row->has_memory < 0 || row->has_device < 0)
        return -1;
    if (row->has_memory)
        row->cpu_start_mb = row->cpu_end_mb = row->cpu_delta_mb = row->cpu_peak_mb = (double)NAN;
    if (row->has_device)
        row->gpu_start_mb = row->gpu_end_mb = row->gpu_delta_mb = row->gpu_peak_mb = (double)NAN;
    row->name = keep_text(data, name);
    return row->name ? pitpy_fill(row, row_members, dict) : -1;
}

static int row_of_sequence(pitpy_data *data, pit_row *row, PyObject *item)
{
    PyObject *fast = PySequence_Fast(item, "a row must be a dict or a tuple (name, seconds, …)");
    if (!fast)
        return -1;
    Py_ssize_t size = PySequence_Fast_GET_SIZE(fast);
    int code = -1;
    if (size < 2 || size > 5)
        PyErr_SetString(PyExc_ValueError, "a row must be (name, seconds[, count, min, max])");
    else if ((row->name = keep_text(data, PySequence_Fast_GET_ITEM(fast, 0))))
        code = 0;
    for (Py_ssize_t i = 1; code == 0 && i < size; i++)
        code = fill_one(row, &row_members[i - 1], PySequence_Fast_GET_ITEM(fast, i));
    Py_DECREF(fast);
    return code;
}

/* The items of a sequence into an array of structs; `one` fills each. */
static void *gather(pitpy_data *data, PyObject *sequence, size_t bytes, size_t *count,
                    int (*one)(pitpy_data *data, void *to, PyObject *item))
{
    PyObject *fast = PySequence_Fast(sequence, "expected a list");
    if (!fast)
        return NULL;
    *count = (size_t)PySequence_Fast_GET_SIZE(fast);
    char *array = keep(data, calloc(*count + 1, bytes));
    for (size_t i = 0; array && i < *count; i++)
        if (one(data, array + i * bytes, PySequence_Fast_GET_ITEM(fast, (Py_ssize_t)i)) < 0)
            array = NULL;
    Py_DECREF(fast);
    return array;
}

static int one_row(pitpy_data *data, void *to, PyObject *item)
{
    return PyDict_Check(item) ? row_of_dict(data, to, item) : row_of_sequence(data, to, item);
}

int pitpy_data_rows(pitpy_data *data, PyObject *rows)
{
    if (rows == Py_None)
        return 0;
    data->rows = gather(data, rows, sizeof(pit_row), &data->data.row_count, one_row);
    data->data.rows = data->rows;
    return data->rows ? 0 : -1;
}

PyObject *pitpy_row_dict(const pit_row *row)
{
    PyObject *dict = pitpy_dict(row, row_members);
    if (dict && (pitpy_put(dict, "name", pitpy_text_of(row->name)) < 0 ||
                 pitpy_put(dict, "has_memory", PyBool_FromLong(row->has_memory)) < 0 ||
                 pitpy_put(dict, "has_device", PyBool_FromLong(row->has_device)) < 0))
        Py_CLEAR(dict);
    return dict;
}

PyObject *pitpy_row_list(const pit_row *rows, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *row = pitpy_row_dict(&rows[i]);
        if (!row || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* ---- series and curves -------------------------------------------------------------------------- */

int pitpy_data_series(pitpy_data *data, PyObject *series)
{
    if (series == Py_None)
        return 0;
    data->series = keep(data, pitpy_doubles(series, &data->data.series_count));
    data->data.series = data->series;
    return data->series ? 0 : -1;
}

/* (name, values, seconds or None) */
static int one_curve(pitpy_data *data, void *to, PyObject *item)
{
    pit_curve *curve = to;
    PyObject *name, *values, *seconds;
    if (!PyTuple_Check(item) || !PyArg_ParseTuple(item, "OOO", &name, &values, &seconds)) {
        PyErr_SetString(PyExc_TypeError, "a curve must be a tuple (name, values, seconds or None)");
        return -1;
    }
    curve->name = keep_text(data, name);
    double *numbers = curve->name ? keep(data, pitpy_doubles(values, &curve->count)) : NULL;
    curve->values = numbers;
    if (!numbers || seconds == Py_None)
        return numbers ? 0 : -1;
    size_t count;
    double *times = keep(data, pitpy_doubles(seconds, &count));
    if (times && count < curve->count) {
        PyErr_Format(PyExc_ValueError, "%zu values, but %zu epoch times", curve->count, count);
        return -1;
    }
    curve->seconds = times;
    return times ? 0 : -1;
}

int pitpy_data_curves(pitpy_data *data, PyObject *curves)
{
    if (curves == Py_None)
        return 0;
    data->curves = gather(data, curves, sizeof(pit_curve), &data->data.curve_count, one_curve);
    data->data.curves = data->curves;
    return data->curves ? 0 : -1;
}

/* ---- entries ------------------------------------------------------------------------------------ */

static int fill_figures(pitpy_data *data, pit_entry *entry, PyObject *figures)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    pit_figure *array = keep(data, calloc((size_t)PyDict_Size(figures) + 1, sizeof *array));
    entry->figures = array;
    while (array && PyDict_Next(figures, &at, &key, &value)) {
        pit_figure *figure = &array[entry->figure_count++];
        figure->key = keep_text(data, key);
        figure->unit = "";
        figure->value = PyFloat_AsDouble(value);
        if (!figure->key || PyErr_Occurred())
            return -1;
    }
    return array ? 0 : -1;
}

/* {"kind", "text", "figures": dict, "wall": seconds since 1970} */
static int one_entry(pitpy_data *data, void *to, PyObject *item)
{
    pit_entry *entry = to;
    PyObject *kind = PyDict_Check(item) ? PyDict_GetItemString(item, "kind") : NULL;
    if (!kind) {
        PyErr_SetString(PyExc_ValueError, "an entry must be a dict with kind, text, figures, wall");
        return -1;
    }
    PyObject *text = PyDict_GetItemString(item, "text");
    PyObject *figures = PyDict_GetItemString(item, "figures");
    PyObject *wall = PyDict_GetItemString(item, "wall");
    entry->kind = keep_text(data, kind);
    entry->text = text && text != Py_None ? keep_text(data, text) : "";
    if (wall && wall != Py_None)
        entry->wall_ns = (uint64_t)(PyFloat_AsDouble(wall) * 1e9);
    if (!entry->kind || !entry->text || PyErr_Occurred())
        return -1;
    return figures && PyDict_Check(figures) ? fill_figures(data, entry, figures) : 0;
}

int pitpy_data_entries(pitpy_data *data, PyObject *entries)
{
    if (entries == Py_None)
        return 0;
    data->entries = gather(data, entries, sizeof(pit_entry), &data->data.entry_count, one_entry);
    data->data.entries = data->entries;
    return data->entries ? 0 : -1;
}

static PyObject *figures_dict(const pit_entry *entry, int units)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < entry->figure_count; i++) {
        const pit_figure *figure = &entry->figures[i];
        PyObject *value = units ? pitpy_text_of(figure->unit) : PyFloat_FromDouble(figure->value);
        if (pitpy_put(dict, figure->key, value) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *entry_dict(const pit_entry *entry)
{
    PyObject *wall =
        entry->wall_ns ? PyFloat_FromDouble((double)entry->wall_ns / 1e9) : Py_NewRef(Py_None);
    PyObject *dict = PyDict_New();
    if (!dict)
        Py_XDECREF(wall);
    else if (pitpy_put(dict, "wall", wall) < 0 ||
             pitpy_put(dict, "kind", pitpy_text_of(entry->kind)) < 0 ||
             pitpy_put(dict, "text", pitpy_text_of(entry->text)) < 0 ||
             pitpy_put(dict, "figures", figures_dict(entry, 0)) < 0 ||
             pitpy_put(dict, "units", figures_dict(entry, 1)) < 0)
        Py_CLEAR(dict);
    return dict;
}

PyObject *pitpy_entry_list(const pit_entry *entries, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *entry = entry_dict(&entries[i]);
        if (!entry || PyList_Append(list, entry) < 0)
            Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* ---- options ------------------------------------------------------------------------------------ */

/* Members that do not belong to a view: which view, and its form. */
static const pitpy_member look_members[] = {
    {"view", 's', offsetof(pit_report_options, view)},
    {"form", 'i', offsetof(pit_report_options, form)},
    {"width", 'i', offsetof(pit_report_options, width)},
    {"colour", 'i', offsetof(pit_report_options, colour)},
    {"ascii", 'i', offsetof(pit_report_options, ascii)},
    {.key = NULL},
};

static PyObject *refuse_name(const char *what, const char *given, PyObject *names)
{
    PyObject *comma = names ? PyUnicode_FromString(", ") : NULL;
    PyObject *all = comma ? PyUnicode_Join(comma, names) : NULL;
    if (all)
        PyErr_Format(PyExc_ValueError, "%s must be one of %U, not '%s'", what, all, given);
    Py_XDECREF(all);
    Py_XDECREF(comma);
    Py_XDECREF(names);
    return NULL;
}

static PyObject *word_list(const char *const *words)
{
    PyObject *list = PyList_New(0);
    for (; list && words && *words; words++) {
        PyObject *word = pitpy_text_of(*words);
        if (!word || PyList_Append(list, word) < 0)
            Py_CLEAR(list);
        Py_XDECREF(word);
    }
    return list;
}

PyObject *pitpy_view_names(void)
{
    PyObject *list = PyList_New(0);
    const pit_view *view;
    for (size_t i = 0; list && (view = pit_view_at(i)); i++) {
        PyObject *name = pitpy_text_of(view->name);
        if (!name || PyList_Append(list, name) < 0)
            Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* Does the option accept this number or word? */
static int check_option(const pit_option *option, const char *key,
                        const pit_report_options *options)
{
    const char *at = (const char *)options + option->offset, *text;
    double number;
    if (option->kind == PIT_OPTION_PERCENT) {
        memcpy(&number, at, sizeof number);
        PyObject *share = number >= 0 && number <= 1 ? NULL : PyFloat_FromDouble(number);
        if (share)
            PyErr_Format(PyExc_ValueError, "%s must be a share from 0 to 1, not %R", key, share);
        Py_XDECREF(share);
    } else if (option->kind == PIT_OPTION_ONE_OF) {
        memcpy(&text, at, sizeof text);
        const char *const *word = option->words;
        while (*word && strcmp(*word, text) != 0)
            word++;
        if (!*word)
            refuse_name(key, text, word_list(option->words));
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* One option of the view, as defined in its struct. */
static int set_option(PyObject *key, PyObject *value, pit_report_options *options)
{
    static const char kinds[] = {
        [PIT_OPTION_TEXT] = 's',   [PIT_OPTION_ONE_OF] = 's',  [PIT_OPTION_COUNT] = 'u',
        [PIT_OPTION_NUMBER] = 'd', [PIT_OPTION_PERCENT] = 'd', [PIT_OPTION_FLAG] = 'b'};
    char why[1000];
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    if (!name)
        return PyErr_Occurred() ? -1
                                : (PyErr_Format(PyExc_TypeError, "unknown option %R", key), -1);
    const pit_option *option = pit_option_find(options->view, name, why, sizeof why);
    if (!option) {
        PyErr_Format(PyExc_TypeError, "%s: %s", name, why);
        return -1;
    }
    pitpy_member member = {name, kinds[option->kind], option->offset};
    return fill_one(options, &member, value) < 0 ? -1 : check_option(option, name, options);
}

static int is_look(PyObject *key)
{
    for (const pitpy_member *m = look_members; m->key; m++)
        if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, m->key) == 0)
            return 1;
    return 0;
}

int pitpy_report_options(PyObject *dict, const char *view, pit_report_options *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    *options = (pit_report_options){.view = view};
    if (pitpy_fill(options, look_members, dict) < 0)
        return -1;
    if (options->view && !pit_view_find(options->view)) {
        refuse_name("view", options->view, pitpy_view_names());
        return -1;
    }
    while (PyDict_Next(dict, &at, &key, &value))
        if (value != Py_None && !is_look(key) && set_option(key, value, options) < 0)
            return -1;
    if (options->width != 0 && (options->width < 40 || options->width > 10000)) {
        PyErr_Format(PyExc_ValueError, "width must be 0, or 40 to 10000, not %d", options->width);
        return -1;
    }
    return 0;
}

static PyObject *option_dict(const pit_option *option)
{
    static const char *const kinds[] = {"text", "one-of", "count", "number", "percent", "flag"};
    char name[64];
    snprintf(name, sizeof name, "%s", option->name);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:N}", "name", name, "kind", kinds[option->kind],
                         "default", option->default_text, "help", option->help, "words",
                         word_list(option->words));
}

PyObject *pitpy_view_options(const char *name)
{
    const pit_view *view = pit_view_find(name);
    if (!view)
        return refuse_name("view", name, pitpy_view_names());
    PyObject *list = PyList_New(0);
    for (const pit_option *const *option = view->options; list && *option; option++) {
        PyObject *dict = option_dict(*option);
        if (!dict || PyList_Append(list, dict) < 0)
            Py_CLEAR(list);
        Py_XDECREF(dict);
    }
    return list;
}
