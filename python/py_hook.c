/* Hooks: wrappers that replace a library's own functions, for programs that do not use Pitwall themselves
 * (pitwall run). They are in C so that tracebacks, recursion depth and call times do not change.
 *
 * A hook has a kind (a bit: forward, backward, …) and records only the outermost call as a span: calls of
 * the layers inside a model are passed on after one test. From a hook's role, py_cut.c derives where steps
 * begin and end.
 */
#include "py_hook.h"

#define WATCH_MOST_NS 50000u /* more is time of another process, or of an inspection by Python */
#define WATCH_EARLY 64u      /* the first calls are all measured */

PITPY_THREAD unsigned pitpy_inside;
PITPY_THREAD uint64_t pitpy_works;
PITPY_THREAD uint64_t pitpy_updates;

/* Guarded by the interpreter's lock, like everything below. */
struct pitpy_counts pitpy_counts;
struct pitpy_hook_names pitpy_hook_names;
uint64_t pitpy_note_at = 1; /* number of spans at which `note` is called next */
static PyObject *note;      /* called from time to time, without arguments */
static PyObject *look;      /* called with a word and an object */
/* the forward pass at which a model is inspected next; forward passes so far */
static uint64_t looks_at_models, models = 0;

/* ---- Python is told, and asked --------------------------------------------------------------------- */

/* Nothing that it calls is hooked, and no exception is lost. */
static int call_apart(PyObject *function, const char *what, PyObject *object)
{
    PyObject *type, *value, *traceback;
    if (!function)
        return 0;
    unsigned before = pitpy_inside;
    PyErr_Fetch(&type, &value, &traceback);
    pitpy_inside = ~0u;
    PyObject *result =
        what ? PyObject_CallFunction(function, "sO", what, object) : PyObject_CallNoArgs(function);
    pitpy_inside = before;
    int is_true = result ? PyObject_IsTrue(result) : 0;
    Py_XDECREF(result);
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    return is_true > 0;
}

/* Calls `note` at the first span, and then whenever their number has grown fourfold. */
void pitpy_note_span(void)
{
    pitpy_note_at *= 4;
    call_apart(note, NULL, NULL);
}

int pitpy_look(const char *what, PyObject *object)
{
    return call_apart(look, what, object);
}

int pitpy_ask(PyObject *question, int otherwise)
{
    PyObject *answer = question ? PyObject_CallNoArgs(question) : NULL;
    int is_true = answer == Py_True    ? 1
                  : answer == Py_False ? 0
                  : answer             ? PyObject_IsTrue(answer)
                                       : -1;
    Py_XDECREF(answer);
    if (is_true < 0)
        PyErr_Clear();
    return is_true < 0 ? otherwise : is_true;
}

/* ---- what hooks cost ------------------------------------------------------------------------------- */

uint64_t pitpy_watch_at = 1;
static struct {
    uint64_t ticks, ns;
} watch_start;                     /* one moment, by both clocks */
static uint64_t watch_clock_ticks; /* time of reading the clock twice */

/* A counter that touches no memory, if there is one: measured calls run with cold caches. */
uint64_t pitpy_watch_now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return pitpy_monotonic_ns();
#endif
}

static double watch_ns_per_tick(void)
{
    uint64_t ticks = pitpy_watch_now() - watch_start.ticks;
    return ticks ? (double)(pitpy_monotonic_ns() - watch_start.ns) / (double)ticks : 0;
}

/* Skip a varying number of calls: a step makes the same calls in the same order, and each of them must get
 * its turn. Short programs have few calls. */
void pitpy_watch_begin(struct pitpy_watch_call *watch)
{
    static uint32_t draw = 1;
    draw = draw * 1664525u + 1013904223u;
    uint64_t least = pitpy_counts.calls < WATCH_EARLY ? 1 : 11;
    pitpy_watch_at = pitpy_counts.calls + least + (draw >> 16) % least;
    watch->begin = pitpy_watch_now();
}

void pitpy_watch_end(struct pitpy_watch_call *watch)
{
    uint64_t ticks = watch->call - watch->begin + pitpy_watch_now() - watch->done;
    if ((double)ticks * watch_ns_per_tick() < WATCH_MOST_NS) {
        pitpy_counts.watched++;
        pitpy_counts.watched_ticks += ticks > watch_clock_ticks ? ticks - watch_clock_ticks : 0;
    }
}

static void start_watching(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 50; i++) {
        uint64_t start = pitpy_watch_now(), ticks = pitpy_watch_now() - start;
        best = ticks < best ? ticks : best;
    }
    watch_clock_ticks = 2 * best;
    watch_start.ticks = pitpy_watch_now();
    watch_start.ns = pitpy_monotonic_ns();
    pitpy_watch_at = 1;
}

