/* See native_places.h.
 *
 *   the kernel's ring ──▶ address, time ──▶ span_at.c: the span ──┐
 *                                └────────▶ code_names.c: the function ──▶ places.c: the run
 *                          └─▶ stack ──▶ code_callers.c: who called libc or libm
 *
 * All of it runs on the sampler's thread; the program is not interrupted. A sample in an unknown function
 * waits for its name: a lookup may take a millisecond in a large library, so lookups are made rarely
 * enough to stay below NAMES_SHARE of the time.
 */
#include "native_places.h"

#include "base/place_words.h"
#include "base/stack_event.h"
#include "code_callers.h"
#include "code_names.h"
#include "native_event.h"
#include "places.h"
#include "span_at.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define NAMES_SHARE 2000u /* one part of so many */
#define BATCH 256u        /* samples that are matched to spans at once */

double pit__native_hz;

/* Samples that wait for the name of their function, and for that of the library's function that it called. */
struct waiting {
    uint64_t address, called; /* called 0: none */
    uint64_t samples;
    uint32_t thread, node;
};
#define MOST_WAITING (PIT__CODE_WANTED / 2)

struct pit__native {
    struct pit__native_event event;
    struct pit__span_view view;
    uint64_t look_up_at; /* monotonic clock, ns: no lookups before it */
    uint32_t waiting_count;
    struct waiting waiting[MOST_WAITING];
    struct {
        uint64_t address, called, raw_ns;
    } batch[BATCH];
    uint32_t batch_count;
    struct pit__code_names names;
    struct pit__code_callers callers;
};

/* ---- notes --------------------------------------------------------------------------------- */

static void note(pit_recorder *rec, const struct waiting *w, const char *function, const char *file)
{
    pit__place_note(rec, w->thread, w->node, PIT_FMT_PLACE_NATIVE, function, file, 0, w->samples);
}

/* As programs call it: "free" for "__libc_free". A function without a symbol has the name of its library. */
static const char *name_of_called(const struct pit__code_function *called)
{
    static const char *const inner[] = {"__libc_", "_IO_"};
    const char *name = called->name;
    if (!pit__code_has_name(called))
        return called->file;
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
        if (strncmp(name, inner[i], strlen(inner[i])) == 0)
            name += strlen(inner[i]);
    name += strspn(name, "_");
    return *name ? name : called->name;
}

/* Returns 0 if a function of this sample is not known yet. */
static int note_if_known(struct pit__native *native, pit_recorder *rec, const struct waiting *w)
{
    char both[2 * PIT__CODE_NAME + sizeof PIT__CALLING];
    const struct pit__code_function *f = pit__code_known(&native->names, w->address),
                                    *called = NULL;
    if (w->called)
        called = pit__code_known(&native->names, w->called);
    if (!f || (w->called && !called))
        return 0;
    if (called)
        snprintf(both, sizeof both, "%s" PIT__CALLING "%s", f->name, name_of_called(called));
    note(rec, w, called ? both : f->name, f->file);
    return 1;
}

/* Note those whose functions are now known; the others keep waiting. */
static void note_known(struct pit__native *native, pit_recorder *rec)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < native->waiting_count; i++) {
        struct waiting w = native->waiting[i];
        if (!note_if_known(native, rec, &w))
            native->waiting[left++] = w;
    }
    native->waiting_count = left;
}

static uint64_t thread_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void look_up(struct pit__native *native, pit_recorder *rec)
{
    uint64_t addresses[PIT__CODE_WANTED], began = thread_ns();
    uint32_t count = 0;
    for (uint32_t i = 0; i < native->waiting_count; i++) {
        addresses[count++] = native->waiting[i].address;
        if (native->waiting[i].called)
            addresses[count++] = native->waiting[i].called;
    }
    pit__code_look_up(&native->names, addresses, count);
    note_known(native, rec);
    native->look_up_at = pit__clock_monotonic_ns() + (thread_ns() - began) * NAMES_SHARE;
}

static void wait_for_name(struct pit__native *native, pit_recorder *rec, struct waiting sample)
{
    for (uint32_t i = 0; i < native->waiting_count; i++) {
        struct waiting *w = &native->waiting[i];
        if (w->address == sample.address && w->called == sample.called && w->node == sample.node &&
            w->thread == sample.thread) {
            w->samples += sample.samples;
            return;
        }
    }
    if (native->waiting_count == MOST_WAITING)
        look_up(native, rec);
    if (native->waiting_count < MOST_WAITING)
        native->waiting[native->waiting_count++] = sample;
    else
        pit__places_lost(rec, PIT_FMT_PLACE_NATIVE, sample.samples);
}

/* ---- samples ------------------------------------------------------------------------------- */

/* The span clock's ticks at this time of the raw clock, from two readings of both: the run's first, and
 * one just taken. */
