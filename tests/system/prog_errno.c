/* prog_errno.c: prog_errno PATH|- [limit]
 *
 * Records everything there is with errno at a known value, and names the calls that changed it. "-": the
 * environment opens the run. limit: after the first spans the program gets no more memory. */
#include "pitwall.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT 1234
#define NAMES 3000

#define CHECK(call)                                                                                \
    do {                                                                                           \
        errno = KEPT;                                                                              \
        call;                                                                                      \
        if (errno != KEPT)                                                                         \
            printf("%s: %d: %s\n", #call, errno, strerror(errno));                                 \
    } while (0)

static void record(void)
{
    static pit_site plain = PIT_SITE("plain"), phase = PIT_SITE("phase");
    static pit_site memory = PIT_SITE_WITH("memory", PIT_MEMORY);
    pit_token outer = 0, inner = 0;
    CHECK(outer = pit_begin(&plain));
    CHECK(inner = pit_begin(&memory));
    CHECK(pit_items(1));
    CHECK(pit_value("loss", 1));
    CHECK(pit_end(inner));
    CHECK(pit_phase(&phase));
    CHECK(pit_phase_end());
    CHECK(pit_label("key", "value"));
    CHECK(pit_thread_name("name"));
    CHECK(pit_rss());
    CHECK(pit_end_ns(outer));
    CHECK(pit_end(outer)); /* a second time */
    CHECK(pit_begin(NULL));
}

static void record_names(void)
{
    char name[32];
    pit_token token = 0;
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name-%d", i);
        CHECK(token = pit_begin_name(name));
        CHECK(pit_value(name, i));
        CHECK(pit_end(token));
    }
}

static void *in_thread(void *unused)
{
    record();
    return unused;
}

/* From now on every mapping fails. */
static void limit_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        exit(71);
    fclose(file);
    rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit = {bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        exit(71);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        return 64;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(argv[1], "-") != 0)
        CHECK(pit_open(argv[1], NULL));
    record();
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
        return 71;
    pthread_join(thread, NULL);
    if (argc > 2)
        limit_memory();
    record_names();
    pid_t child = fork();
    if (child == 0) {
        record();
        CHECK(pit_close()); /* nothing is to be left in shared memory */
        _exit(0);
    }
    waitpid(child, NULL, 0);
    CHECK(pit_close());
    puts("done");
    return 0;
}
