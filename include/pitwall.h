/* pitwall.h: record where a program's time goes.
 *
 * A program marks its parts with spans. For each span the recorder keeps count, total, self time,
 * minimum, maximum, variance, a histogram and a time series in one small memory-mapped file, the
 * run. The tool `pitwall` and <pitwall_report.h> read a run while the program runs, after it ended
 * and after it was killed.
 *
 *     #include <pitwall.h>
 *
 *     int main(void) {
 *         pit_open(NULL, NULL);
 *         for (int epoch = 0; epoch < 10; epoch++)
 *             PIT_SPAN("epoch") {
 *                 PIT_SPAN("forward")  { forward();  pit_items(32); }
 *                 PIT_SPAN("backward") { if (backward()) return 1; }   // closes both spans
 *                 pit_value("loss", loss());
 *             }
 *         return pit_close();
 *     }
 *
 * Rules that hold for every call:
 * - Nothing is recorded before pit_open, unless PITWALL_FILE or PITWALL=1 is set in the environment.
 *   PITWALL=0 switches recording off, whatever the code says; a span then costs a load and a branch.
 * - Any thread may call any function at any time: in a signal handler, before pit_open and after
 *   pit_close. The library prints nothing, never exits, never aborts, sets no signal handler.
 * - A signal handler that interrupted the recorder on its own thread never waits: its spans and values
 *   are counted but not recorded, and other calls return PIT_BUSY or 0. The handler may call exit() or
 *   jump away (siglongjmp): the next span at the same stack depth or further up repairs the state that
 *   the interrupted call left. Threads may be cancelled. The handler may call fork() and return in the
 *   child too (not _Fork or a raw clone). If a handler runs on an alternate stack that is too small to
 *   open a run, the next span elsewhere opens it.
 * - NULL for a site or a probe does nothing and is counted.
 * - Functions that return int return 0 or a negative enum pit_code; pit_strerror gives its text.
 * - A const char * argument is read only during the call, unless its comment says otherwise.
 *
 * C11 and C++11, gcc or clang, Linux. Link with -lpitwall.
 */
#ifndef PITWALL_H
#define PITWALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PITWALL_VERSION "0.2.0"

#define PIT_API __attribute__((visibility("default")))
/* Keeps -finstrument-functions from reporting these as functions of the program. */
#define PIT__NOT_TRACED static inline __attribute__((no_instrument_function))

/* ---- errors -------------------------------------------------------------------------------- */

/* X(name, number, text). The numbers never change. */
#define PIT_CODES(X)                                                                               \
    X(PIT_OK, 0, "no error")                                                                       \
    X(PIT_OFF, -1, "recording is switched off by PITWALL=0")                                       \
    X(PIT_ALREADY_OPEN, -2, "the default recorder is already open")                                \
    X(PIT_NOT_OPEN, -3, "no recorder is open")                                                     \
    X(PIT_BAD_ARGUMENT, -4, "an argument is out of range")                                         \
    X(PIT_NO_MEMORY, -5, "out of memory")                                                          \
    X(PIT_NO_FILE, -6, "the run file could not be created; recording continues in memory")         \
    X(PIT_DISK_FULL, -7, "the run file could not grow; the rest of the run is in memory")          \
    X(PIT_NOT_SAVED, -8, "the part of the run in memory could not be written to its file")         \
    X(PIT_BUSY, -9, "called by a signal handler that interrupted the recorder: nothing was done")  \
    X(PIT_CANNOT_READ, -20, "the file cannot be read")                                             \
    X(PIT_NOT_A_RUN, -21, "the file is not a Pitwall run")                                         \
    X(PIT_NEWER_FORMAT, -22, "the run was written by a newer version")                             \
    X(PIT_OTHER_ENDIAN, -23, "the run was written on a machine with the other byte order")         \
    X(PIT_DAMAGED, -24, "the run is damaged")                                                      \
    X(PIT_TRUNCATED, -25, "the run is truncated")                                                  \
    X(PIT_REFUSED, -26, "the live pages belong to another user, or are a link")                    \
    X(PIT_NOTHING, -27, "there is nothing to recover")                                             \
    X(PIT_CANNOT_WRITE, -28, "the output cannot be written")

enum pit_code {
#define PIT__CODE(name, number, text) name = number,
    PIT_CODES(PIT__CODE)
#undef PIT__CODE
};

/* The text of a code: a constant, never NULL. */
PIT_API const char *pit_strerror(int code);

/* ---- open and close ------------------------------------------------------------------------ */

