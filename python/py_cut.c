/* py_cut.c: finds steps in training loops without a loader.
 *
 *     x = get_batch()  forward  loss  backward  optimizer.step()
 *
 * A `step` lasts from the end of the previous optimiser step to the end of this one; the first one begins
 * with the first forward or backward pass. So the next step is opened as soon as one ends, and fetching its
 * data is inside it. It is not known then whether training will follow: the step is cancelled if a loader's
 * loop, an evaluation, a checkpoint or the end of the program comes before any training in it.
 *
 * An `eval_step` lasts from model.eval(), or from the end of the previous one, to the end of a forward pass
 * of a model that is in evaluation mode, or that runs with gradients off in a step without training. Only
 * models with parameters of an optimiser count: the forward pass of a frozen teacher is a part of a step.
 * After evaluation mode, model.train() opens the next step.
 *
 * No steps are made inside a span of the program, inside a step of a loader's loop or a library's trainer,
 * or on a thread other than the one that made the optimiser. With several optimisers, the first one that
 * steps ends the steps; another one takes over after it has stepped MANY times without the first, or when a
 * new optimiser has been made. */
#include "py_hook.h"

#define MANY 8u
#define LEARNERS 8u /* cached answers whether a module learns; a power of two */

enum kind { NONE, STEP, EVAL };

/* The step that is open on this thread. */
static PITPY_THREAD struct cut {
    enum kind kind;
    int has_learnt;   /* it contained a forward or backward pass of training */
    int has_backward; /* it contained a backward pass */
    pitpy_open open;
} cut;

static struct {
    int has_optimizer;  /* the program has made an optimiser: it trains */
    void *thread;       /* the thread that made the newest optimiser: steps are made there */
    int is_by_cut;      /* the last training step was found here, not by a loader */
    int is_evaluating;  /* a model that is trained is in evaluation mode */
    int learns_in_eval; /* the program trains in evaluation mode: the mode has no meaning */
    uintptr_t cutter;   /* address of the optimiser that ends steps; 0: the next one that steps */
    unsigned others;    /* steps of other optimisers since then */
    int is_seen;        /* Python has inspected the first optimiser that stepped */
    uint64_t backwards; /* since the last optimiser step */
    int base;           /* spans around the whole program, such as the cell of a notebook */
    struct learner {
        uintptr_t module;
        int is_any, is_whole; /* it has some, or all, parameters of an optimiser; -1: unknown */
    } learners[LEARNERS];
} program;

static PyObject *training_name, *requires_grad_name; /* attributes */
static PyObject *accumulate_name;                    /* an argument of autograd's engine */

/* ---- open and close ----------------------------------------------------------------------------- */

/* What can be done with the open step where the calling code runs. */
enum reach {
    BEYOND, /* no step is open here and none may begin: other spans are around */
    FREE,   /* nothing is open */
    OURS,   /* the step is innermost */
    COVERED /* spans of the program are open inside the step: it can end, but not be cancelled */
};

static enum reach reach_now(void)
{
    if (program.thread != pitpy_this_thread() || pitpy_scope || pitpy_in_loop())
        return BEYOND;
    const pitpy_flow *flow = pitpy_flow_here();
    int64_t open = flow->open - program.base;
    if (cut.kind == NONE)
        return open == 0 ? FREE : BEYOND;
    if (cut.open.flow != flow)
        return BEYOND;
    return open == 1 ? OURS : COVERED;
}

static void open_step(enum kind kind)
{
    pitpy_name *name = kind == STEP ? pitpy_hook_names.step : pitpy_hook_names.eval_step;
    if (!name || kind == NONE)
        return;
    pitpy_count_span();
    pitpy_begin(name, 0, &cut.open);
    cut.kind = kind;
    cut.has_learnt = cut.has_backward = 0;
}

static void drop_step(void)
{
    cut.kind = NONE;
    pitpy_drop(&cut.open);
    pitpy_counts.spans--;
}

static void end_step(void)
{
    cut.kind = NONE;
    pitpy_counts.steps++;
    pitpy_end(&cut.open);
}

/* Cancel the step if it is innermost and contained no training. Returns 1 if none is open afterwards. */
static int drop_if_idle(enum reach reach)
{
    if (reach == OURS && !cut.has_learnt) {
        drop_step();
        return 1;
    }
    return reach == FREE;
}

void pitpy_cut_scope(void)
{
    if (cut.kind != NONE)
        drop_if_idle(reach_now());
}

void pitpy_cut_leave(void)
{
    pitpy_jit_leave();
    if (cut.kind != NONE)
        drop_step();
    program.is_by_cut = 0;
}

