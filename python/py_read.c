/* Runs as plain data, dicts and lists that json and pandas take as they are, and reports as text.
 * Times are in seconds, sizes in bytes; what cannot be had is None.
 */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPSULE "pitwall.recorder"

/* ---- small builders ----------------------------------------------------------------------------- */

/* Put a value, which is taken over, into a dict. 0, or -1 with an exception. */
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

/* A peak of 0 bytes means that it cannot be had. */
static PyObject *known(uint64_t n)
{
    return n ? number(n) : Py_NewRef(Py_None);
}

static PyObject *seconds(double ns)
{
    return isfinite(ns) ? PyFloat_FromDouble(ns * 1e-9) : Py_NewRef(Py_None);
}

/* None for what is no finite number: whatever read() gives can be written as JSON. */
static PyObject *number_or_none(double figure)
{
    return isfinite(figure) ? PyFloat_FromDouble(figure) : Py_NewRef(Py_None);
}

/* Why number_or_none() gave None; None if it did not. */
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
    return seconds(at >= run->start_ticks ? ticks(run, at - run->start_ticks)
                                          : -ticks(run, run->start_ticks - at));
}

/* A list of count things. */
typedef PyObject *(*build)(const void *things, size_t index, const pit_run *run);
static PyObject *list_of(size_t count, build one, const void *things, const pit_run *run)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++)
        if (append(list, one(things, i, run)) < 0)
            Py_CLEAR(list);
    return list;
}

/* ---- nodes: the rows of a table ------------------------------------------------------------------ */

static int put_memory(PyObject *row, const pit_memory *m)
{
    static const char *const keys[] = {"memory_count", "rss_delta_bytes", "rss_peak_bytes",
                                       "rss_max_bytes", "memory_error_bytes"};
    int has_peak = m && m->peak_method != PIT_PEAK_NONE;
    PyObject *values[] = {m ? number(m->count) : NULL, m ? PyLong_FromLongLong(m->delta_max) : NULL,
                          has_peak ? number(m->peak_max) : NULL,
                          has_peak ? number(m->rss_max) : NULL, m ? number(m->error_bytes) : NULL};
    int failed = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        failed |= put(row, keys[i], values[i] ? values[i] : Py_NewRef(Py_None)) < 0;
    return failed ? -1 : 0;
}

static int put_alloc(PyObject *row, const pit_alloc *a)
{
    return put(row, "alloc_bytes", a ? number(a->alloc_bytes) : Py_NewRef(Py_None)) < 0 ||
                   put(row, "alloc_peak_bytes", a ? number(a->peak_max) : Py_NewRef(Py_None)) < 0 ||
                   put(row, "leaked_bytes", a ? number(a->leaked_bytes) : Py_NewRef(Py_None)) < 0
               ? -1
               : 0;
}

static PyObject *node_row(const void *nodes, size_t index, const pit_run *run)
{
    (void)run;
    const pit_node *n = (const pit_node *)nodes + index;
    PyObject *row = PyDict_New();
    if (!row)
        return NULL;
    int none = n->count == 0;
    int failed =
        put(row, "path", text(n->path)) < 0 || put(row, "name", text(n->name)) < 0 ||
        put(row, "depth", PyLong_FromUnsignedLong(n->depth)) < 0 ||
        put(row, "parent",
            n->parent == PIT_NO_NODE ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(n->parent)) <
            0 ||
        put(row, "count", number(n->count)) < 0 || put(row, "total", seconds(n->total_ns)) < 0 ||
        put(row, "self", seconds(n->self_ns)) < 0 ||
        put(row, "mean", seconds(none ? Py_NAN : n->mean_ns)) < 0 ||
        put(row, "std", seconds(none ? Py_NAN : n->std_ns)) < 0 ||
        put(row, "min", seconds(none ? Py_NAN : n->min_ns)) < 0 ||
        put(row, "max", seconds(none ? Py_NAN : n->max_ns)) < 0 ||
        put(row, "p50", seconds(none ? Py_NAN : n->p50_ns)) < 0 ||
        put(row, "p95", seconds(none ? Py_NAN : n->p95_ns)) < 0 ||
        put(row, "p99", seconds(none ? Py_NAN : n->p99_ns)) < 0 ||
        put(row, "items", number(n->items)) < 0 || put(row, "bytes", number(n->bytes)) < 0 ||
        put(row, "flops", number(n->flops)) < 0 || put(row, "open", number(n->open)) < 0 ||
        put(row, "detached", PyBool_FromLong(n->detached)) < 0 || put_memory(row, n->memory) < 0 ||
        put_alloc(row, n->alloc) < 0;
    if (failed)
        Py_CLEAR(row);
    return row;
}