typedef struct pit_recorder pit_recorder;

#define PIT_RING_OFF UINT64_MAX

/* Set all members to zero for the defaults. */
typedef struct pit_options {
    uint64_t ring_bytes; /* flight recorder, all threads together; 0: 4 MB, PIT_RING_OFF: none */
    uint64_t max_bytes;  /* size limit of the run; 0: 1 GB. Beyond it, new nodes are only counted */
    uint64_t record_bytes; /* records of spans, all threads; 0: 8 MB; when full, the oldest go */
    double sample_hz;      /* background readings per second; 0: 10, negative: no sampler thread */
    unsigned span_flags;   /* flags added to every span of the recorder, enum pit_span_flag */
    int in_memory;         /* not 0: write no file; read the run with pit_run_read */
    const char *const *labels; /* "key=value" texts, ended by NULL, or NULL; kept with the run */
    /* of the run file: at most 0644, less the umask; 0: PITWALL_MODE, else 0644 */
    unsigned file_mode;
    /* 1: replace pages of the run that cannot be read by empty ones, as `pitwall run` does, unless the
     * program handles the signal; -1: do not; 0: PITWALL_GUARD decides */
    int guard;
    /* samples per second of the main thread's stack, at most 100; 0: PITWALL_SAMPLE_STACKS, else 10;
     * negative: none */
    double sample_stacks;
} pit_options;

/* Open the default recorder of the process. If path is NULL: PITWALL_FILE, else
 * pitwall-runs/<program>-<start>-<host>-<rank or pid>.pit. In a path, %p is the pid, %r the rank (the pid
 * if there is no rank), %h the host, %% a percent sign; missing folders are created. An existing file is
 * never overwritten: the run then goes to name-2.pit, name-3.pit, … in the same folder. /dev/null means in
 * memory; any other device, a pipe, a socket or a name of an open file (/dev/stdout) gives PIT_NO_FILE with
 * EINVAL. options may be NULL.
 *
 * Returns 0: recording to the file. PIT_NO_FILE: recording in memory; pit_get_status gives the reason, and
 * pit_close tries once more to write the file. PIT_OFF, PIT_ALREADY_OPEN, PIT_NO_MEMORY, PIT_BAD_ARGUMENT:
 * nothing was changed. A program that runs with more rights than the user who started it (AT_SECURE)
 * ignores the environment: without a path it gets PIT_OFF, unless in_memory is set. */
PIT_API int pit_open(const char *path, const pit_options *options);

/* Close the default recorder: stop recording and mark the run as cleanly ended. Spans still open stay in
 * the run as open. exit() and a return from main close it too. Returns 0, also with PITWALL=0, so that main
 * may return it; else PIT_NOT_OPEN or PIT_NOT_SAVED. */
PIT_API int pit_close(void);

/* Close the default recorder and remove its file, if it has no span yet. For a library that opened it only
 * to sample: a program that later calls pit_open finds no trace of it. Returns 0; PIT_NOT_OPEN;
 * PIT_BAD_ARGUMENT: it has spans, and nothing was changed. */
PIT_API int pit_discard_run(void);

/* Open another recorder besides the default one. Returns NULL only for PIT_OFF, PIT_NO_MEMORY and
 * PIT_BAD_ARGUMENT; *code (may be NULL) gets the value that pit_open would return. path NULL: the default
 * name. */
PIT_API pit_recorder *pit_recorder_open(const char *path, const pit_options *options, int *code);

/* Close a recorder. pit_run_read can read its run until pit_recorder_free. NULL is allowed. */
PIT_API int pit_recorder_close(pit_recorder *recorder);

/* Close a recorder if it is open, and free it. No other thread may still be using it. */
PIT_API void pit_recorder_free(pit_recorder *recorder);

/* The default recorder, open or closed; NULL before the first pit_open and after pit_recorder_free. */
PIT_API pit_recorder *pit_default_recorder(void);

/* The open recorder of this process that writes the file at path, or NULL. */
PIT_API pit_recorder *pit_recorder_find(const char *path);

enum pit_storage { PIT_STORAGE_FILE = 0, PIT_STORAGE_SHM = 1, PIT_STORAGE_MEMORY = 3 };

