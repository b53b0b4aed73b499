/* pitwall.h: record where a program's time goes.
 *
 * A program marks its parts with spans; the recorder keeps count, total, self time, minimum,
 * maximum, variance, histogram and course of each in one small memory-mapped file, the run. The
 * tool `pitwall` and <pitwall_report.h> read it, while the program runs, after it ended and after
 * it was killed.
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
 * - Nothing is recorded until pit_open, or unless PITWALL_FILE or PITWALL=1 is in the environment;
 *   PITWALL=0 switches everything off whatever the code says. A span costs a load and a branch
 *   then.
 * - Any thread may call anything at any time, in a signal handler too, before pit_open and after
 *   pit_close. The library prints nothing, never exits, never aborts, sets no signal handler.
 * - A signal handler that interrupted the recorder on its own thread is never made to wait: its spans
 *   and values are counted and not recorded, other calls return PIT_BUSY or 0. It may end the program
 *   by exit(), and it may jump away (siglongjmp): the next span from the same depth of the program's
 *   stack or further up puts right what was left half done. Threads may be cancelled. A handler on a
 *   stack of its own that is too short to open a run leaves that to the next span elsewhere.
 * - NULL for a site or a probe is counted and does nothing.
 * - Functions that return int return 0 or a negative enum pit_code; pit_strerror has the text.
 * - A const char * argument is read during the call only, unless it says otherwise.
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
/* In a program compiled with -finstrument-functions these are no functions of its own. */
#define PIT__NOT_TRACED static inline __attribute__((no_instrument_function))

/* ---- errors -------------------------------------------------------------------------------- */

/* X(name, number, text). The numbers never change. */
#define PIT_CODES(X)                                                                               \
    X(PIT_OK, 0, "no error")                                                                       \
    X(PIT_OFF, -1, "recording is switched off by PITWALL=0")                                       \
    X(PIT_ALREADY_OPEN, -2, "the default recorder is open already")                                \
    X(PIT_NOT_OPEN, -3, "no recorder is open")                                                     \
    X(PIT_BAD_ARGUMENT, -4, "an argument is out of its range")                                     \
    X(PIT_NO_MEMORY, -5, "no memory")                                                              \
    X(PIT_NO_FILE, -6, "the run file could not be made; recording goes on in memory")              \
    X(PIT_DISK_FULL, -7, "the run file could not grow; the rest of the run is in memory")          \
    X(PIT_NOT_SAVED, -8, "what is in memory could not be written to the run file")                 \
    X(PIT_BUSY, -9, "called by a signal handler that interrupted the recorder: nothing was done")  \
    X(PIT_CANNOT_READ, -20, "the file cannot be read")                                             \
    X(PIT_NOT_A_RUN, -21, "the file is not a Pitwall run")                                         \
    X(PIT_NEWER_FORMAT, -22, "the run was written by a newer version")                             \
    X(PIT_OTHER_ENDIAN, -23, "the run was written on a machine of the other byte order")           \
    X(PIT_DAMAGED, -24, "the run is damaged")                                                      \
    X(PIT_TRUNCATED, -25, "the run is cut short")                                                  \
    X(PIT_REFUSED, -26, "the live pages are not this user's, or are a link")                       \
    X(PIT_NOTHING, -27, "there is nothing to recover")                                             \
    X(PIT_CANNOT_WRITE, -28, "the output cannot be written")

enum pit_code {
#define PIT__CODE(name, number, text) name = number,
    PIT_CODES(PIT__CODE)
#undef PIT__CODE
};

/* The text of a code, never NULL; a constant. */
PIT_API const char *pit_strerror(int code);

/* ---- open and close ------------------------------------------------------------------------ */

typedef struct pit_recorder pit_recorder;

#define PIT_RING_OFF UINT64_MAX

