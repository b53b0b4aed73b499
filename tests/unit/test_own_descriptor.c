/* The program puts other files where the recorder's descriptor or its file was. */
#include "check.h"

#include <pitwall.h>

#include "recorder/own_file.h"
#include "recorder/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[128];

static void prepare(void)
{
    snprintf(folder, sizeof folder, "%s", "/tmp/pitwall-own-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.pit", folder);
    pit_options options = {.sample_hz = -1};
    REQUIRE(pit_open(path, &options) == PIT_OK);
}

static void clean(void)
{
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

/* The descriptor of the file at the path, or -1. */
static int descriptor_of_run(void)
{
    struct stat wanted, found;
    REQUIRE(stat(path, &wanted) == 0);
    for (int fd = 3; fd < 4096; fd++)
        if (fstat(fd, &found) == 0 && found.st_ino == wanted.st_ino &&
            found.st_dev == wanted.st_dev)
            return fd;
    return -1;
}

static void make_nodes(int count)
{
    char name[32];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        pit_end(pit_begin_name(name));
    }
}

TEST(a_descriptor_replaced_by_one_for_reading_the_same_file)
{
    prepare();
    int own = descriptor_of_run(), reading = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(own >= 0 && reading >= 0);
    REQUIRE(dup2(reading, own) == own);
    make_nodes(5000);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), PIT_OK);
    CHECK_INT(status.code, PIT_OK);
    CHECK_INT(status.bytes_in_file, status.bytes);
    CHECK_INT(pit_close(), PIT_OK);
    close(reading);
    close(own);
    clean();
}

/* The sampler's table of descriptors is its own: numbers of the program mean nothing there. */
static void *grow_as_the_sampler_does(void *arg)
{
    struct pit__sources sources = {0};
    pit__sources_own(&sources);
    pit_recorder *rec = pit_default_recorder();
    uint64_t bytes = rec->mapped_bytes - rec->used_bytes + 4096;
    *(int *)arg = sources.keeps_open &&
                  pit__block_new(rec, PIT_FMT_FACTS, PIT_FMT_NO_THREAD, bytes, 0) != NULL;
    return NULL;
}

static int grow_on_a_sampler(void)
{
    pthread_t thread;
    int has_grown = 0;
    REQUIRE(pthread_create(&thread, NULL, grow_as_the_sampler_does, &has_grown) == 0);
    pthread_join(thread, NULL);
    return has_grown;
}

TEST(a_run_that_the_sampler_lets_grow_keeps_the_programs_descriptor)
{
    prepare();
    int own = descriptor_of_run();
    int other = own + 9; /* not a number that the sampler's table gives */
    REQUIRE(dup2(own, other) == other);
    pit_default_recorder()->fd = other;
    close(own); /* releases the lock, which does not matter here */
    CHECK_INT(grow_on_a_sampler(), 1);
    CHECK_INT(pit_default_recorder()->fd, other);
    CHECK_INT(grow_on_a_sampler(), 1);
    make_nodes(2000);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), PIT_OK);
    CHECK_INT(status.bytes_in_file, status.bytes);
    CHECK_INT(pit_close(), PIT_OK);
    CHECK_INT(descriptor_of_run(), -1);
    clean();
}

/* The program has changed its user or its root, or has no descriptor left. */
TEST(a_run_that_the_sampler_cannot_open_grows_by_the_program)
{
    prepare();
    struct rlimit before;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    struct rlimit few = {0, before.rlim_max};
    int own = descriptor_of_run();
    REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
    CHECK_INT(grow_on_a_sampler(), 0); /* no room: tried again once the program has made some */
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_INT(pit_default_recorder()->fd, own);
    make_nodes(5000);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), PIT_OK);
    CHECK_INT(status.code, PIT_OK);
    CHECK_INT(status.bytes_in_file, status.bytes);
    CHECK_INT(pit_close(), PIT_OK);
    clean();
}

TEST(a_discarded_run_removes_no_other_file)
{
    prepare();
    CHECK_INT(unlink(path), 0);
    FILE *other = fopen(path, "w");
    REQUIRE(other != NULL);
    fputs("a file of somebody else\n", other);
    fclose(other);
    CHECK_INT(pit_discard_run(), PIT_OK);
    CHECK_INT(access(path, F_OK), 0);
    clean();
}

TEST(a_discarded_run_is_gone)
{
    prepare();
    CHECK_INT(pit_discard_run(), PIT_OK);
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(rmdir(folder), 0);
}

/* As the sampler looks, with its own table of descriptors or without. The file has another name when it is
 * cut, and no later store may go to its missing pages. */
static void cut_after_rename(int has_table, int looks_before)
{
    char moved[160];
    prepare();
    struct pit__file_watch watch = {.has_table = has_table, .fd = -1};
    if (looks_before)
        pit__file_watch(pit_default_recorder(), &watch);
    snprintf(moved, sizeof moved, "%s-moved", path);
    CHECK_INT(rename(path, moved), 0);
    CHECK_INT(truncate(moved, 0), 0);
    pit__file_watch(pit_default_recorder(), &watch);
    make_nodes(100);
    CHECK_INT(pit_close(), PIT_NOT_SAVED);
    if (watch.fd >= 0)
        close(watch.fd);
    CHECK_INT(unlink(moved), 0);
    clean();
}

TEST(a_renamed_file_that_is_cut_is_left)
{
    cut_after_rename(0, 1);
    cut_after_rename(1, 1);
    cut_after_rename(1, 0);
}

static int next_number(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(fd);
    return fd;
}

TEST(the_program_gets_the_numbers_that_it_expects)
{
    int before = next_number();
    prepare();
    CHECK_INT(next_number(), before);
    CHECK_INT(pit_close(), PIT_OK);
    clean();
}

/* What the program prints afterwards must not go into the run. */
static void closed_standard_files(void)
{
    struct stat found;
    int kept[3];
    for (int fd = 0; fd < 3; fd++) {
        kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
        close(fd);
    }
    prepare();
    int is_open = 0;
    for (int fd = 0; fd < 3; fd++)
        is_open |= fstat(fd, &found) == 0;
    make_nodes(5000);
    int code = pit_close();
    for (int fd = 0; fd < 3; fd++)
        dup2(kept[fd], fd);
    CHECK_INT(is_open, 0);
    CHECK_INT(code, PIT_OK);
    clean();
}

TEST(closed_standard_files_stay_closed)
{
    closed_standard_files();
}

TEST(closed_standard_files_stay_closed_with_few_descriptors)
{
    struct rlimit limit = {40, 40};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    closed_standard_files();
}
