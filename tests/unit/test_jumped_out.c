/* A signal handler jumps (siglongjmp) out of any instruction of a call into the recorder: the next span and the
 * next call of the same kind are recorded, and wait for nothing. */
#include "probe.h"

#include "steps.h"

#ifdef HAS_STEPS

#include <setjmp.h>

#define EACH_UP_TO 120 /* beyond this many instructions only some are tested */
#define HANGS_S 120    /* far beyond what a case takes */

static sigjmp_buf back;
static pit_site outer_site = PIT_SITE("outer"), after_site = PIT_SITE("after");
static pit_site collective_site = PIT_SITE_WITH("collective", PIT_COMM | PIT_SYNC);
static uint32_t group;
static uint64_t place;
static pit_token token;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (is_wanted_step(context)) {
        is_stepping = 0;
        siglongjmp(back, 1);
    }
}

static void no_call(void *arg)
{
    (void)arg;
}

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- shapes: what comes before, and the call that returns 0 if nothing was recorded ---------------- */

static void prepare_nothing(void)
{
}

static int pass_collective(void)
{
    pit_token own = pit_collective_begin(&collective_site, group, 8);
    pit_end(own);
    return own != 0;
}

static void prepare_collective(void)
{
    token = pit_collective_begin(&collective_site, group, 8);
}

static int end_collective(void)
{
    return pit_end_ns(token) != 0;
}

static void prepare_call(void)
{
    token = pit_begin_call(&collective_site, 0, __builtin_return_address(0), 1, 8);
}

static int end_call(void)
{
    pit_end_call(token);
    return token != 0;
}

static int add_device(void)
{
    return pit_add_device("clock", place, "kernel", 100, 200, raw_ns() - 100000) != 0;
}

static int add_span(void)
{
    uint64_t now = raw_ns();
    return pit_add_span(place, "work", PIT_DEVICE, now - 1000, now) != 0;
}

static int register_call(void)
{
    return pit_before_close(no_call, NULL) == 0;
}

static int add_entry(void)
{
    const pit_figure figure = {"key", 1, "s"};
    return pit_journal("kind", "text", &figure, 1, 0) == 0;
}

struct shape {
    void (*prepare)(void);
    int (*call)(void);
};

/* Its frame is below that of the next span: the library can tell that the call is gone. */
static __attribute__((noinline)) void call_and_jump(const struct shape *shape)
{
    char below[4096];
    __asm__ volatile("" ::"r"(below) : "memory");
    shape->prepare();
    STEP(shape->call());
}

static int is_recorded(const struct shape *shape)
{
    pit_token after = pit_begin(&after_site);
    pit_end(after);
    shape->prepare();
    return after != 0 && shape->call();
}

static void at_each_instruction(struct shape shape)
{
    handle_steps(on_trap);
    alarm(HANGS_S);
    probe_open();
    group = pit_group_open(7, 4, 0);
    token = pit_begin(&outer_site);
    place = pit_position();
    pit_end(token);
    volatile int last = 0;
    volatile uint64_t calls = 0;
    is_recorded(&shape);
    do {
        last += last < EACH_UP_TO ? check_repeat(3, 1, 1) : last / check_repeat(3, 8, 8);
        wanted = last;
        pit_token outer = pit_begin(&outer_site);
        if (sigsetjmp(back, 1) == 0)
            call_and_jump(&shape);
        pit_end(outer);
        int is_good = is_recorded(&shape);
        calls++;
        if (!is_good)
            printf("  jumped away after instruction %d\n", last);
        CHECK(is_good);
    } while (steps >= last);
    CHECK(last > 20); /* fewer would not be a call: the trap flag does nothing here */
    CHECK_INT(probe_count(probe_read(NULL), "after"), calls + 1);
    CHECK_INT(pit_close(), 0);
}

TEST(a_jump_out_of_a_collective)
{
    at_each_instruction((struct shape){prepare_nothing, pass_collective});
}

TEST(a_jump_out_of_the_end_of_a_collective)
{
    at_each_instruction((struct shape){prepare_collective, end_collective});
}

TEST(a_jump_out_of_the_end_of_a_call)
{
    at_each_instruction((struct shape){prepare_call, end_call});
}

TEST(a_jump_out_of_work_timed_by_a_device)
{
    at_each_instruction((struct shape){prepare_nothing, add_device});
}

TEST(a_jump_out_of_a_finished_span)
{
    at_each_instruction((struct shape){prepare_nothing, add_span});
}

TEST(a_jump_out_of_a_registration)
{
    at_each_instruction((struct shape){prepare_nothing, register_call});
}

TEST(a_jump_out_of_an_entry_of_the_journal)
{
    at_each_instruction((struct shape){prepare_nothing, add_entry});
}

#else

TEST(work_timed_by_a_device_is_recorded)
{
    probe_open();
    CHECK(pit_add_device("clock", 0, "kernel", 100, 200, 1) != 0);
}

#endif
