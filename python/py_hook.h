/* py_hook.h: shared by the hooks.
 *
 *   py_hook.c    the wrapper of a library's function: a span of every outermost call
 *   py_loop.c    steps of loops over a loader
 *   py_cut.c     steps of loops without one: they are cut where an optimiser's step ends
 *   py_jit.c     steps of programs whose training step is one compiled function
 *   py_scope.c   steps of a library's own trainer, by hooks on its functions
 *
 * Everything runs with the interpreter's lock held. */
#ifndef PITPY_HOOK_H
#define PITPY_HOOK_H

#include "pitpy.h"

/* The role of a hook, if it matters for steps. _auto.py has the same list. */
enum pitpy_role {
    PITPY_PLAIN,
    PITPY_MODEL,     /* Module.__call__ */
    PITPY_BACKWARD,  /* the engine of autograd */
    PITPY_OPTIMIZER, /* Optimizer.step */
    PITPY_APART,     /* not part of a step without training so far: checkpoints */
    PITPY_LOADER,    /* a loader's __iter__ */
    PITPY_MODE,      /* Module.train, also called by eval; makes no span */
    PITPY_JIT,       /* a compiled function: py_jit.c */
    PITPY_LEARNING,  /* called while a training function is traced; makes no span */
    PITPY_WAIT,      /* waits for the result of a compiled function */
    /* Roles of trainers: py_scope.c. */
    PITPY_CLOSURE,
    PITPY_STEP_BEGIN,
    PITPY_STEP_END,
    PITPY_STEP_WHOLE,
    PITPY_TRAINS,
    PITPY_EVALUATES,
    PITPY_EVALUATES_LOADER, /* its steps also begin with the loader's next */
};

#define PITPY_THREAD __thread __attribute__((tls_model("initial-exec")))
extern PITPY_THREAD unsigned pitpy_inside __attribute__((visibility("hidden"))); /* open kinds */
/* Number of spans of hooks on this thread, without those of a loader's next: shows whether any work was
 * done since an earlier value. */
extern PITPY_THREAD uint64_t pitpy_works __attribute__((visibility("hidden")));
/* Updates of the model on this thread: optimiser steps, and calls of compiled functions that train. */
extern PITPY_THREAD uint64_t pitpy_updates __attribute__((visibility("hidden")));

struct pitpy_counts {
    uint64_t spans, passed, steps;
    uint64_t calls;                  /* outermost calls */
    uint64_t watched, watched_ticks; /* of these, measured ones: the cost of hooking */
    /* intervals between two optimiser steps; those with exactly one backward pass */
    uint64_t runs, single_runs;
    uint64_t run_sum; /* backward passes in all of these intervals */
};
extern struct pitpy_counts pitpy_counts __attribute__((visibility("hidden")));

/* Names that hooks use by themselves. Never freed. NULL: memory is exhausted. */
struct pitpy_hook_names {
    pitpy_name *step, *eval_step, *loss;
};
extern struct pitpy_hook_names pitpy_hook_names __attribute__((visibility("hidden")));

/* Count a span of a hook; tells Python from time to time. */
void pitpy_note_span(void);
extern uint64_t pitpy_note_at __attribute__((visibility("hidden")));
static inline void pitpy_count_span(void)
{
    if (PITPY_UNLIKELY(++pitpy_counts.spans >= pitpy_note_at))
        pitpy_note_span();
}

/* ---- watching what a call costs: every now and then, of all that a hook does beside the call ---- */

struct pitpy_watch_call {
    uint64_t begin, call, done; /* 0: this call is not measured */
};
void pitpy_watch_begin(struct pitpy_watch_call *watch);
void pitpy_watch_end(struct pitpy_watch_call *watch);
uint64_t pitpy_watch_now(void);
extern uint64_t pitpy_watch_at __attribute__((visibility("hidden"))); /* the call to measure next */

static inline int pitpy_is_watched(void)
{
    return ++pitpy_counts.calls >= pitpy_watch_at;
}

