/* A program whose run file is overwritten while it records.
 *
 *   prog_hostile HOW WHEN SEED ROUNDS FILE
 *
 * HOW: zeros or random bytes over the whole file, spots (single words of it), ones, cut (to nothing),
 * half (cut in the middle), copy (cut, then another file's bytes, as cp does). WHEN: closed: no span is
 * open at that moment; open: some are, phases and memory spans among them; beside: other threads record
 * at full speed meanwhile.
 *
 * It makes every kind of call before and after each attack, and then prints "done": the program must not
 * be harmed, whatever happens to its run.
 */
#include "pitwall.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS 2

static uint64_t seed;
static int is_over;

static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* ---- every kind of call ---------------------------------------------------------------------- */

static void spans(int count)
{
    for (int i = 0; i < count; i++)
        PIT_SPAN("outer") {
            PIT_SPAN("inner") {
                pit_items(1);
            }
            PIT_PHASE("one");
            PIT_PHASE("two");
            pit_bytes(7);
        }
}

static void measured_spans(void)
{
    static pit_site memory = {.name = "memory", .flags = PIT_MEMORY | PIT_RECORD | PIT_LEAKS};
    for (int i = 0; i < 3; i++)
        pit_end(pit_begin(&memory));
}

static void stacks_and_objects(void)
{
    pit_stack *mine = pit_stack_new(), *other = pit_stack_new();
    pit_object object = pit_object_begin_name("object");
    pit_token token = pit_begin_name("on a stack");
    pit_stack_switch(mine, other);
    uint64_t place = pit_position();
    pit_set_root(place);
    spans(2);
    pit_set_root(0);
    pit_stack_switch(other, mine);
    pit_end_out_of_order(token);
    pit_object_end(&object);
    pit_stack_free(mine);
    pit_stack_free(other);
}

static void *object_of_others(void *object)
{
    pit_object_end(object);
    spans(3);
    return NULL;
}

static void new_names(void)
{
    static int count;
    char name[40];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "name %d", count++);
        pit_end(pit_begin_name(name));
        pit_value(name, i);
    }
}

static void everything(void)
{
    pthread_t thread;
    pit_figure figure = {.key = "figure", .unit = "s", .value = 1};
    spans(800); /* more than a piece of the ring has room for */
    measured_spans();
    stacks_and_objects();
    new_names();
    for (int i = 0; i < 700; i++) /* the points are folded */
        pit_value("loss", i);
    for (int i = 0; i < 40; i++)
        pit_journal("kind", "a text of some length, so that blocks fill up", &figure, 1, 0);
    pit_label("key", "value");
    pit_object object = pit_object_begin_name("handed over");
    if (pthread_create(&thread, NULL, object_of_others, &object) == 0)
        pthread_join(thread, NULL);
    pit_thread_name("hostile");
    pit_status status;
    pit_get_status(NULL, &status);
    size_t bytes;
    pit_recorder_memory(NULL, &bytes);
}

static void *record_beside(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        spans(100);
    return NULL;
}

/* ---- the attack ------------------------------------------------------------------------------ */

static void fill(int fd, uint64_t bytes, int is_random, unsigned char with)
{
    uint64_t words[512];
    for (uint64_t at = 0; at < bytes; at += sizeof words) {
        memset(words, with, sizeof words);
        for (size_t i = 0; is_random && i < sizeof words / sizeof words[0]; i++)
            words[i] = next_random();
        uint64_t count = bytes - at < sizeof words ? bytes - at : sizeof words;
        if (pwrite(fd, words, count, (off_t)at) < 0)
            exit(98);
    }
}

static void write_spots(int fd, uint64_t bytes)
{
    for (int i = 0; i < 2000; i++) {
        uint64_t word = next_random() >> next_random() % 64;
        if (pwrite(fd, &word, sizeof word, (off_t)(next_random() % (bytes / 8) * 8)) < 0)
            exit(98);
    }
}

static void attack(const char *how, const char *path)
{
    struct stat found;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &found) != 0)
        exit(97);
    uint64_t bytes = (uint64_t)found.st_size;
    if (strcmp(how, "zeros") == 0)
        fill(fd, bytes, 0, 0);
    else if (strcmp(how, "ones") == 0)
        fill(fd, bytes, 0, 0xff);
    else if (strcmp(how, "random") == 0)
        fill(fd, bytes, 1, 0);
    else if (strcmp(how, "spots") == 0 && bytes >= 8)
        write_spots(fd, bytes);
    else if (ftruncate(fd, strcmp(how, "half") == 0 ? (off_t)(bytes / 2) : 0) != 0)
        exit(96);
    if (strcmp(how, "copy") == 0)
        fill(fd, 100000, 1, 0);
    close(fd);
}

static void attack_with_open_spans(const char *how, const char *path)
{
    static pit_site memory = {.name = "memory", .flags = PIT_MEMORY | PIT_RECORD};
    PIT_SPAN("a") {
        pit_token b = pit_begin_name("b"), measured = pit_begin(&memory);
        pit_token d = pit_begin_name("d");
        PIT_PHASE("phase");
        attack(how, path);
        pit_items(1);
        PIT_PHASE("next");
        spans(3);
        pit_end_out_of_order(b);
        pit_end(d);
        pit_end(measured);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 99;
    const char *how = argv[1], *when = argv[2], *path = argv[5];
    seed = strtoull(argv[3], NULL, 10) * 2654435769u + 88172645463325252u;
    pit_options options = {.sample_hz = 200, .ring_bytes = 200000, .record_bytes = 40000};
    if (pit_open(path, &options) != 0)
        return 95;
    pthread_t threads[THREADS];
    int is_beside = strcmp(when, "beside") == 0;
    for (int i = 0; is_beside && i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, record_beside, NULL) != 0)
            return 94;
    for (int round = atoi(argv[4]); round > 0; round--) {
        everything();
        if (strcmp(when, "open") == 0)
            attack_with_open_spans(how, path);
        else
            attack(how, path);
        everything();
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = 0; is_beside && i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("close %d\ndone\n", pit_close());
    return 0;
}
