/* A signal handler ends its thread (pthread_exit) at any instruction of a call into the recorder: the other
 * threads record and read memory as before, and wait for nothing that the ended thread held. */
#include "probe.h"
#include "steps.h"

#ifdef HAS_STEPS

#include <pthread.h>

#define EACH_UP_TO 100 /* beyond this many instructions only some are tested */

static pit_probe begun; /* not on a stack that is gone */
static pit_token token;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (is_wanted_step(context))
        pthread_exit(NULL);
}

static void prepare_nothing(void)
{
}

static void prepare_probe(void)
{
    pit_probe_begin(&begun);
}

static void prepare_memory_span(void)
{
    token = pit_begin_with("measured", PIT_MEMORY);
}

static void read_rss(void)
{
    pit_rss();
}

static void begin_probe(void)
{
    pit_probe_begin(&begun);
}

static void end_probe(void)
{
    pit_probe_end(&begun);
}

static void begin_memory_span(void)
{
    token = pit_begin_with("measured", PIT_MEMORY);
}

static void end_span(void)
{
    pit_end(token);
}

static void set_label(void)
{
    pit_label("key", "value");
}

static void set_value(void)
{
    pit_value("loss", 1);
}

static void count_items(void)
{
    pit_end(pit_begin_name("counted"));
    pit_items(2);
}

struct shape {
    void (*prepare)(void), (*call)(void);
};

static void *ended(void *arg)
{
    const struct shape *shape = arg;
    shape->prepare();
    STEP(shape->call());
    return NULL;
}

static void *not_ended(void *arg)
{
    const struct shape *shape = arg;
    shape->prepare();
    shape->call();
    pthread_exit(NULL); /* loads the unwinder, which a handler must not do */
}

static void run_thread(void *(*work)(void *), const struct shape *shape)
{
    pthread_t thread;
    struct shape copy = *shape;
    REQUIRE(pthread_create(&thread, NULL, work, &copy) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

/* Nothing is refused: a lock that was left behind would be waited for, and then ignored. */
static int is_well(void)
{
    pit_probe probe;
    if (pit_rss() == 0) /* it has waited long enough */
        return 0;
    pit_probe_begin(&probe);
    pit_probe_end(&probe);
    pit_token own = pit_begin_with("after", PIT_MEMORY);
    CHECK_INT(pit_label("after", "x"), 0);
    pit_end(own);
    return probe.rss_begin > 0 && probe.rss_end > 0;
}

static void at_each_instruction(struct shape shape)
{
    handle_steps(on_trap);
    probe_open();
    run_thread(not_ended, &shape);
    int last = 0;
    uint64_t calls = 0;
    do {
        /* a sanitizer adds instructions of its own, ten for each */
        last += last < EACH_UP_TO ? check_repeat(3, 1, 1) : last / check_repeat(3, 8, 8);
        wanted = last;
        run_thread(ended, &shape);
        int is_good = is_well();
        calls++;
        if (!is_good)
            printf("  a thread was ended after instruction %d\n", last);
        REQUIRE(is_good);
    } while (steps >= last);
    CHECK(last > 30); /* fewer would not be a call: the trap flag does nothing here */
    CHECK_INT(probe_count(probe_read(NULL), "after"), calls);
    CHECK_INT(pit_close(), 0);
}

TEST(a_thread_ended_in_pit_rss)
{
    at_each_instruction((struct shape){prepare_nothing, read_rss});
}

TEST(a_thread_ended_in_the_begin_of_a_probe)
{
    at_each_instruction((struct shape){prepare_nothing, begin_probe});
}

TEST(a_thread_ended_in_the_end_of_a_probe)
{
    at_each_instruction((struct shape){prepare_probe, end_probe});
}

TEST(a_thread_ended_in_the_begin_of_a_memory_span)
{
    at_each_instruction((struct shape){prepare_nothing, begin_memory_span});
}

TEST(a_thread_ended_in_the_end_of_a_memory_span)
{
    at_each_instruction((struct shape){prepare_memory_span, end_span});
}

TEST(a_thread_ended_in_a_label)
{
    at_each_instruction((struct shape){prepare_nothing, set_label});
}

TEST(a_thread_ended_in_a_value)
{
    at_each_instruction((struct shape){prepare_nothing, set_value});
}

TEST(a_thread_ended_in_a_counter)
{
    at_each_instruction((struct shape){prepare_nothing, count_items});
}

#else

#include <pthread.h>

static void *end_in_a_span(void *unused)
{
    (void)unused;
    pit_begin_with("measured", PIT_MEMORY);
    pit_rss();
    pthread_exit(NULL);
}

TEST(a_thread_ended_in_a_memory_span_is_not_waited_for)
{
    pthread_t thread;
    probe_open();
    REQUIRE(pthread_create(&thread, NULL, end_in_a_span, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(pit_rss() > 0);
    CHECK_INT(pit_close(), 0);
}

#endif