/* Zeroed means defaults. */
typedef struct pit_options {
    uint64_t ring_bytes; /* flight recorder, all threads together; 0: 4 MB, PIT_RING_OFF: none */
    uint64_t
        max_bytes; /* size limit of the run; 0: 1 GB. Past it new nodes are counted, not kept */
    uint64_t
        record_bytes;    /* records of spans, all threads together; 0: 8 MB. The oldest go first */
    double sample_hz;    /* background readings a second; 0: 10, negative: no sampler thread */
    unsigned span_flags; /* what every span of the recorder asks for, enum pit_span_flag */
    int in_memory;       /* not 0: no file at all; read it with pit_run_read */
    const char *const *labels; /* "key=value" texts, ended by NULL, or NULL; kept with the run */
    unsigned
        file_mode; /* permissions of the run's file, of 0644 at most and less the umask; folders
                           that are made get those of who may read. 0: PITWALL_MODE, else 0644 */
    int guard; /* 1: faults in the run's own pages are mended by empty ones, as under `pitwall run`,
                  unless the program has a handler for the signal; -1: not, 0: as PITWALL_GUARD says */
    double sample_stacks; /* looks a second at where in the code the main thread is, 100 at most;
                             0: PITWALL_SAMPLE_STACKS, else 10; negative: none */
} pit_options;

/* Open the process's default recorder. path may be NULL: then PITWALL_FILE, else
 * pitwall-runs/<program>-<start>-<host>-<rank or pid>.pit. In a path %p is the pid, %r the rank
 * (the pid where there is none), %h the host, %% a percent sign; missing folders are made. A file
 * that exists is never touched: the run goes to name-2.pit, name-3.pit, … beside it. /dev/null
 * means in memory; any other device, a pipe or a socket is PIT_NO_FILE with EINVAL.
 * options may be NULL.
 *
 * 0: recording, in the file. PIT_NO_FILE: recording, in memory; pit_get_status says why, and
 * pit_close tries once more to write the file. PIT_OFF, PIT_ALREADY_OPEN, PIT_NO_MEMORY,
 * PIT_BAD_ARGUMENT: nothing was changed. A program with more rights than who started it (AT_SECURE)
 * gets PIT_OFF without a path, unless it is in memory: it takes no orders from the environment. */
PIT_API int pit_open(const char *path, const pit_options *options);

/* Close the default recorder: stop recording, mark the run as cleanly ended. Spans still open
 * stay in the run as open. A program that ends by exit() or by returning from main is closed by
 * itself. 0, with PITWALL=0 too, so that main may return it; PIT_NOT_OPEN; PIT_NOT_SAVED. */
PIT_API int pit_close(void);

/* Close the default recorder and remove its file, if it has no span yet, so that a program which opens one
 * itself finds everything as if there had been none: for who opened it only to sample. 0; PIT_NOT_OPEN;
 * PIT_BAD_ARGUMENT: it has spans, and nothing was changed. */
PIT_API int pit_discard_run(void);

/* Another recorder, beside the default one. Returns NULL only for PIT_OFF, PIT_NO_MEMORY and
 * PIT_BAD_ARGUMENT; *code (may be NULL) is set as pit_open's result. path NULL: the default name. */
PIT_API pit_recorder *pit_recorder_open(const char *path, const pit_options *options, int *code);

/* Close it. The object stays readable (pit_run_read) until pit_recorder_free; NULL is fine. */
PIT_API int pit_recorder_close(pit_recorder *recorder);

/* Close if need be and give the object back. Only when no other thread uses it any more. */
PIT_API void pit_recorder_free(pit_recorder *recorder);

/* The default recorder, open or closed; NULL before the first and after pit_recorder_free. */
PIT_API pit_recorder *pit_default(void);

/* The open recorder of this process that writes the file at path, or NULL. pit_run_open asks here
 * first. */
PIT_API pit_recorder *pit_recorder_find(const char *path);

enum pit_storage { PIT_STORAGE_FILE = 0, PIT_STORAGE_SHM = 1, PIT_STORAGE_MEMORY = 3 };

typedef struct pit_status {
    int recording;            /* 1 while it records */
    int code;                 /* 0, or the newest of PIT_NO_FILE, PIT_DISK_FULL, PIT_NOT_SAVED */
    int system_errno;         /* the errno behind code, 0 if none */
    enum pit_storage storage; /* where the figures live */
    const char *path;         /* of the run file, "" in memory; lives as long as the recorder */
    uint64_t bytes;           /* size of the run */
    uint64_t bytes_in_file;   /* how much of it is in the file */
    unsigned char run_id[16]; /* what sub-runs name as their parent; in hex in PITWALL_PARENT */
    double sample_stacks;     /* samples a second of the main thread's stack; 0: none wanted */
    uint64_t place_samples;   /* taken so far, see pit_note_place */
} pit_status;

/* How the recorder does. recorder NULL: the default one. 0, PIT_OFF or PIT_NOT_OPEN. */
PIT_API int pit_get_status(pit_recorder *recorder, pit_status *status);

