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

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if PY_VERSION_HEX < 0x030C0000
#include <internal/pycore_interp.h> /* the flag that interrupts the main thread */
#endif
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

static int copy(pid_t self, void *to, const void *from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)from, bytes};
    return from && process_vm_readv(self, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static const void *innermost(pid_t self, const PyThreadState *state)
{
    const void *frame = NULL;
#if PY_VERSION_HEX >= 0x030D0000
    return copy(self, &frame, &state->current_frame, sizeof frame) ? frame : NULL;
#elif HAS_RECORDS
    const _PyCFrame *inside = NULL;
    if (!copy(self, &inside, &state->cframe, sizeof inside))
        return NULL;
    return copy(self, &frame, &inside->current_frame, sizeof frame) ? frame : NULL;
#else
    return copy(self, &frame, &state->frame, sizeof frame) ? frame : NULL;
#endif
}

/* Memory that was copied at once. The caller's record usually is a little below that of the frame it called;
 * what is copied with it does not begin before its page, which may be the first one that is there. */
#define PAGE 4096u
struct window {
    uintptr_t from, end;
    char bytes[HAS_RECORDS ? 2048 : sizeof(frame_record)];
};

static int copy_record(pid_t self, struct window *window, frame_record *to, const void *from)
{
    uintptr_t at = (uintptr_t)from, end = at + sizeof *to;
    if (at < window->from || end > window->end || end < at) {
        uintptr_t first = at - at % PAGE;
        window->from = end - first > sizeof window->bytes ? end - sizeof window->bytes : first;
        window->end = end;
        if (!copy(self, window->bytes, (const void *)window->from, end - window->from)) {
            window->from = window->end = 0;
            return 0;
        }
    }
    memcpy(to, window->bytes + (at - window->from), sizeof *to);
    return 1;
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
    struct window window;
    pid_t self = getpid();
    const void *frame = state ? innermost(self, state) : NULL;
    window.from = window.end = 0;
    for (peek->count = 0; peek->count < PITPY_PEEK_FRAMES; peek->count++) {
        if (!frame || !copy_record(self, &window, &record, frame))
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

#if PY_VERSION_HEX < 0x030C0000
/* The flag says only that the main thread has something to look at; it looks, and sets it again. */
void pitpy_wake_main(void)
{
    _Py_atomic_store_relaxed(&PyInterpreterState_Main()->ceval.eval_breaker, 1);
}
#endif

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
