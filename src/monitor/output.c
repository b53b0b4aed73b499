/* output.c: the sources of the monitors' figures, and the output of their lines.
 *
 * `lock` keeps lines and journal entries in the same order, and guards hook and sources. It is never held
 * while a hook runs: a hook may wait for a thread that wants to print. */
#include "monitor.h"
#include "monitor_lock.h"

#include "base/clock_ns.h"
#include "views/journal_lines.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct pit__monitor_lock lock = PIT__MONITOR_LOCK_FREE;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static void (*hook)(void *arg, const char *text); /* under the lock */
static void *hook_arg;
static pit_sources given;  /* under the lock */
static int has_given;      /* atomic: the clock is usually read without the lock */
static int waits;          /* atomic: wait for the device before reading the clock */
static int verbosity = -1; /* atomic; -1: the environment decides */

/* In a forked child the thread that held the lock may not exist any more. Taking it before the fork instead
 * would make fork wait for the process that reads our output. The thread sanitizer mistakes the parent's
 * threads for the child's. */
__attribute__((no_sanitize("thread"))) static void fresh_lock(void)
{
    static const struct pit__monitor_lock fresh = PIT__MONITOR_LOCK_FREE;
    lock = fresh;
}

static void prepare(void)
{
    pthread_atfork(NULL, NULL, fresh_lock);
}

static void take_lock(void)
{
    pthread_once(&prepared, prepare);
    pit__monitor_lock_take(&lock);
}

static void leave_lock(void)
{
    pit__monitor_lock_give(&lock);
}

/* ---- sources -------------------------------------------------------------------------------- */

PIT_API void pit_set_wait(int wait)
{
    __atomic_store_n(&waits, wait != 0, __ATOMIC_RELAXED);
}

PIT_API void pit_set_sources(const pit_sources *sources)
{
    static const pit_sources none;
    take_lock();
    given = sources ? *sources : none;
    __atomic_store_n(&has_given, sources != NULL, __ATOMIC_RELEASE);
    leave_lock();
}

/* Returns 1 and a copy of the sources that a test provided. */
static int get_given(pit_sources *sources)
{
    if (!__atomic_load_n(&has_given, __ATOMIC_ACQUIRE))
        return 0;
    take_lock();
    *sources = given;
    leave_lock();
    return 1;
}

uint64_t pit__source_ns_on(const pit_device_use *use)
{
    const pit_device *device = pit__device_of(use);
    int wait = use->wait ? use->wait : pit__source_waits();
    if (wait > 0 && device && device->wait)
        device->wait(device->arg);
    return pit__source_ns();
}

uint64_t pit__source_ns(void)
{
    pit_sources sources;
    if (get_given(&sources) && sources.monotonic_ns)
        return sources.monotonic_ns(sources.arg);
    return pit__clock_ns(CLOCK_MONOTONIC);
}

uint64_t pit__source_wall_ns(void)
{
    pit_sources sources;
    if (get_given(&sources) && sources.wall_ns)
        return sources.wall_ns(sources.arg);
    return pit__clock_ns(CLOCK_REALTIME);
}

int pit__source_waits(void)
{
    return __atomic_load_n(&waits, __ATOMIC_RELAXED);
}

uint64_t (*pit__source_clock(void **arg))(void *arg)
{
    pit_sources sources = {0};
    int is_given = get_given(&sources);
    *arg = sources.arg;
    return is_given ? sources.monotonic_ns : NULL;
}

int pit__source_has_rss(void)
{
    pit_sources sources;
    return get_given(&sources) && sources.rss;
}

uint64_t pit__source_rss(void)
{
    pit_sources sources;
    if (get_given(&sources) && sources.rss)
        return sources.rss(sources.arg);
    return pit_rss();
}

/* With a test's clock the machine's counters have no meaning. */
void pit__source_energy(pit_energy_now *now)
{
    pit_sources sources;
    if (get_given(&sources) && sources.monotonic_ns)
        *now = (pit_energy_now){NAN, NAN, 0, 0};
    else
        pit_energy_read(now);
}

