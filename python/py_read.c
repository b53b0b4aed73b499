/* Runs as plain data (dicts and lists that json and pandas accept) and reports as text. Nodes, losses and
 * endings have the keys of the field tables; times are in nanoseconds and sizes in bytes, as the keys say;
 * unavailable figures are None. */
#include "tools.h"

#include "pitwall_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPSULE "pitwall.recorder"

/* ---- small builders ----------------------------------------------------------------------------- */

/* Put a value into a dict and take its reference. Returns 0, or -1 with an exception. */
static int put(PyObject *dict, const char *key, PyObject *value)
{
    int failed = !value || PyDict_SetItemString(dict, key, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static int append(PyObject *list, PyObject *item)
{
    int failed = !item || PyList_Append(list, item) < 0;
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static PyObject *text(const char *bytes)
{
    return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "replace");
}

static PyObject *number(uint64_t n)
{
    return n == PIT_UNKNOWN ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(n);
}

/* A peak of 0 bytes means that the peak is not available. */
static PyObject *known(uint64_t n)
{
    return n ? number(n) : Py_NewRef(Py_None);
}

/* None if it is not a finite number, so that the result of read() can be written as JSON. */
static PyObject *number_or_none(double figure)
{
    return isfinite(figure) ? PyFloat_FromDouble(figure) : Py_NewRef(Py_None);
}

/* Why number_or_none() returned None; None if it did not. */
static PyObject *reason(double figure)
{
    const char *word = isnan(figure)      ? "nan"
                       : isfinite(figure) ? NULL
                       : figure > 0       ? "inf"
                                          : "-inf";
    return word ? PyUnicode_FromString(word) : Py_NewRef(Py_None);
}

static double ticks(const pit_run *run, uint64_t n)
{
    return (double)n * run->ns_per_tick;
}

static PyObject *since_start(const pit_run *run, uint64_t at)
{
    return number_or_none(at >= run->start_ticks ? ticks(run, at - run->start_ticks)
                                                 : -ticks(run, run->start_ticks - at));
}

/* A list of `count` items. */
typedef PyObject *(*build)(const void *things, size_t index, const pit_run *run);
static PyObject *list_of(size_t count, build one, const void *things, const pit_run *run)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++)
        if (append(list, one(things, i, run)) < 0)
            Py_CLEAR(list);
    return list;
}

/* ---- rows that have a field table ---------------------------------------------------------------- */

static PyObject *value_of(const pit_field_value *value)
{
    switch (value->type) {
    case PIT_VALUE_WHOLE:
        return PyLong_FromUnsignedLongLong(value->whole);
    case PIT_VALUE_SIGNED:
        return PyLong_FromLongLong(value->signed_whole);
    case PIT_VALUE_REAL:
        return PyFloat_FromDouble(value->real);
    case PIT_VALUE_TEXT:
        return text(value->text);
    case PIT_VALUE_FLAG:
        return PyBool_FromLong(value->whole != 0);
    case PIT_VALUE_NONE:
    case PIT_VALUE_UNKNOWN:
        break;
    }
    return Py_NewRef(Py_None);
}