typedef struct pit_status {
    int recording;            /* 1 while it records */
    int code;                 /* 0, or the latest of PIT_NO_FILE, PIT_DISK_FULL, PIT_NOT_SAVED */
    int system_errno;         /* the errno behind code, 0 if none */
    enum pit_storage storage; /* where the data is kept */
    const char *path;         /* of the run file, "" in memory; lives as long as the recorder */
    uint64_t bytes;           /* size of the run */
    uint64_t bytes_in_file;   /* how much of it is in the file */
    unsigned char run_id[16]; /* sub-runs name it as their parent; in hex in PITWALL_PARENT */
    double sample_stacks;     /* samples per second of the main thread's stack; 0: none wanted */
    uint64_t place_samples;   /* taken so far, see pit_note_place */
} pit_status;

/* The state of a recorder. recorder NULL: the default one. Returns 0, PIT_OFF or PIT_NOT_OPEN. */
PIT_API int pit_get_status(pit_recorder *recorder, pit_status *status);

/* Add a label to the run. Returns 0, PIT_NOT_OPEN, PIT_BAD_ARGUMENT (key empty, or over 4 kB),
 * PIT_NO_MEMORY. */
PIT_API int pit_label(const char *key, const char *value);

/* Samples of the main thread's stack show where in the code it is. Pitwall's own samplers report them by
 * the next two calls; a sampler of another language may do the same, from its own thread, which must not
 * be inside the recorder. */
enum pit_place_kind {
    PIT_PLACE_PYTHON = 0, /* a line of Python */
    PIT_PLACE_NATIVE = 1  /* a function of native code */
};

/* Report samples of the main thread's stack: it is at this place now. They count in the innermost span that
 * the main thread has open in the default recorder, or outside all spans. function and file may be NULL and
 * line 0 if unknown; texts are copied and cut at about 100 bytes. samples: how many samples this call
 * reports, 1 unless some were missed. Returns 0, PIT_NOT_OPEN or PIT_BAD_ARGUMENT. */
PIT_API int pit_note_place(enum pit_place_kind kind, const char *function, const char *file,
                           uint32_t line, uint64_t samples);

/* Set how often samples of this kind are taken: `hz` times per second. 0: none are taken, and the report
 * prints `reason`. Returns 0, PIT_NOT_OPEN or PIT_BAD_ARGUMENT. */
PIT_API int pit_note_sampling(enum pit_place_kind kind, double hz, const char *reason);

/* Add a fact to the run; pit_run_fact reads it. For bindings and hooks that know something about the
 * program that the library cannot see, such as "framework". The fact is in the file when this function
 * returns; if a key is added twice, the later value counts. Returns the same codes as pit_label. */
PIT_API int pit_add_fact(const char *key, const char *value);

/* The pages of the run, in the layout of docs/run-format.md; pit_run_read reads them. They stay mapped until
 * pit_recorder_free. recorder NULL: the default one, open or closed. */
PIT_API const void *pit_recorder_memory(pit_recorder *recorder, size_t *bytes);

/* ---- spans --------------------------------------------------------------------------------- */

/* What a span measures in addition to its time. */
enum pit_span_flag {
    PIT_MEMORY = 1, /* RSS at begin and end, the process's peak in between, page faults; some µs */
    PIT_RECORD = 2, /* keep each span individually, with its figures */
    PIT_LEAKS = 4,  /* with libpitwall-alloc preloaded: what it allocates and does not free */
    PIT_WAIT = 8,   /* wait for the device's work before reading the clock (pit_set_device) */
    /* communication with other processes: reports show it apart from work. Free; it holds for all spans of
     * this name in the process */
    PIT_COMM = 16,
    /* a collective that no rank leaves before all have entered (a barrier, an all-reduce; not a broadcast,
     * whose root may leave at once) */
    PIT_SYNC = 32,
    PIT_DEVICE = 64, /* also time its GPU work, by events in its stream; docs/devices.md */
    /* energy counters of processors and devices at begin and end; docs/energy.md */
    PIT_ENERGY = 128
};

/* A named place in the code. Declare it static, with PIT_SITE("name") or PIT_SITE_WITH("name", flags); the
 * name must be a literal or live as long as the site. Sites with the same name share one node. */
typedef struct pit_site {
    const char *name;
    uint32_t id;    /* set by the library; 0 until the first use */
    uint32_t flags; /* enum pit_span_flag */
} pit_site;

/* clang-format off */
#define PIT_SITE(name_) { (name_), 0, 0 }
#define PIT_SITE_WITH(name_, flags_) { (name_), 0, (flags_) }
/* clang-format on */

/* Identifies an open span of this thread; 0 when nothing is recorded. */
typedef uint64_t pit_token;