/* ---- the outermost call ------------------------------------------------------------------------ */

/* A model is inspected from time to time: its device and its precision. */
static pitpy_name *name_of_model(const pitpy_timed *self, PyObject *module)
{
    if (self->loss && PyType_IsSubtype(Py_TYPE(module), self->loss) && pitpy_hook_names.loss)
        return pitpy_hook_names.loss;
    if (PITPY_UNLIKELY(++models >= looks_at_models)) {
        looks_at_models = models * 2;
        pitpy_look("model", module);
    }
    return self->name;
}

static int hands_over_work(const pitpy_timed *self)
{
    return self->role == PITPY_MODEL || self->role == PITPY_BACKWARD ||
           self->role == PITPY_OPTIMIZER;
}

PITPY_HOT static PyObject *outermost_call(pitpy_timed *self, PyObject *const *args, size_t nargsf,
                                          PyObject *kwnames, unsigned before)
{
    struct pitpy_watch_call watch = {0};
    if (PITPY_UNLIKELY(pitpy_is_watched()))
        pitpy_watch_begin(&watch);
    pitpy_name *name = self->name;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    PyObject *object = count > 0 ? args[0] : Py_None;
    if (self->role == PITPY_MODEL)
        name = name_of_model(self, object);
    /* In a trainer's loop no steps are made here, but calls are counted. */
    int has_role = self->role && (before == 0 || pitpy_scope) && name == self->name;
    int next = has_role ? pitpy_cut_before(self, args, count, kwnames) : 0;
    pitpy_mark mark = {NULL, 0};
    if (PITPY_UNLIKELY(pitpy_marks_hooks) && hands_over_work(self))
        pitpy_mark_begin(&mark);
    pitpy_timed *outer = self->role == PITPY_JIT ? pitpy_jit_before(self) : NULL;
    pitpy_open open;
    pitpy_count_span();
    pitpy_works += self->role != PITPY_LOADER;
    pitpy_inside = before | self->kind;
    pitpy_begin(name, 0, &open);
    pitpy_mark_place(&mark);
    if (self->role == PITPY_OPTIMIZER)
        pitpy_optimizer = (struct pitpy_optimizer){&open, name, open.flow->open, 0};
    if (PITPY_UNLIKELY(watch.begin))
        watch.call = pitpy_watch_now();
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    if (PITPY_UNLIKELY(watch.begin))
        watch.done = pitpy_watch_now();
    pitpy_inside = before;
    if (self->role == PITPY_OPTIMIZER) {
        pitpy_optimizer.open = NULL;
        pitpy_updates++;
    }
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (PITPY_UNLIKELY(!result))
        PyErr_Fetch(&type, &value, &traceback);
    if (PITPY_UNLIKELY(!result) && self->role == PITPY_OPTIMIZER && pitpy_optimizer.has_failed)
        pitpy_drop(&open);
    else
        pitpy_end(&open);
    if (PITPY_UNLIKELY(mark.object != NULL))
        pitpy_mark_end(&mark, name);
    if (self->role == PITPY_JIT)
        pitpy_jit_after(self, outer);
    else if (has_role)
        pitpy_cut_after(self, object, next, result != NULL);
    if (PITPY_UNLIKELY(!result))
        PyErr_Restore(type, value, traceback);
    if (PITPY_UNLIKELY(watch.begin))
        pitpy_watch_end(&watch);
    return result;
}

