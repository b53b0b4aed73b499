/* libpitwall-functions.so: every function compiled with -finstrument-functions is a span.
 *
 * The compiler calls __cyg_profile_func_enter and _exit around such functions; libc has empty ones.
 * Preloaded, these replace them:
 *
 *   function ──▶ function_hooks ──▶ function_table ──▶ symbol_names (once a function)
 *                      └──▶ the recorder of the process (recorder_link)
 *
 * Each thread has a list of its calls in addition to the recorder's stack of spans, because an exit
 * names its function and not its span. A call that was left by longjmp or by an exception may have no
 * exit. We detect this at the next exit, which then belongs to an older entry; or at the next enter, if
 * its call site is in the code of an older entry, or if the stack is shorter than at the abandoned call.
 * The span of that call is dropped: its time stays with its caller.
 *
 * Nothing here takes a lock or allocates except by mmap; only the very first call may load libpitwall.
 */
#include "function_table.h"
#include "preload/own_pages.h"
#include "preload/recorder_link.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#define EXPORTED __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define ARGUMENTS ((uintptr_t)256) /* bytes that arguments of calls may take on the stack */
#define MOST_CALLS 340u            /* the recorder's own limit is lower; with the head, 16 kB */

struct call {
    const void *function, *call_site;
    /* the code that runs: the function's own, or that of the function it was inlined into */
    uintptr_t code, code_bytes;
    uintptr_t frame; /* the hook's, inverted: 0 while the entry is free or not written yet */
    pit_token token; /* 0: not recorded */
};

/* A thread's calls, the innermost last. Used only by its thread; signal handlers of the thread leave it
 * as they find it. */
struct calls {
    uint32_t count;
    uint32_t beyond;    /* calls for which there was no room, above the last entry */
    struct calls *next; /* in the list of spares */
    struct call call[MOST_CALLS];
};

enum { NOT_TRIED, AT_IT, READY, WITHOUT };

static int state = NOT_TRIED;
static pthread_key_t key; /* its destructor releases a thread's calls */
static struct calls *spares;
static uint32_t spares_busy;
static __thread struct calls *own __attribute__((tls_model("initial-exec")));
static __thread int is_preparing __attribute__((tls_model("initial-exec")));

/* ---- a thread's calls -------------------------------------------------------------------------- */

/* A lock that never waits: a caller that finds it taken works without the spare list. */
static int try_spares(void)
{
    return __atomic_exchange_n(&spares_busy, 1, __ATOMIC_ACQUIRE) == 0;
}

static void leave_spares(void)
{
    __atomic_store_n(&spares_busy, 0, __ATOMIC_RELEASE);
}

static struct calls *take_spare(void)
{
    struct calls *calls = NULL;
    if (!try_spares())
        return NULL;
    calls = spares;
    if (calls)
        spares = calls->next;
    leave_spares();
    return calls;
}

static void thread_ends(void *pages)
{
    struct calls *calls = pages;
    own = NULL;
    if (calls->count == 0 && calls->beyond == 0 && try_spares()) {
        calls->next = spares;
        spares = calls;
        leave_spares();
        return;
    }
    munmap(calls, sizeof *calls);
}

/* The very first call: find the recorder. Calls of other threads are not recorded meanwhile, nor are
 * functions that the loading itself calls. */
static int prepare(void)
{
    int found = NOT_TRIED;
    if (!__atomic_compare_exchange_n(&state, &found, AT_IT, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return found == READY;
    is_preparing = 1;
    int good = pit__link_find() && pthread_key_create(&key, thread_ends) == 0;
    is_preparing = 0;
    __atomic_store_n(&state, good ? READY : WITHOUT, __ATOMIC_RELEASE);
    return good;
}

static struct calls *first_call(void)
{
    if (is_preparing || (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != READY && !prepare()))
        return NULL;
    struct calls *calls = take_spare();
    if (!calls) {
        calls = pit__own_pages(sizeof *calls);
        if (!calls)
            return NULL;
    }
    own = calls;
    pthread_setspecific(key, calls);
    return calls;
}

/* ---- calls that were left without an exit ------------------------------------------------------ */

/* Leave entries from `count` on; the spans in them are dropped. */
static void leave_from(struct calls *calls, uint32_t count)
{
    pit_token lowest = 0;
    while (calls->count > count) {
        struct call *call = &calls->call[calls->count - 1];
        if (call->token)
            lowest = call->token;
        call->frame = 0;
        SIGNAL_FENCE();
        calls->count--;
    }
    calls->beyond = 0;
    if (lowest)
        pit__link.drop(lowest); /* and the spans open in it */
}

/* An alternate signal stack may be anywhere: addresses on it and elsewhere cannot be compared. */
static int is_on_other_stack(uintptr_t frame)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_ONSTACK))
        return 0;
    uintptr_t low = (uintptr_t)stack.ss_sp;
    return frame < low || frame >= low + stack.ss_size;
}

