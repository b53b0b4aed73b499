/* A program under libpitwall-alloc.so that compares the counters with its own allocations: prog_alloc CASE. */
#include "alloc_check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static counters now(void)
{
    return *api->counters();
}

/* ---- one call each ------------------------------------------------------------------------- */

static void *by_malloc(void)
{
    return malloc(100);
}
static void *by_malloc_of_nothing(void)
{
    return malloc(0); /* NOLINT: 0 is meant */
}
static void *by_malloc_of_a_mapping(void)
{
    return malloc((size_t)5 << 20);
}
static void *by_calloc(void)
{
    return calloc(7, 33);
}
static void *by_realloc(void)
{
    return realloc(NULL, 200);
}
static void *by_reallocarray(void)
{
    return reallocarray(NULL, 30, 11);
}
static void *by_aligned_alloc(void)
{
    return aligned_alloc(256, 1024);
}
static void *by_memalign(void)
{
    return memalign(512, 1000);
}
static void *by_posix_memalign(void)
{
    void *block = NULL;
    return posix_memalign(&block, 4096, 5000) == 0 ? block : NULL;
}
static void *by_valloc(void)
{
    return valloc(700);
}
static void *by_pvalloc(void)
{
    return pvalloc(700);
}
static void *by_strdup(void)
{
    return strdup("strdup comes to malloc by itself");
}

static const struct way {
    const char *name;
    void *(*allocate)(void);
    size_t alignment;
} ways[] = {
    {"malloc", by_malloc, 16},
    {"malloc(0)", by_malloc_of_nothing, 16},
    {"malloc(5 MB)", by_malloc_of_a_mapping, 16},
    {"calloc", by_calloc, 16},
    {"realloc(NULL)", by_realloc, 16},
    {"reallocarray(NULL)", by_reallocarray, 16},
    {"aligned_alloc", by_aligned_alloc, 256},
    {"memalign", by_memalign, 512},
    {"posix_memalign", by_posix_memalign, 4096},
    {"valloc", by_valloc, 4096},
    {"pvalloc", by_pvalloc, 4096},
    {"strdup", by_strdup, 16},
};

static void each_function(const char *unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const struct way *way = &ways[i];
        counters before = now();
        void *block = kept(way->allocate());
        counters between = now();
        check_true(way->name, block != NULL);
        check_true(way->name, (uintptr_t)block % way->alignment == 0);
        long long size = size_of(block);
        free(block);
        counters after = now();
        check_step(way->name, before, between, 1, size, 0, 0);
        check_step(way->name, between, after, 0, 0, 1, size);
    }
    counters before = now();
    free(kept(NULL));
    check_step("free(NULL)", before, now(), 0, 0, 0, 0);
    unsigned char *zeros = calloc(1000, 10);
    int sum = 0;
    for (int i = 0; i < 10000; i++)
        sum |= zeros[i];
    free(zeros);
    check_equal("calloc is zeroed", sum, 0);
}

/* Was the block refused because memory is exhausted? */
static int refused(void *block)
{
    int good = kept(block) == NULL && errno == ENOMEM;
    free(block);
    errno = 0;
    return good;
}

/* Failed allocations are not counted, and fail as without the library. */
static void failing(const char *unused)
{
    (void)unused;
    volatile size_t huge = (size_t)PTRDIFF_MAX - 4095, half = SIZE_MAX / 2 + 2;
    unsigned char *block = malloc(64);
    memset(block, 5, 64);
    void *other = block, *moved;
    counters before = now();
    errno = 0;
    check_true("malloc", refused(malloc(huge)));
    check_true("calloc", refused(calloc(half, 2)));
    check_true("aligned_alloc", refused(aligned_alloc(64, huge)));
    check_true("memalign", refused(memalign(64, huge)));
    check_true("valloc", refused(valloc(huge)));
    check_true("pvalloc", refused(pvalloc(huge)));
    check_equal("posix_memalign, bad alignment", posix_memalign(&other, 3, 8), EINVAL);
    check_equal("posix_memalign", posix_memalign(&other, 64, huge), ENOMEM);
    check_true("posix_memalign leaves the pointer", other == block);
    if ((moved = kept(realloc(block, huge))))
        block = moved;
    check_true("realloc", moved == NULL && errno == ENOMEM);
    errno = 0;
    if ((moved = kept(reallocarray(block, half, 2))))
        block = moved;
    check_true("reallocarray", moved == NULL && errno == ENOMEM);
    check_step("failing calls", before, now(), 0, 0, 0, 0);
    check_equal("the block is as it was", block[63], 5);
    errno = 55;
    free(block);
    check_equal("errno after free", errno, 55);
}

static void reallocating(const char *unused)
{
    (void)unused;
    static const size_t sizes[] = {10, 1000, 100, 100, 5000000, 9000000, 200, 24, 100000};
    counters before = now();
    void *block = realloc(NULL, 8);
    long long size = size_of(block);
    check_step("from NULL", before, now(), 1, size, 0, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        before = now();
        block = realloc(block, sizes[i]);
        counters after = now();
        check_step("realloc", before, after, 1, size_of(block), 1, size);
        size = size_of(block);
    }
    before = now();
    block = reallocarray(block, 100, 77);
    counters after = now();
    check_step("reallocarray", before, after, 1, size_of(block), 1, size);
    size = size_of(block);
    before = now();
    void *none = kept(realloc(block, 0)); /* glibc: frees it and gives NULL */
    after = now();
    check_step("to 0", before, after, none != NULL, none ? size_of(none) : 0, 1, size);
    free(none);
}

