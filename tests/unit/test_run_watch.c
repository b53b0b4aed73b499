/* A live run read repeatedly. Another process records it, one step for each command of this test. */
#include "check.h"

#include "pitwall_report.h"
#include "reader/live_map.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

static char folder[32], path[64];
static int to_child, from_child;
static pid_t child;

static void spans(const char *name, int count)
{
    for (int i = 0; i < count; i++)
        pit_end(pit_begin_name(name));
}

static void *spans_of_a_thread(void *unused)
{
    (void)unused;
    spans("worker", 5);
    return NULL;
}

static void many_nodes(void)
{
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "node %d", i);
        spans(name, 1 + i % 3);
    }
}

/* One step of the watched program. */
static void step(char what)
{
    pthread_t thread;
    switch (what) {
    case 's':
        spans("step", 10);
        break;
    case 'o':
        pit_begin_name("outer");
        break;
    case 'n':
        many_nodes();
        break;
    case 't':
        pthread_create(&thread, NULL, spans_of_a_thread, NULL);
        pthread_join(thread, NULL);
        break;
    case 'l':
        pit_label("phase", "two");
        break;
    case 'k':
        raise(SIGKILL);
        break;
    default:
        exit(0);
    }
}

/* In a folder of its own: a file that another test left could have the same name. */
static void make_path(void)
{
    snprintf(folder, sizeof folder, "/tmp/pitwall-watch-XXXXXX");
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.pit", folder);
}

static void clean(void)
{
    unlink(path);
    rmdir(folder);
}

static void start(void)
{
    int down[2], up[2];
    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    make_path();
    child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        char what;
        close(down[1]);
        REQUIRE(pit_open(path, &(pit_options){.sample_hz = -1}) == 0);
        do
            REQUIRE(write(up[1], "x", 1) == 1);
        while (read(down[0], &what, 1) == 1 && (step(what), 1));
        _exit(0);
    }
    close(up[1]);
    to_child = down[1];
    from_child = up[0];
    char answer;
    REQUIRE(read(from_child, &answer, 1) == 1);
}

/* One step per letter; waits until they are done, or the process is gone. */
static void tell(const char *steps)
{
    char answer;
    for (; *steps; steps++)
        if (write(to_child, steps, 1) == 1 && read(from_child, &answer, 1) != 1)
            waitpid(child, NULL, 0);
}

static const pit_raw_node *node_of(const pit_run *run, const char *name)
{
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            if (strcmp(run->threads[t].nodes[i].name, name) == 0)
                return &run->threads[t].nodes[i];
    return NULL;
}

static uint64_t count_of(const pit_watch *watch, const char *name)
{
    const pit_raw_node *node = node_of(pit_watch_run(watch), name);
    return node ? node->count : 0;
}

static pit_watch *watch_it(void)
{
    pit_error error = {0};
    pit_watch *watch = pit_watch_open(path, &error);
    if (!watch)
        printf("  %s\n", error.message);
    REQUIRE(watch);
    return watch;
}

TEST(each_look_has_the_counts_of_its_moment)
{
    start();
    tell("s");
    pit_watch *watch = watch_it();
    CHECK_INT(pit_watch_run(watch)->state, PIT_RUN_LIVE);
    CHECK_INT(count_of(watch, "step"), 10);
    tell("ss");
    CHECK_INT(count_of(watch, "step"), 10);
    CHECK_INT(pit_watch_refresh(watch, NULL), 1);
    CHECK_INT(count_of(watch, "step"), 30);
    pit_watch_close(watch);
    tell("q");
    clean();
}

