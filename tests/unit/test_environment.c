/* PITWALL_FILE in the environment: the first span opens the run, no pit_open is needed. */
#include "probe.h"

#include <signal.h>
#include <sys/mman.h>

static char folder[] = "/tmp/pitwall-unit-env-XXXXXX";

__attribute__((constructor(101))) static void ask_for_a_run(void)
{
    char path[64];
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/%%p-%%%%.pit", folder);
    setenv("PITWALL_FILE", path, 1);
    setenv("PITWALL_SAMPLE", "-1", 1);
    setenv("PITWALL_RING", "32768", 1);
}

static void path_here(char *path, size_t room)
{
    snprintf(path, room, "%s/%ld-%%.pit", folder, (long)getpid());
}

TEST(the_first_span_opens_the_run_that_the_environment_asks_for)
{
    char path[128];
    path_here(path, sizeof path);
    CHECK_INT(pit__enabled, 1);
    CHECK(access(path, F_OK) != 0); /* not before the first span */
    PIT_SPAN("first") {
    }
    CHECK(access(path, F_OK) == 0);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), 0);
    CHECK_STR(status.path, path);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "first")->count, 1);
    const struct pit_fmt_header *header = pit_recorder_memory(NULL, NULL);
    CHECK_INT(header->ring_bytes, 32768);
    CHECK_INT(pit_close(), 0);
    PIT_SPAN("late") { /* closed explicitly: it is not opened again */
    }
    CHECK_INT(probe_count(probe_read(NULL), "late"), 0);
    unlink(path);
}

TEST(a_run_opened_by_a_span_is_closed_by_exit)
{
    pid_t child = fork();
    if (child == 0) {
        PIT_SPAN("in the child") {
        }
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    char path[128];
    snprintf(path, sizeof path, "%s/%ld-%%.pit", folder, (long)child);
    pit_run *run = pit_run_open(path, NULL);
    REQUIRE(run);
    probe_keep(run);
    CHECK_INT(run->state, PIT_RUN_CLOSED);
    CHECK_INT(probe_first(run, "in the child")->count, 1);
    unlink(path);
}

TEST(a_run_whose_process_is_killed_reads_as_died_with_all_its_spans)
{
    pid_t child = fork();
    if (child == 0) {
        pit_begin_name("outer");
        for (int i = 0; i < 5; i++)
            pit_end(pit_begin_name("inner"));
        raise(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    char path[128];
    snprintf(path, sizeof path, "%s/%ld-%%.pit", folder, (long)child);
    pit_run *run = pit_run_open(path, NULL);
    REQUIRE(run);
    probe_keep(run);
    CHECK_INT(run->state, PIT_RUN_DIED);
    CHECK_INT(probe_first(run, "outer/inner")->count, 5);
    CHECK_INT(run->threads[0].open_count, 1);
    CHECK(probe_holds(run));
    unlink(path);
}

TEST(a_forked_child_writes_a_run_of_its_own_and_names_its_parent)
{
    char path[128], of_child[160];
    path_here(path, sizeof path);
    pit_token outer = pit_begin_name("outer");
    PIT_SPAN("parent") {
    }
    pid_t child = fork();
    if (child == 0) {
        pit_end(outer); /* belongs to the parent, not to this process */
        PIT_SPAN("child") {
        }
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
    snprintf(of_child, sizeof of_child, "%s/%ld-%%-fork%ld.pit", folder, (long)getpid(),
             (long)child);
    pit_run *run = pit_run_open(of_child, NULL);
    REQUIRE(run);
    probe_keep(run);
    CHECK_INT(probe_first(run, "child")->count, 1);
    CHECK_INT(probe_count(run, "outer"), 0);
    CHECK_STR(pit_run_fact(run, "parent_path"), path);
    const pit_run *own = probe_read(NULL);
    CHECK(memcmp(run->parent_run_id, own->run_id, sizeof own->run_id) == 0);
    CHECK(memcmp(run->run_id, own->run_id, sizeof own->run_id) != 0);
    CHECK_INT(own->threads[0].open_count, 1);
    CHECK_INT(probe_count(own, "child"), 0);
    pit_end(outer);
    unlink(of_child);
    unlink(path);
}

TEST(the_folder_of_these_runs_is_empty_again)
{
    CHECK_INT(rmdir(folder), 0);
}
