/* A program under libpitwall-alloc.so that leaks known blocks on purpose and checks the leak set:
 * prog_alloc_leaks CASE. */
#include "alloc_check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *blocks[10000];

static long long take(size_t from, size_t to, size_t bytes)
{
    long long sum = 0;
    for (size_t i = from; i < to; i++)
        sum += size_of(blocks[i] = malloc(bytes + i % 100));
    return sum;
}

static long long give(size_t from, size_t to)
{
    long long sum = 0;
    for (size_t i = from; i < to; i++) {
        sum += size_of(blocks[i]);
        free(blocks[i]);
    }
    return sum;
}

static void one_level(const char *unused)
{
    (void)unused;
    take(0, 1000, 50); /* before: not counted */
    int level = api->leaks_begin();
    check_equal("level", level, 0);
    long long sum = take(1000, 9000, 50);
    sum -= give(2000, 8990);
    give(500, 1000);
    check_leaks("one level", level, sum, 1010);
    level = api->leaks_begin();
    check_leaks("an empty level", level, 0, 0);
    give(0, 500);
}

static void nested(const char *unused)
{
    (void)unused;
    int outer = api->leaks_begin();
    long long outer_sum = take(0, 100, 30);
    int middle = api->leaks_begin();
    long long middle_sum = take(100, 150, 3000);
    int inner = api->leaks_begin();
    long long inner_sum = take(150, 170, 700);
    outer_sum -= give(0, 10); /* of the outer level, while the innermost is open */
    check_leaks("inner", inner, inner_sum, 20);
    inner_sum -= give(150, 155); /* of the innermost, after its end */
    check_leaks("middle", middle, middle_sum + inner_sum, 65);
    check_leaks("outer", outer, outer_sum + middle_sum + inner_sum, 155);
    uint64_t bytes, count;
    check_equal("ended", api->leaks_end(outer, &bytes, &count), -1);
}

/* Every function that allocates adds a block; realloc takes one out and adds one. */
static void each_function(const char *unused)
{
    (void)unused;
    void *older = malloc(10), *made[8] = {0};
    int level = api->leaks_begin();
    made[0] = malloc(10);
    made[1] = calloc(3, 10);
    made[2] = aligned_alloc(64, 128);
    if (posix_memalign(&made[3], 64, 100))
        made[3] = NULL;
    made[4] = memalign(64, 100);
    made[5] = valloc(100);
    made[6] = pvalloc(100);
    made[7] = reallocarray(NULL, 10, 10);
    long long sum = 0;
    for (int i = 0; i < 8; i++) {
        check_true("allocated", made[i] != NULL);
        made[i] = realloc(made[i], (size_t)(i + 1) * 1000);
        sum += size_of(made[i]);
    }
    volatile size_t huge = (size_t)PTRDIFF_MAX - 4096;
    check_true("a failing realloc leaves the block", kept(realloc(made[0], huge)) == NULL);
    older = realloc(older, 20000); /* a new block by now */
    sum += size_of(older);
    sum -= size_of(made[1]);
    void *none = kept(realloc(made[1], 0));
    check_leaks("each function", level, sum + (none ? size_of(none) : 0), 8 + (none != NULL));
}

/* ---- threads ------------------------------------------------------------------------------- */

static void *free_half(void *sum)
{
    *(long long *)sum = give(0, 500);
    return NULL;
}

static void other_thread(const char *unused)
{
    (void)unused;
    pthread_t other;
    long long freed = 0;
    /* Creating a thread may leave memory in libc, so it is done first and once. */
    pthread_create(&other, NULL, free_half, &freed);
    pthread_join(other, NULL);
    int level = api->leaks_begin();
    long long sum = take(0, 1000, 80);
    int inner = api->leaks_begin();
    uint64_t bytes, count;
    pthread_create(&other, NULL, free_half, &freed);
    pthread_join(other, NULL);
    api->leaks_end(inner, &bytes, &count); /* memory that pthread_create itself keeps */
    check_leaks("freed by another thread", level, sum - freed + (long long)bytes,
                500 + (long long)count);
}

enum { CROWD = 8, ROUNDS = 50, EACH = 200 };

static void *crowd_blocks[CROWD][EACH];
static pthread_barrier_t barrier;

