/* The output of monitors: to standard output, to a hook, or switched off. */
#include "check.h"

#include "monitor_stage.h"

#include <pthread.h>
#include <signal.h>

/* The text that `print` writes to standard output. */
static const char *on_stdout(void (*print)(pit_stages *stages))
{
    static char text[4096];
    int ends[2], before = dup(STDOUT_FILENO);
    fflush(stdout);
    REQUIRE(pipe(ends) == 0 && before >= 0);
    dup2(ends[1], STDOUT_FILENO);
    pit_stages *stages = pit_stages_new();
    print(stages);
    pit_stages_free(stages);
    /* Not flushed here: the monitors must have flushed it. */
    dup2(before, STDOUT_FILENO);
    close(ends[1]);
    ssize_t length = read(ends[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    close(before);
    return text;
}

static void one_stage(pit_stages *stages)
{
    pit_stage(stages, "one");
}

static void use_clocks_only(void)
{
    stage_up(0);
    pit_set_print(NULL, NULL);
}

TEST(lines_go_to_standard_output_at_once)
{
    use_clocks_only();
    CHECK_STR(on_stdout(one_stage), "[2024-10-13 22:30:00] [STAGE] one\n");
}

/* Printing is a cancellation point: the thread is cancelled in the middle of its line. */
static void *print_cancelled(void *stages)
{
    pthread_cancel(pthread_self());
    pit_stage(stages, "one");
    pthread_testcancel();
    return NULL;
}

static void print_after_a_cancelled_thread(pit_stages *stages)
{
    pthread_t thread;
    void *end = NULL;
    REQUIRE(pthread_create(&thread, NULL, print_cancelled, stages) == 0);
    pthread_join(thread, &end);
    CHECK(end == PTHREAD_CANCELED);
    alarm(600); /* a lock that was left would stop this thread for good */
    pit_stage(stages, "two");
    alarm(0);
}

TEST(a_thread_that_is_cancelled_while_it_prints_leaves_no_lock)
{
    use_clocks_only();
    CHECK_STR(on_stdout(print_after_a_cancelled_thread), "[2024-10-13 22:30:00] [STAGE] one\n"
                                                         "[2024-10-13 22:30:00] [STAGE] two\n");
}

TEST(a_hook_takes_all_lines)
{
    stage_up(0);
    CHECK_STR(on_stdout(one_stage), "");
    CHECK_STR(stage_text(), "[2024-10-13 22:30:00] [STAGE] one\n");
}

TEST(silence_is_a_call_or_the_environment_and_the_call_wins)
{
    use_clocks_only();
    CHECK_INT(pit_is_verbose(), 1);
    setenv("PITWALL_VERBOSE", "0", 1);
    CHECK_INT(pit_is_verbose(), 0);
    CHECK_STR(on_stdout(one_stage), "");
    pit_set_verbose(1);
    CHECK_INT(pit_is_verbose(), 1);
    CHECK_STR(on_stdout(one_stage), "[2024-10-13 22:30:00] [STAGE] one\n");
    pit_set_verbose(0);
    setenv("PITWALL_VERBOSE", "1", 1);
    CHECK_INT(pit_is_verbose(), 0);
    CHECK_STR(on_stdout(one_stage), "");
}

TEST(what_was_not_printed_is_in_the_run_all_the_same)
{
    stage_up(0);
    stage_record();
    pit_set_verbose(0);
    pit_stages *stages = pit_stages_new();
    pit_stage(stages, "silent");
    pit_stages_free(stages);
    CHECK_STR(stage_text(), "");
    CHECK_STR(stage_view("stages", PIT_TEXT), "[2024-10-13 22:30:00] [STAGE] silent\n");
}

static pit_stages *again;

static void log_inside(void *arg, const char *text)
{
    stage_line(arg, text);
    if (strstr(text, "outer"))
        pit_stage(again, "inner");
}

TEST(a_hook_may_log_itself)
{
    stage_up(0);
    pit_set_print(log_inside, NULL);
    again = pit_stages_new();
    pit_stage(again, "outer");
    CHECK_STR(stage_text(), "[2024-10-13 22:30:00] [STAGE] outer\n"
                            "[2024-10-13 22:30:00] [STAGE] inner\n");
    pit_stages_free(again);
}

static void *log_many(void *argument)
{
    for (int i = 0; i < 100; i++)
        pit_stage(argument, "from a thread");
    return NULL;
}

TEST(lines_of_threads_are_whole_and_in_the_journals_order)
{
    use_clocks_only();
    stage_record();
    char path[] = "/tmp/pitwall-output-XXXXXX";
    int file = mkstemp(path), before = dup(STDOUT_FILENO);
    REQUIRE(file >= 0 && before >= 0);
    unlink(path);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    pit_stages *stages = pit_stages_new();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, log_many, stages);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pit_stages_free(stages);
    dup2(before, STDOUT_FILENO);
    static char text[32768];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    REQUIRE(length > 0);
    CHECK_STR(stage_view("stages", PIT_TEXT), text);
    close(file);
    close(before);
}

TEST(a_child_of_fork_may_print_whatever_its_parents_threads_did)
{
    use_clocks_only();
    pit_set_verbose(1);
    int null = dup(STDOUT_FILENO);
    REQUIRE(freopen("/dev/null", "w", stdout) != NULL);
    pit_stages *stages = pit_stages_new(), *others = pit_stages_new();
    pthread_t thread;
    pthread_create(&thread, NULL, log_many, others);
    int bad = 0;
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(600); /* far longer than a busy machine needs */
            pit_stage(stages, "child");
            raise(SIGKILL); /* no sanitizer reports about threads that do not exist here */
        }
        int status = 0;
        waitpid(child, &status, 0);
        /* SIGALRM: it would wait forever */
        bad += !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL;
    }
    pthread_join(thread, NULL);
    dup2(null, STDOUT_FILENO);
    CHECK_INT(bad, 0);
    pit_stages_free(stages);
    pit_stages_free(others);
}

TEST(the_environment_leaves_tables_that_were_asked_for)
{
    stage_up(0);
    setenv("PITWALL_VERBOSE", "0", 1);
    pit_stages *stages = pit_stages_new();
    pit_profiler *profiler = pit_profiler_new(1);
    pit_stage_took(stages, "a", 1);
    pit_profiler_end(profiler, "training_step", pit_profiler_start(profiler, "training_step"));
    CHECK_STR(stage_text(), "");
    pit_stages_summary(stages);
    CHECK(strstr(stage_text(), "[TIMING SUMMARY]") != NULL);
    pit_profiler_log(profiler, NULL);
    CHECK(strstr(stage_text(), "--- Profiling Metrics (Step 1) ---") != NULL);
    pit_set_verbose(0);
    pit_stages_summary(stages);
    pit_profiler_log(profiler, NULL);
    CHECK_STR(stage_text(), "");
    pit_stages_free(stages);
    pit_profiler_free(profiler);
}
