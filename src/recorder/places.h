/* Where in the code the main thread was, by samples of its stack: a bounded table in the run.
 *
 * Only threads of our own call this: samplers, which hold no lock of the recorder's. Everything is
 * guarded by the recorder's own lock, which lies in wiped memory, so that a child of fork finds it free
 * and its recorder without life.
 */
#ifndef PIT_PLACES_H
#define PIT_PLACES_H

#include "recorder.h"

/* The main thread was at this place `samples` times, in this span. thread: index of its table, or
 * PIT_FMT_NO_THREAD; node: ref of the innermost open span's node, 0: outside of all spans (see
 * pit__main_place). kind: enum pit_fmt_place_kind. function and file may be NULL, line 0: not known.
 * Where there is no room for the place, the one that was met least gives way, and counts among the
 * samples of its span from then on. A recorder that is not alive is left alone. */
void pit__place_note(pit_recorder *rec, uint32_t thread, uint32_t node, uint32_t kind,
                     const char *function, const char *file, uint32_t line, uint64_t samples);

/* So many samples were taken and are of no use: they were lost, or nobody knows in which span they were. */
void pit__places_lost(pit_recorder *rec, uint32_t kind, uint64_t samples);

/* Samples of this kind are taken so often, from now on; or, with 0, are not, and why. */
void pit__places_source(pit_recorder *rec, uint32_t kind, double hz, const char *reason);

/* Samples of all kinds noted so far. */
uint64_t pit__places_samples(pit_recorder *rec);

/* What the process's main thread is in: index of its table or PIT_FMT_NO_THREAD, and the ref of the
 * innermost open span's node or 0. May be asked by any thread at any time: the main thread may begin and
 * end spans meanwhile, then it is one of those it was in. */
uint32_t pit__main_place(pit_recorder *rec, uint32_t *node);

/* The recorder goes. */
void pit__places_free(pit_recorder *rec);

#endif
