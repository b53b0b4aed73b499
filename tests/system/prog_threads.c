/* prog_threads WHAT RUN …: threads that start and end, misuse their spans, and receive signals.
 *
 *   churn RUN TRUTH SEED N LEAVE   N threads, up to 64 at once, each some spans (0: forever);
 *                                  LEAVE 1: some end with spans open; prints how many were
 *   serial RUN N                   N threads of one span, one after another
 *   misuse RUN                     names, spans left open, tokens and objects of other threads
 *   signals RUN COUNT              a timer's handler records spans while main does; prints what
 *                                  the handler and main counted
 */
#include "span_walk.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define AT_ONCE 64

static void start_thread(pthread_t *thread, void *(*body)(void *), void *argument)
{
    if (pthread_create(thread, NULL, body, argument) != 0)
        exit(70);
}

/* ---- churn --------------------------------------------------------------------------------- */

static struct worker {
    pthread_t thread;
    int is_started;
    uint32_t index;
    uint64_t seed;
    struct walk walk;
} * workers;
static struct walk_truth *truth;
static int leave;
static uint64_t left_open;

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct walk *walk = &worker->walk;
    walk_start(walk, truth, worker->index, worker->seed, WALK_SPANS_ONLY);
    uint64_t steps = walk_random(walk) % 400;
    for (uint64_t i = 0; i < steps; i++)
        walk_step(walk);
    if (!leave || walk_random(walk) % 4)
        walk_unwind(walk);
    __atomic_fetch_add(&left_open, walk->depth, __ATOMIC_RELAXED);
    return NULL;
}

static void finish(struct worker *worker)
{
    if (worker->is_started)
        pthread_join(worker->thread, NULL);
    worker->is_started = 0;
}

static int churn(char **argv)
{
    truth = walk_truth_open(argv[1]);
    workers = calloc(AT_ONCE, sizeof *workers);
    if (!truth || !workers)
        return 65;
    uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    leave = atoi(argv[4]);
    pit_options options = {.ring_bytes = 65536};
    if (pit_open(argv[0], &options) != 0)
        return 66;
    truth->opened = 1;
    static struct walk dice;
    dice.random = seed * 2 + 1;
    for (uint64_t i = 0; !count || i < count; i++) {
        struct worker *worker = &workers[walk_random(&dice) % AT_ONCE];
        finish(worker);
        worker->index = (uint32_t)(worker - workers);
        worker->seed = seed + i;
        start_thread(&worker->thread, work, worker);
        worker->is_started = 1;
    }
    for (int i = 0; i < AT_ONCE; i++)
        finish(&workers[i]);
    free(workers);
    printf("%llu\n", (unsigned long long)left_open);
    return -pit_close();
}

/* ---- serial -------------------------------------------------------------------------------- */

static void *one_span(void *argument)
{
    (void)argument;
    PIT_SPAN("short") {
        PIT_SPAN("inner") {
        }
    }
    return NULL;
}

static int serial(char **argv)
{
    if (pit_open(argv[0], NULL) != 0)
        return 66;
    for (int i = atoi(argv[1]); i > 0; i--) {
        pthread_t thread;
        start_thread(&thread, one_span, NULL);
        pthread_join(thread, NULL);
    }
    return -pit_close();
}

/* ---- misuse -------------------------------------------------------------------------------- */

static pit_site outer = PIT_SITE("outer"), loose = PIT_SITE("loose"), handed = PIT_SITE("handed");
static pit_token token_of_main;
static pit_object object_of_main;

static void *leave_three_open(void *argument)
{
    (void)argument;
    pthread_setname_np(pthread_self(), "leaver");
    pit_begin(&loose);
    pit_begin(&loose);
    PIT_SPAN("done") {
    }
    pit_begin(&loose);
    return NULL;
}

static void *take_over(void *argument)
{
    (void)argument;
    pit_thread_name("the taker");
    pit_end(token_of_main); /* not this thread's */
    pit_object_end(&object_of_main);
    pit_object again = object_of_main;
    pit_object_end(&again); /* its begin is cleared: nothing happens */
    return NULL;
}

static int misuse(char **argv)
{
    if (pit_open(argv[0], NULL) != 0)
        return 66;
    pit_thread_name("the owner");
    token_of_main = pit_begin(&outer);
    object_of_main = pit_object_begin(&handed);
    pit_object copy = object_of_main;
    pthread_t thread;
    start_thread(&thread, take_over, NULL);
    pthread_join(thread, NULL);
    pit_object_end(&copy); /* ended already, by the other thread */
    start_thread(&thread, leave_three_open, NULL);
    pthread_join(thread, NULL);
    pit_token inner = pit_begin(&loose);
    pit_begin(&loose);
    pit_end(inner); /* the one inside was never ended: abandoned */
    pit_end(inner); /* twice */
    pit_end(token_of_main);
    return -pit_close();
}

/* ---- signals ------------------------------------------------------------------------------- */

static uint64_t attempts;
static pit_site in_handler = PIT_SITE("handler");

static void on_alarm(int number)
{
    (void)number;
    __atomic_fetch_add(&attempts, 1, __ATOMIC_RELAXED);
    pit_end(pit_begin(&in_handler));
}

static int signals(char **argv)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    pit_options options = {.ring_bytes = 65536};
    setitimer(ITIMER_REAL, &every, NULL); /* from before the open on */
    if (pit_open(argv[0], &options) != 0)
        return 66;
    uint64_t before = __atomic_load_n(&attempts, __ATOMIC_RELAXED);
    uint64_t wanted = before + strtoul(argv[1], NULL, 10);
    unsigned long spans = 0;
    do {
        for (int i = 0; i < 100; i++) {
            PIT_SPAN("main") {
                PIT_SPAN("inner") {
                    spans++;
                }
                PIT_PHASE("first");
                PIT_PHASE("second");
            }
            if (i == 50) {
                char name[32];
                snprintf(name, sizeof name, "name %lu", spans % 3000);
                pit_end(pit_begin_name(name));
            }
        }
    } while (__atomic_load_n(&attempts, __ATOMIC_RELAXED) < wanted);
    setitimer(ITIMER_REAL, &never, NULL);
    uint64_t all = __atomic_load_n(&attempts, __ATOMIC_RELAXED);
    int code = pit_close();
    printf("%llu %llu %lu\n", (unsigned long long)before, (unsigned long long)all, spans);
    return -code;
}

int main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "churn") == 0)
        return churn(argv + 2);
    if (argc == 4 && strcmp(argv[1], "serial") == 0)
        return serial(argv + 2);
    if (argc == 3 && strcmp(argv[1], "misuse") == 0)
        return misuse(argv + 2);
    if (argc == 4 && strcmp(argv[1], "signals") == 0)
        return signals(argv + 2);
    return 64;
}
