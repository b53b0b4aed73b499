/* See native_event.h.
 *
 * The event lives as long as its ring is mapped, so its descriptor is closed at once: the program never
 * sees a descriptor that it did not open, and cannot close ours.
 */
#include "native_event.h"

#include "base/stack_event.h"
#include "format/ordered.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_PAGES 8u /* of data: 1024 samples where a page has 4 kB */
#define LEAST_PAGES 1u

/* Users may lock little memory for their rings, shared by all their processes: a small ring is
 * better than none. */
static int map_ring(struct pit__native_event *event, int fd)
{
    int error = 0;
    event->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    for (unsigned pages = MOST_PAGES; pages >= LEAST_PAGES; pages /= 2) {
        event->ring_bytes = (1 + pages) * event->page_bytes;
        void *ring = mmap(NULL, event->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (ring != MAP_FAILED) {
            event->ring = ring;
            return 0;
        }
        error = errno;
    }
    return error == EPERM ? ENOMEM : error; /* the memory is refused, not the event */
}

int pit__native_event_start(struct pit__native_event *event, double hz)
{
    *event = (struct pit__native_event){0};
    int fd = pit__stack_event_open(getpid(), hz);
    if (fd < 0)
        return -fd;
    int error = map_ring(event, fd);
    syscall(SYS_close, fd);
    return error;
}

void pit__native_event_stop(struct pit__native_event *event)
{
    if (event->ring)
        munmap(event->ring, event->ring_bytes);
    event->ring = NULL;
}

/* Copy bytes of the ring, which may wrap around its end. */
static void copy_out(const struct pit__native_event *event, uint64_t at, void *to, size_t bytes)
{
    const char *data = (const char *)event->ring + event->page_bytes;
    size_t room = event->ring_bytes - event->page_bytes, from = (size_t)(at % room);
    size_t first = bytes < room - from ? bytes : room - from;
    memcpy(to, data + from, first);
    memcpy((char *)to + first, data, bytes - first);
}

/* After the time: the kind of registers, 0 if there are none, which are then left out; the registers; the
 * stack. The kernel copies no more than the stack has, and says at the end how many bytes are valid. */
static void read_stack(struct pit__native_record *record, const uint64_t *words, size_t count)
{
    if (count < 8 || words[3] == 0)
        return;
    size_t room = (size_t)words[6] / sizeof *words;
    if (room == 0 || count < 7 + room + 1)
        return;
    size_t valid = (size_t)words[7 + room] / sizeof *words;
    record->base_pointer = words[4];
    record->stack.address = words[5];
    record->stack.words = words + 7;
    record->stack.count = valid < room ? valid : room;
}

/* `words` are those after the header, as the kernel lays them out; `count` of them are valid. */
static void read_record(struct pit__native_record *record, uint32_t type, const uint64_t *words,
                        size_t count)
{
    switch (type) {
    case PERF_RECORD_SAMPLE: /* ip, pid and tid, time, registers, stack */
        record->kind = PIT__NATIVE_SAMPLE;
        record->address = words[0];
        record->raw_ns = words[2];
        read_stack(record, words, count);
        break;
    case PERF_RECORD_LOST: /* id, lost */
        record->kind = PIT__NATIVE_LOST;
        record->lost = words[1];
        break;
    case PERF_RECORD_MMAP: /* pid and tid, address, bytes */
        record->kind = PIT__NATIVE_MAPPED;
        record->address = words[1];
        record->bytes = words[2];
        break;
    default:
        break;
    }
}

int pit__native_event_next(struct pit__native_event *event, struct pit__native_record *record)
{
    *record = (struct pit__native_record){.kind = PIT__NATIVE_OTHER};
    if (!event->ring)
        return 0;
    uint64_t head = PIT_LOAD_ACQUIRE(event->ring->data_head);
    uint64_t tail = PIT_LOAD(event->ring->data_tail);
    struct perf_event_header header;
    if (head - tail < sizeof header)
        return 0;
    copy_out(event, tail, &header, sizeof header);
    if (header.size < sizeof header || header.size > head - tail) {
        PIT_STORE_ORDERED(event->ring->data_tail, head); /* should not happen; never get stuck */
        return 0;
    }
    size_t bytes = header.size - sizeof header;
    bytes = bytes < sizeof event->words ? bytes : sizeof event->words;
    memset(event->words, 0, 4 * sizeof *event->words);
    copy_out(event, tail + sizeof header, event->words, bytes);
    read_record(record, header.type, event->words, bytes / sizeof *event->words);
    PIT_STORE_ORDERED(event->ring->data_tail, tail + header.size);
    return 1;
}