/* ---- who learns --------------------------------------------------------------------------------- */

static struct learner *learner_of(PyObject *module)
{
    uintptr_t address = (uintptr_t)module;
    struct learner *known = &program.learners[(address >> 4) & (LEARNERS - 1)];
    if (known->module != address)
        *known = (struct learner){address, -1, -1};
    return known;
}

/* Does an optimiser have some of its parameters? */
static int learns(PyObject *module)
{
    struct learner *known = learner_of(module);
    if (known->is_any < 0)
        known->is_any = pitpy_look("learner", module);
    return known->is_any;
}

/* Does it have all parameters of an optimiser? A part that stays in evaluation mode (frozen statistics)
 * does not make an evaluation. */
static int is_whole_learner(PyObject *module)
{
    struct learner *known = learner_of(module);
    if (known->is_whole < 0)
        known->is_whole = pitpy_look("whole learner", module);
    return known->is_whole;
}

static int make_names(void)
{
    if (!training_name)
        training_name = PyUnicode_InternFromString("training");
    if (!requires_grad_name)
        requires_grad_name = PyUnicode_InternFromString("requires_grad");
    if (!accumulate_name)
        accumulate_name = PyUnicode_InternFromString("accumulate_grad");
    PyErr_Clear();
    return training_name && requires_grad_name;
}

static int is_training(PyObject *module)
{
    PyObject *value = PyObject_GetAttr(module, training_name);
    int is = value == Py_True ? 1 : value == Py_False ? 0 : value ? PyObject_IsTrue(value) : 1;
    Py_XDECREF(value);
    if (!value || is < 0)
        PyErr_Clear();
    return is != 0;
}

void pitpy_cut_optimizer_made(void)
{
    program.has_optimizer = make_names();
    program.thread = pitpy_this_thread();
    program.is_evaluating =
        0; /* earlier answers do not apply to the model that is trained now */
    program.cutter = 0;
    for (size_t i = 0; i < LEARNERS; i++)
        program.learners[i].module = 0;
}

void pitpy_cut_base(int spans)
{
    pitpy_cut_leave();
    program.base = spans;
}

int pitpy_cut_get_base(void)
{
    return program.base;
}

int pitpy_has_optimizer(void)
{
    return program.has_optimizer;
}

int pitpy_is_evaluating(void)
{
    return program.is_evaluating && !program.learns_in_eval;
}

/* ---- what happens ------------------------------------------------------------------------------- */

static void learn(enum reach reach)
{
    if (cut.kind == EVAL && reach == OURS) {
        drop_step();
        reach = FREE;
    }
    if (reach == FREE)
        open_step(STEP);
    if (cut.kind == STEP && reach != BEYOND)
        cut.has_learnt = 1;
}

/* The kind of step after the evaluation step that ends with this forward pass; NONE: there is none. */
static enum kind evaluate(enum reach reach, PyObject *module, int trains)
{
    if (reach == COVERED || (cut.kind == STEP && cut.has_learnt) || !learns(module))
        return NONE;
    if (cut.kind == STEP)
        drop_step();
    if (cut.kind == NONE)
        open_step(EVAL);
    return trains ? STEP : EVAL;
}

/* Activation checkpoints (torch.utils.checkpoint) run a module with gradients off and again for the
 * backward pass: recognised by their arguments. */
static int is_differentiated(PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 1; i < count; i++) {
        PyObject *value = PyObject_GetAttr(args[i], requires_grad_name);
        int is = value == Py_True;
        Py_XDECREF(value);
        PyErr_Clear();
        if (is)
            return 1;
    }
    return 0;
}

static enum kind before_model(const pitpy_timed *hook, PyObject *const *args, Py_ssize_t count)
{
    enum reach reach = program.has_optimizer ? reach_now() : BEYOND;
    if (reach == BEYOND || count == 0)
        return NONE;
    int trains = is_training(args[0]) || program.learns_in_eval;
    if (!trains || (!pitpy_ask(hook->question, 1) && !is_differentiated(args, count)))
        return evaluate(reach, args[0], trains);
    learn(reach);
    return NONE;
}

/* Does it add to the gradients that an optimiser will take? autograd.grad does not, and what a closure does
 * belongs to its optimiser. */
static int accumulates(const pitpy_timed *hook, PyObject *const *values, PyObject *kwnames)
{
    if (hook->flags || pitpy_optimizer.open)
        return 0;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); i++)
        if (PyTuple_GET_ITEM(kwnames, i) == accumulate_name)
            return values[i] != Py_False;
    return 1;
}

