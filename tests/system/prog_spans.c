/* prog_spans RUN TRUTH SEED [key=value…]: records random spans and keeps the truth about them
 * (span_walk.h), until it is killed or ends in the given way.
 *
 *   threads=N          threads that record, 1 by default
 *   mode=mixed|deep|many
 *   ring=BYTES max=BYTES   as in pit_options; 0: the default
 *   steps=N            steps of the main thread before the end; 0: forever
 *   end=exit|_exit|exec|abort|return|close|thread-exit
 */
#include "span_walk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct walk_truth *truth;
static uint64_t seed;
static enum walk_mode mode;
static uint64_t steps;
static const char *end = "close";

static const char *setting(int argc, char **argv, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    for (int i = 4; i < argc; i++)
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return otherwise;
}

static uint64_t number(int argc, char **argv, const char *key, const char *otherwise)
{
    return strtoull(setting(argc, argv, key, otherwise), NULL, 10);
}

/* Walks that outlive every thread: exit may come while they are used. */
static struct walk *walk_new(uint32_t index)
{
    static struct walk walks[WALK_AREAS];
    struct walk *walk = &walks[index];
    walk_start(walk, truth, index, seed, mode);
    return walk;
}

static void *record(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;
    struct walk *walk = walk_new(index);
    char name[16];
    snprintf(name, sizeof name, "worker %u", index);
    pit_thread_name(name);
    for (uint64_t i = 0; strcmp(end, "thread-exit") != 0 || index != 1 || i < steps; i++)
        walk_step(walk);
    __atomic_store_n(&truth->exiting, 1, __ATOMIC_SEQ_CST);
    exit(0);
}

static int finish(void)
{
    if (strcmp(end, "abort") == 0)
        abort();
    if (strcmp(end, "_exit") == 0)
        _exit(0);
    if (strcmp(end, "exec") == 0) {
        execl("/bin/sleep", "sleep", "3600", (char *)NULL); /* the test kills it */
        _exit(99);
    }
    __atomic_store_n(&truth->exiting, 1, __ATOMIC_SEQ_CST);
    if (strcmp(end, "exit") == 0)
        exit(0);
    return strcmp(end, "return") == 0 ? 0 : -pit_close();
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 64;
    truth = walk_truth_open(argv[2]);
    if (!truth)
        return 65;
    seed = strtoull(argv[3], NULL, 10);
    const char *how = setting(argc, argv, "mode", "mixed");
    mode = strcmp(how, "deep") == 0   ? WALK_DEEP
           : strcmp(how, "many") == 0 ? WALK_MANY_NAMES
                                      : WALK_MIXED;
    steps = number(argc, argv, "steps", "0");
    end = setting(argc, argv, "end", end);
    pit_options options = {.ring_bytes = number(argc, argv, "ring", "0"),
                           .max_bytes = number(argc, argv, "max", "0")};
    truth->opening = 1;
    if (pit_open(argv[1], &options) != 0)
        return 66;
    truth->opened = 1;

    uint64_t threads = number(argc, argv, "threads", "1");
    if (threads > WALK_AREAS)
        return 64;
    for (uint64_t i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, record, (void *)(uintptr_t)i) != 0)
            return 67;
    }
    struct walk *walk = walk_new(0);
    for (uint64_t i = 0; !steps || strcmp(end, "thread-exit") == 0 || i < steps; i++)
        walk_step(walk);
    return finish();
}
