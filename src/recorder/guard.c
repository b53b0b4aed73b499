/* Repairs faults in the pages of runs, if enabled: under `pitwall run`, by PITWALL_GUARD=1 or by an
 * option.
 *
 * If another process cuts the file, the next access beyond its end raises SIGBUS; if it overwrites a ref,
 * the ref may lead to unmapped addresses, which raises SIGSEGV. With the guard on, the run reserves so many
 * addresses that no ref leads beyond them, and a handler maps an empty page wherever an access among them
 * fails. Every other fault is the program's own, and ends it as without a handler. If the program has a
 * handler for such a signal, it keeps it.
 */
#include "recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 64u /* guarded recorders at a time; further ones are not guarded */

static struct {
    uintptr_t base; /* 0: free; stored last, cleared first */
    uint64_t bytes;
} ranges[MOST];
static uint64_t mended;
static uintptr_t page_bytes;

void pit__guard_count(void)
{
    __atomic_fetch_add(&mended, 1, __ATOMIC_RELAXED);
}

static int is_ours(uintptr_t address)
{
    for (size_t i = 0; i < MOST; i++) {
        uintptr_t base = PIT_LOAD_ACQUIRE(ranges[i].base);
        if (base && address >= base && address - base < PIT_LOAD(ranges[i].bytes))
            return 1;
    }
    return 0;
}

/* Uses only async-signal-safe calls. */
static int mend(uintptr_t address)
{
    uintptr_t page = address & ~(page_bytes - 1);
    if (!is_ours(address))
        return 0;
    pit__guard_count();
    return mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* When this returns after a fault of the program, the fault happens again, now with the default action.
 * A signal that another process sent is sent again. */
static void fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    int before = errno;
    if (info->si_code <= 0 || !mend((uintptr_t)info->si_addr)) {
        signal(number, SIG_DFL);
        if (info->si_code <= 0)
            raise(number);
    }
    errno = before;
}

static void take_signal(int number)
{
    struct sigaction now, ours;
    if (sigaction(number, NULL, &now) != 0 || now.sa_flags & SA_SIGINFO ||
        now.sa_handler != SIG_DFL)
        return;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    sigaction(number, &ours, NULL);
}

int pit__guard_wanted(const pit_options *options)
{
    const char *text = secure_getenv("PITWALL_GUARD");
    if (options->guard)
        return options->guard > 0;
    return text && *text && strcmp(text, "0") != 0;
}

void pit__guard_begin(const pit_recorder *rec)
{
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < MOST; i++) {
        if (ranges[i].base)
            continue;
        PIT_STORE(ranges[i].bytes, rec->address_bytes);
        PIT_STORE_ORDERED(ranges[i].base, (uintptr_t)rec->base);
        take_signal(SIGBUS);
        take_signal(SIGSEGV);
        return;
    }
}

void pit__guard_end(const pit_recorder *rec)
{
    for (size_t i = 0; i < MOST; i++)
        if (ranges[i].base == (uintptr_t)rec->base)
            PIT_STORE(ranges[i].base, 0);
}

uint64_t pit__guard_mended(void)
{
    return PIT_LOAD(mended);
}

void pit__guard_signals(sigset_t *set)
{
    sigdelset(set, SIGBUS);
    sigdelset(set, SIGSEGV);
}