/* Add a label to the run. 0, PIT_NOT_OPEN, PIT_BAD_ARGUMENT (key empty, or over 4 kB), PIT_NO_MEMORY. */
PIT_API int pit_label(const char *key, const char *value);

/* Where in the code the main thread is, found by samples of its stack. Pitwall's own samplers tell the
 * run by these two calls, and so may that of another language: from a thread of its own, which must not
 * be inside the recorder. */
enum pit_place_kind {
    PIT_PLACE_PYTHON = 0, /* a line of Python */
    PIT_PLACE_NATIVE = 1  /* a function of native code */
};

/* At this moment the process's main thread is at this place: it counts in the innermost span that it has
 * open in the default recorder, or outside of all. function and file may be NULL, line 0: not known; texts
 * are copied, and cut past some 100 bytes. samples: how many it stands for, 1 unless some were missed.
 * 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT. */
PIT_API int pit_note_place(enum pit_place_kind kind, const char *function, const char *file,
                           uint32_t line, uint64_t samples);

/* Samples of this kind are taken so many times a second from now on; with 0 they are not, and `reason`
 * says why, for whoever looks for them in the report. 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT. */
PIT_API int pit_note_sampling(enum pit_place_kind kind, double hz, const char *reason);

/* Add a fact to the run, as pit_run_fact gives it back: for bindings and hooks that know something about
 * the program which the library cannot see, such as "framework". It is in the file when this returns; of
 * two with one key the later one counts. Returns as pit_label. */
PIT_API int pit_add_fact(const char *key, const char *value);

/* The run's own pages, laid out as docs/run-format.md says; they stay mapped until
 * pit_recorder_free. For pit_run_read. recorder NULL: the default one, open or closed. */
PIT_API const void *pit_recorder_memory(pit_recorder *recorder, size_t *bytes);

/* ---- spans --------------------------------------------------------------------------------- */

/* What a span may ask for beside its time. */
enum pit_span_flag {
    PIT_MEMORY = 1, /* RSS at begin and end, the process's peak in between, page faults; some µs */
    PIT_RECORD = 2, /* kept one by one, with its figures */
    PIT_LEAKS = 4,  /* with libpitwall-alloc preloaded: what it allocates and leaves behind */
    PIT_WAIT = 8,   /* the device's work is waited for before the clock is read (pit_set_device) */
    PIT_COMM = 16, /* communication with other processes: reports tell it from work. No cost; a name
                       is communication in the whole process, or not */
    PIT_SYNC = 32, /* of a collective: no rank leaves it before all have entered (a barrier, an
                       all-reduce; not a broadcast, whose root may leave at once) */
    PIT_DEVICE =
        64, /* what a GPU does for it is timed too, by events in its stream; docs/devices.md */
    PIT_ENERGY =
        128 /* energy counters of processors and devices at begin and end; docs/energy.md */
};

/* A place in the code. Declare it static, with PIT_SITE("name") or PIT_SITE_WITH("name", flags); the
 * name must be a literal or live as long as the site. Sites of one name are one node. */
typedef struct pit_site {
    const char *name;
    uint32_t id;    /* the library's: 0 until the first use */
    uint32_t flags; /* enum pit_span_flag */
} pit_site;

/* clang-format off */
#define PIT_SITE(name_) { (name_), 0, 0 }
#define PIT_SITE_WITH(name_, flags_) { (name_), 0, (flags_) }
/* clang-format on */

/* Names an open span of this thread; 0 when nothing is recorded. */
typedef uint64_t pit_token;

/* The library's half of the inline functions below. */
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

/* The same for a language whose spans come one at a time between much other work: where the calling
 * thread's table is written down, for as long as the thread lives; begin and end where everything is
 * as usual, by that and the id of a site without flags. 0, and UINT64_MAX: it is not, nothing was
 * done. The token must not be 0. An end gives ticks, which pit__ticks_ns makes nanoseconds of, at any
 * time. */
struct pit__thread;
PIT_API struct pit__thread *const *pit__here(void);
PIT_API pit_token pit__begin_at(struct pit__thread *const *here, uint32_t id);
PIT_API uint64_t pit__end_at(struct pit__thread *const *here, pit_token token);
PIT_API uint64_t pit__ticks_ns(uint64_t ticks);