/* Functions behind the inline functions below. */
PIT_API extern int pit__enabled;
PIT_API pit_token pit__begin(pit_site *site);
PIT_API pit_token pit__null(void);
PIT_API pit_token pit__begin_name(const char *name, unsigned flags);
PIT_API void pit__end(pit_token token);
PIT_API uint64_t pit__end_ns(pit_token token);
PIT_API uint64_t pit__age_ns(pit_token token);
PIT_API void pit__phase(pit_site *site);
PIT_API void pit__phase_end(void);
PIT_API void pit__count(int which, uint64_t n);
PIT_API void pit__value(const char *name, double value);
PIT_API pit_token pit__collective_begin(pit_site *site, uint32_t group, uint64_t bytes);

/* A faster path for language bindings. pit__here returns the address of the calling thread's table pointer;
 * it is valid as long as the thread lives. Begin and end take this address and the id of a site without
 * flags. They return 0 and UINT64_MAX if the fast path does not apply, and then do nothing. The token must
 * not be 0. pit__end_at returns ticks; pit__ticks_ns converts them to nanoseconds, at any time. */
struct pit__thread;
PIT_API struct pit__thread *const *pit__here(void);
PIT_API pit_token pit__begin_at(struct pit__thread *const *here, uint32_t id);
PIT_API uint64_t pit__end_at(struct pit__thread *const *here, pit_token token);
PIT_API uint64_t pit__ticks_ns(uint64_t ticks);
/* Count a span of the node at `place`, its pit_position on any thread, that has ended here. */
PIT_API void pit__add_at(uint64_t place, uint64_t begin_ns, uint64_t end_ns);
/* Count more or fewer spans as left open by the thread of this token, which has ended or is ending. */
PIT_API void pit__left_open(pit_token token, int64_t spans);

#define PIT__OFF (__builtin_expect(!__atomic_load_n(&pit__enabled, __ATOMIC_RELAXED), 0))

/* Begin a span inside the span that is open on this thread. */
PIT__NOT_TRACED pit_token pit_begin(pit_site *site)
{
    return PIT__OFF ? 0 : site ? pit__begin(site) : pit__null();
}

/* The same for a name made at run time, up to 4095 bytes; longer names are cut. */
PIT__NOT_TRACED pit_token pit_begin_name(const char *name)
{
    return PIT__OFF ? 0 : pit__begin_name(name, 0);
}

/* The same with flags (enum pit_span_flag). The time of reading memory counts neither for this span nor for
 * the spans around it. */
PIT__NOT_TRACED pit_token pit_begin_with(const char *name, unsigned flags)
{
    return PIT__OFF ? 0 : pit__begin_name(name, flags);
}

/* End a span. Spans begun inside it and not ended are dropped and counted as abandoned; phases are ended. A
 * second end, or an end on another thread, has no effect and is counted. */
PIT__NOT_TRACED void pit_end(pit_token token)
{
    if (token)
        pit__end(token);
}

/* The same; returns the duration of the span in nanoseconds, 0 when nothing is recorded. */
PIT__NOT_TRACED uint64_t pit_end_ns(pit_token token)
{
    return token ? pit__end_ns(token) : 0;
}

/* Nanoseconds since the span began; it stays open. 0 if it is not open on this thread. */
PIT__NOT_TRACED uint64_t pit_age_ns(pit_token token)
{
    return token ? pit__age_ns(token) : 0;
}

/* The same as pit_end_ns, but spans begun inside it that are still open stay open, below the node where
 * they began. For languages whose spans may end in any order (generators). */
PIT_API uint64_t pit_end_out_of_order(pit_token token);

/* Cancel a span, as if it had never begun: its time counts for the span around it. For a wait that returned
 * nothing. Spans begun inside it and not ended are dropped and counted as abandoned. */
PIT_API void pit_cancel(pit_token token);

/* Another stack of open spans, for languages in which one thread switches between several (coroutines,
 * tasks). Free it when no code uses it any more: spans open in it are counted as left open. Returns NULL
 * only if memory is exhausted. */
typedef struct pit_stack pit_stack;
PIT_API pit_stack *pit_stack_new(void);
PIT_API void pit_stack_free(pit_stack *stack);
/* Its thread is ending: count `open` spans of it as left open, and empty it. For language bindings. */
PIT_API void pit__stack_leave(pit_stack *stack, uint64_t open);

