/* A stub of libcuda.so.1: our machines have no GPU. The simulated device does one piece of work after
 * another, on CLOCK_MONOTONIC_RAW; held_to_cuda.c checks the calls against NVIDIA's header. STUB_CUDA
 * selects a fault: "fails" returns an error from the 9th query on, "hangs" waits two seconds in it,
 * "empty" has no device. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GOOD = 0, NOT_INITIALIZED = 3, ILLEGAL_ADDRESS = 700, NOT_READY = 600, TURN = 9 };

struct event {
    unsigned long long at; /* ns on the device */
};

static unsigned long long busy_until, questions;

static unsigned long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static int mode_is(const char *mode)
{
    const char *set = getenv("STUB_CUDA");
    return set && strcmp(set, mode) == 0;
}

/* Work that is launched now will take this long. */
void stub_work(unsigned long long ns)
{
    unsigned long long now = now_ns(), from = __atomic_load_n(&busy_until, __ATOMIC_ACQUIRE);
    __atomic_store_n(&busy_until, (now > from ? now : from) + ns, __ATOMIC_RELEASE);
}

unsigned long long stub_questions(void)
{
    return __atomic_load_n(&questions, __ATOMIC_ACQUIRE);
}

int cuCtxGetCurrent(void **context)
{
    static int only;
    if (mode_is("empty"))
        __atomic_add_fetch(&questions, 1, __ATOMIC_ACQ_REL);
    *context = mode_is("empty") ? NULL : &only;
    return mode_is("empty") ? NOT_INITIALIZED : GOOD;
}

int cuCtxSetCurrent(void *context)
{
    (void)context;
    return GOOD;
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof(struct event));
    return *event ? GOOD : 2;
}

int cuEventRecord(void *event, void *stream)
{
    unsigned long long now = now_ns(), until = __atomic_load_n(&busy_until, __ATOMIC_ACQUIRE);
    (void)stream;
    __atomic_store_n(&((struct event *)event)->at, now > until ? now : until, __ATOMIC_RELEASE);
    return GOOD;
}

int cuEventQuery(void *event)
{
    unsigned long long asked = __atomic_add_fetch(&questions, 1, __ATOMIC_ACQ_REL);
    if (asked == TURN && mode_is("hangs"))
        nanosleep(&(struct timespec){2, 0}, NULL);
    if (asked >= TURN && mode_is("fails"))
        return ILLEGAL_ADDRESS;
    return now_ns() < __atomic_load_n(&((struct event *)event)->at, __ATOMIC_ACQUIRE) ? NOT_READY
                                                                                      : GOOD;
}

int cuEventElapsedTime(float *ms, void *begin, void *end)
{
    const struct event *from = begin, *to = end;
    *ms = (float)((double)(long long)(to->at - from->at) / 1e6);
    return GOOD;
}
