/* Runs of child programs: their names, and how they ended. */
#include "check.h"

#include "pitwall_report.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char id[16] = {0xaa, 1, 2, 3};
static const char *const command[] = {"/usr/bin/work", "--size", "7", NULL};
static const pit_ended killed = {.pid = 4242,
                                 .start_wall_ns = 1700000000000000000u,
                                 .duration_ns = 2500000000u,
                                 .exit_status = -1,
                                 .exit_signal = 9,
                                 .user_ns = 1,
                                 .rss_peak = 5000000,
                                 .read_bytes = PIT_UNKNOWN,
                                 .children = 3};

static char folder[] = "/tmp/pitwall-end-XXXXXX";

static void go_there(void)
{
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
}

static void leave(void)
{
    char command_line[64];
    CHECK(chdir("/") == 0);
    snprintf(command_line, sizeof command_line, "rm -r %s", folder);
    CHECK(system(command_line) == 0);
}

TEST(a_program_that_recorded_nothing_gets_a_small_run)
{
    char path[4096] = "a/b/run.pit";
    go_there();
    CHECK_INT(pit_record_ending(path, id, command, &killed), 0);
    CHECK_STR(path, "a/b/run.pit");
    pit_run *run = pit_run_open(path, NULL);
    REQUIRE(run && run->ended);
    CHECK(memcmp(run->run_id, id, sizeof id) == 0);
    CHECK_INT(run->state, PIT_RUN_DIED);
    CHECK_INT(run->pid, 4242);
    CHECK_INT(run->start_wall_ns, 1700000000000000000);
    CHECK(run->duration_ns == 2.5e9);
    CHECK_STR(pit_run_fact(run, "program"), "work");
    CHECK_STR(pit_run_fact(run, "arguments"), "--size 7");
    CHECK_INT(run->ended->exit_status, -1);
    CHECK_INT(run->ended->exit_signal, 9);
    CHECK(run->ended->read_bytes == PIT_UNKNOWN);
    CHECK_INT(run->ended->children, 3);
    CHECK_INT(run->damaged_at, 0);
    pit_run_free(run);
    leave();
}

TEST(what_threads_keep_for_others_is_left_alone)
{
    static char others[8192];
    char path[4096] = "run.pit";
    pthread_key_t key; /* most likely the first key: looks like a key that was never created */
    go_there();
    REQUIRE(pthread_key_create(&key, NULL) == 0 && pthread_setspecific(key, others) == 0);
    CHECK_INT(pit_record_ending(path, id, command, &killed), 0);
    CHECK(pthread_getspecific(key) == others);
    leave();
}

TEST(another_run_at_the_path_is_left_alone)
{
    char path[4096] = "run.pit", again[4096] = "run.pit";
    const unsigned char other[16] = {0xbb};
    go_there();
    CHECK_INT(pit_record_ending(path, id, command, &killed), 0);
    CHECK_INT(pit_record_ending(again, other, command, &killed), 0);
    CHECK_STR(again, "run-2.pit");
    pit_run *run = pit_run_open("run.pit", NULL);
    REQUIRE(run && memcmp(run->run_id, id, sizeof id) == 0);
    pit_run_free(run);
    leave();
}

TEST(the_run_with_the_id_gets_the_end_wherever_its_number_led_it)
{
    char path[4096] = "run.pit", second[4096] = "run.pit";
    const unsigned char other[16] = {0xbb};
    const pit_ended good = {.pid = 4242, .duration_ns = 7, .exit_status = 3};
    go_there();
    CHECK_INT(pit_record_ending(path, other, command, &killed), 0);
    CHECK_INT(pit_record_ending(second, id, command, &killed), 0);
    CHECK_STR(second, "run-2.pit");
    CHECK_INT(pit_record_ending(path, id, command, &good), 1);
    CHECK_STR(path, "run-2.pit");
    pit_run *run = pit_run_open(path, NULL);
    REQUIRE(run && run->ended);
    CHECK_INT(run->ended->exit_status, 3);
    CHECK_INT(run->ended->exit_signal, 0);
    pit_run_free(run);
    leave();
}

TEST(what_cannot_be_written_says_why)
{
    char path[4096] = "file/run.pit";
    go_there();
    FILE *file = fopen("file", "w");
    CHECK(file && fclose(file) == 0);
    CHECK_INT(pit_record_ending(path, id, command, &killed), PIT_NOT_SAVED);
    CHECK_INT(errno, ENOTDIR);
    CHECK_INT(pit_record_ending(NULL, id, command, &killed), PIT_NOT_SAVED);
    CHECK_INT(pit_record_ending(path, id, command, NULL), PIT_NOT_SAVED);
    leave();
}

TEST(names_are_those_that_the_program_makes)
{
    static const char *const work[] = {"/bin/work", "-x", NULL}, *const none[] = {NULL};
    static const char *const python[] = {"/usr/bin/python3", "-u", "models/train.py", NULL};
    char path[4096];
    unsetenv("PITWALL_FILE");
    unsetenv("RANK");
    CHECK(chdir("/") == 0);
    CHECK_INT(pit_run_path(path, sizeof path, "/x/%p-%%.pit", work, 77, 0), 0);
    CHECK_STR(path, "/x/77-%.pit");
    setenv("RANK", "3", 1);
    CHECK_INT(pit_run_path(path, sizeof path, "/x/%r.pit", work, 77, 0), 0);
    CHECK_STR(path, "/x/3.pit");
    unsetenv("RANK");
    setenv("TZ", "UTC0", 1);
    CHECK_INT(pit_run_path(path, sizeof path, NULL, work, 77, 1700000000000000000u), 0);
    CHECK(strncmp(path, "//pitwall-runs/work-20231114-221320-", 36) == 0);
    CHECK(strcmp(path + strlen(path) - 7, "-77.pit") == 0);
    CHECK_INT(pit_run_path(path, sizeof path, NULL, python, 77, 1700000000000000000u), 0);
    CHECK(strncmp(path, "//pitwall-runs/train.py-20231114-221320-", 40) == 0);
    setenv("PITWALL_FILE", "/y/run.pit", 1);
    CHECK_INT(pit_run_path(path, sizeof path, NULL, work, 77, 0), 0);
    CHECK_STR(path, "/y/run.pit");
    CHECK_INT(pit_run_path(path, 5, NULL, work, 77, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_run_path(path, sizeof path, NULL, none, 77, 0), PIT_BAD_ARGUMENT);
}
