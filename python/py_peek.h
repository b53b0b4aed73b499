/* py_peek.h: the instruction that a thread is at, read without the interpreter's lock. */
#ifndef PITPY_PEEK_H
#define PITPY_PEEK_H

#include <stdint.h>

#define PITPY_PEEK_FRAMES 16 /* frames that are compared, the innermost first */

struct pitpy_seen {
    const void *frame, *code; /* only compared, never used */
    uintptr_t at;
};
struct pitpy_peek {
    struct pitpy_seen seen[PITPY_PEEK_FRAMES];
    int count;
};

void pitpy_peek(const PyThreadState *state, struct pitpy_peek *peek);
/* With the lock: the line of this frame's instruction then; 0: the frame was not there then. */
int pitpy_peeked_line(const struct pitpy_peek *peek, PyFrameObject *frame, PyCodeObject *code);

/* The main thread calls what is pending before its next instruction; needs no lock. Before 3.12 only. */
void pitpy_wake_main(void);

#endif
