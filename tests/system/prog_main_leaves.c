/* prog_main_leaves.c: prog_main_leaves FILE how-many-recorders WAY
 *
 * The main thread ends with pthread_exit.
 *   none            it has opened the run and recorded a span
 *   thread          and another thread goes on for a while, under a name like that of the library's own
 *                   threads, and records ten spans at its end
 *   other-opens     another thread has opened the run and ended before the main thread ends
 *   other-goes-on   another thread has opened the run and ends after the main thread
 *   main-records    another thread has opened the run, the main thread has recorded spans too
 *   late            another thread opens the run after the main thread has ended
 *   forked          a child of fork, made by another thread, does as other-opens; its parent waits for it */
#include "pitwall.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path, *way;
static int recorders;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void at_exit(void)
{
    puts("at exit");
}

static void open_runs(void)
{
    if (pit_open(path, NULL) != PIT_OK)
        _exit(66);
    for (int i = 1; i < recorders; i++) {
        pit_options options = {.in_memory = 1};
        if (pit_recorder_open(NULL, &options, NULL) == NULL)
            _exit(66);
    }
    pit_end(pit_begin_name("early"));
}

/* The state of a process in /proc is that of its main thread: "number (name) state …". */
static void wait_for_end_of_main(void)
{
    char text[256] = "";
    while (!strstr(text, ") Z")) {
        FILE *file = fopen("/proc/self/stat", "r");
        if (!file || !fgets(text, sizeof text, file))
            _exit(71);
        fclose(file);
        usleep(1000);
    }
}

static void *goes_on(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "pitwall");
    if (is("late"))
        wait_for_end_of_main();
    if (!is("thread"))
        open_runs();
    if (is("other-goes-on"))
        wait_for_end_of_main();
    if (is("thread") || is("other-goes-on")) {
        sleep(3); /* the library looks several times whether only its own threads are left */
        for (int i = 0; i < 10; i++)
            pit_end(pit_begin_name("late"));
    }
    return NULL;
}

static void leave(void)
{
    pthread_t thread;
    atexit(at_exit);
    if (is("none") || is("thread"))
        open_runs();
    if (!is("none") && pthread_create(&thread, NULL, goes_on, NULL) != 0)
        _exit(71);
    if (is("other-opens") || is("main-records") || is("forked"))
        pthread_join(thread, NULL);
    if (is("main-records"))
        pit_end(pit_begin_name("main"));
    pthread_exit(NULL);
}

static void *forks(void *unused)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        leave();
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = 71 << 8;
    _exit(WEXITSTATUS(status));
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 4)
        return 64;
    path = argv[1];
    recorders = atoi(argv[2]);
    way = argv[3];
    if (!is("forked"))
        leave();
    if (pthread_create(&thread, NULL, forks, NULL) == 0)
        pthread_join(thread, NULL);
    return 71;
}
