/* py_jit.c: steps of programs whose training step is one compiled function, or two (JAX).
 *
 * A function that takes gradients or applies updates while it is traced is a training step: a `step` lasts
 * from the end of its previous call to the end of this one, so fetching the batch is inside; the first one
 * begins with the call. If one function takes gradients and another one applies them, the second one ends the
 * step. So after the first call of a function that takes gradients, the step stays open until it is known
 * which case this is. Before the first call Python reports what it knows: the code takes gradients (EXPECTED)
 * or applies updates, or the name suggests an evaluation; the call is then an `eval_step` unless it trains.
 * An `eval_step` lasts until the program has waited for a value or calls the next function, because the call
 * returns before the work is done.
 *
 * No steps are made in a trainer's loop, in a loop over a loader, inside spans of the program, or on
 * threads other than the one with the step. */
#include "py_hook.h"

static PITPY_THREAD pitpy_timed *traced; /* the outermost function that is being called */
static PITPY_THREAD struct {
    int is_open, evaluates;
    pitpy_timed
        *by; /* owned; not NULL: it was called, and the step ends when something else begins */
    pitpy_open open;
} step;

static int learns(const pitpy_timed *hook)
{
    return (hook->flags & (PITPY_JIT_LEARNS | PITPY_JIT_EXPECTED | PITPY_JIT_UPDATES)) != 0;
}

/* Is the step innermost here, or can one begin? */
static int is_at_hand(void)
{
    if (pitpy_scope || pitpy_in_loop())
        return 0;
    const pitpy_flow *flow = pitpy_flow_here();
    int64_t open = flow->open - pitpy_cut_get_base();
    return step.is_open ? step.open.flow == flow && open == 1 : open == 0;
}

static void begin(int evaluates)
{
    pitpy_name *name = evaluates ? pitpy_hook_names.eval_step : pitpy_hook_names.step;
    if (!name)
        return;
    pitpy_count_span();
    pitpy_begin(name, 0, &step.open);
    step.is_open = 1;
    step.evaluates = evaluates;
}

static void drop(void)
{
    step.is_open = 0;
    Py_CLEAR(step.by);
    pitpy_drop(&step.open);
    pitpy_counts.spans--;
}

static void end(void)
{
    step.is_open = 0;
    Py_CLEAR(step.by);
    pitpy_counts.steps++;
    pitpy_end(&step.open);
}

void pitpy_jit_leave(void)
{
    if (step.is_open && step.by)
        end();
    else if (step.is_open)
        drop();
    traced = NULL;
}

/* Does the step that only waits for its end stop here? An update belongs to the gradients before it. */
static int is_over(const pitpy_timed *hook, int evaluates)
{
    return step.evaluates || evaluates || (learns(hook) && !(hook->flags & PITPY_JIT_UPDATES));
}

pitpy_timed *pitpy_jit_before(pitpy_timed *hook)
{
    pitpy_timed *outer = traced;
    traced = hook;
    if (!is_at_hand())
        return outer;
    int evaluates = !learns(hook) && hook->flags & PITPY_JIT_EVALUATES;
    if (step.is_open && step.by && is_over(hook, evaluates)) {
        if (step.by == hook && !evaluates)
            hook->flags |= PITPY_JIT_CUTS;
        end();
        begin(0);
    }
    if (evaluates && step.is_open)
        drop();
    if (!step.is_open && (evaluates || learns(hook)))
        begin(evaluates);
    return outer;
}

void pitpy_jit_after(pitpy_timed *hook, pitpy_timed *outer)
{
    traced = outer;
    pitpy_updates += learns(hook) ? 1 : 0;
    if (!is_at_hand() || !(learns(hook) || (step.is_open && step.evaluates)))
        return;
    if (!step.is_open) {
        begin(0);
    } else if (!step.evaluates && hook->flags & (PITPY_JIT_UPDATES | PITPY_JIT_CUTS)) {
        if (step.by)
            step.by->flags |= PITPY_JIT_FEEDS;
        end();
        begin(0);
    } else if (!(hook->flags & PITPY_JIT_FEEDS)) {
        Py_XSETREF(step.by, (pitpy_timed *)Py_NewRef((PyObject *)hook));
    }
}

void pitpy_jit_waited(void)
{
    if (!step.is_open || !step.evaluates || !step.by || !is_at_hand())
        return;
    end();
    begin(0);
}

void pitpy_jit_learns(unsigned flags)
{
    if (traced)
        traced->flags |= PITPY_JIT_LEARNS | flags;
}