/* Ask Python: look(what, object). Returns 1 yes, 0 no or an error. No exception is set or lost. */
int pitpy_look(const char *what, PyObject *object);
/* Call a function that answers yes or no; returns `otherwise` on an error. */
int pitpy_ask(PyObject *question, int otherwise);

/* ---- py_loop.c --------------------------------------------------------------------------------- */

PyObject *pitpy_next_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                PyObject *kwnames);
int pitpy_add_loop(PyObject *module);
/* Is a step of a loader's loop open where the calling code runs? */
int pitpy_in_loop(void);
/* Evaluation begins: the step of a training loop around it ends, or is cancelled if it has no work. */
void pitpy_loop_pause(void);
/* Was the last loop left after one batch without any work: next(iter(loader))? */
int pitpy_loop_was_thrown(void);

/* ---- py_scope.c -------------------------------------------------------------------------------- */

PyObject *pitpy_scope_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames);
/* The trainer's loop that the thread is in; NULL: none. Inside it nothing else makes steps. */
extern PITPY_THREAD struct pitpy_scope *pitpy_scope __attribute__((visibility("hidden")));
int pitpy_scope_trains(void);
PyObject *pitpy_trainer_begin(PyObject *module, PyObject *kind);
PyObject *pitpy_trainer_end(PyObject *module, PyObject *kind);
/* A loader is asked for a batch: returns 1 if a step began. The second is called if there was no batch. */
int pitpy_scope_before_next(void);
void pitpy_scope_no_item(void);
/* The span of the optimiser that steps on this thread, until its closure is called. */
struct pitpy_optimizer {
    pitpy_open *open;
    pitpy_name *name;
    int64_t depth;  /* number of open spans, including it */
    int has_failed; /* its closure failed, so it did nothing itself */
};
extern PITPY_THREAD struct pitpy_optimizer pitpy_optimizer __attribute__((visibility("hidden")));

/* ---- py_cut.c ---------------------------------------------------------------------------------- */

/* Called before and after an outermost call. The result of `before` is passed to `after`. */
int pitpy_cut_before(const pitpy_timed *hook, PyObject *const *args, Py_ssize_t count,
                     PyObject *kwnames);
void pitpy_cut_after(const pitpy_timed *hook, PyObject *object, int cut, int is_good);
/* A trainer's loop begins: a step without training so far is cancelled. */
void pitpy_cut_scope(void);
/* Module.train was called. */
void pitpy_cut_mode(PyObject *module);
/* A step of a loop is about to begin, with training or not. Returns 0 if it must not: the current step
 * continues. */
int pitpy_cut_for_loop(int learns, int is_new);
/* Is the model being evaluated, as far as known? */
int pitpy_is_evaluating(void);
/* The program has made an optimiser. */
void pitpy_cut_optimizer_made(void);
int pitpy_has_optimizer(void);
/* This many spans are around everything from now on: steps are made below them. */
void pitpy_cut_base(int spans);
int pitpy_cut_get_base(void);

/* ---- py_jit.c ---------------------------------------------------------------------------------- */

/* Flags of a hook with the role PITPY_JIT. _auto_jax.py has the same. */
enum {
    PITPY_JIT_LEARNS = 1,
    PITPY_JIT_EXPECTED = 2,
    PITPY_JIT_EVALUATES = 4,
    PITPY_JIT_UPDATES = 8, /* it applies updates */
    PITPY_JIT_CUTS = 16,   /* it takes gradients, and no other function applies them */
    PITPY_JIT_FEEDS = 32   /* it takes gradients that another function applies */
};
/* Called before and after an outermost call. The result of `before` is passed to `after`. */
pitpy_timed *pitpy_jit_before(pitpy_timed *hook);
void pitpy_jit_after(pitpy_timed *hook, pitpy_timed *outer);
/* The function being traced is a training step; more flags of it. */
void pitpy_jit_learns(unsigned flags);
/* The program has waited for a value. */
void pitpy_jit_waited(void);
void pitpy_jit_leave(void);

#endif
