/* device_mark.c: a device's peak memory during a piece of work, with other such work inside it.
 *
 * A device has one high-water mark. At each begin it is read into every mark that is open here, and
 * reset where the device has a function for that; at each end it is read again. So inner work does not
 * take the peak from outer work. If the device cannot reset its mark, the peak of a piece of
 * work is known only if the mark rose during the work, or the work held as much as the mark says.
 *
 * The device's functions are called without `lock`: they may be Python, which may switch to another
 * thread that wants the lock. `resets` keeps two threads from resetting at once: a thread that finds it
 * taken does not reset.
 *
 * A mark that is never ended is overwritten when its place is needed; its peak is then unknown.
 */
#include "monitor.h"
#include "monitor_lock.h"

#include <math.h>
#include <pthread.h>

#define PLACES 64u

static struct pit__monitor_lock lock = PIT__MONITOR_LOCK_FREE;
static int resets;    /* atomic: a thread reads and resets */
static uint64_t last; /* marks so far; a mark is in place number % PLACES. All under the lock */
static struct place {
    uint64_t number; /* 0: free */
    const pit_device *device;
    uint64_t peak;
    uint64_t floor; /* the device's peak at the begin if it was not reset; 0: it was */
} places[PLACES];

double pit__mb(uint64_t bytes)
{
    return bytes == PIT_UNKNOWN ? (double)NAN : (double)bytes / PIT__MB;
}

const pit_device *pit__device_of(const pit_device_use *use)
{
    return use && use->device ? use->device : pit_get_device();
}

int pit__device_read(const pit_device *device, pit_device_memory *memory)
{
    *memory = (pit_device_memory){PIT_UNKNOWN, PIT_UNKNOWN, PIT_UNKNOWN};
    return device && device->memory && device->memory(device->arg, memory) == 0 ? 0 : -1;
}

/* Does a reading tell something about this work: is it above the device's peak before the work? */
static int is_news(const struct place *place, const pit_device_memory *memory)
{
    return memory->peak > place->floor ||
           (memory->allocated != PIT_UNKNOWN && memory->allocated >= place->floor);
}

/* Apply the peak since the last reset to all open marks of the device. */
static void fold(const pit_device *device, const pit_device_memory *memory)
{
    if (memory->peak == PIT_UNKNOWN)
        return;
    for (struct place *place = places; place < places + PLACES; place++)
        if (place->number && place->device == device && is_news(place, memory) &&
            (place->peak == PIT_UNKNOWN || memory->peak > place->peak))
            place->peak = memory->peak;
}

/* The mark of work that begins with this reading. */
static uint64_t place_mark(const pit_device *device, const pit_device_memory *memory, int is_reset)
{
    /* Work that holds memory allocated before peaks at least at that. */
    int is_known = is_reset || (memory->allocated == memory->peak && memory->peak != PIT_UNKNOWN);
    pit__monitor_lock_take(&lock);
    uint64_t number = ++last;
    places[number % PLACES] =
        (struct place){.number = number,
                       .device = device,
                       .peak = is_known ? memory->allocated : PIT_UNKNOWN,
                       .floor = is_reset || memory->peak == PIT_UNKNOWN ? 0 : memory->peak};
    pit__monitor_lock_give(&lock);
    return number;
}

uint64_t pit__device_watch(const pit_device *device)
{
    pit_device_memory memory;
    if (!device || !device->reset_peak || pit__device_read(device, &memory) != 0)
        return 0;
    pit__monitor_lock_take(&lock);
    uint64_t number = ++last;
    places[number % PLACES] =
        (struct place){.number = number, .device = device, .peak = memory.peak};
    pit__monitor_lock_give(&lock);
    return number;
}

uint64_t pit__device_mark(const pit_device *device, uint64_t *allocated)
{
    pit_device_memory memory;
    uint64_t number = 0;
    int may_reset =
        device && device->reset_peak && !__atomic_exchange_n(&resets, 1, __ATOMIC_ACQUIRE);
    if (pit__device_read(device, &memory) == 0) {
        pit__monitor_lock_take(&lock);
        fold(device, &memory); /* before the reset: nobody may end on a reading without it */
        pit__monitor_lock_give(&lock);
        int is_reset = may_reset && device->reset_peak(device->arg) == 0;
        number = place_mark(device, &memory, is_reset);
        *allocated = memory.allocated;
    }
    if (may_reset)
        __atomic_store_n(&resets, 0, __ATOMIC_RELEASE);
    return number;
}

int pit__device_unmark(const pit_device *device, uint64_t mark, pit_device_memory *memory)
{
    int code = pit__device_read(device, memory);
    pit__monitor_lock_take(&lock);
    struct place *place = &places[mark % PLACES];
    if (code == 0)
        fold(device, memory);
    memory->peak = place->number == mark ? place->peak : PIT_UNKNOWN;
    if (place->number == mark)
        place->number = 0;
    pit__monitor_lock_give(&lock);
    return code;
}