TEST(a_run_that_grows_is_followed_node_by_node_into_new_blocks_and_threads)
{
    start();
    tell("s");
    pit_watch *watch = watch_it(); /* the first block of nodes has one, and is filled up later */
    CHECK_INT(count_of(watch, "node 1999"), 0);
    tell("n");
    CHECK_INT(pit_watch_refresh(watch, NULL), 1);
    CHECK_INT(count_of(watch, "node 0"), 1);
    CHECK_INT(count_of(watch, "node 1997"), 3);
    tell("tnl");
    CHECK_INT(pit_watch_refresh(watch, NULL), 1);
    CHECK_INT(count_of(watch, "node 1997"), 6);
    CHECK_INT(count_of(watch, "worker"), 5);
    CHECK_INT(pit_watch_run(watch)->thread_count, 2);
    CHECK_STR(pit_run_fact(pit_watch_run(watch), "label.phase"), "two");
    pit_run *whole = pit_watch_snapshot(watch, NULL);
    REQUIRE(whole);
    const pit_run *light = pit_watch_run(watch);
    CHECK_INT(whole->threads[0].node_count, light->threads[0].node_count);
    for (size_t i = 0; i < whole->threads[0].node_count; i++) {
        CHECK_STR(light->threads[0].nodes[i].name, whole->threads[0].nodes[i].name);
        CHECK_INT(light->threads[0].nodes[i].total, whole->threads[0].nodes[i].total);
    }
    CHECK_INT(whole->threads[0].nodes[0].hist_count > 0, 1);
    pit_run_free(whole);
    pit_watch_close(watch);
    tell("q");
    clean();
}

TEST(what_is_open_is_seen_and_gets_older_by_the_clock_of_the_run)
{
    start();
    tell("o");
    pit_watch *watch = watch_it();
    const pit_run *run = pit_watch_run(watch);
    REQUIRE(run->thread_count == 1 && run->threads[0].open_count == 1);
    uint64_t before = run->end_ticks;
    usleep(20000);
    CHECK_INT(pit_watch_refresh(watch, NULL), 1);
    run = pit_watch_run(watch);
    double more_ns = (double)(run->end_ticks - before) * run->ns_per_tick;
    CHECK(more_ns > 19e6);
    CHECK(run->end_ticks > run->threads[0].open[0].begin);
    pit_watch_close(watch);
    tell("q");
    clean();
}

TEST(the_series_of_one_node_can_be_asked_for)
{
    start();
    tell("s");
    pit_watch *watch = watch_it();
    size_t count = 0;
    uint64_t calls = 0;
    const pit_series_bin *bins = pit_watch_series(watch, 0, 0, &count);
    for (size_t i = 0; i < count; i++)
        calls += bins[i].count;
    CHECK_INT(calls, 10);
    CHECK(!pit_watch_series(watch, 0, 99, &count));
    CHECK(!pit_watch_series(watch, 9, 0, &count));
    pit_watch_close(watch);
    tell("q");
    clean();
}

/* The process ends by the step `how` after its file was removed. */
static void check_ending(const char *how, enum pit_run_state state)
{
    start();
    pit_watch *watch = watch_it();
    tell("s");
    clean();
    tell(how);
    CHECK_INT(pit_watch_refresh(watch, NULL), 1);
    CHECK_INT(pit_watch_run(watch)->state, state);
    CHECK_INT(count_of(watch, "step"), 10);
    const pit_raw_node *step_node = node_of(pit_watch_run(watch), "step");
    CHECK(step_node && step_node->hist_count > 0); /* the whole run now */
    size_t count = 0;
    CHECK(pit_watch_series(watch, 0, 0, &count) && count > 0);
    CHECK_INT(pit_watch_refresh(watch, NULL), 0);
    pit_watch_close(watch);
}

TEST(a_run_is_followed_to_its_clean_end_though_its_file_was_deleted)
{
    check_ending("q", PIT_RUN_CLOSED);
}

TEST(a_run_is_followed_to_its_death_though_its_file_was_deleted)
{
    check_ending("k", PIT_RUN_DIED);
}

TEST(a_run_at_rest_is_whole_and_has_nothing_new)
{
    start();
    tell("sq");
    pit_watch *watch = watch_it();
    CHECK_INT(pit_watch_run(watch)->state, PIT_RUN_CLOSED);
    CHECK_INT(pit_watch_refresh(watch, NULL), 0);
    CHECK_INT(count_of(watch, "step"), 10);
    pit_watch_close(watch);
    clean();
}

