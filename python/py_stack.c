/* Samples where the main thread is, ten times per second, with the interpreter's public API for frames.
 *
 * A thread of our own reads the main thread's frames with the interpreter's lock held, so that frames,
 * line and innermost span belong to one moment. If C code keeps the lock for long, the sample is late
 * but still right, because the main thread responds before its next line. So a sample counts for all
 * periods since the last one, and no time is lost. It may also come some lines late, so the instruction
 * is noted when the sample is requested (py_peek.c).
 *
 * A thread that waits for the lock gets it when the main thread releases it next; only after the switch
 * interval of 5 ms is the main thread forced to. Calls that release the lock by themselves, as most of
 * PyTorch's do, would therefore get the time of the code before them. So the main thread is asked to take
 * the sample itself, at its current instruction, which also costs least: no lock changes hands, and our thread
 * wakes up once per period. It takes the lock only if the main thread has not responded for a whole period,
 * because it waits or computes in C; the lock is then usually free.
 *
 * A sample is the innermost line of the program's own code, because users can change that code; for
 * installed packages and the standard library it is the line that called them. If all code is installed,
 * it is the innermost line.
 *
 * The thread is started on the main thread when the default recorder is open, and ends before the
 * recorder closes and before the interpreter shuts down (atexit). A forked child has none until its own
 * recorder starts one. Its signals are blocked. */
#include "pitpy.h"

#include "py_peek.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 * 1024)
#define MOST_FRAMES 1000                   /* frames of a stack that are searched */
#define LEAST_ASK_NS ((uint64_t)50 * 1000) /* time for the main thread to take a sample itself */
#define NEVER UINT64_MAX
#define NAME_BYTES 80 /* of a function's name, before a word that is added */

int pitpy_stack_is_settled;

/* Guarded by the interpreter's lock, except for members that the thread itself reads. */
static struct {
    pthread_t thread;
    PyThreadState
        *state; /* of the thread; created and freed by the code that starts and stops it */
    int is_running;
    int is_ending;     /* other code waits for its end */
    int is_over;       /* the interpreter shuts down: do not start it again */
    int is_pending;    /* the main thread has been asked to start it */
    int is_registered; /* with atexit */
    int is_command;    /* python -c */
    unsigned long main_ident;
    char library[PATH_MAX], package[PATH_MAX]; /* folders of the standard library and of pitwall */
} own;

/* The thread's own clock: how it waits, and how it is told to end. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_made;
    int stop;
    uint64_t interval_ns;
} pace = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* One sample at a time. The thread that takes it holds the interpreter's lock; both members are atomic,
 * because our thread reads them without that lock. */
static struct {
    int is_wanted;
    int is_queued;          /* the main thread has been asked and did not come to it yet */
    uint64_t until_ns;      /* end of the last period that was counted */
    PyThreadState *main;    /* as of the last sample; only its address is used */
    struct pitpy_peek peek; /* written while no sample is wanted */
} asked;

static uint64_t forced_ns = NEVER; /* set by tests; NEVER: use the recorder's option */

/* ---- one sample ------------------------------------------------------------------------------- */

static const char *text_of(PyObject *text)
{
    const char *utf8 = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    if (!utf8)
        PyErr_Clear();
    return utf8;
}

static int is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return length && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Code without a file that a library generated; not python -c or an interactive session. */
static int is_made(const char *file)
{
    if (strcmp(file, "<string>") == 0)
        return !own.is_command;
    return file[0] == '<' && strcmp(file, "<stdin>") != 0 &&
           strncmp(file, "<ipython-input", 14) != 0;
}

/* Code that Python runs before a program, and our code that runs around an import. That code may be the
 * tool's copy of the package, which need not be the one that the program uses. */
static int is_start_up(const char *file)
{
    static const char *const names[] = {"/sitecustomize.py", "/pitwall/_auto_watch.py"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *found = strstr(file, names[i]);
        if (found && !found[strlen(names[i])])
            return 1;
    }
    return 0;
}

/* Code that was installed, not written for this program. */
static int is_installed(const char *file)
{
    return !file || is_start_up(file) || is_made(file) || strstr(file, "/site-packages/") ||
           strstr(file, "/dist-packages/") || is_below(file, own.library) ||
           is_below(file, own.package);
}

/* The innermost frame of the program's own code, or else the innermost of all. Takes the reference. Tells whether
 * an import is under way in it. */
