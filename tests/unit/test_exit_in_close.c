/* The program ends by exit() while another thread is closing the run: the close is completed. */
#include "check.h"

#include <pitwall.h>

#include <pthread.h>
#include <sys/syscall.h>

static char folder[64], path[128];
static int is_closing, is_inside, is_ending;

static void await(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(1000);
}

/* The library's call that gives the file its permissions back, one of the last of a close. */
int fchmod(int fd, mode_t mode)
{
    if (__atomic_load_n(&is_closing, __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&is_inside, 1, __ATOMIC_RELEASE);
        await(&is_ending);
        usleep(200000); /* much longer than the end of a process */
    }
    return (int)syscall(SYS_fchmod, fd, mode);
}

static void *close_run(void *unused)
{
    (void)unused;
    __atomic_store_n(&is_closing, 1, __ATOMIC_RELEASE);
    pit_close();
    return NULL;
}

static void note_end(void)
{
    __atomic_store_n(&is_ending, 1, __ATOMIC_RELEASE);
}

static void end_while_closing(void)
{
    pthread_t thread;
    pit_options options = {.sample_hz = -1};
    atexit(note_end);
    if (pit_open(path, &options) != 0 || pthread_create(&thread, NULL, close_run, NULL) != 0)
        _exit(1);
    pthread_detach(thread);
    await(&is_inside);
    exit(0);
}

TEST(a_close_by_another_thread_is_completed_before_the_process_ends)
{
    struct stat found;
    int status = -1;
    snprintf(folder, sizeof folder, "%s", "/tmp/pitwall-exit-XXXXXX");
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/run.pit", folder);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        end_while_closing();
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    REQUIRE(stat(path, &found) == 0);
    CHECK_INT(found.st_mode & 0777, 0644); /* of a live run: 0444 */
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}