/* In turns: all allocate, all free half of their neighbour's, all end their level. */
static void *crowd(void *argument)
{
    size_t me = (size_t)(uintptr_t)argument, next = (me + 1) % CROWD;
    for (int round = 0; round < ROUNDS; round++) {
        long long sum = 0;
        int level = api->leaks_begin();
        for (size_t i = 0; i < EACH; i++) {
            crowd_blocks[me][i] = malloc(16 + 3 * i);
            if (i % 2)
                sum += size_of(crowd_blocks[me][i]);
            free(kept(malloc(32)));
        }
        pthread_barrier_wait(&barrier);
        for (size_t i = 0; i < EACH; i += 2)
            free(crowd_blocks[next][i]);
        pthread_barrier_wait(&barrier);
        check_leaks("in a crowd", level, sum, EACH / 2);
        for (size_t i = 1; i < EACH; i += 2)
            free(crowd_blocks[me][i]);
    }
    return NULL;
}

static void crowded(const char *unused)
{
    (void)unused;
    pthread_t all[CROWD];
    pthread_barrier_init(&barrier, NULL, CROWD);
    for (uintptr_t i = 0; i < CROWD; i++)
        pthread_create(&all[i], NULL, crowd, (void *)i);
    for (int i = 0; i < CROWD; i++)
        pthread_join(all[i], NULL);
}

/* ---- fork, no memory ----------------------------------------------------------------------- */

static void *churn(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
        uint64_t bytes, count;
        int level = api->leaks_begin();
        free(kept(malloc(200)));
        api->leaks_end(level, &bytes, &count);
    }
    return NULL;
}

/* A child of fork has no levels open and can open its own, whatever locks were held. */
static void forks(const char *unused)
{
    (void)unused;
    int stop = 0;
    pthread_t other;
    pthread_create(&other, NULL, churn, &stop);
    int level = api->leaks_begin();
    long long sum = take(0, 100, 40);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            uint64_t bytes, count;
            alarm(120); /* against a lock that is never released */
            check_equal("the parent's level", api->leaks_end(level, &bytes, &count), -1);
            give(0, 50);
            int own = api->leaks_begin();
            long long own_sum = take(0, 50, 100);
            give(50, 100);
            check_leaks("in a child", own, own_sum, 50);
            _exit(failures != 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        check_equal("the child's status", status, 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
    check_leaks("in the parent", level, sum, 100);
}

/* The same in a child created without libc, where no fork handler runs. */
static void bare_clone(const char *unused)
{
    (void)unused;
    int level = api->leaks_begin();
    long long sum = take(0, 100, 40);
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        uint64_t bytes, count;
        check_equal("the parent's level", api->leaks_end(level, &bytes, &count), -1);
        int own = api->leaks_begin();
        long long own_sum = take(100, 150, 100);
        give(0, 100);
        check_leaks("in a child", own, own_sum, 50);
        _exit(failures != 0);
    }
    int status = -1;
    waitpid((pid_t)pid, &status, 0);
    check_equal("the child's status", status, 0);
    check_leaks("in the parent", level, sum, 100);
}

/* If the set gets no memory, the answer is "unknown", not a wrong number. */
static void no_memory(const char *unused)
{
    (void)unused;
    void *room = malloc(50000);     /* room in the heap for what follows */
    void *above = kept(malloc(16)); /* keeps that room from being returned to the system */
    free(kept(room));
    int level = api->leaks_begin();
    struct rlimit limit = {1 << 20, 1 << 20}; /* less than available: no new mappings */
    check_equal("setrlimit", setrlimit(RLIMIT_AS, &limit), 0);
    void *block = kept(malloc(64));
    check_true("the program gets its block", block != NULL);
    uint64_t bytes = 99, count = 99;
    check_equal("no figures", api->leaks_end(level, &bytes, &count), -1);
    check_equal("bytes", (long long)bytes, 0);
    check_equal("blocks", (long long)count, 0);
    free(block);
    free(above);
}

int main(int argc, char **argv)
{
    static const struct alloc_case cases[] = {
        {"one_level", one_level},
        {"nested", nested},
        {"each_function", each_function},
        {"other_thread", other_thread},
        {"crowded", crowded},
        {"forks", forks},
        {"no_memory", no_memory},
        {"bare_clone", bare_clone},
        {NULL, NULL},
    };
    return run_case(cases, argc, argv);
}