static PyFrameObject *choose_frame(PyFrameObject *innermost, int *is_importing)
{
    PyFrameObject *frame = innermost;
    Py_INCREF(frame);
    for (int i = 0; frame && i < MOST_FRAMES; i++) {
        PyCodeObject *code = PyFrame_GetCode(frame);
        const char *file = text_of(code->co_filename);
        int is_found = !is_installed(file);
        *is_importing |= file && strcmp(file, "<frozen importlib._bootstrap>") == 0;
        Py_DECREF(code);
        if (is_found) {
            Py_DECREF(innermost);
            return frame;
        }
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    return innermost;
}

/* "<module>, importing": src/base/place_words.h has the word too. */
static const char *with_import(const char *function, char *text, size_t room)
{
    snprintf(text, room, "%.*s, importing", NAME_BYTES, function ? function : "?");
    return text;
}

static void note_frame(PyFrameObject *frame, uint64_t samples, int is_importing)
{
    char text[NAME_BYTES + 16];
    PyCodeObject *code = PyFrame_GetCode(frame);
#if PY_VERSION_HEX >= 0x030B0000
    PyObject *name = code->co_qualname;
#else
    PyObject *name = code->co_name;
#endif
    int line = pitpy_peeked_line(&asked.peek, frame, code);
    if (line <= 0)
        line = PyFrame_GetLineNumber(frame);
    const char *function = text_of(name);
    pit_note_place(PIT_PLACE_PYTHON,
                   is_importing ? with_import(function, text, sizeof text) : function,
                   text_of(code->co_filename), line > 0 ? (uint32_t)line : 0, samples);
    Py_DECREF(code);
}

/* It may be gone, so it is searched among the existing ones. */
static PyThreadState *main_state(void)
{
    PyThreadState *state = PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    while (state && state->thread_id != own.main_ident)
        state = PyThreadState_Next(state);
    return state;
}

/* Called with the interpreter's lock. May create frame objects, which must not start a garbage collection
 * here: finalizers would run on this thread. */
static void take_sample(uint64_t samples)
{
    PyThreadState *state = asked.main = main_state();
    if (!state)
        return;
#if PY_VERSION_HEX >= 0x030A0000
    int collects = PyGC_Disable();
#endif
    PyFrameObject *frame = PyThreadState_GetFrame(state);
    if (frame) {
        int is_importing = 0;
        frame = choose_frame(frame, &is_importing);
        note_frame(frame, samples, is_importing);
        Py_DECREF(frame);
    } else {
        pit_note_place(PIT_PLACE_PYTHON, NULL, NULL, 0, samples); /* not in Python code at all */
    }
#if PY_VERSION_HEX >= 0x030A0000
    if (collects)
        PyGC_Enable();
#endif
}

/* ---- the thread ------------------------------------------------------------------------------- */

/* Returns 0 if the thread must end. */
static int wait_until(uint64_t due_ns)
{
    struct timespec due = {(time_t)(due_ns / 1000000000u), (long)(due_ns % 1000000000u)};
    pthread_mutex_lock(&pace.lock);
    while (!pace.stop && pitpy_monotonic_ns() < due_ns)
        pthread_cond_timedwait(&pace.changed, &pace.lock, &due);
    int goes_on = !pace.stop;
    pthread_mutex_unlock(&pace.lock);
    return goes_on;
}

/* Without a lock: this is asked before every sample. */
static int is_recording(void)
{
    return !PIT__OFF && pit_default_recorder();
}

/* The number of periods that have passed, rounded, at least 1. */
static uint64_t periods(uint64_t now_ns)
{
    uint64_t interval = pace.interval_ns, half = interval / 2, count = 1;
    if (interval && now_ns + half > asked.until_ns + 2 * interval)
        count = (now_ns + half - asked.until_ns) / interval;
    asked.until_ns += count * interval;
    return count;
}

/* Called with the interpreter's lock. */
static void answer(void)
{
    if (!__atomic_load_n(&asked.is_wanted, __ATOMIC_ACQUIRE))
        return;
    take_sample(periods(pitpy_monotonic_ns()));
    __atomic_store_n(&asked.is_wanted, 0, __ATOMIC_RELEASE);
}

/* Runs on the main thread, between two instructions of its program. */
static int answer_pending(void *unused)
{
    (void)unused;
    __atomic_store_n(&asked.is_queued, 0, __ATOMIC_RELAXED);
    answer();
    return 0;
}

/* Ask the main thread to call this before its next instruction. Returns 0 if that is not possible. */
static int add_call(int (*call)(void *))
{
#if PY_VERSION_HEX >= 0x030D0000
    return Py_AddPendingCall(call, NULL) == 0;
#elif PY_VERSION_HEX >= 0x030C0000
    /* With the public function, the main thread would not notice the call before it next takes the lock.
     * This private one interrupts it. */
    extern int _PyEval_AddPendingCall(PyInterpreterState *, int (*)(void *), void *, int)
        __attribute__((weak));
    return _PyEval_AddPendingCall &&
           _PyEval_AddPendingCall(PyInterpreterState_Main(), call, NULL, 0) == 0;
#else
    /* It would go unnoticed too, and that function asks no other way. */
    if (Py_AddPendingCall(call, NULL) != 0)
        return 0;
    pitpy_wake_main();
    return 1;
#endif
}

/* Ask for a sample, or take the one that was asked for a period ago. */
static void ask(PyThreadState *state)
{
    int is_late = __atomic_load_n(&asked.is_wanted, __ATOMIC_ACQUIRE);
    if (!is_late) {
        pitpy_peek(asked.main, &asked.peek);
        __atomic_store_n(&asked.is_wanted, 1, __ATOMIC_RELEASE);
        if (__atomic_exchange_n(&asked.is_queued, 1, __ATOMIC_RELAXED) || add_call(answer_pending))
            return;
        __atomic_store_n(&asked.is_queued, 0, __ATOMIC_RELAXED);
    }
    PyEval_RestoreThread(state);
    answer();
    PyEval_SaveThread();
}

/* Its state is created with the interpreter's lock: allocating it without could use an allocator that is
 * just being replaced, for example by tracemalloc. */
static void *sample(void *unused)
{
    uint64_t interval = pace.interval_ns, due = asked.until_ns + interval;
    uint64_t least = interval > LEAST_ASK_NS ? interval : LEAST_ASK_NS;
    PyThreadState *state = own.state;
    __atomic_store_n(&state->thread_id, PyThread_get_thread_ident(), __ATOMIC_RELEASE);
    while (wait_until(due)) {
        uint64_t now = pitpy_monotonic_ns();
        if (is_recording()) {
            ask(state);
            now = pitpy_monotonic_ns();
            due = due + interval > now ? due + interval : now + least;
        } else { /* another recorder may be opened */
            asked.until_ns = now;
            due = now + (interval ? interval : 1000000);
        }
    }
    return unused;
}

/* ---- start and stop --------------------------------------------------------------------------- */

/* After a fork: in the child, neither our thread nor the holder of its clock's lock exists. */
static void forget_thread(void)
{
    own.is_running = own.is_ending = own.is_pending = 0;
    own.state = NULL; /* the interpreter frees the states of all threads that are gone */
    pitpy_stack_is_settled = 0;
    pace.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pace.is_made = pace.stop = 0;
    asked.is_wanted = asked.is_queued = asked.peek.count = 0;
    asked.main = NULL;
}

static int make_pace(void)
{
    pthread_condattr_t attributes;
    if (pace.is_made)
        return 1;
    if (pthread_condattr_init(&attributes) != 0)
        return 0;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pace.is_made = pthread_cond_init(&pace.changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return pace.is_made;
}

/* Block all signals, except those raised by instructions: a blocked one would kill the program. */
static int make_thread(void)
{
    sigset_t most, before;
    pthread_attr_t attributes;
    sigfillset(&most);
    sigdelset(&most, SIGSEGV);
    sigdelset(&most, SIGBUS);
    sigdelset(&most, SIGFPE);
    sigdelset(&most, SIGILL);
    sigdelset(&most, SIGSYS);
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &most, &before);
    int is_made = pthread_create(&own.thread, &attributes, sample, NULL) == 0;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    /* With a sanitizer, a thread allocates as it begins; a fork meanwhile would leave that lock taken in
     * the child. */
    while (is_made && __atomic_load_n(&own.state->thread_id, __ATOMIC_ACQUIRE) == own.main_ident)
        sched_yield();
#endif
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (is_made)
        pthread_setname_np(own.thread, "pitwall stacks");
    return is_made;
}

/* The folder of a module's file, or "". */
static void folder_of(const char *module, char *folder, size_t room)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *found = modules ? PyDict_GetItemString(modules, module) : NULL; /* borrowed */
    PyObject *file = found ? PyObject_GetAttrString(found, "__file__") : NULL;
    const char *path = text_of(file);
    folder[0] = 0;
    if (path && strlen(path) < room) {
        char *slash = strrchr(strcpy(folder, path), '/');
        if (slash)
            *slash = 0;
    }
    Py_XDECREF(file);
    PyErr_Clear();
}