static PyObject *row_of(enum pit_row_kind of, const void *row)
{
    PyObject *dict = PyDict_New();
    const pit_field *field;
    for (size_t i = 0; dict && (field = pit_field_at(of, i)) != NULL; i++) {
        pit_field_value value;
        pit_field_get(field, row, &value);
        if (put(dict, field->key, value_of(&value)) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *node_row(const void *nodes, size_t index, const pit_run *run)
{
    (void)run;
    return row_of(PIT_OF_NODE, (const pit_node *)nodes + index);
}

static PyObject *losses_dict(const pit_losses *losses)
{
    return row_of(PIT_OF_LOSSES, losses);
}

/* How its process ended; None if unknown. */
static PyObject *ended_dict(const pit_ended *ended)
{
    return ended ? row_of(PIT_OF_ENDED, ended) : Py_NewRef(Py_None);
}

/* fields(of) */
static PyObject *function_fields(PyObject *module, PyObject *args)
{
    static const char *const kinds[] = {[PIT_OF_NODE] = "node",
                                        [PIT_OF_ENDED] = "ended",
                                        [PIT_OF_LOSSES] = "losses",
                                        [PIT_OF_RANK] = "rank"};
    const char *name = "node";
    size_t of = 0, count = sizeof kinds / sizeof kinds[0];
    (void)module;
    if (!PyArg_ParseTuple(args, "|s:fields", &name))
        return NULL;
    while (of < count && strcmp(name, kinds[of]) != 0)
        of++;
    if (of == count)
        return PyErr_Format(PyExc_ValueError, "fields(%s): must be node, ended, losses or rank",
                            name);
    PyObject *list = PyList_New(0);
    const pit_field *field;
    for (size_t i = 0; list && (field = pit_field_at((enum pit_row_kind)of, i)) != NULL; i++)
        if (append(list, Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:s,s:O}", "key", field->key, "title",
                                       field->title, "kind", pit_field_kind(field), "merge",
                                       pit_field_merge(field), "help", field->help, "reason",
                                       pit_field_reason(field), "shown",
                                       pit_field_is_shown(field) ? Py_True : Py_False)) < 0)
            Py_CLEAR(list);
    return list;
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* A name as part of a path: '/' and '\\' are escaped with '\\'. */
static PyObject *path_name(const char *name)
{
    PyObject *found = text(name);
    static const char *const each[] = {"\\", "/"};
    for (size_t i = 0; found && i < 2; i++) {
        PyObject *old = PyUnicode_FromString(each[i]),
                 *with = PyUnicode_FromFormat("\\%s", each[i]);
        PyObject *next = old && with ? PyUnicode_Replace(found, old, with, -1) : NULL;
        Py_XDECREF(old);
        Py_XDECREF(with);
        Py_SETREF(found, next);
    }
    return found;
}

#define NAMES_IN_PATH 256 /* depth limit of a thread's stack; of a longer path, the inner end */

/* The path of a raw node, like pit_node.path: names joined by '/'. */
static PyObject *path_of(const pit_thread *thread, uint32_t node)
{
    if (node >= thread->node_count)
        return Py_NewRef(Py_None);
    PyObject *path = path_name(thread->nodes[node].name);
    node = thread->nodes[node].parent;
    for (int i = 1; path && node < thread->node_count && i < NAMES_IN_PATH; i++) {
        PyObject *name = path_name(thread->nodes[node].name);
        PyObject *longer = name ? PyUnicode_FromFormat("%U/%U", name, path) : NULL;
        Py_XDECREF(name);
        Py_SETREF(path, longer);
        node = thread->nodes[node].parent;
    }
    return path;
}

static PyObject *open_row(const void *thread, size_t index, const pit_run *run)
{
    const pit_open_span *open = &((const pit_thread *)thread)->open[index];
    PyObject *row = PyDict_New();
    if (row && (put(row, "path", path_of(thread, open->node)) < 0 ||
                put(row, "at_ns", since_start(run, open->begin)) < 0 ||
                put(row, "phase", PyBool_FromLong(open->phase)) < 0 ||
                put(row, "detached", PyBool_FromLong(open->object)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *record_row(const void *thread, size_t index, const pit_run *run)
{
    const pit_record *r = &((const pit_thread *)thread)->records[index];
    PyObject *row = PyDict_New();
    if (row &&
        (put(row, "path", path_of(thread, r->node)) < 0 ||
         put(row, "at_ns", since_start(run, r->begin)) < 0 ||
         put(row, "duration_ns", number_or_none(ticks(run, r->duration))) < 0 ||
         put(row, "items", number(r->items)) < 0 ||
         put(row, "rss_begin_bytes", r->has_memory ? known(r->rss_begin) : Py_NewRef(Py_None)) <
             0 ||
         put(row, "rss_end_bytes", r->has_memory ? known(r->rss_end) : Py_NewRef(Py_None)) < 0 ||
         put(row, "rss_peak_bytes", r->has_memory ? known(r->rss_peak) : Py_NewRef(Py_None)) < 0 ||
         put(row, "alloc_bytes", r->has_alloc ? number(r->alloc_bytes) : Py_NewRef(Py_None)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *point_row(const void *points, size_t index, const pit_run *run)
{
    const pit_point *p = (const pit_point *)points + index;
    PyObject *row = PyDict_New();
    if (row &&
        (put(row, "at_ns", since_start(run, p->ticks)) < 0 ||
         put(row, "values", number(p->values)) < 0 ||
         put(row, "mean", number_or_none(p->mean)) < 0 ||
         put(row, "min", number_or_none(p->min)) < 0 ||
         put(row, "max", number_or_none(p->max)) < 0 || put(row, "reason", reason(p->mean)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *value_row(const void *values, size_t index, const pit_run *run)
{
    const pit_raw_value *v = (const pit_raw_value *)values + index;
    PyObject *row = PyDict_New();
    if (row && (put(row, "name", text(v->name)) < 0 || put(row, "count", number(v->count)) < 0 ||
                put(row, "last", number_or_none(v->last)) < 0 ||
                put(row, "reason", v->count ? reason(v->last) : Py_NewRef(Py_None)) < 0 ||
                put(row, "points", list_of(v->point_count, point_row, v->points, run)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *raw_row(const void *thread, size_t index, const pit_run *run)
{
    const pit_raw_node *n = &((const pit_thread *)thread)->nodes[index];
    PyObject *row = PyDict_New();
    if (row && (put(row, "path", path_of(thread, (uint32_t)index)) < 0 ||
                put(row, "name", text(n->name)) < 0 || put(row, "count", number(n->count)) < 0 ||
                put(row, "finished_ns", number_or_none(ticks(run, n->total))) < 0 ||
                put(row, "child_ns", number_or_none(ticks(run, n->child))) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *thread_row(const void *threads, size_t index, const pit_run *run)
{
    const pit_thread *t = (const pit_thread *)threads + index;
    PyObject *row = PyDict_New();
    if (row && (put(row, "name", text(t->name)) < 0 || put(row, "tid", number(t->tid)) < 0 ||
                put(row, "attached", PyBool_FromLong(t->attached)) < 0 ||
                put(row, "thread_count", number(t->thread_count)) < 0 ||
                put(row, "nodes", list_of(t->node_count, raw_row, t, run)) < 0 ||
                put(row, "open", list_of(t->open_count, open_row, t, run)) < 0 ||
                put(row, "values", list_of(t->value_count, value_row, t->values, run)) < 0 ||
                put(row, "records", list_of(t->record_count, record_row, t, run)) < 0 ||
                put(row, "records_dropped", number(t->records_dropped)) < 0 ||
                put(row, "losses", losses_dict(&t->losses)) < 0))
        Py_CLEAR(row);
    return row;
}

/* ---- samples and the journal ---------------------------------------------------------------------- */

/* A row has a key for each channel. */
static PyObject *sample_row(const void *samples, size_t index, const pit_run *run)
{
    const pit_sample *sample = (const pit_sample *)samples + index;
    double time_ns = ((double)sample->ticks - (double)run->start_ticks) * run->ns_per_tick;
    PyObject *row = PyDict_New();
    if (row && put(row, "time_ns", PyFloat_FromDouble(time_ns)) < 0)
        Py_CLEAR(row);
    for (size_t i = 0; row && i < run->channel_count; i++) {
        const pit_channel *channel = &run->channels[i];
        uint64_t value = sample->values[i];
        if (put(row, channel->key,
                channel->per_unit == 1 ? number(value)
                                       : number_or_none(pit_channel_figure(channel, value))) < 0)
            Py_CLEAR(row);
    }
    return row;
}

static PyObject *channel_row(const void *channels, size_t index, const pit_run *run)
{
    const pit_channel *channel = (const pit_channel *)channels + index;
    PyObject *row = PyDict_New();
    (void)run;
    if (row &&
        (put(row, "key", text(channel->key)) < 0 || put(row, "unit", text(channel->unit)) < 0 ||
         put(row, "help", text(channel->help)) < 0 ||
         put(row, "source", text(channel->source)) < 0 ||
         put(row, "kind", text(channel->is_counter ? "counter" : "gauge")) < 0 ||
         put(row, "over_time", text(channel->over_time)) < 0 ||
         put(row, "over_runs", text(channel->over_runs)) < 0 ||
         put(row, "missing", channel->missing ? text(channel->missing) : Py_NewRef(Py_None)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *figures_dict(const pit_entry *entry)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < entry->figure_count; i++) {
        PyObject *key = text(entry->figures[i].key);
        PyObject *value = number_or_none(entry->figures[i].value);
        if (!key || !value || PyDict_SetItem(dict, key, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *entry_row(const void *entries, size_t index, const pit_run *run)
{
    const pit_entry *e = (const pit_entry *)entries + index;
    PyObject *row = PyDict_New();
    if (row &&
        (put(row, "kind", text(e->kind)) < 0 || put(row, "text", text(e->text)) < 0 ||
         put(row, "at_ns", since_start(run, e->ticks)) < 0 ||
         put(row, "wall_ns", number(e->wall_ns)) < 0 || put(row, "figures", figures_dict(e)) < 0))
        Py_CLEAR(row);
    return row;
}

/* ---- places ------------------------------------------------------------------------------------- */

static const char *const place_kinds[PIT_PLACE_KINDS] = {"python", "native"};

static PyObject *text_or_none(const char *words)
{
    return *words ? text(words) : Py_NewRef(Py_None);
}

/* From the tree's places, because a span is identified by its path. */
static PyObject *place_row(const void *tree_of, size_t index, const pit_run *run)
{
    const pit_tree *tree = tree_of;
    const pit_tree_place *place = &tree->places[index];
    const char *span = place->node == PIT_NO_NODE ? "" : tree->nodes[place->node].path;
    PyObject *row = PyDict_New();
    (void)run;
    if (row && (put(row, "kind", text(place_kinds[place->kind % PIT_PLACE_KINDS])) < 0 ||
                put(row, "function", text_or_none(place->function)) < 0 ||
                put(row, "file", text_or_none(place->file)) < 0 ||
                put(row, "line", known(place->line ? place->line : PIT_UNKNOWN)) < 0 ||
                put(row, "span", text_or_none(span)) < 0 ||
                put(row, "samples", number(place->samples)) < 0 ||
                put(row, "span_samples", number(place->node_samples)) < 0 ||
                put(row, "share", number_or_none(place->share)) < 0 ||
                put(row, "run_share", number_or_none(place->run_share)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *stack_samples(const pit_run *run)
{
    PyObject *dict = PyDict_New();
    for (size_t kind = 0; dict && kind < PIT_PLACE_KINDS; kind++) {
        const pit_place_source *source = &run->place_sources[kind];
        PyObject *one = Py_BuildValue(
            "{s:d,s:K,s:K,s:z}", "hz", source->hz, "samples", (unsigned long long)source->samples,
            "dropped", (unsigned long long)source->dropped, "reason", source->reason);
        if (put(dict, place_kinds[kind], one) < 0)
            Py_CLEAR(dict);
    }
    return dict;
}

/* ---- a run -------------------------------------------------------------------------------------- */

static PyObject *facts_dict(const pit_run *run)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < run->fact_count; i++) {
        PyObject *key = text(run->facts[i].key), *value = text(run->facts[i].value);
        if (!key || !value || PyDict_SetItem(dict, key, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

PyObject *pitpy_hex(const unsigned char id[16])
{
    char digits[33];
    for (int i = 0; i < 16; i++)
        snprintf(digits + (ptrdiff_t)i * 2, 3, "%02x", id[i]);
    return PyUnicode_FromString(digits);
}

static int put_head(PyObject *dict, const pit_run *run, const pit_tree *tree)
{
    static const char *const states[] = {"live", "closed", "died"};
    static const char *const places[] = {"file", "shm", "", "memory"};
    return put(dict, "path", PyUnicode_DecodeFSDefault(run->path)) < 0 ||
                   put(dict, "state", text(run->ended_by_parent ? "ended" : states[run->state])) <
                       0 ||
                   put(dict, "storage", text(places[run->storage & 3])) < 0 ||
                   put(dict, "pid", number(run->pid)) < 0 ||
                   put(dict, "run_id", pitpy_hex(run->run_id)) < 0 ||
                   put(dict, "parent_run_id", pitpy_hex(run->parent_run_id)) < 0 ||
                   put(dict, "start_wall_ns", number(run->start_wall_ns)) < 0 ||
                   put(dict, "duration_ns", number_or_none(run->duration_ns)) < 0 ||
                   put(dict, "span_cost_ns",
                       number_or_none(run->span_cost_ns > 0 ? run->span_cost_ns : Py_NAN)) < 0 ||
                   put(dict, "rss_peak_bytes", known(run->rss_peak)) < 0 ||
                   put(dict, "in_spans_ns", number_or_none(tree->total_ns)) < 0 ||
                   put(dict, "finished_ns", number_or_none(tree->finished_ns)) < 0 ||
                   put(dict, "spans", number(tree->spans)) < 0 ||
                   put(dict, "damaged_at", known(run->damaged_at)) < 0
               ? -1
               : 0;
}

static PyObject *run_dict(const pit_run *run)
{
    pit_tree *tree = pit_tree_build(&run, 1);
    PyObject *dict = tree ? PyDict_New() : PyErr_NoMemory();
    if (dict &&
        (put_head(dict, run, tree) < 0 || put(dict, "facts", facts_dict(run)) < 0 ||
         put(dict, "ended", ended_dict(run->ended)) < 0 ||
         put(dict, "nodes", list_of(tree->node_count, node_row, tree->nodes, run)) < 0 ||
         put(dict, "threads", list_of(run->thread_count, thread_row, run->threads, run)) < 0 ||
         put(dict, "channels", list_of(run->channel_count, channel_row, run->channels, run)) < 0 ||
         put(dict, "samples", list_of(run->sample_count, sample_row, run->samples, run)) < 0 ||
         put(dict, "journal", list_of(run->journal_count, entry_row, run->journal, run)) < 0 ||
         put(dict, "places", list_of(tree->place_count, place_row, tree, run)) < 0 ||
         put(dict, "stack_samples", stack_samples(run)) < 0 ||
         put(dict, "losses", losses_dict(&run->losses)) < 0))
        Py_CLEAR(dict);
    pit_tree_free(tree);
    return dict;
}

/* A path, a recorder's capsule, or None for the default recorder. NULL with an exception. */
static pit_run *run_of(pitpy_state *state, PyObject *source)
{
    pit_error error = {0};
    pit_run *run;
    PyObject *path = NULL;
    const char *what = "read";
    if (source == Py_None) {
        pitpy_flow_here(); /* so that open spans are the caller's */
        run = pit_run_read(NULL, &error);
    } else if (PyCapsule_CheckExact(source)) {
        run = pit_run_read(PyCapsule_GetPointer(source, CAPSULE), &error);
    } else {
        if (!PyUnicode_FSConverter(source, &path))
            return NULL;
        what = PyBytes_AS_STRING(path);
        Py_BEGIN_ALLOW_THREADS;
        run = pit_run_open(what, &error);
        Py_END_ALLOW_THREADS;
    }
    if (!run)
        pitpy_fail(state, error.code, what, error.message[0] ? error.message : NULL);
    Py_XDECREF(path);
    return run;
}

/* Leave only the top-level runs in the list. Returns -1 with an exception. */
static int nest(pit_run **runs, size_t *count)
{
    int code;
    Py_BEGIN_ALLOW_THREADS;
    code = pit_runs_nest(runs, count);
    Py_END_ALLOW_THREADS;
    if (code)
        PyErr_NoMemory();
    return code ? -1 : 0;
}

/* None for a run in memory: its child processes had no folder for their files. */
static PyObject *sub_runs(const pit_run *run)
{
    if (run->storage == PIT_STORAGE_MEMORY)
        Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < run->below_count; i++)
        if (append(list, run_dict(run->below[i])) < 0)
            Py_CLEAR(list);
    return list;
}

/* _read(source, alone) */
static PyObject *function_read(PyObject *module, PyObject *args)
{
    PyObject *source;
    int alone;
    size_t count = 1;
    if (!PyArg_ParseTuple(args, "Op:read", &source, &alone))
        return NULL;
    pit_run *run = run_of(pitpy_state_of(module), source);
    PyObject *dict = run && (alone || nest(&run, &count) == 0) ? run_dict(run) : NULL;
    if (dict && !alone && put(dict, "sub_runs", sub_runs(run)) < 0)
        Py_CLEAR(dict);
    pit_run_free(run);
    return dict;
}

/* ---- reports ------------------------------------------------------------------------------------ */

static PyObject *print_runs(pitpy_state *state, const pit_run *const *runs, size_t count,
                            const char *format, const pit_report_options *options)
{
    char *bytes = NULL;
    size_t length = 0;
    pit_error error;
    FILE *out = open_memstream(&bytes, &length);
    int code = !out     ? 0
               : format ? pit_export(out, format, runs, count)
                        : pit_report_write(out, runs, count, options, &error);
    if (code == PIT_BAD_ARGUMENT)
        PyErr_SetString(PyExc_ValueError,
                        format ? "format must be one that writes a single file" : error.message);
    return pitpy_written(state, out, &bytes, &length, code, format ? format : "report");
}

/* _report([sources], format or None, options, alone) */
static PyObject *function_report(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *sources, *dict;
    const char *format;
    int alone;
    pit_report_options options;
    if (!PyArg_ParseTuple(args, "O!zOp:report", &PyList_Type, &sources, &format, &dict, &alone) ||
        pitpy_report_options(dict, NULL, &options) < 0)
        return NULL;
    size_t count = (size_t)PyList_GET_SIZE(sources), had = 0;
    pit_run **runs = calloc(count + 1, sizeof *runs);
    if (!runs)
        return PyErr_NoMemory();
    while (had < count &&
           (runs[had] = run_of(state, PyList_GET_ITEM(sources, (Py_ssize_t)had))) != NULL)
        had++;
    PyObject *result = NULL;
    int is_whole = had == count;
    if (is_whole && !alone && nest(runs, &had) < 0)
        is_whole = 0;
    if (is_whole)
        result = print_runs(state, (const pit_run *const *)runs, had, format, &options);
    for (size_t i = 0; i < had; i++)
        pit_run_free(runs[i]);
    free(runs);
    return result;
}

static PyObject *function_views(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return pitpy_view_names();
}

static PyObject *function_view_options(PyObject *module, PyObject *args)
{
    const char *view = NULL;
    (void)module;
    return PyArg_ParseTuple(args, "|z:view_options", &view) ? pitpy_view_options(view) : NULL;
}

/* Formats that are one text. */
static PyObject *function_exports(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    const pit_export_format *format;
    (void)module;
    (void)unused;
    for (size_t i = 0; list && (format = pit_export_at(i)); i++)
        if (!format->is_folder && !format->is_binary && append(list, text(format->name)) < 0)
            Py_CLEAR(list);
    return list;
}

static PyMethodDef functions[] = {
    {"_read", function_read, METH_VARARGS, NULL},
    {"_report", function_report, METH_VARARGS, NULL},
    {"fields", function_fields, METH_VARARGS,
     "fields(of='node', /)\n--\n\nThe fields of a row, in order. of: 'node', 'ended', 'losses' or "
     "'rank'.\nEach is a dict with key, title, kind, merge, help, reason, shown."},
    {"views", function_views, METH_NOARGS,
     "views()\n--\n\nThe names of all views that report() can print."},
    {"view_options", function_view_options, METH_VARARGS,
     "view_options(view=None, /)\n--\n\nThe options that report() takes for a view, or without a "
     "view (None).\nReturns a list of dicts with name, kind, default, help, words."},
    {"_exports", function_exports, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

int pitpy_add_read(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
