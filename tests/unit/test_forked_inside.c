/* A signal handler forks at any instruction of a call into the recorder, and returns, in the parent and in the
 * child: both go on, the child records into a run of its own, and the parent's run is that of the parent. */
#include "probe.h"

#include "steps.h"

#ifdef HAS_STEPS

#define EACH_UP_TO 150 /* beyond this many instructions only some are tested */
#define HANGS_S 60     /* far beyond what a child takes */

enum { WELL = 0, NOT_RECORDED, WRONG_RUN };

static pit_site outer_site = PIT_SITE("outer"), inner_site = PIT_SITE("inner");
static char folder[64], path[128];
static pid_t child;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (is_wanted_step(context))
        child = fork();
}

static void begin(const char *name)
{
    (void)name;
    pit_token token;
    STEP(token = pit_begin(&inner_site));
    pit_end(token);
}

static void end(const char *name)
{
    (void)name;
    pit_token token = pit_begin(&inner_site);
    STEP(pit_end(token));
}

static void begin_new_name(const char *name)
{
    pit_token token;
    STEP(token = pit_begin_name(name));
    pit_end(token);
}

static void end_memory_span(const char *name)
{
    pit_token token = pit_begin_with(name, PIT_MEMORY | PIT_RECORD);
    STEP(pit_end(token));
}

static void phase(const char *name)
{
    (void)name;
    PIT_PHASE("first");
    STEP(PIT_PHASE("second"));
}

static void value(const char *name)
{
    STEP(pit_value(name, 1));
}

/* In the child: removes its run. */
static int records_by_itself(void)
{
    pit_status status;
    pit_token token = pit_begin(&outer_site);
    pit_end(token);
    if (!token || pit_get_status(NULL, &status) != 0)
        return NOT_RECORDED;
    if (strcmp(status.path, path) == 0)
        return WRONG_RUN;
    unlink(status.path);
    return WELL;
}

/* Returns how the child that was forked in it ended. */
static int fork_in(void (*shape)(const char *name))
{
    char name[32];
    int status = 0;
    child = -1;
    snprintf(name, sizeof name, "at %d", wanted);
    pit_token token = pit_begin(&outer_site);
    shape(name);
    pit_end(token);
    if (child == 0) {
        alarm(HANGS_S);
        _exit(records_by_itself());
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status;
}

static void at_each_instruction(void (*shape)(const char *name))
{
    snprintf(folder, sizeof folder, "%s", "/tmp/pitwall-forked-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.pit", folder);
    pit_options options = {.sample_hz = -1};
    REQUIRE(pit_open(path, &options) == PIT_OK);
    handle_steps(on_trap);
    int last = 0;
    uint64_t calls = 2;
    wanted = INT32_MAX;
    fork_in(shape);
    fork_in(shape); /* known, with a histogram: the next takes the hot path */
    do {
        last += last < EACH_UP_TO ? check_repeat(5, 1, 1) : last / check_repeat(3, 8, 8);
        wanted = last;
        int status = fork_in(shape);
        if (status)
            printf("  the child of instruction %d ended with %x\n", last, (unsigned)status);
        CHECK_INT(status, WELL);
        calls++;
    } while (steps >= last);
    CHECK(last > 20); /* fewer would not be a call: the trap flag does nothing here */
    CHECK_INT(probe_count(probe_read(NULL), "outer"), calls);
    CHECK_INT(pit_close(), 0);
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

TEST(a_fork_at_each_instruction_of_a_begin)
{
    at_each_instruction(begin);
}

TEST(a_fork_at_each_instruction_of_an_end)
{
    at_each_instruction(end);
}

TEST(a_fork_among_the_instructions_of_a_begin_with_a_new_name)
{
    at_each_instruction(begin_new_name);
}

TEST(a_fork_among_the_instructions_of_a_measured_end)
{
    at_each_instruction(end_memory_span);
}

TEST(a_fork_at_each_instruction_of_a_phase)
{
    at_each_instruction(phase);
}

TEST(a_fork_among_the_instructions_of_a_value)
{
    at_each_instruction(value);
}

#else

TEST(a_forked_child_records_by_itself)
{
    int status = -1;
    probe_open();
    pit_token token = pit_begin_name("outer");
    pid_t child = fork();
    if (child == 0)
        _exit(pit_begin_name("inner") == 0);
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    pit_end(token);
}

#endif
