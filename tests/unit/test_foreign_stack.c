/* Calls on stacks that are not the thread's own: coroutines of 16 kB inside larger memory. The pages below
 * such a stack are readable, but belong to the program. musl has no coroutines. */
#include "check.h"

#include <pitwall.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK ((size_t)256 * 1024) /* instrumented frames are larger */
#else
#define STACK ((size_t)16 * 1024)
#endif
#define BELOW ((size_t)256 * 1024)
#define MARK 0xa5

static unsigned char *memory;
static char path[128];
static int result;

/* How many of the program's bytes below the stack were overwritten. */
static size_t overwritten(void)
{
    size_t at = 0;
    while (at < BELOW && memory[at] == MARK)
        at++;
    return BELOW - at;
}

static void name_of_a_run(void)
{
    static char name[4096];
    const char *const argv[] = {"program", NULL};
    result = pit_run_path(name, sizeof name, path, argv, 1, 1);
}

#ifdef __GLIBC__

static ucontext_t outside;
static void (*work)(void);
static char folder[64];

static void do_work(void)
{
    work();
}

static void *run_coroutine(void *unused)
{
    ucontext_t inside;
    memset(memory, MARK, BELOW + STACK);
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory + BELOW;
    inside.uc_stack.ss_size = STACK;
    inside.uc_link = &outside;
    makecontext(&inside, do_work, 0);
    swapcontext(&outside, &inside);
    return unused;
}

static void on_main_and_on_a_thread(void (*wanted)(void))
{
    work = wanted;
    memory = malloc(BELOW + STACK);
    REQUIRE(memory != NULL);
    for (int on_thread = 0; on_thread < 2; on_thread++) {
        pthread_t thread;
        result = 1;
        if (!on_thread)
            run_coroutine(NULL);
        else if (pthread_create(&thread, NULL, run_coroutine, NULL) == 0)
            pthread_join(thread, NULL);
        CHECK_INT(result, PIT_OK);
        CHECK_INT(overwritten(), 0);
    }
    free(memory);
}

static void prepare(void)
{
    snprintf(folder, sizeof folder, "%s", "/tmp/pitwall-foreign-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.pit", folder);
}

static void clean(void)
{
    char name[160];
    unlink(path);
    for (int i = 2; i < 8; i++) {
        snprintf(name, sizeof name, "%s/run-%d.pit", folder, i);
        unlink(name);
    }
    CHECK_INT(rmdir(folder), 0);
}

static void open_and_close(void)
{
    int opened = pit_open(path, NULL);
    PIT_SPAN("coroutine") {
        pit_label("key", "value");
    }
    result = opened ? opened : pit_close();
}

static void another_recorder(void)
{
    pit_recorder *recorder = pit_recorder_open(path, NULL, &result);
    pit_recorder_end(recorder, pit_recorder_begin_name(recorder, "coroutine"));
    pit_recorder_free(recorder);
}

TEST(a_run_opened_and_closed_by_a_coroutine)
{
    prepare();
    on_main_and_on_a_thread(open_and_close);
    clean();
}

TEST(another_recorder_of_a_coroutine)
{
    prepare();
    on_main_and_on_a_thread(another_recorder);
    clean();
}

TEST(the_name_of_a_run_asked_for_by_a_coroutine)
{
    prepare();
    on_main_and_on_a_thread(name_of_a_run);
    clean();
}

/* A span that begins in one coroutine and ends in another, on one thread. */
static pit_token across;

static void begin_across(void)
{
    across = pit_begin_name("across");
    result = across ? PIT_OK : 1;
}

static void end_across(void)
{
    pit_end(across);
    result = PIT_OK;
}

TEST(a_span_across_two_coroutines)
{
    prepare();
    REQUIRE(pit_open(path, NULL) == PIT_OK);
    memory = malloc(BELOW + STACK);
    REQUIRE(memory != NULL);
    work = begin_across;
    run_coroutine(NULL);
    CHECK_INT(result, PIT_OK);
    CHECK_INT(overwritten(), 0);
    work = end_across;
    run_coroutine(NULL);
    CHECK_INT(overwritten(), 0);
    free(memory);
    CHECK_INT(pit_close(), PIT_OK);
    clean();
}

#endif

/* ---- an alternate stack of 8 kB ---------------------------------------------------------------- */

static void on_signal(int number)
{
    (void)number;
    name_of_a_run();
}

TEST(the_name_of_a_run_on_a_small_alternate_stack)
{
    stack_t small = {.ss_size = STACK / 2}, off = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK}, before;
    memory = malloc(BELOW + STACK);
    REQUIRE(memory != NULL);
    memset(memory, MARK, BELOW + STACK);
    /* A name that the library makes contains the time, and the time zone cannot be read in a handler. */
    snprintf(path, sizeof path, "%s", "/tmp/run.pit");
    small.ss_sp = memory + BELOW;
    REQUIRE(sigaltstack(&small, NULL) == 0);
    sigaction(SIGUSR1, &action, &before);
    result = 1;
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    sigaltstack(&off, NULL);
    CHECK(result == PIT_BUSY || result == PIT_OK);
    CHECK_INT(overwritten(), 0);
    free(memory);
}