static void before_backward(int adds)
{
    program.backwards += (unsigned)adds;
    enum reach reach = program.has_optimizer ? reach_now() : BEYOND;
    if (reach == BEYOND || cut.kind == EVAL) /* an evaluation may also compute gradients */
        return;
    learn(reach);
    cut.has_backward = 1;
}

/* Its closure may do all the work of a step, so a step begins here at the latest. */
static void before_optimizer(PyObject *optimizer)
{
    if (!program.is_seen) {
        program.is_seen = 1;
        pitpy_look("optimizer", optimizer);
    }
    if ((program.is_evaluating && !pitpy_scope) || cut.kind == EVAL)
        program.learns_in_eval = 1;
    enum reach reach = program.has_optimizer ? reach_now() : BEYOND;
    if (reach == OURS && cut.kind == EVAL) {
        drop_step();
        reach = FREE;
    }
    if (reach == FREE)
        open_step(STEP);
}

/* Does this optimiser end the step? */
static int is_cutter(PyObject *optimizer)
{
    uintptr_t address = (uintptr_t)optimizer;
    if (program.cutter != address && program.cutter && ++program.others < MANY)
        return 0;
    program.cutter = address;
    program.others = 0;
    return 1;
}

/* Backward passes before an optimiser step: a constant number is gradient accumulation; a varying number is
 * a program with several losses. */
static void count_run(void)
{
    if (!program.backwards)
        return;
    pitpy_counts.runs++;
    pitpy_counts.single_runs += program.backwards == 1;
    pitpy_counts.run_sum += program.backwards;
    program.backwards = 0;
}

static void after_optimizer(PyObject *optimizer)
{
    count_run();
    if (cut.kind != STEP || pitpy_scope || pitpy_in_loop() || cut.open.flow != pitpy_flow_here() ||
        !is_cutter(optimizer))
        return;
    end_step();
    program.is_by_cut = 1;
    if (reach_now() == FREE)
        open_step(STEP);
}

/* ---- for the hooks ------------------------------------------------------------------------------ */

int pitpy_cut_before(const pitpy_timed *hook, PyObject *const *args, Py_ssize_t count,
                     PyObject *kwnames)
{
    enum kind before = cut.kind;
    switch ((enum pitpy_role)hook->role) {
    case PITPY_MODEL:
        return (int)before_model(hook, args, count);
    case PITPY_BACKWARD:
        before_backward(accumulates(hook, args + count, kwnames));
        return NONE;
    case PITPY_OPTIMIZER:
        if (count > 0)
            before_optimizer(args[0]);
        return NONE;
    case PITPY_APART:
        return before != NONE && drop_if_idle(reach_now()) ? (int)before : NONE;
    case PITPY_LOADER:
        if (pitpy_is_evaluating() || !pitpy_ask(hook->question, 1))
            pitpy_loop_pause();
        if (before != NONE && !pitpy_loop_was_thrown())
            drop_if_idle(reach_now());
        return NONE;
    default:
        return NONE;
    }
}

void pitpy_cut_after(const pitpy_timed *hook, PyObject *object, int next, int is_good)
{
    if (hook->role == PITPY_OPTIMIZER && is_good)
        after_optimizer(object);
    if (hook->role == PITPY_WAIT)
        pitpy_jit_waited();
    if (next == NONE)
        return;
    if (hook->role == PITPY_MODEL && cut.kind == EVAL)
        end_step();
    if (is_good && (next == EVAL || program.is_by_cut) && reach_now() == FREE)
        open_step((enum kind)next);
}

void pitpy_cut_mode(PyObject *module)
{
    if (!make_names() || (program.has_optimizer && !is_whole_learner(module)))
        return;
    int trains = is_training(module);
    program.is_evaluating = !trains;
    if (trains)
        program.learns_in_eval = 0;
    if (pitpy_is_evaluating() && program.has_optimizer && !pitpy_scope)
        pitpy_loop_pause();
    if (!program.is_by_cut || program.learns_in_eval || pitpy_scope)
        return;
    enum reach reach = reach_now();
    if (cut.kind != (trains ? STEP : EVAL) && drop_if_idle(reach))
        open_step(trains ? STEP : EVAL);
}

int pitpy_cut_for_loop(int learns, int is_new)
{
    if (cut.kind != NONE) {
        enum reach reach = reach_now();
        if (learns && is_new && reach == OURS && cut.kind == STEP && pitpy_loop_was_thrown())
            return 0;
        if (reach == OURS && (learns || !cut.has_backward))
            drop_step();
    }
    if (learns)
        program.is_by_cut = 0;
    return 1;
}