/* ---- losses ------------------------------------------------------------------------------------- */

static PyObject *losses_dict(const pit_losses *l)
{
    const struct {
        const char *key;
        uint64_t count;
    } all[] = {{"end_without_begin", l->end_without_begin},
               {"abandoned", l->abandoned},
               {"wrong_thread", l->wrong_thread},
               {"too_deep", l->too_deep},
               {"table_full", l->table_full},
               {"in_signal", l->in_signal},
               {"clock_back", l->clock_back},
               {"left_open", l->left_open},
               {"values", l->values},
               {"beyond_file", l->beyond_file},
               {"null_argument", l->null_argument},
               {"mended", l->mended}};
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < sizeof all / sizeof all[0]; i++)
        if (put(dict, all[i].key, number(all[i].count)) < 0)
            Py_CLEAR(dict);
    return dict;
}

/* ---- threads ------------------------------------------------------------------------------------ */

/* A name as it stands in a path: a '/' or '\\' in it has a '\\' before it. */
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

#define NAMES_IN_PATH 256 /* that a thread's stack has room for; of a longer path, the inner end */

/* The path of a raw node: as pit_node.path, names joined by '/'. */
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
                put(row, "begin", since_start(run, open->begin)) < 0 ||
                put(row, "phase", PyBool_FromLong(open->phase)) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *record_row(const void *thread, size_t index, const pit_run *run)
{
    const pit_record *r = &((const pit_thread *)thread)->records[index];
    PyObject *row = PyDict_New();
    if (row &&
        (put(row, "path", path_of(thread, r->node)) < 0 ||
         put(row, "begin", since_start(run, r->begin)) < 0 ||
         put(row, "duration", seconds(ticks(run, r->duration))) < 0 ||
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
        (put(row, "time", since_start(run, p->ticks)) < 0 ||
         put(row, "count", number(p->values)) < 0 ||
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
    if (row &&
        (put(row, "path", path_of(thread, (uint32_t)index)) < 0 ||
         put(row, "name", text(n->name)) < 0 || put(row, "count", number(n->count)) < 0 ||
         put(row, "total", seconds(ticks(run, n->total))) < 0 ||
         put(row, "self", seconds(ticks(run, n->total > n->child ? n->total - n->child : 0))) < 0))
        Py_CLEAR(row);
    return row;
}

static PyObject *thread_row(const void *threads, size_t index, const pit_run *run)
{
    const pit_thread *t = (const pit_thread *)threads + index;
    PyObject *row = PyDict_New();
    if (row && (put(row, "name", text(t->name)) < 0 || put(row, "tid", number(t->tid)) < 0 ||
                put(row, "attached", PyBool_FromLong(t->attached)) < 0 ||
                put(row, "tenants", number(t->tenants)) < 0 ||
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

static PyObject *sample_row(const void *samples, size_t index, const pit_run *run)
{
    const pit_sample *s = (const pit_sample *)samples + index;
    PyObject *row = PyDict_New();
    if (row &&
        (put(row, "time", since_start(run, s->ticks)) < 0 || put(row, "rss", number(s->rss)) < 0 ||
         put(row, "rss_max", number(s->rss_max)) < 0 ||
         put(row, "cpu",
             s->cpu_ns == PIT_UNKNOWN ? Py_NewRef(Py_None) : seconds((double)s->cpu_ns)) < 0 ||
         put(row, "threads", number(s->threads)) < 0 ||
         put(row, "read_bytes", number(s->read_bytes)) < 0 ||
         put(row, "write_bytes", number(s->write_bytes)) < 0 ||
         put(row, "available", number(s->available)) < 0 ||
         put(row, "cgroup_used", number(s->cgroup_used)) < 0))
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
    if (row && (put(row, "kind", text(e->kind)) < 0 || put(row, "text", text(e->text)) < 0 ||
                put(row, "time", since_start(run, e->ticks)) < 0 ||
                put(row, "wall", seconds((double)e->wall_ns)) < 0 ||
                put(row, "figures", figures_dict(e)) < 0))
        Py_CLEAR(row);
    return row;
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
                   put(dict, "state", text(states[run->state])) < 0 ||
                   put(dict, "place", text(places[run->place & 3])) < 0 ||
                   put(dict, "pid", number(run->pid)) < 0 ||
                   put(dict, "run_id", pitpy_hex(run->run_id)) < 0 ||
                   put(dict, "parent_run_id", pitpy_hex(run->parent_run_id)) < 0 ||
                   put(dict, "start", seconds((double)run->start_wall_ns)) < 0 ||
                   put(dict, "duration", seconds(run->duration_ns)) < 0 ||
                   put(dict, "span_cost",
                       run->span_cost_ns > 0 ? seconds(run->span_cost_ns) : Py_NewRef(Py_None)) <
                       0 ||
                   put(dict, "rss_peak_bytes", known(run->rss_peak)) < 0 ||
                   put(dict, "total", seconds(tree->total_ns)) < 0 ||
                   put(dict, "spans", number(tree->spans)) < 0 ||
                   put(dict, "damaged_at", known(run->damaged_at)) < 0
               ? -1
               : 0;
}

static PyObject *seconds_known(uint64_t ns)
{
    return ns == PIT_UNKNOWN ? Py_NewRef(Py_None) : seconds((double)ns);
}

/* How its process ended; None where nobody told. */
static PyObject *ended_dict(const pit_ended *e)
{
    if (!e)
        Py_RETURN_NONE;
    PyObject *dict = PyDict_New();
    PyObject *none = Py_None;
    int has_signal = e->exit_signal != 0;
    if (dict && (put(dict, "pid", PyLong_FromLong(e->pid)) < 0 ||
                 put(dict, "exit_status",
                     has_signal ? Py_NewRef(none) : PyLong_FromLong(e->exit_status)) < 0 ||
                 put(dict, "exit_signal",
                     has_signal ? PyLong_FromLong(e->exit_signal) : Py_NewRef(none)) < 0 ||
                 put(dict, "start", seconds((double)e->start_wall_ns)) < 0 ||
                 put(dict, "duration", seconds((double)e->duration_ns)) < 0 ||
                 put(dict, "user", seconds_known(e->user_ns)) < 0 ||
                 put(dict, "system", seconds_known(e->system_ns)) < 0 ||
                 put(dict, "rss_peak_bytes", number(e->rss_peak)) < 0 ||
                 put(dict, "minor_faults", number(e->minor_faults)) < 0 ||
                 put(dict, "major_faults", number(e->major_faults)) < 0 ||
                 put(dict, "switches", number(e->switches)) < 0 ||
                 put(dict, "forced_switches", number(e->forced_switches)) < 0 ||
                 put(dict, "read_bytes", number(e->read_bytes)) < 0 ||
                 put(dict, "write_bytes", number(e->write_bytes)) < 0 ||
                 put(dict, "children_seen", number(e->children)) < 0))
        Py_CLEAR(dict);
    return dict;
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
         put(dict, "samples", list_of(run->sample_count, sample_row, run->samples, run)) < 0 ||
         put(dict, "journal", list_of(run->journal_count, entry_row, run->journal, run)) < 0 ||
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
        pitpy_flow_here(); /* what is open is the caller's */
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

/* The runs of the list become those that stand above the others. -1 with an exception. */
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

/* None for a run in memory: what it started could leave no file beside it. */
static PyObject *sub_runs(const pit_run *run)
{
    if (run->place == PIT_PLACE_MEMORY)
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

static PyObject *names_of(const char *const *names)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && names[i]; i++)
        if (append(list, text(names[i])) < 0)
            Py_CLEAR(list);
    return list;
}

static PyObject *print_runs(pitpy_state *state, const pit_run *const *runs, size_t count,
                            const char *format, const pit_report_options *options)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    int code = !out     ? 0
               : format ? pit_export(out, format, runs, count)
                        : pit_report_print(out, runs, count, options);
    if (code == PIT_BAD_ARGUMENT && !format)
        pitpy_refuse_options(options);
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
        pitpy_report_options(dict, &options) < 0)
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
    return names_of(pit_view_names());
}

static PyObject *function_exports(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return names_of(pit_export_names());
}

static PyMethodDef functions[] = {
    {"_read", function_read, METH_VARARGS, NULL},
    {"_report", function_report, METH_VARARGS, NULL},
    {"views", function_views, METH_NOARGS, "views()\n--\n\nThe names of all views of report()."},
    {"_exports", function_exports, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

int pitpy_add_read(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