static int is_command(void)
{
    PyObject *argv = PySys_GetObject("argv"); /* borrowed */
    const char *first = argv && PyList_Check(argv) && PyList_GET_SIZE(argv) > 0
                            ? text_of(PyList_GET_ITEM(argv, 0))
                            : NULL;
    return first && strcmp(first, "-c") == 0;
}

/* Returns 0 if the interpreter cannot be told to end the thread in time: then it is not started. */
static int register_end(void)
{
    PyObject *own_module = NULL, *stop = NULL, *done = NULL;
    PyObject *at_exit = own.is_registered ? NULL : PyImport_ImportModule("atexit");
    if (at_exit)
        own_module = PyImport_ImportModule("pitwall._pitwall");
    if (own_module)
        stop = PyObject_GetAttrString(own_module, "_stack_end");
    if (stop)
        done = PyObject_CallMethod(at_exit, "register", "O", stop);
    own.is_registered |= done != NULL;
    Py_XDECREF(done);
    Py_XDECREF(stop);
    Py_XDECREF(own_module);
    Py_XDECREF(at_exit);
    PyErr_Clear();
    return own.is_registered;
}

/* Called with the interpreter's lock, after the end of the thread. */
static void free_state(void)
{
    if (!own.state)
        return;
    PyThreadState_Clear(own.state);
    PyThreadState_Delete(own.state);
    own.state = NULL;
}