#define PIT__OFF (__builtin_expect(!__atomic_load_n(&pit__enabled, __ATOMIC_RELAXED), 0))

/* Begin a span inside the span that is open on this thread. */
PIT__NOT_TRACED pit_token pit_begin(pit_site *site)
{
    return PIT__OFF ? 0 : site ? pit__begin(site) : pit__null();
}

/* The same by a name made at run time (up to 4095 bytes; longer ones are cut). */
PIT__NOT_TRACED pit_token pit_begin_name(const char *name)
{
    return PIT__OFF ? 0 : pit__begin_name(name, 0);
}

/* The same with flags, enum pit_span_flag. Memory is read outside the span's own time, and what the
 * reading takes is not counted in the spans around it. */
PIT__NOT_TRACED pit_token pit_begin_with(const char *name, unsigned flags)
{
    return PIT__OFF ? 0 : pit__begin_name(name, flags);
}

/* End it. Spans that were begun inside and not ended are dropped and counted as abandoned; phases
 * are ended. On another thread than pit_begin's, or twice: counted, without effect. */
PIT__NOT_TRACED void pit_end(pit_token token)
{
    if (token)
        pit__end(token);
}

/* The same, and its duration in nanoseconds; 0 when nothing is recorded. */
PIT__NOT_TRACED uint64_t pit_end_ns(pit_token token)
{
    return token ? pit__end_ns(token) : 0;
}

/* Nanoseconds since it began, without ending it; 0 if it is not open on this thread. */
PIT__NOT_TRACED uint64_t pit_age_ns(pit_token token)
{
    return token ? pit__age_ns(token) : 0;
}

/* As pit_end_ns, for languages whose spans need not end in the order of a stack (generators): spans
 * that were begun inside it and are still open stay open, and belong to where they were begun. */
PIT_API uint64_t pit_end_out_of_order(pit_token token);

/* Leave a span as if it had not begun, for a wait that brought nothing: its time stays with the span
 * around it. Spans that were begun inside it and not ended are dropped too, and counted as abandoned. */
PIT_API void pit_cancel(pit_token token);

/* A stack of open spans that is not in use, for languages in which one thread has several
 * (coroutines, tasks). Free one when nothing runs on it any more: what is open in it is counted as
 * left open. NULL only without memory. */
typedef struct pit_stack pit_stack;
PIT_API pit_stack *pit_stack_new(void);
PIT_API void pit_stack_free(pit_stack *stack);

/* Put the calling thread's open spans of the default recorder away into `from` and take up those of
 * `to`. Both are for this thread and recorder alone from their first use on; tokens stay good for the
 * stack they were begun on. 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT: `to` is another thread's or recorder's,
 * or `from` is in use; nothing was changed then. */
PIT_API int pit_stack_switch(pit_stack *from, pit_stack *to);

/* Where this thread is in the tree: its innermost open span in the default recorder, or what pit_set_root
 * was given; 0 at the top, and when nothing is recorded. Good for any thread while the recorder is open. */
PIT_API uint64_t pit_position(void);

/* Let the spans that this thread begins while it has none open begin below `place`, for tasks that are
 * started by other code: until it is called again, on this stack alone (see pit_stack_switch). They
 * overlap what they are below and take no part of its time, as span objects do. 0 stands for the top.
 * 0; PIT_NOT_OPEN; PIT_BAD_ARGUMENT: a span is open; or the place is of another recorder: then spans
 * begin at the top. PIT_NO_MEMORY. */
PIT_API int pit_set_root(uint64_t place);

/* Phases follow one another: starting one ends the one before it at the same level, with one
 * reading of the clock for both. The end of the span around them ends the last one. */
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

/* End the phase that is open, if any, without starting another. */
PIT__NOT_TRACED void pit_phase_end(void)
{
    if (!PIT__OFF)
        pit__phase_end();
}

/* What was done in the innermost open span; adds up. Reports turn it into rates. */
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

/* A number over time: loss, learning rate. Kept per thread and name, in at most 512 points whose
 * width doubles as they fill. NaN and infinities are kept as they are. */
PIT__NOT_TRACED void pit_value(const char *name, double value)
{
    if (!PIT__OFF)
        pit__value(name, value);
}

/* Name this thread in reports (up to 63 bytes). Without it: the system's name of the thread. */
PIT_API void pit_thread_name(const char *name);

/* ---- ranks: processes that work together ----------------------------------------------------- */