PITPY_HOT static PyObject *hook_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                           PyObject *kwnames)
{
    pitpy_timed *self = (pitpy_timed *)object;
    unsigned before = pitpy_inside;
    if (PITPY_UNLIKELY(self->role == PITPY_LEARNING)) {
        pitpy_jit_learns(self->flags);
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    if (before & self->not_in) {
        pitpy_counts.passed++;
        return PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    }
    if (PITPY_LIKELY(self->name != NULL))
        return outermost_call(self, args, nargsf, kwnames, before);
    pitpy_inside = before | self->kind;
    PyObject *result = PyObject_Vectorcall(self->function, args, nargsf, kwnames);
    pitpy_inside = before;
    if (self->role == PITPY_MODE && before == 0 && result && PyVectorcall_NARGS(nargsf) > 0)
        pitpy_cut_mode(args[0]);
    return result;
}

/* ---- the module's functions -------------------------------------------------------------------- */

/* _hook(function, name or None, kind, not_in, role, question, class of losses, flags of its role) */
static PyObject *make(PyObject *module, PyObject *args, vectorcallfunc vectorcall)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *function, *text, *question = Py_None, *loss = Py_None;
    unsigned kind, not_in, role = PITPY_PLAIN, flags = 0;
    if (!PyArg_ParseTuple(args, "OOII|IOOI:_hook", &function, &text, &kind, &not_in, &role,
                          &question, &loss, &flags))
        return NULL;
    pitpy_name *name = text == Py_None ? NULL : pitpy_name_of(state, text);
    if (!name && text != Py_None)
        return NULL;
    pitpy_timed *self = pitpy_timed_new(state, function, name, vectorcall);
    if (self) {
        self->kind = kind;
        self->not_in = not_in;
        self->role = role;
        self->flags = flags;
        self->question = question == Py_None ? NULL : Py_NewRef(question);
        self->loss = PyType_Check(loss) ? (PyTypeObject *)Py_NewRef(loss) : NULL;
    }
    return (PyObject *)self;
}

static PyObject *function_hook(PyObject *module, PyObject *args)
{
    return make(module, args, hook_vectorcall);
}

static PyObject *function_hook_next(PyObject *module, PyObject *args)
{
    return make(module, args, pitpy_next_vectorcall);
}

static PyObject *function_hook_trainer(PyObject *module, PyObject *args)
{
    return make(module, args, pitpy_scope_vectorcall);
}

/* _hook_counts(): a dict. */
static PyObject *function_counts(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    const struct pitpy_counts *c = &pitpy_counts;
#define N(member) #member, (unsigned long long)c->member
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:d,s:K,s:K,s:K}", N(spans), N(passed), N(steps),
                         N(calls), N(watched), "watched_ns",
                         (double)c->watched_ticks * watch_ns_per_tick(), N(runs), N(single_runs),
                         N(run_sum));
#undef N
}

static pitpy_name *name_for_good(pitpy_state *state, const char *text)
{
    PyObject *object = PyUnicode_InternFromString(text);
    pitpy_name *name = object ? pitpy_name_of(state, object) : NULL;
    Py_XDECREF(object);
    if (!name)
        PyErr_Clear();
    return name;
}

/* _hook_start(note, look): reset the counts, call note() from time to time, and look(what, object) at
 * models, loaders and optimisers. */
static PyObject *function_start(PyObject *module, PyObject *args)
{
    pitpy_state *state = pitpy_state_of(module);
    PyObject *to_note, *to_look;
    if (!PyArg_ParseTuple(args, "OO:_hook_start", &to_note, &to_look))
        return NULL;
    pitpy_cut_leave();
    pitpy_counts = (struct pitpy_counts){0};
    pitpy_note_at = 1;
    looks_at_models = models = 0;
    start_watching();
    pitpy_hook_names =
        (struct pitpy_hook_names){name_for_good(state, "step"), name_for_good(state, "eval_step"),
                                  name_for_good(state, "loss")};
    Py_XSETREF(note, Py_NewRef(to_note));
    Py_XSETREF(look, Py_NewRef(to_look));
    Py_RETURN_NONE;
}

/* _hook_leave(): end the open step. */
static PyObject *function_leave(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    pitpy_cut_leave();
    Py_RETURN_NONE;
}

/* _hook_base(spans): make steps below this many spans. */
static PyObject *function_base(PyObject *module, PyObject *spans)
{
    (void)module;
    int count = (int)PyLong_AsLong(spans);
    if (PyErr_Occurred())
        return NULL;
    pitpy_cut_base(count);
    Py_RETURN_NONE;
}

/* _hook_optimizer(): the program has made an optimiser. */
static PyObject *function_optimizer(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    pitpy_cut_optimizer_made();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_hook", function_hook, METH_VARARGS, NULL},
                                  {"_hook_next", function_hook_next, METH_VARARGS, NULL},
                                  {"_hook_trainer", function_hook_trainer, METH_VARARGS, NULL},
                                  {"_trainer_begin", pitpy_trainer_begin, METH_O, NULL},
                                  {"_trainer_end", pitpy_trainer_end, METH_O, NULL},
                                  {"_hook_counts", function_counts, METH_NOARGS, NULL},
                                  {"_hook_start", function_start, METH_VARARGS, NULL},
                                  {"_hook_leave", function_leave, METH_NOARGS, NULL},
                                  {"_hook_base", function_base, METH_O, NULL},
                                  {"_hook_optimizer", function_optimizer, METH_NOARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_hook(PyObject *module)
{
    return pitpy_add_loop(module) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