double pit__seconds_between(uint64_t begin_ns, uint64_t end_ns)
{
    int64_t ns = (int64_t)(end_ns - begin_ns);
    return ns > 0 ? (double)ns / 1e9 : 0.0;
}

double pit__seconds_taken(uint64_t span_ns, uint64_t begin_ns, uint64_t end_ns)
{
    int is_ours = !span_ns || __atomic_load_n(&has_given, __ATOMIC_ACQUIRE);
    return is_ours ? pit__seconds_between(begin_ns, end_ns) : (double)span_ns / 1e9;
}

int pit__setting(const char *name, int missing)
{
    const char *text = secure_getenv(name);
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && value >= -1 && value <= 1000000000 ? (int)value
                                                                                     : missing;
}

uint64_t pit__thread_number(void)
{
    static uint64_t last;
    static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t own;
    if (own == 0)
        own = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return own;
}

/* ---- verbosity and hook --------------------------------------------------------------------- */

PIT_API void pit_set_verbose(int verbose)
{
    __atomic_store_n(&verbosity, verbose != 0, __ATOMIC_RELAXED);
}

PIT_API int pit_is_verbose(void)
{
    int verbose = __atomic_load_n(&verbosity, __ATOMIC_RELAXED);
    if (verbose >= 0)
        return verbose;
    const char *setting = secure_getenv("PITWALL_VERBOSE");
    return !setting || strcmp(setting, "0") != 0;
}

PIT_API void pit_set_print(void (*line)(void *arg, const char *text), void *arg)
{
    take_lock();
    hook = line;
    hook_arg = arg;
    leave_lock();
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Pass each line of a text to the hook; its newlines are overwritten. */
static void call_hook(void (*line)(void *arg, const char *text), void *arg, struct pit__text *text)
{
    char *at = text->data;
    for (char *end; at && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        line(arg, at);
    }
}

/* Write the text to standard output or to the hook, and the entries, if any, to the journal in one step. */
static void deliver(const pit_entry *entries, size_t count, struct pit__text *text)
{
    take_lock();
    void (*line)(void *arg, const char *text) = hook;
    void *arg = hook_arg;
    for (size_t i = 0; i < count; i++)
        pit_journal(entries[i].kind, entries[i].text, entries[i].figures, entries[i].figure_count,
                    entries[i].wall_ns);
    if (!line && text->length > 0) { /* output is often piped into tee: flush each line */
        fwrite(text->data, 1, text->length, stdout);
        fflush(stdout);
    }
    leave_lock();
    if (line)
        call_hook(line, arg, text);
}

/* Returns 1 unless pit_set_verbose(0) was called, whatever the environment says. */
static int prints_asked(void)
{
    return __atomic_load_n(&verbosity, __ATOMIC_RELAXED) != 0;
}

/* All of it, the hook too: the caller may hold its monitor's lock. */
static void emit(pit_entry *entries, size_t count, int print)
{
    struct pit__text text = {0};
    int cancel = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    uint64_t wall_ns = pit__source_wall_ns();
    for (size_t i = 0; i < count; i++)
        entries[i].wall_ns = wall_ns;
    if (print)
        pit__journal_lines(&text, entries, count);
    deliver(entries, count, &text);
    pit__text_free(&text);
    pthread_setcancelstate(cancel, NULL);
}

void pit__emit(pit_entry *entries, size_t count)
{
    emit(entries, count, pit_is_verbose());
}

void pit__emit_asked(pit_entry *entries, size_t count)
{
    emit(entries, count, prints_asked());
}

void pit__emit_printed(void (*print)(FILE *out, void *arg), void *arg)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = prints_asked() ? open_memstream(&bytes, &length) : NULL;
    if (!out)
        return;
    print(out, arg);
    if (fclose(out) == 0) {
        struct pit__text text = {.data = bytes, .length = length};
        deliver(NULL, 0, &text);
    }
    free(bytes);
}
