/* A signal handler records a span at every single instruction of an end, a begin and a phase: wherever it
 * interrupts, no span is shorter than its children.
 *
 * The trap flag stops the processor after each instruction, so nothing here is left to chance. The handler's
 * span lasts longer than all the time since the stepping began: if it came after the clock read that ends
 * its parent, it would be longer than the parent.
 */
#include "probe.h"

#include "steps.h"

#ifdef HAS_STEPS

#define EACH_UP_TO 150 /* beyond this many instructions only some are tested */
#define LONG_NS 2000000u

static pit_site handler_site = PIT_SITE("handler"), inner_site = PIT_SITE("inner");
static uint64_t stepping_since;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (!is_wanted_step(context))
        return;
    pit_token token = pit_begin(&handler_site);
    uint64_t from = now_ns(), longer = 2 * (from - stepping_since);
    if (longer > LONG_NS) /* the process was stopped meanwhile: do not wait for that twice */
        longer = LONG_NS;
    while (now_ns() - from <= longer)
        ;
    pit_end(token);
}

/* The same, for on_trap. */
#define TIMED_STEP(...)                                                                            \
    do {                                                                                           \
        stepping_since = now_ns();                                                                 \
        STEP(__VA_ARGS__);                                                                         \
    } while (0)

static void a_plain_end(const char *name)
{
    pit_token token = pit_begin_name(name);
    TIMED_STEP(pit_end(token));
}

static void an_end_with_its_duration(const char *name)
{
    pit_token token = pit_begin_name(name);
    TIMED_STEP(pit_end_ns(token));
}

static void an_end_apart(const char *name)
{
    pit_token token = pit_begin_name(name);
    TIMED_STEP(pit_end_out_of_order(token));
}

static void an_end_of_a_parent(const char *name)
{
    pit_token token = pit_begin_name(name);
    pit_end(pit_begin(&inner_site));
    TIMED_STEP(pit_end(token));
}

static void an_end_with_a_phase(const char *name)
{
    pit_token token = pit_begin_name(name);
    PIT_PHASE("first");
    TIMED_STEP(pit_end(token));
}

static void a_measured_end(const char *name)
{
    pit_token token = pit_begin_with(name, PIT_MEMORY);
    TIMED_STEP(pit_end(token));
}

static void a_begin(const char *name)
{
    pit_token token = pit_begin_name(name), inner;
    TIMED_STEP(inner = pit_begin(&inner_site));
    pit_end(inner);
    pit_end(token);
}

static void a_phase(const char *name)
{
    pit_token token = pit_begin_name(name);
    PIT_PHASE("first");
    TIMED_STEP(PIT_PHASE("second"));
    pit_end(token);
}

static void no_span_is_shorter_than_its_children(const pit_run *run)
{
    for (size_t th = 0; th < run->thread_count; th++) {
        const pit_thread *t = &run->threads[th];
        for (size_t i = 0; i < t->node_count; i++) {
            uint64_t children = 0;
            for (size_t k = 0; k < t->node_count; k++)
                if (t->nodes[k].parent == i && !t->nodes[k].detached)
                    children += t->nodes[k].total;
            if (children > t->nodes[i].total)
                printf("  %s: %llu ticks, its children %llu\n", t->nodes[i].name,
                       (unsigned long long)t->nodes[i].total, (unsigned long long)children);
            CHECK(children <= t->nodes[i].total);
        }
    }
}

/* A node for each instruction, so that errors of single instructions cannot cancel out. */
static void at_each_instruction(void (*shape)(const char *name))
{
    handle_steps(on_trap);
    probe_open();
    wanted = INT32_MAX;
    pit_end(pit_begin(&handler_site));
    int last = 0;
    do {
        char name[32];
        last += last < EACH_UP_TO ? check_repeat(3, 1, 1) : last / check_repeat(2, 4, 4);
        snprintf(name, sizeof name, "at %d", last);
        for (int i = 0; i < 2; i++) /* known, with a histogram: its end takes the hot path */
            pit_end(pit_begin_name(name));
        wanted = last;
        shape(name);
    } while (steps >= last);
    CHECK(last > 30); /* fewer would not be a span: the trap flag does nothing here */
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.clock_back, 0);
    no_span_is_shorter_than_its_children(run);
}

TEST(a_handlers_span_at_each_instruction_of_an_end_is_no_longer_than_its_parent)
{
    at_each_instruction(a_plain_end);
}

TEST(a_handlers_span_at_each_instruction_of_an_end_with_its_duration)
{
    at_each_instruction(an_end_with_its_duration);
}

TEST(a_handlers_span_at_each_instruction_of_an_end_apart)
{
    at_each_instruction(an_end_apart);
}

TEST(a_handlers_span_at_each_instruction_of_an_end_of_a_parent)
{
    at_each_instruction(an_end_of_a_parent);
}

TEST(a_handlers_span_at_each_instruction_of_an_end_with_a_phase)
{
    at_each_instruction(an_end_with_a_phase);
}

TEST(a_handlers_span_among_the_instructions_of_a_measured_end)
{
    at_each_instruction(a_measured_end);
}

TEST(a_handlers_span_at_each_instruction_of_a_begin)
{
    at_each_instruction(a_begin);
}

TEST(a_handlers_span_at_each_instruction_of_a_phase)
{
    at_each_instruction(a_phase);
}

#else

TEST(a_handlers_span_inside_a_span_is_no_longer_than_it)
{
    probe_open();
    pit_token outer = pit_begin_name("outer");
    pit_end(pit_begin_name("handler"));
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.clock_back, 0);
}

#endif
