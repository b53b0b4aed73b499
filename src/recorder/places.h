/* Where in the code the main thread was, by samples of its stack: a bounded table in the run.
 *
 * Called only by our own threads: samplers, which hold no lock of the recorder. Everything is guarded
 * by the recorder's own lock, which is in wiped memory: a child of fork finds it free, and its recorder
 * inactive.
 */
#ifndef PIT_PLACES_H
#define PIT_PLACES_H

#include "recorder.h"

/* The main thread was at this place `samples` times, in this span. thread: index of its table, or
 * PIT_FMT_NO_THREAD; node: ref of the innermost open span's node, 0: outside all spans (see
 * pit__main_place). kind: enum pit_fmt_place_kind. function and file may be NULL, line 0: not known.
 * If there is no room for the place, it replaces the one with the fewest samples, which then count
 * only for their span. Does nothing if the recorder is not active. */
void pit__place_note(pit_recorder *rec, uint32_t thread, uint32_t node, uint32_t kind,
                     const char *function, const char *file, uint32_t line, uint64_t samples);

/* Count samples that cannot be used: they were lost, or their span is not known. */
void pit__places_lost(pit_recorder *rec, uint32_t kind, uint64_t samples);

/* From now on, samples of this kind are taken at this rate. Rate 0: none are taken, and `why` is the
 * reason. */
void pit__places_source(pit_recorder *rec, uint32_t kind, double hz, const char *reason);

/* Samples of all kinds noted so far. */
uint64_t pit__places_samples(pit_recorder *rec);

/* Where the process's main thread is: index of its table or PIT_FMT_NO_THREAD, and the ref of the
 * innermost open span's node or 0. Any thread may call it at any time: if the main thread begins and ends
 * spans meanwhile, the result is one of those it was in. */
uint32_t pit__main_place(pit_recorder *rec, uint32_t *node);

/* The recorder is being freed. */
void pit__places_free(pit_recorder *rec);

#endif
