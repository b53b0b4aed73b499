/* py_jit.c: steps of programs whose training step is one compiled function (JAX).
 *
 * A function that takes gradients, or applies updates, while it is traced is a training step: a `step` lasts from
 * the end of its call before to the end of this one, so that fetching the batch is inside; the first one begins
 * with the call. Python says of a function what can be known before its first call: that its code takes gradients
 * (EXPECTED), or that its name says it evaluates: then its call is an `eval_step`, unless it learns.
 *
 * Nothing is cut in a trainer's loop, in a loop over a loader, below spans of the program's own, nor on other
 * threads than the one that has the step.
 */
#include "py_hook.h"

static PITPY_THREAD pitpy_timed *traced; /* the outermost function that is being called */
static PITPY_THREAD struct {
    int is_open, evaluates;
    pitpy_open open;
} step;

static int learns(const pitpy_timed *hook)
{
    return (hook->flags & (PITPY_JIT_LEARNS | PITPY_JIT_EXPECTED)) != 0;
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
    pitpy_drop(&step.open);
    pitpy_counts.spans--;
}

void pitpy_jit_leave(void)
{
    if (step.is_open)
        drop();
    traced = NULL;
}

pitpy_timed *pitpy_jit_before(pitpy_timed *hook)
{
    pitpy_timed *outer = traced;
    traced = hook;
    if (!is_at_hand())
        return outer;
    int evaluates = !learns(hook) && hook->flags & PITPY_JIT_EVALUATES;
    if (evaluates && step.is_open)
        drop();
    if (!step.is_open && (evaluates || learns(hook)))
        begin(evaluates);
    return outer;
}

void pitpy_jit_after(pitpy_timed *hook, pitpy_timed *outer)
{
    traced = outer;
    if (!is_at_hand() || !(learns(hook) || (step.is_open && step.evaluates)))
        return;
    if (step.is_open) {
        step.is_open = 0;
        pitpy_counts.steps++;
        pitpy_end(&step.open);
    }
    begin(0);
}

void pitpy_jit_learns(void)
{
    if (traced)
        traced->flags |= PITPY_JIT_LEARNS;
}