TEST(what_cannot_be_watched_is_refused_with_the_reason)
{
    pit_error error = {0};
    CHECK(!pit_watch_open("/nowhere/run.pit", &error));
    CHECK_STR(error.message, "No such file or directory");
    CHECK(!pit_watch_open(NULL, &error));
    make_path();
    REQUIRE(pit_open(path, NULL) == 0);
    CHECK(!pit_watch_open(path, &error));
    CHECK(strstr(error.message, "of this process") != NULL);
    clean();
    pit_watch_close(NULL);
}

static void mend(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (!pit__live_mend(info->si_addr))
        signal(number, SIG_DFL);
}

static void guard_reading(void)
{
    struct sigaction action = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
    REQUIRE(sigaction(SIGBUS, &action, NULL) == 0);
}

TEST(a_file_that_is_cut_reads_as_zeros_and_the_next_look_says_so)
{
    guard_reading();
    start();
    tell("sn");
    pit_watch *watch = watch_it();
    REQUIRE(truncate(path, 4096) == 0); /* the process sleeps: it stores nothing meanwhile */
    size_t count = 0, thread = pit_watch_run(watch)->thread_count - 1;
    pit_watch_series(watch, thread, pit_watch_run(watch)->threads[thread].node_count - 1, &count);
    pit_run_free(pit_watch_snapshot(watch, NULL));
    pit_error error = {0};
    CHECK_INT(pit_watch_refresh(watch, &error), PIT_TRUNCATED);
    CHECK_STR(error.message, "the file was cut while it was watched");
    CHECK_INT(count_of(watch, "step"), 10);
    pit_watch_close(watch);
    kill(child, SIGKILL);
    clean();
}

TEST(a_file_that_is_cut_and_written_again_is_not_taken_for_the_run)
{
    guard_reading();
    start();
    tell("s");
    pit_watch *watch = watch_it();
    REQUIRE(truncate(path, 0) == 0 && truncate(path, 1 << 22) == 0);
    CHECK_INT(pit_watch_refresh(watch, NULL), PIT_TRUNCATED);
    pit_watch_close(watch);
    kill(child, SIGKILL);
    clean();
}

/* Truncate it and write it again, repeatedly. */
static void *cut_again_and_again(void *arg)
{
    static unsigned char image[4 << 20];
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ssize_t bytes = read(fd, image, sizeof image);
    REQUIRE(bytes > 0);
    for (int i = 0; i < 200; i++) {
        REQUIRE(ftruncate(fd, 4096) == 0);
        REQUIRE(pwrite(fd, image, (size_t)bytes, 0) == bytes);
    }
    close(fd);
    __atomic_store_n((int *)arg, 0, __ATOMIC_RELEASE);
    return NULL;
}

TEST(a_live_run_that_is_cut_while_it_is_opened_does_not_kill_the_reader)
{
    pthread_t thread;
    int is_cutting = 1;
    guard_reading();
    start();
    tell("sn");
    REQUIRE(pthread_create(&thread, NULL, cut_again_and_again, &is_cutting) == 0);
    while (__atomic_load_n(&is_cutting, __ATOMIC_ACQUIRE))
        pit_run_free(pit_run_open(path, NULL));
    pthread_join(thread, NULL);
    pit_run *run = pit_run_open(path, NULL);
    REQUIRE(run);
    CHECK_INT(node_of(run, "step") ? node_of(run, "step")->count : 0, 10);
    pit_run_free(run);
    kill(child, SIGKILL);
    clean();
}

TEST(a_peek_has_the_head_of_a_run_and_no_threads)
{
    start();
    tell("sl");
    pit_run *run = pit_run_peek(path, NULL);
    REQUIRE(run);
    CHECK_INT(run->state, PIT_RUN_LIVE);
    CHECK_INT(run->thread_count, 0);
    CHECK_STR(pit_run_fact(run, "label.phase"), "two");
    pit_run_free(run);
    tell("q");
    run = pit_run_peek(path, NULL);
    REQUIRE(run);
    CHECK_INT(run->state, PIT_RUN_CLOSED);
    CHECK(run->duration_ns > 0);
    pit_run_free(run);
    clean();
}