static uint64_t ticks_of(uint64_t raw_ns, const struct pit_fmt_pair *first,
                         const struct pit_fmt_pair *now)
{
    double span_ns = (double)(now->raw_ns - first->raw_ns);
    double rate = span_ns > 0 ? (double)(now->ticks - first->ticks) / span_ns : 1;
    double ago_ns = now->raw_ns > raw_ns ? (double)(now->raw_ns - raw_ns) : 0;
    return now->ticks - (uint64_t)(ago_ns * rate);
}

static void note_batch(struct pit__native *native, pit_recorder *rec)
{
    if (!native->batch_count)
        return;
    struct pit_fmt_pair now = pit__clock_pair();
    pit__span_look(&native->view, rec); /* after the last sample: the stack is no older than it */
    for (uint32_t i = 0; i < native->batch_count; i++) {
        uint64_t ticks = ticks_of(native->batch[i].raw_ns, &rec->first, &now);
        struct waiting sample = {native->batch[i].address, native->batch[i].called, 1,
                                 native->view.index, pit__span_at(&native->view, ticks)};
        if (sample.node == PIT__SPAN_UNKNOWN) {
            pit__places_lost(rec, PIT_FMT_PLACE_NATIVE, 1);
            continue;
        }
        if (!note_if_known(native, rec, &sample))
            wait_for_name(native, rec, sample);
    }
    native->batch_count = 0;
}

/* Waiting samples belong to code that was unmapped: it has no name any more. */
static void code_mapped(struct pit__native *native, pit_recorder *rec, uint64_t low, uint64_t bytes)
{
    uint32_t left = 0;
    note_batch(native, rec);
    for (uint32_t i = 0; i < native->waiting_count; i++) {
        struct waiting w = native->waiting[i];
        if (w.address - low < bytes || w.called - low < bytes)
            note(rec, &w, "[unknown]", "[unmapped]");
        else
            native->waiting[left++] = w;
    }
    native->waiting_count = left;
    pit__code_forget(&native->names, low, low + bytes);
    pit__code_callers_forget(&native->callers);
}

/* A sample in libc or libm belongs to the function that called it. */
static void add_to_batch(struct pit__native *native, const struct pit__native_record *record)
{
    const struct pit__stack_copy stack = {record->stack.address, record->stack.words,
                                          record->stack.count};
    const struct pit__frame frame = {record->address, record->stack.address, record->base_pointer};
    uint64_t called = 0, caller = pit__code_caller(&native->callers, frame, &stack, &called);
    uint32_t i = native->batch_count++;
    native->batch[i].address = caller ? caller : record->address;
    native->batch[i].called = caller ? called : 0;
    native->batch[i].raw_ns = record->raw_ns;
}

static void take_samples(struct pit__native *native, pit_recorder *rec)
{
    struct pit__native_record record;
    while (pit__native_event_next(&native->event, &record)) {
        if (record.kind == PIT__NATIVE_LOST) {
            pit__places_lost(rec, PIT_FMT_PLACE_NATIVE, record.lost);
            pit__code_forget(&native->names, 0, UINT64_MAX); /* a mapping may be among those lost */
            pit__code_callers_forget(&native->callers);
        } else if (record.kind == PIT__NATIVE_MAPPED) {
            code_mapped(native, rec, record.address, record.bytes);
        } else if (record.kind == PIT__NATIVE_SAMPLE) {
            add_to_batch(native, &record);
            if (native->batch_count == BATCH)
                note_batch(native, rec);
        }
    }
    note_batch(native, rec);
}

/* ---- the sampler's calls ------------------------------------------------------------------- */

/* Children get no copy: the ring is not theirs, and they start their own. */
static struct pit__native *native_new(void)
{
    void *made = mmap(NULL, sizeof(struct pit__native), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    madvise(made, sizeof(struct pit__native), MADV_DONTFORK);
    return made;
}

struct pit__native *pit__native_begin(pit_recorder *rec)
{
    double hz = pit__native_hz > 0 ? pit__native_hz : rec->sample_stacks;
    if (!(hz > 0))
        return NULL;
    struct pit__native *native = native_new();
    if (!native)
        return NULL;
    int error = pit__native_event_start(&native->event, hz);
    pit__places_source(rec, PIT_FMT_PLACE_NATIVE, error ? 0 : hz,
                       error ? pit__stack_event_reason(error) : NULL);
    if (!error)
        return native;
    munmap(native, sizeof *native);
    return NULL;
}

void pit__native_turn(struct pit__native *native, pit_recorder *rec)
{
    if (!native)
        return;
    take_samples(native, rec);
    if (native->waiting_count && pit__clock_monotonic_ns() >= native->look_up_at)
        look_up(native, rec);
}

void pit__native_end(struct pit__native *native, pit_recorder *rec)
{
    if (!native)
        return;
    take_samples(native, rec);
    if (native->waiting_count)
        look_up(native, rec);
    pit__native_event_stop(&native->event);
    munmap(native, sizeof *native);
}