/* Move the calling thread's open spans of the default recorder into `from` and continue with those of `to`.
 * Both then belong to this thread and recorder; tokens stay valid for the stack they were begun on. Returns
 * 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT: `to` belongs to another thread or recorder, or `from` is in use;
 * nothing was changed then. */
PIT_API int pit_stack_switch(pit_stack *from, pit_stack *to);

/* The place of this thread in the tree: its innermost open span in the default recorder, or the place given
 * to pit_set_root; 0 at the top and when nothing is recorded. Any thread may use it while the recorder is
 * open. */
PIT_API uint64_t pit_position(void);

/* Put the outermost spans that this thread begins from now on below `place`; for tasks that other code
 * started. Valid until the next call, for the current stack only (pit_stack_switch). These spans may
 * overlap their parent, so their time is not subtracted from it, as with span objects. place 0 is the top.
 * Returns 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT: a span is open, or the place belongs to another recorder: then
 * spans begin at the top; PIT_NO_MEMORY. */
PIT_API int pit_set_root(uint64_t place);

/* Phases follow one another: starting one ends the previous one at the same level, with one clock
 * reading for both. The end of the span around them ends the last one. */
#define PIT_PHASE(name_)                                                                           \
    do {                                                                                           \
        static pit_site pit__site_ = PIT_SITE(name_);                                              \
        pit_phase(&pit__site_);                                                                    \
    } while (0)

PIT__NOT_TRACED void pit_phase(pit_site *site)
{
    if (!PIT__OFF && site)
        pit__phase(site);
    else if (!site)
        pit__null();
}

/* End the open phase, if any, without starting another. */
PIT__NOT_TRACED void pit_phase_end(void)
{
    if (!PIT__OFF)
        pit__phase_end();
}

/* Add to the work done in the innermost open span. Reports compute rates from it. */
PIT__NOT_TRACED void pit_items(uint64_t n)
{
    if (!PIT__OFF)
        pit__count(0, n);
}
PIT__NOT_TRACED void pit_bytes(uint64_t n)
{
    if (!PIT__OFF)
        pit__count(1, n);
}
PIT__NOT_TRACED void pit_flops(uint64_t n)
{
    if (!PIT__OFF)
        pit__count(2, n);
}

/* Record a number over time, such as loss or learning rate. Kept per thread and name, in at most 512 points
 * whose width doubles as they fill. NaN and infinities are kept unchanged. */
PIT__NOT_TRACED void pit_value(const char *name, double value)
{
    if (!PIT__OFF)
        pit__value(name, value);
}

/* Name this thread in reports (up to 63 bytes). The default is the system's name of the thread. */
PIT_API void pit_thread_name(const char *name);

/* ---- ranks: processes that work together ----------------------------------------------------- */

/* Name a group of processes that make the same collective calls in the same order: an MPI communicator, a
 * process group. id: the same in all its processes, and different from other groups' ids; size: number of
 * processes; rank: this one's number, below size. Returns the group's number in this process, from 1 on,
 * also if the group is already open; 0: bad arguments, or 255 groups are open. May be called before a
 * recorder is open, on any thread. */
PIT_API uint32_t pit_group_open(uint64_t id, uint32_t size, uint32_t rank);

/* Close a group: its number may be used again. Its recorded data stays in the run. */
PIT_API void pit_group_close(uint32_t group);

/* How many collectives were begun in the group, recorded or not: the number of the next one. */
PIT_API uint64_t pit_group_calls(uint32_t group);

/* Begin a collective call of a group: a span that pit_end ends. `bytes`, the amount that this rank
 * contributes, is added to the span like pit_bytes does. The call takes the group's next number, by which
 * reports match it across ranks; so call this for every collective of the group, even when nothing is
 * recorded. The run keeps the newest call and up to 1,024 earlier ones per group, for 64 groups. `site`
 * should have PIT_COMM, and PIT_SYNC where it applies. group 0: a plain span. One thread at a time per
 * group. */
PIT__NOT_TRACED pit_token pit_collective_begin(pit_site *site, uint32_t group, uint64_t bytes)
{
    return PIT__OFF ? 0 : pit__collective_begin(site, group, bytes);
}

/* Begin the span of a call to MPI or the like: a collective of `group` as pit_collective_begin's, or, with
 * group 0, a plain span as pit_begin's. End it with pit_end_call.
 * caller: the return address of the call in the program (__builtin_return_address); NULL: do not keep it.
 * to: the rank of the job that a message of `bytes` goes to, or one of the three constants below. The run
 * counts messages by size and by rank, and calls and their time by caller: the first 1,024 ranks and about
 * 250 callers per thread, the rest summed. The bytes are added to the span as by pit_bytes. For libraries
 * between a program and its MPI; docs/mpi.md. */
