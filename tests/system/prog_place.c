/* A program for the tests of run locations: each argument is one step, executed in order.
 *
 *   open[=PATH]       pit_open; prints "open CODE ERRNO TEXT"
 *   max=BYTES         max_bytes of the open that follows
 *   label=KEY=VALUE   a label of the open that follows; after it, pit_label
 *   nodes=COUNT       COUNT new names, node-0 and up, node-i with i % 3 + 1 spans
 *   spans=NAME:COUNT  COUNT spans of one name
 *   odd-names         spans with names that a terminal must not see raw
 *   begin=NAME        a span that stays open
 *   count=FILE        spans forever on three threads, counted in FILE; ends only by a kill
 *   status            prints "status RECORDING CODE ERRNO PLACE BYTES IN_FILE PATH"
 *   close             prints "close CODE"
 *   read-own=PATH     read and recover its own run; prints "own STATE SPANS RECOVER RECOVER_ALL"
 *   ready=FILE        make FILE; until=FILE waits for it, at most two minutes
 *   chdir=FOLDER, umask=OCTAL, fsize=BYTES, space=BYTES, use-memory=BYTES, sleep=MS
 *   eat-files         open files until there are no more; give-files-back closes all of them
 *   read-files=PATTERN  open, read and close them, as a copy does
 *   closefrom         close every descriptor from 3 on, as a daemon does
 *   fork-until=FILE   a child without exec that lives until FILE is there, at most two minutes
 *   exec-until=FILE   this program again, which waits for FILE and ends
 *   mode=OCTAL        file_mode of the open that follows
 *   kill              SIGKILL to itself
 *
 * It prints "done" at the end and returns 0, whatever the recorder says: it is the program that
 * must not be harmed.
 */
#include "pitwall_report.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNTERS 3

static pit_options options = {.sample_hz = 0};
static const char *labels[16];
static size_t label_count;
static size_t nodes_made;

/* ---- recording ----------------------------------------------------------------------------- */

static void span(const char *name)
{
    pit_end(pit_begin_name(name));
}

static void make_nodes(size_t count)
{
    char name[40];
    for (size_t end = nodes_made + count; nodes_made < end; nodes_made++) {
        snprintf(name, sizeof name, "node-%zu", nodes_made);
        for (size_t i = 0; i <= nodes_made % 3; i++)
            span(name);
    }
}

static void spans_of(char *name_and_count)
{
    char *colon = strrchr(name_and_count, ':');
    if (!colon)
        exit(99);
    *colon = 0;
    for (long left = strtol(colon + 1, NULL, 10); left > 0; left--)
        span(name_and_count);
}

static void odd_names(void)
{
    char wide[4001];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    span("plain");
    span("\xe6\xb7\xb1\xe5\xba\xa6\xe5\xad\xa6\xe4\xb9\xa0");                    /* CJK */
    span("\xf0\x9f\x9a\x80\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9 rocket"); /* emoji */
    span("red \x1b[31m bell \x07");
    span("two\nlines\tand a tab\r");
    span("bad utf-8 \xff\xc3");
    span("turned \xe2\x80\xae"
         "around");
    span("");
    span(wide);
}

/* One thread counts its spans in a shared page: after a kill the run must have that many, or one more or
 * less. */
static void *count_spans(void *arg)
{
    volatile uint64_t *counter = arg;
    for (;;) {
        pit_token token = pit_begin_name("counted");
        span("inner");
        pit_end(token);
        (*counter)++;
    }
    return NULL;
}

static void count_for_ever(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, COUNTERS * sizeof(uint64_t)) != 0)
        exit(98);
    uint64_t *counters =
        mmap(NULL, COUNTERS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t thread;
    if (counters == MAP_FAILED)
        exit(98);
    for (size_t i = 0; i < COUNTERS; i++)
        if (pthread_create(&thread, NULL, count_spans, counters + i) != 0)
            exit(98);
    for (;;)
        pause();
}

static void print_open(const char *path)
{
    options.labels = labels;
    int code = pit_open(path, &options);
    pit_status status;
    pit_get_status(NULL, &status);
    printf("open %d %d %s\n", code, status.system_errno, pit_strerror(code));
}

static void print_status(void)
{
    pit_status status;
    pit_get_status(NULL, &status);
    printf("status %d %d %d %d %llu %llu %s\n", status.recording, status.code, status.system_errno,
           (int)status.storage, (unsigned long long)status.bytes,
           (unsigned long long)status.bytes_in_file, status.path);
}

/* Calls that a program may make for its own run while it records. */
static void read_own(const char *path)
{
    pit_error error = {0};
    pit_run *run = pit_run_open(path, &error);
    uint64_t spans = 0;
    for (size_t t = 0; run && t < run->thread_count; t++)
        for (size_t n = 0; n < run->threads[t].node_count; n++)
            spans += run->threads[t].nodes[n].count;
    int one = pit_run_recover(path, &error);
    int all = pit_recover_all(NULL, NULL);
    printf("own %d %llu %d %d\n", run ? (int)run->state : -1, (unsigned long long)spans, one, all);
    pit_run_free(run);
}

