/* A file is held while it is read: a process that truncates it waits, all others are not affected. */
#include "reader/held_file.h"

#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char path[] = "/tmp/test_held_file.XXXXXX";

static int made_file(void)
{
    int fd = mkstemp(path);
    REQUIRE(fd >= 0 && ftruncate(fd, 8192) == 0);
    close(fd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    return fd;
}

static int is_blocked(int number)
{
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    return sigismember(&now, number);
}

static int is_pending(int number)
{
    sigset_t now;
    sigpending(&now);
    return sigismember(&now, number);
}

TEST(who_cuts_it_waits_until_it_is_given_back)
{
    struct pit__hold hold;
    struct stat found;
    int fd = made_file();
    REQUIRE(pit__hold_begin(&hold, fd));
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(truncate(path, 100) == 0 ? 0 : 1);
    while (fcntl(fd, F_GETLEASE) == F_RDLCK) /* until the child waits */
        usleep(1000);
    CHECK(fstat(fd, &found) == 0 && found.st_size == 8192);
    pit__hold_end(&hold);
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    CHECK(fstat(fd, &found) == 0 && found.st_size == 100);
    CHECK(!is_pending(SIGURG));
    CHECK(!is_blocked(SIGURG));
    unlink(path);
}

TEST(without_anybody_who_waits_nothing_is_left)
{
    struct pit__hold hold;
    int fd = made_file();
    for (int i = 0; i < 3; i++) {
        REQUIRE(pit__hold_begin(&hold, fd));
        pit__hold_end(&hold);
    }
    CHECK(!is_pending(SIGURG) && !is_blocked(SIGURG));
    int writing = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC); /* would not wait */
    CHECK(writing >= 0);
    unlink(path);
}

TEST(a_file_that_is_open_for_writing_cannot_be_held)
{
    struct pit__hold hold;
    int fd = made_file(), writing = open(path, O_WRONLY | O_CLOEXEC);
    REQUIRE(writing >= 0);
    CHECK(!pit__hold_begin(&hold, fd));
    CHECK(!is_blocked(SIGURG));
    unlink(path);
}

TEST(a_signal_of_the_programs_own_is_left_to_it)
{
    struct pit__hold hold;
    sigset_t urgent;
    int fd = made_file();
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(SIG_BLOCK, &urgent, NULL);
    raise(SIGURG);
    REQUIRE(pit__hold_begin(&hold, fd));
    pit__hold_end(&hold);
    CHECK(is_pending(SIGURG) && is_blocked(SIGURG));
    unlink(path);
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard = heard + 1;
}

/* At any moment at which a process wants to truncate it, also while it is being released. */
TEST(a_program_that_listens_to_the_signal_does_not_hear_of_it)
{
    struct pit__hold hold;
    int fd = made_file(), held = 0;
    signal(SIGURG, hear);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        for (;;)
            if (truncate(path, 8192) != 0)
                _exit(1);
    for (int i = 0; i < 3000 || !held; i++)
        if (pit__hold_begin(&hold, fd)) {
            held++;
            pit__hold_end(&hold);
        } else {
            sched_yield(); /* it may have lost the processor in the middle of truncating */
        }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK_INT(heard, 0);
    unlink(path);
}

TEST(a_signal_that_comes_meanwhile_is_the_programs)
{
    struct pit__hold hold;
    int fd = made_file();
    signal(SIGURG, hear);
    REQUIRE(pit__hold_begin(&hold, fd));
    raise(SIGURG);
    CHECK_INT(heard, 0);
    pit__hold_end(&hold);
    CHECK_INT(heard, 1);
    unlink(path);
}