#define PIT_TO_NONE 0xffffffffu    /* no message */
#define PIT_TO_ALL 0xfffffffeu     /* a collective: all ranks of a group */
#define PIT_TO_UNKNOWN 0xfffffffdu /* a rank whose number is not known */
PIT_API pit_token pit_begin_call(pit_site *site, uint32_t group, const void *caller, uint32_t to,
                                 uint64_t bytes);

/* One more message of the innermost span. */
PIT_API void pit_message(uint32_t to, uint64_t bytes);

/* End a span, as pit_end; its time counts for the caller given to pit_begin_call. */
PIT_API void pit_end_call(pit_token token);

/* ---- the journal: single events ------------------------------------------------------------- */

/* A figure of an entry. unit: "s", "ms", "MB", … or NULL. */
typedef struct pit_figure {
    const char *key;
    double value;
    const char *unit;
} pit_figure;

/* Add an entry to the run's journal: its kind ("stage"), a text, figures and the time, wall_ns since 1970
 * (0: now). It takes a lock: meant for log lines, a few per second. The newest megabyte is kept; older
 * entries are dropped and counted. Returns 0; PIT_OFF; PIT_NOT_OPEN; PIT_NO_MEMORY; PIT_BAD_ARGUMENT: no
 * kind, over 64 figures, or over 16 kB. */
PIT_API int pit_journal(const char *kind, const char *text, const pit_figure *figures, size_t count,
                        uint64_t wall_ns);

/* ---- memory of the process, recorded or not ------------------------------------------------- */

/* Resident bytes now; 0 where that cannot be read. About a microsecond. */
PIT_API uint64_t pit_rss(void);

/* The process's memory around a piece of work, without a recorder. Begin and end on the same thread,
 * properly nested. Probes and memory spans may overlap. */
typedef struct pit_probe {
    uint64_t rss_begin, rss_end; /* bytes, 0: cannot be read */
    uint64_t rss_peak;           /* the process's peak in between; 0: not available */
    uint64_t error_bytes;        /* error bound of each figure */
    int has_alloc;       /* libpitwall-alloc is loaded: the next two are known, of this thread */
    uint64_t alloc_peak; /* most live bytes in between, less those at the begin */
    int64_t alloc_live;  /* allocated less freed */
    uint64_t own[16];    /* used by the library */
} pit_probe;

PIT_API void pit_probe_begin(pit_probe *probe);
PIT_API void pit_probe_end(pit_probe *probe);

/* ---- energy of the machine, recorded or not --------------------------------------------------- */

/* The machine's energy counters, in joules. Their zero is arbitrary: use the difference of two readings. It
 * contains the energy of every program that ran in between. docs/energy.md */
typedef struct pit_energy_now {
    double processors_j, devices_j; /* NaN: there are no such counters, or they cannot be read */
    double processors_min_s, devices_min_s; /* shorter differences are unreliable */
} pit_energy_now;

/* Read the counters, on any thread; takes some microseconds. Returns 0; PIT_NOTHING: no counter can be
 * read, all is NaN; PIT_BAD_ARGUMENT: now is NULL. */
PIT_API int pit_energy_read(pit_energy_now *now);

/* ---- a device: its memory and its work -------------------------------------------------------- */

typedef struct pit_device_memory { /* bytes; UINT64_MAX: not known */
    uint64_t allocated, reserved, peak;
} pit_device_memory;

/* Filled in by a device library. Each function returns 0, or not 0 on failure; NULL: not supported. They
 * are called on the measuring thread. */
typedef struct pit_device {
    const char *name;
    int (*memory)(void *arg, pit_device_memory *memory);
    int (*reset_peak)(void *arg);
    int (*wait)(void *arg); /* returns when all submitted work is done */
    void *arg;
} pit_device;

/* Set the process's device; the struct must stay valid. NULL, the initial state: no device. */
PIT_API void pit_set_device(const pit_device *device);
PIT_API const pit_device *pit_get_device(void);

/* ---- runs of child processes ------------------------------------------------------------------ */

/* How a process ended, as seen by the process that started it. UINT64_MAX: not known. The figures include
 * the children that the process waited for. */