static void peak(const char *unused)
{
    (void)unused;
    counters *mine = api->counters();
    mine->live_peak = mine->live;
    int64_t base = mine->live;
    void *a = kept(malloc(1000)), *b = kept(malloc(3000));
    int64_t a_size = size_of(a), b_size = size_of(b);
    check_equal("both", mine->live_peak - base, a_size + b_size);
    free(b);
    void *c = kept(malloc(500));
    check_equal("the highest stays", mine->live_peak - base, a_size + b_size);
    mine->live_peak = mine->live;
    check_equal("set again", mine->live_peak - base, a_size + size_of(c));
    c = realloc(c, 600); /* free and allocation, in this order */
    check_equal("realloc", mine->live_peak - base, a_size + size_of(c));
    free(c);
    free(a);
    check_equal("all given back", mine->live - base, 0);
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 8, BLOCKS = 2000 };

static void *shared_blocks[THREADS][BLOCKS];
static pthread_barrier_t barrier;

/* Allocates BLOCKS, then frees those of the next thread. */
static void *crosswise(void *argument)
{
    size_t me = (size_t)(uintptr_t)argument, next = (me + 1) % THREADS;
    long long mine = 0, theirs = 0;
    counters before = now();
    for (size_t i = 0; i < BLOCKS; i++)
        mine += size_of(shared_blocks[me][i] = malloc(me * 10 + i));
    counters between = now();
    check_step("allocated on a thread", before, between, BLOCKS, mine, 0, 0);
    pthread_barrier_wait(&barrier);
    before = now();
    for (size_t i = 0; i < BLOCKS; i++) {
        theirs += size_of(shared_blocks[next][i]);
        free(shared_blocks[next][i]);
    }
    check_step("freed on another", before, now(), 0, 0, BLOCKS, theirs);
    return NULL;
}

static void threads(const char *unused)
{
    (void)unused;
    pthread_t all[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, crosswise, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

/* ---- other code ---------------------------------------------------------------------------- */

/* The library at `path` has take_blocks(n, &bytes), which allocates n blocks, and give_blocks(). */
static void loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    check_true("dlopen", library != NULL);
    if (!library)
        return;
    void (*take_blocks)(int, long long *), (*give_blocks)(void);
    void *take = dlsym(library, "take_blocks"), *give = dlsym(library, "give_blocks");
    memcpy(&take_blocks, &take, sizeof take);
    memcpy(&give_blocks, &give, sizeof give);
    long long bytes = 0;
    counters before = now();
    take_blocks(500, &bytes);
    counters between = now();
    give_blocks();
    counters after = now();
    check_step("a loaded library allocates", before, between, 500, bytes, 0, 0);
    check_step("and frees", between, after, 0, 0, 500, bytes);
    check_equal("dlclose", dlclose(library), 0);
}

static void *churn(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
        free(kept(malloc(200)));
    return NULL;
}

/* A child continues counting from its parent's figures, whatever other threads were doing. */
static void forks(const char *unused)
{
    (void)unused;
    int stop = 0;
    pthread_t other;
    pthread_create(&other, NULL, churn, &stop);
    for (int i = 0; i < 50; i++) {
        void *inherited = malloc(300);
        long long size = size_of(inherited);
        counters before = now();
        pid_t pid = fork();
        if (pid == 0) {
            before = now(); /* fork's own handlers may have freed */
            free(inherited);
            void *block = malloc(400);
            counters after = now();
            check_step("in a child", before, after, 1, size_of(block), 1, size);
            _exit(failures != 0);
        }
        int status = -1;
        waitpid(pid, &status, 0);
        check_equal("the child's status", status, 0);
        check_step("in the parent", before, now(), 0, 0, 0, 0);
        free(inherited);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}

/* With a dlsym in the process that allocates, built by the test: its blocks are valid. */
static void early(const char *unused)
{
    (void)unused;
    void *symbol = dlsym(RTLD_DEFAULT, "early_blocks_are_good");
    int (*early_blocks_are_good)(void);
    memcpy(&early_blocks_are_good, &symbol, sizeof symbol);
    check_true("the other dlsym is in use", symbol != NULL);
    if (symbol)
        check_equal("blocks given during the look-up", early_blocks_are_good(), 1);
    each_function(NULL);
    reallocating(NULL);
}

int main(int argc, char **argv)
{
    static const struct alloc_case cases[] = {
        {"each_function", each_function},
        {"failing", failing},
        {"reallocating", reallocating},
        {"peak", peak},
        {"threads", threads},
        {"loaded", loaded},
        {"forks", forks},
        {"early", early},
        {NULL, NULL},
    };
    return run_case(cases, argc, argv);
}
