/* The process's device. The recorder knows no device library: whoever has one fills in pit_device. */
#include "recorder.h"

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