typedef struct pit_ended {
    long pid;
    uint64_t start_wall_ns, duration_ns; /* since 1970; from its start to its end */
    int exit_status;                     /* -1: a signal ended it */
    int exit_signal;                     /* 0: none did */
    int dumped_core;
    uint64_t user_ns, system_ns;
    uint64_t rss_peak; /* bytes, of the largest of these processes */
    uint64_t minor_faults, major_faults, switches, forced_switches;
    uint64_t read_bytes, write_bytes; /* from and to storage */
    uint64_t read_chars,
        write_chars;    /* by read and write calls: also pipes, terminals, the cache */
    uint64_t children;  /* child processes that were seen, at any depth */
    uint64_t oom_kills; /* of the cgroup, after the end; set by pit_record_ending */
} pit_ended;

/* Compute the name that a process will give its run file: `wanted` as the path of pit_open (NULL:
 * PITWALL_FILE, then the default name); argv and start_wall_ns of the process are used for the default
 * name. Returns 0; PIT_BAD_ARGUMENT: the name does not fit into `room`, or the working directory is gone;
 * PIT_BUSY: in a signal handler on a small alternate stack. */
PIT_API int pit_run_path(char *path, size_t room, const char *wanted, const char *const *argv,
                         long pid, uint64_t start_wall_ns);

/* Record how a process ended, in its run. If the process wrote a run itself (at `path` or at path-2, …,
 * with this id, which it took from PITWALL_PARENT; docs/c-api.md), the data is added to that run; else a
 * small run of `argv` is created, with the facts and labels of this process. `path` (room for PATH_MAX)
 * receives the path of the file. Returns 1: added to the process's own run; 0: created a small run;
 * PIT_NOT_SAVED, with errno. */
PIT_API int pit_record_ending(char *path, const unsigned char run_id[16], const char *const *argv,
                              const pit_ended *ended);

/* ---- span objects: begin and end may be on different threads -------------------------------- */

/* A span that is not tied to a stack: begun on one thread, ended on this or another one. In the tree it is
 * below the span in which it began, marked as detached: it may overlap others, so its time is not
 * subtracted from its parent's self time. You may copy it; end it once. */
typedef struct pit_object {
    uint64_t begin;      /* ticks; 0: nothing recorded */
    uint64_t generation; /* which recorder */
    uint32_t node;
    uint32_t thread;
    uint64_t slot;
} pit_object;

PIT_API pit_object pit_object_begin(pit_site *site);
PIT_API pit_object pit_object_begin_name(const char *name);

/* End it; returns its duration in nanoseconds. A second end of the same object returns 0 and is counted as
 * an end without begin, if it was among the up to 252 objects that a run shows as open. */
PIT_API uint64_t pit_object_end(pit_object *object);

/* ---- finished work, for example of a device --------------------------------------------------- */

/* Add a finished span below `place`: the value of pit_position when the work was submitted, which any
 * thread may use while the recorder is open; 0: at the top. For code that drains a device's events, on any
 * thread. The span is detached: shown below the span that launched it, but its time is not subtracted from
 * that span. With PIT_DEVICE in flags it is work of a device; other flags are ignored. begin_ns and end_ns
 * are times of CLOCK_MONOTONIC_RAW; convert times of a device's clock first (docs/devices.md). Time before
 * the run's begin is cut off; an end before its begin gives 0 and is counted.
 *
 * Returns the place of the new span, for the calling thread: a span added below it, again with PIT_DEVICE,
 * is the time that this work waited before the device began it. Returns 0 if nothing is recorded, the place
 * belongs to another recorder, name is NULL (counted), or there is no room (counted). */
PIT_API uint64_t pit_add_span(uint64_t place, const char *name, unsigned flags, uint64_t begin_ns,
                              uint64_t end_ns);

/* The same for work timed by the device's own clock, which counts nanoseconds from an arbitrary start.
 * `clock` names that clock: at most 16 names of up to 47 characters. Each call narrows the offset between
 * the two clocks: the work began after launched_ns (CLOCK_MONOTONIC_RAW, read before the work was
 * submitted) and has ended before this call. The run keeps the error bound as the fact `device_clock`. Also
 * returns 0 if there are 16 other clocks, or launched_ns is in the future. */
PIT_API uint64_t pit_add_device(const char *clock, uint64_t place, const char *name,
                                uint64_t begin_ns, uint64_t end_ns, uint64_t launched_ns);

/* Add bytes moved by the work at `place`, a result of pit_add_span. 0 does nothing. */
PIT_API void pit_add_bytes(uint64_t place, uint64_t bytes);

