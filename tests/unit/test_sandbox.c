/* The program's sandbox (seccomp) traps, forbids or kills a system call of the sampler: the program goes on, and
 * waits for nothing. */
#include "check.h"

#include <pitwall.h>

#include "base/own_threads.h"
#include "recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#define LONGEST_S                                                                                  \
    50 /* less than the 60 s for which close waits for a sampler that may still come to its end */

/* The sanitizers look for a thread whose end they have not seen: one waits for it forever, the other one
 * complains at the end. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define MAY_KILL 0
#else
#define MAY_KILL 1
#endif

#define HAS_FILTERS (!getenv("PITWALL_EMULATED")) /* an emulator of the processor has none */

static char folder[64], path[128];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void open_run(double hz)
{
    snprintf(folder, sizeof folder, "%s", "/tmp/pitwall-sandbox-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.pit", folder);
    pit_options options = {.sample_hz = hz, .sample_stacks = -1};
    REQUIRE(pit_open(path, &options) == PIT_OK);
}

static void clean(void)
{
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

/* Of the sampler, which counts them for itself alone. */
__attribute__((no_sanitize("thread"))) static uint64_t readings(void)
{
    return *(const volatile uint64_t *)&pit_default_recorder()->sources.readings;
}

static void await_sampler(void)
{
    while (!readings())
        usleep(1000);
}

static size_t threads(void)
{
    int listed[PIT__THREADS_LISTED];
    return pit__list_threads(listed);
}

/* In all threads, this system call gets the action if the low half of its argument is the value, or with
 * value 0 is anything but 0. */
static void restrict_call(uint32_t call, uint32_t argument, uint32_t value, uint32_t action)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, value ? 0 : 1, value ? 1 : 0),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
            0);
}

static int trapped;

static void on_trapped_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    ucontext_t *at = context;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
    at->uc_mcontext.regs[0] = (uint64_t)-EPERM;
#else
    (void)at;
#endif
    PIT_STORE(trapped, 1);
}

/* The sampler locks the file of the run at its first turn and then at every tenth. */
TEST(a_call_of_the_sampler_that_is_trapped_is_answered_by_the_programs_handler)
{
    if (!HAS_FILTERS)
        return;
    struct sigaction action = {.sa_sigaction = on_trapped_call, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGSYS, &action, NULL) == 0);
    open_run(100);
    restrict_call(SYS_fcntl, 1, F_SETLK, SECCOMP_RET_TRAP);
    while (!PIT_LOAD(trapped)) /* the process is killed instead if the signal is blocked */
        pit_end(pit_begin_name("span"));
    CHECK_INT(pit_close(), 0);
    clean();
}

TEST(nobody_waits_for_a_sampler_that_was_killed)
{
    if (!HAS_FILTERS)
        return;
    open_run(100);
    await_sampler();
    size_t before = threads();
    restrict_call(SYS_fcntl, 1, F_SETLK,
                  MAY_KILL ? SECCOMP_RET_KILL_THREAD : SECCOMP_RET_ERRNO | EPERM);
    while (MAY_KILL && threads() == before) /* it holds the lock of the recorder */
        usleep(1000);
    double begin = seconds();
    CHECK_INT(pit_label("key", "value"), 0);
    CHECK_INT(pit_close(), 0);
    CHECK(seconds() - begin < LONGEST_S);
    clean();
}

/* Its turns take time even if it cannot wait for the next one. */
TEST(a_sampler_that_may_not_wait_sleeps)
{
    if (!HAS_FILTERS)
        return;
    open_run(20);
    await_sampler();
    restrict_call(SYS_futex, 3, 0, SECCOMP_RET_ERRNO | EPERM); /* with a limit of time */
    double begin = seconds();
    uint64_t first = readings();
    usleep(500000);
    double most = (seconds() - begin) * 20 + 5;
    CHECK((double)(readings() - first) < most);
    CHECK_INT(pit_close(), 0);
    clean();
}