/* The stack grows down, so a callee's hook is below its caller's. */
static inline int is_below(const struct call *call, uintptr_t here)
{
    return call->frame && ~call->frame < here;
}

static inline int is_in_code(const struct call *call, const void *call_site)
{
    return (uintptr_t)call_site - call->code < call->code_bytes;
}

/* A function that was inlined into another one: no call was made, the stack is that of the other. It may
 * still have arguments of an earlier call on it, which compilers remove later. */
static inline int is_inlined(const struct call *call, const void *call_site, uintptr_t here)
{
    return ~call->frame - here <= ARGUMENTS && call->call_site == call_site;
}

/* The caller does not seem to be the innermost entry. Either it has no entry (a library that calls back,
 * a signal), or the entries above it were abandoned. */
__attribute__((noinline)) static void leave_dead(struct calls *calls, const void *call_site,
                                                 uintptr_t here)
{
    uint32_t count = calls->count;
    while (count > 0 && (is_below(&calls->call[count - 1], here) ||
                         !is_in_code(&calls->call[count - 1], call_site)))
        count--;
    if (count == 0) { /* no entry's code */
        count = calls->count;
        while (count > 0 && is_below(&calls->call[count - 1], here) &&
               !is_on_other_stack(~calls->call[count - 1].frame))
            count--;
    }
    if (count < calls->count)
        leave_from(calls, count);
}

/* ---- the hooks --------------------------------------------------------------------------------- */

EXPORTED void __cyg_profile_func_enter(void *function, void *call_site);
EXPORTED void __cyg_profile_func_exit(void *function, void *call_site);

/* Write an entry that is already reserved. `above`: the one it may be inlined into, or NULL. */
static inline void write_call(struct call *call, const struct call *above,
                              const struct pit__function *known, void *function, void *call_site,
                              uintptr_t here)
{
    int inlined = above && is_inlined(above, call_site, here);
    call->token = 0;
    call->function = function;
    call->call_site = call_site;
    call->code = inlined ? above->code : (uintptr_t)function;
    call->code_bytes = inlined ? above->code_bytes : known->bytes;
    SIGNAL_FENCE();
    call->frame = ~here;
    SIGNAL_FENCE();
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    struct calls *calls = own;
    if (UNLIKELY(!calls) && !(calls = first_call()))
        return;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct pit__function *known = pit__function_at(function);
    struct call *above = calls->count ? &calls->call[calls->count - 1] : NULL;
    if (UNLIKELY(!known))
        return;
    if (UNLIKELY(above && !is_in_code(above, call_site) && !is_inlined(above, call_site, here) &&
                 calls->beyond == 0)) {
        leave_dead(calls, call_site, here);
        above = calls->count ? &calls->call[calls->count - 1] : NULL;
    }
    if (UNLIKELY(calls->count == MOST_CALLS)) {
        calls->beyond++;
        return;
    }
    /* Reserved before it is written, so that a signal handler's calls are put above it. */
    struct call *call = &calls->call[calls->count];
    calls->count++;
    SIGNAL_FENCE();
    write_call(call, above, known, function, call_site, here);
    if (__atomic_load_n(pit__link.enabled, __ATOMIC_RELAXED))
        call->token = pit__link.begin(&known->site);
}

/* The entry that ends here, or NULL; the entries above it were left. */
__attribute__((noinline)) static struct call *find_below(struct calls *calls, const void *function,
                                                         const void *call_site)
{
    for (uint32_t i = calls->count; i-- > 0;)
        if (calls->call[i].function == function && calls->call[i].call_site == call_site)
            return &calls->call[i];
    return NULL;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    struct calls *calls = own;
    if (UNLIKELY(!calls || calls->count == 0))
        return;
    struct call *call = &calls->call[calls->count - 1];
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (UNLIKELY(calls->beyond > 0 && here < ~call->frame)) {
        calls->beyond--;
        return;
    }
    if (UNLIKELY(call->function != function || call->call_site != call_site)) {
        call = find_below(calls, function, call_site);
        if (!call)
            return;
        for (uint32_t i = calls->count; &calls->call[i - 1] != call; i--)
            calls->call[i - 1].frame = 0;
    }
    pit_token token = call->token;
    calls->beyond = 0;
    call->frame = 0;
    SIGNAL_FENCE();
    calls->count = (uint32_t)(call - calls->call);
    SIGNAL_FENCE();
    if (token)
        pit__link.end(token); /* spans open above it are dropped and counted */
}
