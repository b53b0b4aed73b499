/* py_frame.h: frames of the interpreter, as far as spans need them: does a frame belong to a generator,
 * which frame called it, which instruction runs. The interpreter's private structs are declared here for
 * each known version; for other versions there are no frames, and generators count as plain code. */
#ifndef PITPY_FRAME_H
#define PITPY_FRAME_H

#include <Python.h>
#include <frameobject.h>

#if PY_VERSION_HEX >= 0x030E0000 || defined(Py_GIL_DISABLED)
#define PITPY_FRAMES 0
#else
#define PITPY_FRAMES 1
#endif

#if !PITPY_FRAMES
typedef struct pitpy_frame {
    PyCodeObject *f_code;
    PyObject *f_globals;
    struct pitpy_frame *previous;
} pitpy_frame;

static inline pitpy_frame *pitpy_frame_now(const PyThreadState *state)
{
    (void)state;
    return NULL;
}
#elif PY_VERSION_HEX < 0x030B0000
typedef PyFrameObject pitpy_frame;
#define previous f_back

static inline pitpy_frame *pitpy_frame_now(const PyThreadState *state)
{
    return state->frame;
}
#else
/* The interpreter's struct _PyInterpreterFrame, up to the last member that we use. */
typedef struct pitpy_frame {
#if PY_VERSION_HEX < 0x030C0000
    PyObject *function, *f_globals, *builtins, *locals;
    PyCodeObject *f_code;
    PyFrameObject *frame_object;
    struct pitpy_frame *previous;
    void *instruction;
    int stack_top;
    _Bool is_entry;
    char owner;
#else
    PyCodeObject *f_code; /* None in an internal frame of the interpreter */
    struct pitpy_frame *previous;
    PyObject *function, *f_globals, *builtins, *locals;
    PyFrameObject *frame_object;
    void *instruction;
    int stack_top;
    uint16_t return_offset;
    char owner;
#endif
} pitpy_frame;
#define PITPY_OWNER_GENERATOR 1
#define PITPY_OWNER_C_STACK 3

static inline pitpy_frame *pitpy_frame_now(const PyThreadState *state)
{
#if PY_VERSION_HEX < 0x030D0000
    return (pitpy_frame *)(void *)state->cframe->current_frame;
#else
    return (pitpy_frame *)(void *)state->current_frame;
#endif
}
#endif

/* Does the frame belong to a generator, an asynchronous generator or a coroutine? Not if it is NULL, when
 * only C code runs. */
static inline int pitpy_frame_is_generator(const pitpy_frame *frame)
{
#if !PITPY_FRAMES
    (void)frame;
    return 0;
#elif PY_VERSION_HEX < 0x030B0000
    return frame && frame->f_gen != NULL;
#else
    return frame && frame->owner == PITPY_OWNER_GENERATOR;
#endif
}

/* The generator of such a frame; borrowed. */
static inline PyObject *pitpy_frame_generator(pitpy_frame *frame)
{
#if !PITPY_FRAMES
    (void)frame;
    return NULL;
#elif PY_VERSION_HEX < 0x030B0000
    return frame->f_gen;
#else
    return (PyObject *)(void *)((char *)frame - offsetof(PyGenObject, gi_iframe));
#endif
}

/* The frame of Python code that called it, or NULL. */
static inline pitpy_frame *pitpy_frame_caller(const pitpy_frame *frame)
{
    pitpy_frame *caller = frame->previous;
#if PITPY_FRAMES && PY_VERSION_HEX >= 0x030C0000
    while (caller && caller->owner == PITPY_OWNER_C_STACK)
        caller = caller->previous;
#endif
    return caller;
}

/* The instruction that runs, counted in units of two bytes. */
static inline Py_ssize_t pitpy_frame_instruction(const pitpy_frame *frame)
{
#if !PITPY_FRAMES
    (void)frame;
    return 0;
#elif PY_VERSION_HEX < 0x030A0000
    return frame->f_lasti / 2;
#elif PY_VERSION_HEX < 0x030B0000
    return frame->f_lasti;
#else
    return ((const char *)frame->instruction - (const char *)frame->f_code->co_code_adaptive) / 2;
#endif
}

#undef previous
#endif