/* Name a group of processes that make the same collective calls in the same order: a communicator of MPI,
 * a process group. id: the same in all of them, and of no other group; size: how many; rank: this one's
 * number, below size. Returns the group's number in this process, from 1 on, also if it was open; 0: bad
 * arguments, or 255 are open. Works before a recorder is open; any thread may call. */
PIT_API uint32_t pit_group_open(uint64_t id, uint32_t size, uint32_t rank);

/* The group is gone: its number may be given to another one. What was recorded stays. */
PIT_API void pit_group_close(uint32_t group);

/* How many collectives were begun in it, recorded or not: the number of the next one. */
PIT_API uint64_t pit_group_calls(uint32_t group);

/* Begin a collective call of a group: a span as pit_begin's, to be ended by pit_end; `bytes` that this
 * rank gives to it are added as by pit_bytes. It takes the group's next number, by which reports find
 * the same call in all ranks: call it for every collective of the group, whether anything is recorded
 * or not. The run keeps the newest and up to 1,024 earlier ones a group, of 64 groups. `site` should have
 * PIT_COMM, and PIT_SYNC where that is true. group 0: a plain span. One thread at a time in a group. */
PIT__NOT_TRACED pit_token pit_collective_begin(pit_site *site, uint32_t group, uint64_t bytes)
{
    return PIT__OFF ? 0 : pit__collective_begin(site, group, bytes);
}

/* Tell about the call that the innermost span of the calling thread is, right after its begin. caller: where
 * in the program it was made, the address of code that it returns to (__builtin_return_address); NULL: not
 * to be kept. to: which rank of the job a message of `bytes` goes to, or one of the three below. The run
 * counts messages by size and by rank, and calls and their time by caller: the first 1,024 ranks and some
 * 250 callers of a thread, the others summed. Bytes are added to the span as by
 * pit_bytes, but those of a collective, which pit_collective_begin adds. For libraries between programs and
 * their MPI; docs/mpi.md. */
#define PIT_TO_NOBODY 0xffffffffu   /* no message */
#define PIT_TO_ALL 0xfffffffeu      /* a collective: all ranks of a group */
#define PIT_TO_SOMEBODY 0xfffffffdu /* a rank whose number is not known */
PIT_API void pit_note_call(const void *caller, uint32_t to, uint64_t bytes);

/* End a span, as pit_end; its time counts for the caller that pit_note_call told. */
PIT_API void pit_end_call(pit_token token);

/* ---- the journal: what happened once -------------------------------------------------------- */

/* A figure of an entry. unit: "s", "ms", "MB", … or NULL. */
typedef struct pit_figure {
    const char *key;
    double value;
    const char *unit;
} pit_figure;

/* Keep an entry in the run's journal: its kind ("stage"), a text, figures and the time, wall_ns
 * since 1970 (0: now). For lines a program logs, some a second: it takes a lock. The newest
 * megabyte is kept; older entries go and are counted. 0; PIT_OFF; PIT_NOT_OPEN; PIT_NO_MEMORY;
 * PIT_BAD_ARGUMENT: no kind, over 64 figures, or over 16 kB. */
PIT_API int pit_journal(const char *kind, const char *text, const pit_figure *figures, size_t count,
                        uint64_t wall_ns);

/* ---- memory of the process, recorded or not ------------------------------------------------- */

/* Resident bytes now; 0 where that cannot be read. About a microsecond. */
PIT_API uint64_t pit_rss(void);

/* The process's memory around a piece of work, without a recorder. Begin and end on one thread, in
 * the order of a stack; probes and memory spans do not disturb one another. */
typedef struct pit_probe {
    uint64_t rss_begin, rss_end; /* bytes, 0: cannot be read */
    uint64_t rss_peak;           /* the process's highest in between; 0: not to be had */
    uint64_t error_bytes;        /* bound of each figure */
    int has_alloc;               /* libpitwall-alloc is there: what this thread allocated */
    uint64_t alloc_peak;         /* live bytes over those at the begin */
    int64_t alloc_live;          /* allocated less freed */
    uint64_t own[16];            /* the library's */
} pit_probe;

PIT_API void pit_probe_begin(pit_probe *probe);
PIT_API void pit_probe_end(pit_probe *probe);

/* ---- energy of the machine, recorded or not --------------------------------------------------- */