static void add_label(char *text)
{
    char *equals = strchr(text, '=');
    if (!pit_default_recorder()) {
        labels[label_count++ % 15] = text;
    } else if (equals) {
        *equals = 0;
        printf("label %d\n", pit_label(text, equals + 1));
    }
}

/* ---- the world around it ------------------------------------------------------------------- */

static void set_limit(int which, const char *bytes)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)which, &limit) != 0)
        exit(97);
    limit.rlim_cur = strtoull(bytes, NULL, 10);
    if (setrlimit((__rlimit_resource_t)which, &limit) != 0)
        exit(97);
}

static void eat_files(void)
{
    struct rlimit few = {64, 64};
    if (setrlimit(RLIMIT_NOFILE, &few) != 0)
        exit(97);
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
}

static void give_files_back(void)
{
    for (int fd = 3; fd < 64; fd++)
        close(fd);
}

static void make_file(const char *path)
{
    fflush(stdout);
    int fd = open(path, O_WRONLY | O_CREAT, 0666);
    if (fd < 0)
        exit(96);
    close(fd);
}

static void wait_for(const char *path)
{
    for (int i = 0; i < 720000;
         i++) { /* two hours: a test that takes long kills it, or makes the file */
        if (access(path, F_OK) == 0)
            return;
        usleep(10000);
    }
    exit(95);
}

static void read_files(const char *pattern)
{
    char bytes[4096];
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        exit(93);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        int fd = open(found.gl_pathv[i], O_RDONLY);
        while (fd >= 0 && read(fd, bytes, sizeof bytes) > 0)
            ;
        if (fd < 0 || close(fd) != 0)
            exit(93);
    }
    globfree(&found);
}

static void close_from_3(void)
{
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

static void fork_until(const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(1);
        close(2);
        wait_for(path);
        _exit(0);
    }
    printf("child %ld\n", (long)child);
}

static void exec_until(const char *path)
{
    char until[PATH_MAX + 8];
    snprintf(until, sizeof until, "until=%s", path);
    fflush(stdout);
    execl("/proc/self/exe", "prog_place", until, (char *)NULL);
    exit(92);
}

/* Memory that the program itself needs and must get. */
static void use_memory(const char *bytes)
{
    size_t size = strtoull(bytes, NULL, 10);
    char *mine = malloc(size);
    if (mine)
        for (size_t i = 0; i < size; i += 4096)
            mine[i] = 1;
    printf("memory %s\n", mine ? "had" : "refused");
    free(mine);
}

/* ---- steps --------------------------------------------------------------------------------- */

static int is(const char *step, const char *name)
{
    return strcmp(step, name) == 0;
}

static void step_without_value(const char *step)
{
    if (is(step, "open"))
        print_open(NULL);
    else if (is(step, "odd-names"))
        odd_names();
    else if (is(step, "status"))
        print_status();
    else if (is(step, "close"))
        printf("close %d\n", pit_close());
    else if (is(step, "eat-files"))
        eat_files();
    else if (is(step, "give-files-back"))
        give_files_back();
    else if (is(step, "closefrom"))
        close_from_3();
    else if (is(step, "kill"))
        fflush(stdout), raise(SIGKILL);
    else
        exit(94);
}

static void step_with_value(const char *step, char *value)
{
    if (is(step, "open"))
        print_open(value);
    else if (is(step, "max"))
        options.max_bytes = strtoull(value, NULL, 10);
    else if (is(step, "label"))
        add_label(value);
    else if (is(step, "nodes"))
        make_nodes(strtoul(value, NULL, 10));
    else if (is(step, "spans"))
        spans_of(value);
    else if (is(step, "begin"))
        pit_begin_name(value);
    else if (is(step, "count"))
        count_for_ever(value);
    else if (is(step, "ready"))
        make_file(value);
    else if (is(step, "until"))
        wait_for(value);
    else if (is(step, "read-own"))
        read_own(value);
    else if (is(step, "read-files"))
        read_files(value);
    else if (is(step, "fork-until"))
        fork_until(value);
    else if (is(step, "exec-until"))
        exec_until(value);
    else if (is(step, "mode"))
        options.file_mode = (unsigned)strtoul(value, NULL, 8);
    else if (is(step, "chdir"))
        printf("chdir %d\n", chdir(value));
    else if (is(step, "umask"))
        umask((mode_t)strtol(value, NULL, 8));
    else if (is(step, "fsize"))
        set_limit((int)RLIMIT_FSIZE, value);
    else if (is(step, "space"))
        set_limit((int)RLIMIT_AS, value);
    else if (is(step, "use-memory"))
        use_memory(value);
    else if (is(step, "sleep"))
        usleep((useconds_t)strtoul(value, NULL, 10) * 1000);
    else
        exit(94);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char step[PATH_MAX * 2];
        snprintf(step, sizeof step, "%s", argv[i]);
        char *equals = strchr(argv[i], '=');
        if (equals) {
            step[equals - argv[i]] = 0;
            step_with_value(step, equals + 1);
        } else {
            step_without_value(step);
        }
    }
    puts("done");
    return 0;
}