/* Set the stream into which spans with PIT_DEVICE of the calling thread put their events: a CUstream,
 * cudaStream_t or hipStream_t of the thread's own context or device. NULL, the initial state: the default
 * stream. Work on other streams does not count for these spans. */
PIT_API void pit_device_stream(void *stream);

/* Call `call` with `arg` before the default recorder is closed, by pit_close or at the program's end, on
 * the closing thread: for libraries that still have device work to add. It stays registered for later
 * recorders; the same pair is kept once. It must not wait long, and must not call pit_close. Returns 0, or
 * PIT_BAD_ARGUMENT: call is NULL; PIT_NO_MEMORY: there are 16 already. */
PIT_API int pit_before_close(void (*call)(void *arg), void *arg);

/* ---- teams of threads --------------------------------------------------------------------------- */

/* Add a finished parallel region to the innermost span of the calling thread, in the default recorder.
 * threads: size of its team; busy_ns: work of all threads together; slowest_ns: work of the thread that
 * worked longest; elapsed_ns: from the region's begin to its end. libpitwall-openmp calls it for OpenMP; a
 * program with its own thread pool may call it too (docs/openmp.md). Call it from the thread that started
 * the team. Returns 0; PIT_NOT_OPEN: nothing is recorded, or no span is open; PIT_BAD_ARGUMENT: threads is
 * 0, or the times contradict each other (required: slowest_ns <= elapsed_ns, slowest_ns <= busy_ns <=
 * threads x slowest_ns); PIT_NO_MEMORY: the run is full. On an error nothing is added. */
PIT_API int pit_add_team(uint32_t threads, uint64_t busy_ns, uint64_t slowest_ns,
                         uint64_t elapsed_ns);

/* ---- the same in a given recorder ----------------------------------------------------------- */

/* The same as pit_begin, pit_begin_name and pit_end_ns, in `recorder`; a token is valid only for its
 * recorder. */
PIT_API pit_token pit_recorder_begin(pit_recorder *recorder, pit_site *site);
PIT_API pit_token pit_recorder_begin_name(pit_recorder *recorder, const char *name);
PIT_API uint64_t pit_recorder_end(pit_recorder *recorder, pit_token token);

/* ---- the block form ------------------------------------------------------------------------ */

/* clang-format off */
#ifdef __cplusplus
} /* extern "C" */
namespace pit_detail {
struct scope {
    pit_token token;
    bool once;
    __attribute__((no_instrument_function)) explicit scope(pit_token t) : token(t), once(true) {}
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;
    __attribute__((no_instrument_function)) ~scope() { pit_end(token); }
};
} // namespace pit_detail
#define PIT__SPAN(name_, flags_, scope_)                                                          \
    for (pit_detail::scope scope_(__extension__({                                                 \
             static pit_site pit__site_ = PIT_SITE_WITH(name_, flags_);                           \
             pit_begin(&pit__site_);                                                              \
         }));                                                                                     \
         scope_.once; scope_.once = false)
extern "C" {
#else
typedef struct pit__scope {
    pit_token token;
    int once;
} pit__scope;
PIT__NOT_TRACED void pit__scope_end(pit__scope *scope)
{
    pit_end(scope->token);
}
#define PIT__SPAN(name_, flags_, scope_)                                                          \
    for (__attribute__((cleanup(pit__scope_end))) pit__scope scope_ = {                           \
             __extension__({                                                                      \
                 static pit_site pit__site_ = PIT_SITE_WITH(name_, flags_);                       \
                 pit_begin(&pit__site_);                                                          \
             }),                                                                                  \
             1};                                                                                  \
         scope_.once; scope_.once = 0)
#endif
/* clang-format on */
/* A unique variable name for each use, so that nested spans do not shadow one another. */
#define PIT__JOIN2(a_, b_) a_##b_
#define PIT__JOIN(a_, b_) PIT__JOIN2(a_, b_)

/* PIT_SPAN("name") { … } times its block, even if the block is left by return, goto or a C++ exception. It
 * is a `for` loop that runs once: `break` and `continue` inside it leave the block, not a loop around it. */
#define PIT_SPAN(name_) PIT__SPAN(name_, 0, PIT__JOIN(pit__scope_, __COUNTER__))
/* The same with flags: PIT_SPAN_WITH("epoch", PIT_MEMORY | PIT_RECORD) { … } */
#define PIT_SPAN_WITH(name_, flags_) PIT__SPAN(name_, flags_, PIT__JOIN(pit__scope_, __COUNTER__))

#ifdef __cplusplus
}
#endif

#endif