/* What the machine's energy counters say: joules since a moment of their own, so that the difference of
 * two readings counts. Everything that ran in between is in it, of all programs. docs/energy.md */
typedef struct pit_energy_now {
    double processors_j, devices_j; /* NaN: there are no such counters, or they cannot be read */
    double processors_least_s, devices_least_s; /* over a shorter time a difference says little */
} pit_energy_now;

/* Read them, on any thread; some microseconds. 0; PIT_NOTHING: no counter can be read, all is NaN;
 * PIT_BAD_ARGUMENT: now is NULL. */
PIT_API int pit_energy_read(pit_energy_now *now);

/* ---- a device: memory and work beside the processor's ---------------------------------------- */

typedef struct pit_device_memory { /* bytes; UINT64_MAX: not known */
    uint64_t allocated, reserved, peak;
} pit_device_memory;

/* What a device library fills in. Each function returns 0, or not 0 where it cannot; NULL: there is
 * none. They are called on the thread that measures. */
typedef struct pit_device {
    const char *name;
    int (*memory)(void *arg, pit_device_memory *memory);
    int (*reset_peak)(void *arg);
    int (*wait)(void *arg); /* returns when all work handed over is done */
    void *arg;
} pit_device;

/* Set the process's device; the struct must stay. NULL: none, as at the start. */
PIT_API void pit_set_device(const pit_device *device);
PIT_API const pit_device *pit_get_device(void);

/* ---- runs of programs that one starts -------------------------------------------------------- */

/* How a process ended, as the one that started it saw. UINT64_MAX: not known. Figures are with those of
 * the children that it waited for. */
typedef struct pit_ended {
    long pid;
    uint64_t start_wall_ns, duration_ns; /* since 1970; from its start to its end */
    int exit_status;                     /* -1: a signal ended it */
    int exit_signal;                     /* 0: none did */
    int dumped_core;
    uint64_t user_ns, system_ns;
    uint64_t rss_peak; /* bytes, of the largest of the processes */
    uint64_t minor_faults, major_faults, switches, forced_switches;
    uint64_t read_bytes, write_bytes; /* from and to storage */
    uint64_t read_chars,
        write_chars;    /* by calls of read and write: pipes, terminals, the cache too */
    uint64_t children;  /* child processes that were seen, at any depth */
    uint64_t oom_kills; /* of the cgroup after its end; pit_end_run fills it in */
} pit_ended;

/* The name of a run file as that process will make it: `wanted` as in pit_open (NULL: PITWALL_FILE, then
 * the default name), its argv and start_wall_ns for the default name. 0, or PIT_BAD_ARGUMENT: it does
 * not fit `room`, or there is no folder to start from. */
PIT_API int pit_run_path(char *path, size_t room, const char *wanted, const char *const *argv,
                         long pid, uint64_t start_wall_ns);

/* Keep in its run how a process ended. If it wrote one itself (at `path` or at path-2, …, with this id,
 * which it took from PITWALL_PARENT; docs/c-api.md) it is added there; else a small run of `argv` is
 * made, with the facts and labels of this process. `path` (room for PATH_MAX) becomes the file's. 1: its
 * own run; 0: a small one; PIT_NOT_SAVED with errno. */
PIT_API int pit_end_run(char *path, const unsigned char run_id[16], const char *const *argv,
                        const pit_ended *ended);

/* ---- span objects: begun here, ended there ------------------------------------------------- */

/* A span that is not tied to a stack: begun on one thread, ended on this or another one. It
 * stands in the tree below the span that was open where it began, marked as detached: it may
 * overlap others, so its time is not taken from its parent's own. Copy it freely, end it once. */
typedef struct pit_object {
    uint64_t begin;      /* ticks; 0: nothing recorded */
    uint64_t generation; /* which recorder */
    uint32_t node;
    uint32_t thread;
    uint64_t slot;
} pit_object;

PIT_API pit_object pit_object_begin(pit_site *site);
PIT_API pit_object pit_object_begin_name(const char *name);

/* End it; its duration in nanoseconds. A second end of the same object returns 0 and is counted as
 * an end without begin, as long as it was shown as open (up to 252 at a time are). */
PIT_API uint64_t pit_object_end(pit_object *object);

/* ---- work that is over already: a device's ----------------------------------------------------- */

