/* Where a thread is at this moment, read without the interpreter's lock.
 *
 * A sample is taken where the main thread next releases the lock. That may be some lines later: `word in
 * a_list` does not release it. So the current instruction is read first, and it counts if the sample
 * then finds the same frame.
 *
 * The thread keeps running meanwhile, so the data may be inconsistent, and its memory may be freed. The
 * kernel copies it (process_vm_readv): a wrong address gives an error, not a fault. The copy is only
 * compared with a frame that the lock protects; no pointer in it is followed. The structures differ
 * between versions of Python; with an unknown version nothing is read.
 */
#define Py_BUILD_CORE 1 /* the structures of frames */
#include "pitpy.h"

#include "py_peek.h"

#include <sys/uio.h>
#include <unistd.h>

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030E0000
#define HAS_RECORDS 1 /* a frame is a record on a stack of their own */
#include <internal/pycore_frame.h>
typedef struct _PyInterpreterFrame frame_record;
#elif PY_VERSION_HEX < 0x030B0000
#define HAS_RECORDS 0
#include <frameobject.h>
typedef PyFrameObject frame_record;
#endif

#if PY_VERSION_HEX < 0x030E0000

static int copy(void *to, const void *from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
    return from && process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static const void *innermost(const PyThreadState *state)
{
    const void *frame = NULL;
#if PY_VERSION_HEX >= 0x030D0000
    return copy(&frame, &state->current_frame, sizeof frame) ? frame : NULL;
#elif HAS_RECORDS
    const _PyCFrame *inside = NULL;
    if (!copy(&inside, &state->cframe, sizeof inside))
        return NULL;
    return copy(&frame, &inside->current_frame, sizeof frame) ? frame : NULL;
#else
    return copy(&frame, &state->frame, sizeof frame) ? frame : NULL;
#endif
}

static struct pitpy_seen seen_of(const frame_record *record)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (struct pitpy_seen){NULL, record->f_executable, (uintptr_t)record->instr_ptr};
#elif HAS_RECORDS
    return (struct pitpy_seen){NULL, record->f_code, (uintptr_t)record->prev_instr};
#else
    return (struct pitpy_seen){NULL, record->f_code, (uintptr_t)record->f_lasti};
#endif
}

void pitpy_peek(const PyThreadState *state, struct pitpy_peek *peek)
{
    frame_record record;
    const void *frame = state ? innermost(state) : NULL;
    for (peek->count = 0; peek->count < PITPY_PEEK_FRAMES; peek->count++) {
        if (!copy(&record, frame, sizeof record))
            return;
        peek->seen[peek->count] = seen_of(&record);
        peek->seen[peek->count].frame = frame;
#if HAS_RECORDS
        frame = record.previous;
#else
        frame = record.f_back;
#endif
    }
}

/* Bytes from the beginning of the code. */
static Py_ssize_t offset_of(const struct pitpy_seen *seen, PyCodeObject *code)
{
#if HAS_RECORDS
    return (Py_ssize_t)(seen->at - (uintptr_t)_PyCode_CODE(code));
#elif PY_VERSION_HEX >= 0x030A0000
    (void)code;
    return (Py_ssize_t)seen->at * (Py_ssize_t)sizeof(_Py_CODEUNIT);
#else
    (void)code;
    return (Py_ssize_t)seen->at;
#endif
}

static Py_ssize_t bytes_of(PyCodeObject *code)
{
#if HAS_RECORDS
    return Py_SIZE(code) * (Py_ssize_t)sizeof(_Py_CODEUNIT);
#else
    return PyBytes_GET_SIZE(code->co_code);
#endif
}

int pitpy_peeked_line(const struct pitpy_peek *peek, PyFrameObject *frame, PyCodeObject *code)
{
#if HAS_RECORDS
    const void *record = frame->f_frame;
#else
    const void *record = frame;
#endif
    const struct pitpy_seen *first = NULL; /* of this code: the innermost call of a recursion */
    for (int i = 0; i < peek->count; i++) {
        if (peek->seen[i].code != code)
            continue;
        first = first ? first : &peek->seen[i];
        if (peek->seen[i].frame != record)
            continue;
        Py_ssize_t offset = offset_of(first, code);
        return offset >= 0 && offset < bytes_of(code) ? PyCode_Addr2Line(code, (int)offset) : 0;
    }
    return 0;
}

#else

void pitpy_peek(const PyThreadState *state, struct pitpy_peek *peek)
{
    (void)state;
    peek->count = 0;
}

int pitpy_peeked_line(const struct pitpy_peek *peek, PyFrameObject *frame, PyCodeObject *code)
{
    (void)peek;
    (void)frame;
    (void)code;
    return 0;
}

#endif
