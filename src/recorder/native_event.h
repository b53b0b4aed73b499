/* native_event.h: samples of the main thread's instruction pointer, from the kernel's ring.
 *
 * Used by the sampler's thread only. The kernel does not pass the ring on to children: a child of fork
 * must not touch it.
 */
#ifndef PIT_NATIVE_EVENT_H
#define PIT_NATIVE_EVENT_H

#include "base/stack_event.h"

#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

/* A record's words after its header, as many as we use: of a sample its address, process and thread, time,
 * the kind of registers, two registers, the stack's bytes, the stack, and how many of these bytes are valid. */
#define PIT__NATIVE_WORDS (7 + PIT__STACK_WORDS + 1)

struct pit__native_event {
    struct perf_event_mmap_page *ring; /* NULL: none */
    size_t page_bytes, ring_bytes;     /* ring_bytes: of the mapping */
    uint64_t words[PIT__NATIVE_WORDS]; /* of the last record */
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
    uint64_t address;      /* of code: sampled, or newly mapped */
    uint64_t bytes;        /* of the mapping */
    uint64_t raw_ns;       /* of a sample: CLOCK_MONOTONIC_RAW */
    uint64_t lost;         /* samples that the ring had no room for */
    uint64_t base_pointer; /* of a sample */
    struct {
        uint64_t address;      /* the stack pointer */
        const uint64_t *words; /* from there on; valid until the next call */
        size_t count;          /* 0: not told */
    } stack;
};

/* Take the oldest record out of the ring; 0: there is none. */
int pit__native_event_next(struct pit__native_event *event, struct pit__native_record *record);

#endif
