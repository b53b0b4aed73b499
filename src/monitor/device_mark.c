/* device_mark.c: a device's peak memory during a piece of work, with other such work inside it.
 *
 * A device has one high-water mark. At each begin it is read into every mark that is open here, and
 * reset; at each end it is read again. So inner work does not take the peak from outer work. A mark
 * that is never ended is overwritten when its place is needed; its peak is then not to be had.
 */
#include "monitor.h"

#include <math.h>
#include <pthread.h>

#define PLACES 64u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last; /* marks so far; a mark is in place number % PLACES. All under the lock */
static struct place {
    uint64_t number; /* 0: free */
    uint64_t peak;
    uint64_t floor; /* the device's peak when it began and could not be reset; 0: it could */
} places[PLACES];

double pit__mb(uint64_t bytes)
{
    return bytes == PIT_UNKNOWN ? (double)NAN : (double)bytes / PIT__MB;
}

int pit__device_read(pit_device_memory *memory)
{
    const pit_device *device = pit_get_device();
    *memory = (pit_device_memory){PIT_UNKNOWN, PIT_UNKNOWN, PIT_UNKNOWN};
    return device && device->memory && device->memory(device->arg, memory) == 0 ? 0 : -1;
}

void pit__await_device(void)
{
    const pit_device *device = pit_get_device();
    if (device && device->wait)
        device->wait(device->arg);
}

/* The peak since the last reset belongs to all that are open. A device that cannot reset its mark
 * has told something new only where the mark rose. */
static void fold(uint64_t peak)
{
    if (peak == PIT_UNKNOWN)
        return;
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].number && peak > places[i].floor &&
            (places[i].peak == PIT_UNKNOWN || peak > places[i].peak))
            places[i].peak = peak;
}

uint64_t pit__device_mark(uint64_t *allocated)
{
    const pit_device *device = pit_get_device();
    pit_device_memory memory;
    if (pit__device_read(&memory) != 0)
        return 0;
    *allocated = memory.allocated;
    pthread_mutex_lock(&lock);
    fold(memory.peak);
    int is_reset = device->reset_peak && device->reset_peak(device->arg) == 0;
    uint64_t number = ++last;
    /* Work that holds what was there already peaks at that, at least. */
    places[number % PLACES] =
        (struct place){.number = number,
                       .peak = is_reset ? memory.allocated : PIT_UNKNOWN,
                       .floor = is_reset || memory.peak == PIT_UNKNOWN ? 0 : memory.peak};
    pthread_mutex_unlock(&lock);
    return number;
}

int pit__device_unmark(uint64_t mark, uint64_t *allocated, uint64_t *peak)
{
    pit_device_memory memory;
    int code = pit__device_read(&memory);
    pthread_mutex_lock(&lock);
    struct place *place = &places[mark % PLACES];
    if (code == 0)
        fold(memory.peak);
    *allocated = memory.allocated;
    *peak = place->number == mark ? place->peak : PIT_UNKNOWN;
    if (place->number == mark)
        place->number = 0;
    pthread_mutex_unlock(&lock);
    return code;
}
