/* native_event.h: samples of the main thread's instruction pointer, from the kernel's ring.
 *
 * Used by the sampler's thread only. The kernel does not pass the ring on to children: a child of fork
 * must not touch it.
 */
#ifndef PIT_NATIVE_EVENT_H
#define PIT_NATIVE_EVENT_H

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct pit__native_event {
    struct perf_event_mmap_page *ring; /* NULL: none */
    size_t page_bytes, ring_bytes;     /* ring_bytes: of the mapping */
};

/* Sample the process's main thread from now on. 0, or an errno. */
int pit__native_event_start(struct pit__native_event *event, double hz);
void pit__native_event_stop(struct pit__native_event *event);

enum pit__native_record_kind {
    PIT__NATIVE_OTHER,
    PIT__NATIVE_SAMPLE,
    PIT__NATIVE_LOST,
    PIT__NATIVE_MAPPED
};

struct pit__native_record {
    enum pit__native_record_kind kind;
    uint64_t address; /* of code: sampled, or newly mapped */
    uint64_t bytes;   /* of the mapping */
    uint64_t raw_ns;  /* of a sample: CLOCK_MONOTONIC_RAW */
    uint64_t lost;    /* samples that the ring had no room for */
};

/* Take the oldest record out of the ring; 0: there is none. */
int pit__native_event_next(struct pit__native_event *event, struct pit__native_record *record);

#endif
