/* code_callers.h: which function of the program called the function of libc or libm that a sample is in.
 *
 * Users can change their own code: `exp` alone tells nothing, `decay calling exp` tells where to look. Only on
 * x86-64; elsewhere no caller is found.
 *
 * Used by the sampler's thread only. */
#ifndef PIT_CODE_CALLERS_H
#define PIT_CODE_CALLERS_H

#include "code_frames.h"

#define PIT__CODE_RANGES 256u /* mappings of code that are known; further ones have no callers */

struct pit__code_callers {
    uint32_t count;
    int is_read; /* the list is complete */
    struct pit__code_range {
        uint64_t low, high;
        uint64_t first; /* where the first byte of the file is mapped */
        int is_runtime; /* the C library and the like */
        int is_searched;
        struct pit__frame_table table;
    } ranges[PIT__CODE_RANGES];
};

/* Mappings may have changed. */
void pit__code_callers_forget(struct pit__code_callers *callers);

/* An address inside the call that led from other code into the runtime library where `frame` is; `called` is
 * set to an address in the library's function that was called. 0: it is in no such library, or the caller
 * cannot be found. */
uint64_t pit__code_caller(struct pit__code_callers *callers, struct pit__frame frame,
                          const struct pit__stack_copy *stack, uint64_t *called);

/* Is it the C library, the mathematical library, or another one that a compiler links by itself? */
int pit__is_runtime(const char *path);

#endif
