/* The process's device, and who has something to tell before a recorder is closed. The recorder knows no
 * device library: whoever has one fills in pit_device. */
#include "device.h"

static const pit_device *device;

void pit_set_device(const pit_device *new_device)
{
    PIT_STORE_ORDERED(device, new_device);
}

const pit_device *pit_get_device(void)
{
    return PIT_LOAD_ACQUIRE(device);
}

void pit__device_wait(void)
{
    const pit_device *now = pit_get_device();
    if (now && now->wait)
        now->wait(now->arg);
}

/* ---- before a close -------------------------------------------------------------------------- */

#define MOST_CALLS 16u

/* Filled from the front, each once; `call` is stored last. Guarded by adding. */
static struct asked {
    void (*call)(void *arg);
    void *arg;
} asked[MOST_CALLS];
static uint32_t is_adding;

int pit_before_close(void (*call)(void *arg), void *arg)
{
    if (!call)
        return PIT_BAD_ARGUMENT;
    uint32_t nobody = 0;
    while (
        !__atomic_compare_exchange_n(&is_adding, &nobody, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        nobody = 0;
    uint32_t i = 0;
    while (i < MOST_CALLS && asked[i].call && (asked[i].call != call || asked[i].arg != arg))
        i++;
    if (i < MOST_CALLS && !asked[i].call) {
        asked[i].arg = arg;
        PIT_STORE_ORDERED(asked[i].call, call);
    }
    __atomic_store_n(&is_adding, 0, __ATOMIC_RELEASE);
    return i < MOST_CALLS ? 0 : PIT_NO_MEMORY;
}

void pit__ask_before_close(void)
{
    for (uint32_t i = 0; i < MOST_CALLS; i++) {
        void (*call)(void *arg) = PIT_LOAD_ACQUIRE(asked[i].call);
        if (call)
            call(asked[i].arg);
    }
}
