/* Files that are written completely or not at all. */
#include "check.h"
#include "pitwall_report.h"
#include "report/whole_file.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[64];

static void enter(void)
{
    strcpy(folder, "/tmp/pitwall-unit-whole-XXXXXX");
    REQUIRE(mkdtemp(folder) && chdir(folder) == 0);
}

static int files(void)
{
    DIR *dir = opendir(folder);
    int count = 0;
    REQUIRE(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void leave(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    REQUIRE(chdir("/") == 0 && system(command) == 0);
}

static const char *content(const char *path)
{
    static char text[200];
    FILE *in = fopen(path, "r");
    memset(text, 0, sizeof text);
    if (!in)
        return "(none)";
    size_t count = fread(text, 1, sizeof text - 1, in);
    text[count] = '\0';
    fclose(in);
    return text;
}

static int put(FILE *out, void *text)
{
    fputs(text, out);
    return 0;
}

static int put_and_fail(FILE *out, void *text)
{
    fputs(text, out);
    return PIT_NO_MEMORY;
}

static int put_much(FILE *out, void *text)
{
    (void)text;
    for (int i = 0; i < 100000; i++)
        fputs("0123456789", out);
    return 0;
}

TEST(a_new_file_has_the_mode_of_any_new_file)
{
    struct stat facts;
    enter();
    umask(022);
    CHECK_INT(pit_save("a", put, "text"), 0);
    CHECK_STR(content("a"), "text");
    REQUIRE(stat("a", &facts) == 0);
    CHECK_INT(facts.st_mode & 0777, 0644);
    CHECK_INT(files(), 1);
    leave();
}

TEST(an_old_file_is_replaced_and_keeps_its_mode)
{
    struct stat facts, after;
    enter();
    CHECK_INT(pit_save("a", put, "old"), 0);
    CHECK_INT(chmod("a", 0600), 0);
    REQUIRE(stat("a", &facts) == 0);
    CHECK_INT(pit_save("a", put, "new"), 0);
    CHECK_STR(content("a"), "new");
    REQUIRE(stat("a", &after) == 0);
    CHECK_INT(after.st_mode & 0777, 0600);
    CHECK(after.st_ino != facts.st_ino); /* a process that has it open keeps reading the old file */
    CHECK_INT(files(), 1);
    leave();
}

TEST(a_writer_that_fails_leaves_everything_as_it_was)
{
    enter();
    CHECK_INT(pit_save("a", put, "old"), 0);
    CHECK_INT(pit_save("a", put_and_fail, "new"), PIT_NO_MEMORY);
    CHECK_STR(content("a"), "old");
    CHECK_INT(pit_save("b", put_and_fail, "new"), PIT_NO_MEMORY);
    CHECK_INT(files(), 1);
    leave();
}

TEST(a_write_that_fails_late_leaves_everything_as_it_was)
{
    struct rlimit limit = {65536, 65536};
    enter();
    CHECK_INT(pit_save("a", put, "old"), 0);
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    errno = 0;
    CHECK_INT(pit_save("a", put_much, NULL), PIT_CANNOT_WRITE);
    CHECK_INT(errno, EFBIG);
    CHECK_STR(content("a"), "old");
    CHECK_INT(files(), 1);
    leave();
}

TEST(what_is_shorter_than_the_buffer_fails_too)
{
    errno = 0;
    CHECK_INT(pit_save("/dev/full", put, "x"), PIT_CANNOT_WRITE);
    CHECK_INT(errno, ENOSPC);
}

TEST(links_are_followed_over_several_steps)
{
    struct stat facts;
    enter();
    REQUIRE(mkdir("deep", 0777) == 0 && symlink("deep/two", "one") == 0 &&
            symlink("three", "deep/two") == 0);
    CHECK_INT(pit_save("one", put, "text"), 0);
    CHECK_STR(content("deep/three"), "text");
    REQUIRE(lstat("one", &facts) == 0);
    CHECK(S_ISLNK(facts.st_mode));
    REQUIRE(symlink("loop", "loop") == 0);
    CHECK_INT(pit_save("loop", put, "text"), PIT_CANNOT_WRITE);
    CHECK_INT(errno, ELOOP);
    leave();
}

TEST(a_name_as_long_as_can_be_works)
{
    char name[256];
    enter();
    memset(name, 'n', 255);
    name[255] = '\0';
    CHECK_INT(pit_save(name, put, "text"), 0);
    CHECK_STR(content(name), "text");
    leave();
}

TEST(wrong_arguments_and_places_are_refused)
{
    enter();
    CHECK_INT(pit_save(NULL, put, ""), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_save("a", NULL, ""), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_save(".", put, ""), PIT_CANNOT_WRITE);
    CHECK_INT(errno, EISDIR);
    CHECK_INT(pit_save("no/such/folder", put, ""), PIT_CANNOT_WRITE);
    CHECK_INT(errno, ENOENT);
    CHECK_INT(pit_save("", put, ""), PIT_CANNOT_WRITE);
    CHECK_INT(files(), 0);
    leave();
}