static const char *start(double hz)
{
#ifdef Py_GIL_DISABLED
    (void)hz;
    return "this Python has no lock under which another thread's stack can be read safely";
#else
    if (!register_end() || !make_pace())
        return "the sampling thread could not be started";
    folder_of("os", own.library, sizeof own.library);
    folder_of("pitwall", own.package, sizeof own.package);
    own.is_command = is_command();
    own.main_ident = PyThread_get_thread_ident();
    pace.stop = 0;
    pace.interval_ns = forced_ns != NEVER ? forced_ns : (uint64_t)(1e9 / hz);
    asked.until_ns = pitpy_monotonic_ns();
    own.state = PyThreadState_New(PyInterpreterState_Main());
    own.is_running = own.state && make_thread();
    if (!own.is_running)
        free_state();
    return own.is_running ? NULL : "the sampling thread could not be started";
#endif
}

static int start_pending(void *unused)
{
    (void)unused;
    own.is_pending = 0;
    pitpy_stack_start();
    return 0;
}

void pitpy_stack_ready(void)
{
    pit_position(); /* opens the recorder if the environment or a fork requires one */
    pitpy_stack_start();
}

/* Only the main thread knows which of Python's threads it is. */
void pitpy_stack_start(void)
{
    pit_status status;
    if (own.is_running || own.is_ending || own.is_over || own.is_pending ||
        pit_get_status(NULL, &status) != PIT_OK || !status.recording)
        return;
    if (syscall(SYS_gettid) != getpid()) {
        own.is_pending = Py_AddPendingCall(start_pending, NULL) == 0;
        return;
    }
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    pitpy_stack_is_settled = 1;
    const char *reason =
        status.sample_stacks > 0 ? start(status.sample_stacks) : "switched off: sample_stacks is 0";
    pit_note_sampling(PIT_PLACE_PYTHON, reason ? 0 : status.sample_stacks, reason);
    PyErr_Restore(type, value, trace);
}

/* The thread may be waiting for the interpreter's lock, so the lock is released meanwhile. */
void pitpy_stack_stop(void)
{
    pitpy_stack_is_settled = 0;
    if (!own.is_running)
        return;
    own.is_running = 0;
    own.is_ending = 1;
    pthread_mutex_lock(&pace.lock);
    pace.stop = 1;
    __atomic_store_n(&asked.is_wanted, 0, __ATOMIC_RELEASE);
    pthread_cond_signal(&pace.changed);
    pthread_mutex_unlock(&pace.lock);
    Py_BEGIN_ALLOW_THREADS;
    pthread_join(own.thread, NULL);
    Py_END_ALLOW_THREADS;
    free_state();
    own.is_ending = 0;
}

/* ---- the module's side ------------------------------------------------------------------------ */

static PyObject *function_stack_end(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    pitpy_stack_stop();
    own.is_over = 1;
    pitpy_stack_is_settled = 1;
    Py_RETURN_NONE;
}

/* _stack_begin(): open the recorder that the environment requests, and start sampling. A recorder that the
 * program opens later replaces it. */
static PyObject *function_stack_begin(PyObject *module, PyObject *unused)
{
    (void)unused;
    int had_one = pit_default_recorder() != NULL;
    pitpy_stack_ready();
    pitpy_state_of(module)->is_for_samples = !had_one && pit_default_recorder();
    Py_RETURN_NONE;
}

/* _stack_pace(seconds between samples, or None: the recorder's option): for threads started later. */
static PyObject *function_stack_pace(PyObject *module, PyObject *seconds)
{
    (void)module;
    double value = seconds == Py_None ? -1 : PyFloat_AsDouble(seconds);
    if (value == -1 && PyErr_Occurred())
        return NULL;
    forced_ns = value < 0 ? NEVER : (uint64_t)(value * 1e9);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {{"_stack_begin", function_stack_begin, METH_NOARGS, NULL},
                                  {"_stack_end", function_stack_end, METH_NOARGS, NULL},
                                  {"_stack_pace", function_stack_pace, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int pitpy_add_stack(PyObject *module)
{
    static int knows_forks;
    if (!knows_forks && pthread_atfork(NULL, NULL, forget_thread) == 0)
        knows_forks = 1;
    own.is_over = own.is_registered = 0;
    pitpy_stack_is_settled = 0;
    return PyModule_AddFunctions(module, functions);
}