/* Add a finished span below `place`, which pit_position gave where the work was handed over: a copy of a
 * number, for any thread, while the recorder is open; 0: at the top. For who drains a device's events, on
 * any thread. It is detached: shown below the span that launched it, no part of that one's time. With
 * PIT_DEVICE in flags it is work of a device; other flags mean nothing here. begin_ns and end_ns are of
 * CLOCK_MONOTONIC_RAW; of a device's own clock, make them so first (docs/devices.md). What is before the
 * run's begin counts from there, and an end before its begin gives 0, counted.
 *
 * Returns the place of what was added, for the calling thread: a span of a device below it, again with
 * PIT_DEVICE, says how long this work had waited before the device began it. 0: nothing is recorded, the
 * place is of another recorder, name is NULL (counted), or there is no room (counted). */
PIT_API uint64_t pit_add(uint64_t place, const char *name, unsigned flags, uint64_t begin_ns,
                         uint64_t end_ns);

/* The same for work whose times are of the device's own clock, which counts nanoseconds from anywhere.
 * `clock` names it: up to 16 of up to 47 characters. How it lies to the host's is learnt from each call, by
 * causality: work does not begin before launched_ns, of CLOCK_MONOTONIC_RAW and read before it was handed
 * over, and it is over at the time of the call. The run keeps the bound as the fact `device_clock`. 0 also
 * where there are 16 other clocks, or launched_ns is in the future. */
PIT_API uint64_t pit_add_device(const char *clock, uint64_t place, const char *name,
                                uint64_t begin_ns, uint64_t end_ns, uint64_t launched_ns);

/* Bytes that were moved in what pit_add gave the place of. 0 does nothing. */
PIT_API void pit_add_bytes(uint64_t place, uint64_t bytes);

/* Into which stream the spans of the calling thread with PIT_DEVICE put their events: a CUstream,
 * cudaStream_t or hipStream_t of the thread's own context or device. NULL, as at the start: the default
 * stream. Work that goes to other streams is not in such a span's device time. */
PIT_API void pit_device_stream(void *stream);

/* Have `call` called with `arg` before the default recorder is closed, by pit_close or at the program's
 * end, on the thread that closes: for who still has work of a device to tell of. It stays for later
 * recorders too; the same pair is kept once. It must not wait long, and not call pit_close. 0, or
 * PIT_BAD_ARGUMENT: call is NULL; PIT_NO_MEMORY: there are 16 already. */
PIT_API int pit_before_close(void (*call)(void *arg), void *arg);

/* ---- teams of threads --------------------------------------------------------------------------- */

/* Add a parallel region that is over to the span that is innermost on the calling thread, in the default
 * recorder: its team had so many threads, which worked busy_ns all together; the one that worked longest
 * did so for slowest_ns; and elapsed_ns passed from the region's begin to its end. libpitwall-openmp does
 * so for OpenMP; a pool of threads of one's own may (docs/openmp.md). Call it from the thread that started
 * the team. 0; PIT_NOT_OPEN: nothing is recorded, or no span is open; PIT_BAD_ARGUMENT: threads is 0, or
 * not slowest_ns <= elapsed_ns, slowest_ns <= busy_ns <= threads x slowest_ns; PIT_NO_MEMORY: the run is
 * full. Nothing was added then. */
PIT_API int pit_team(uint32_t threads, uint64_t busy_ns, uint64_t slowest_ns, uint64_t elapsed_ns);

/* ---- the same in a recorder of one's own --------------------------------------------------- */

/* As pit_begin_name and pit_end_ns, in `recorder`; a token is good for its recorder alone. */
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
/* A name of its own for each use, so that nested spans do not shadow one another. */
#define PIT__JOIN2(a_, b_) a_##b_
#define PIT__JOIN(a_, b_) PIT__JOIN2(a_, b_)

/* PIT_SPAN("name") { … } times its block, however it is left: at its end, by return, by goto, by
 * an exception in C++. Like `for` it is a loop that runs once: `break` and `continue` inside it
 * leave the block, not a loop around it. */
#define PIT_SPAN(name_) PIT__SPAN(name_, 0, PIT__JOIN(pit__scope_, __COUNTER__))
/* The same with flags: PIT_SPAN_WITH("epoch", PIT_MEMORY | PIT_RECORD) { … } */
#define PIT_SPAN_WITH(name_, flags_) PIT__SPAN(name_, flags_, PIT__JOIN(pit__scope_, __COUNTER__))

#ifdef __cplusplus
}
#endif

#endif
