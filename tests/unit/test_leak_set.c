/* The counters and the leak set of libpitwall-alloc.so, without its hooks: the functions are called
 * by hand with made-up blocks. A sanitizer has its own malloc, which the preload
 * library cannot replace; so its code runs under the sanitizers only here. */
#include "alloc/leak_memory.c"
#include "alloc/leak_set.c"
#include "alloc/leak_table.c"

#include "check.h"

#define BLOCK(n_) ((const void *)(uintptr_t)(0x10000 + 16 * (uintptr_t)(n_)))

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int take(uintptr_t n)
{
    struct pit__leak_entry entry;
    return pit__leak_take(BLOCK(n), &entry);
}

/* End a level that must be valid, and check its figures. */
#define CHECK_END(level_, bytes_, blocks_)                                                         \
    do {                                                                                           \
        uint64_t end_bytes = 99, end_blocks = 99;                                                  \
        CHECK_INT(pit__leaks_end((level_), &end_bytes, &end_blocks), 0);                           \
        CHECK_INT(end_bytes, bytes_);                                                              \
        CHECK_INT(end_blocks, blocks_);                                                            \
    } while (0)

#define CHECK_NOT_OPEN(level_)                                                                     \
    do {                                                                                           \
        uint64_t end_bytes = 99, end_blocks = 99;                                                  \
        CHECK_INT(pit__leaks_end((level_), &end_bytes, &end_blocks), -1);                          \
        CHECK_INT(end_bytes, 0);                                                                   \
        CHECK_INT(end_blocks, 0);                                                                  \
    } while (0)

static void in_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, argument) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

/* ---- counters ------------------------------------------------------------------------------ */

TEST(counters_add_up_and_keep_the_peak)
{
    struct pit__alloc_counters *c = &pit__alloc_self.counters;
    pit__count_alloc(c, 100);
    pit__count_alloc(c, 50);
    pit__count_free(c, 100);
    pit__count_alloc(c, 20);
    CHECK_INT(c->allocs, 3);
    CHECK_INT(c->frees, 1);
    CHECK_INT(c->alloc_bytes, 170);
    CHECK_INT(c->freed_bytes, 100);
    CHECK_INT(c->live, 70);
    CHECK_INT(c->live_peak, 150);
    c->live_peak = c->live;
    pit__count_alloc(c, 5);
    CHECK_INT(c->live_peak, 75);
}

TEST(a_thread_that_frees_for_others_is_below_zero)
{
    struct pit__alloc_counters *c = &pit__alloc_self.counters;
    pit__count_free(c, 64);
    CHECK_INT(c->live, -64);
    CHECK_INT(c->live_peak, 0);
    c->live_peak = c->live;
    pit__count_alloc(c, 16);
    CHECK_INT(c->live_peak, -48);
}

/* ---- the table ----------------------------------------------------------------------------- */

static int never_stale(const struct pit__leak_entry *entry)
{
    (void)entry;
    return 0;
}

static int stale_if_odd(const struct pit__leak_entry *entry)
{
    return entry->sequence & 1;
}

TEST(the_table_holds_what_was_put_and_not_taken)
{
    enum { KEYS = 3000, STEPS = 200000 };
    static uint64_t truth[KEYS]; /* bytes, 0: not in the set */
    struct pit__leak_table table = {0};
    struct pit__leak_entry old;
    size_t used = 0;
    for (int i = 0; i < STEPS; i++) {
        /* Many keys at first, few at the end: it grows and empties. */
        size_t key = next_random() % KEYS;
        int put_it = next_random() % 100 < (i < STEPS / 2 ? 60u : 40u);
        if (put_it) {
            struct pit__leak_entry entry = {.block = (uintptr_t)BLOCK(key),
                                            .bytes = (uint64_t)i + 1};
            int result = pit__leak_table_put(&table, &entry, &old, never_stale);
            CHECK_INT(result, truth[key] != 0);
            if (result > 0)
                CHECK_INT(old.bytes, truth[key]);
            used += truth[key] == 0;
            truth[key] = entry.bytes;
        } else {
            int result = pit__leak_table_take(&table, (uintptr_t)BLOCK(key), &old);
            CHECK_INT(result, truth[key] != 0);
            if (result)
                CHECK_INT(old.bytes, truth[key]);
            used -= truth[key] != 0;
            truth[key] = 0;
        }
        CHECK_INT(table.used, used);
        if (check_failures)
            return;
    }
    for (size_t key = 0; key < KEYS; key++)
        CHECK_INT(pit__leak_table_take(&table, (uintptr_t)BLOCK(key), &old), truth[key] != 0);
    CHECK_INT(table.used, 0);
}

TEST(the_table_drops_stale_entries_before_it_grows)
{
    struct pit__leak_table table = {0};
    struct pit__leak_entry old;
    for (uint64_t i = 0; i < 100000; i++) {
        struct pit__leak_entry entry = {.block = (uintptr_t)BLOCK(i), .bytes = 1, .sequence = 1};
        CHECK_INT(pit__leak_table_put(&table, &entry, &old, stale_if_odd), 0);
    }
    CHECK_INT(table.room, 128);
}

/* ---- levels -------------------------------------------------------------------------------- */

TEST(a_level_gives_what_was_added_and_not_taken)
{
    CHECK_INT(*pit__leak_watch, 0);
    CHECK_INT(pit__leaks_begin(), 0);
    CHECK_INT(*pit__leak_watch, 1);
    for (uintptr_t i = 1; i <= 1000; i++)
        pit__leak_add(BLOCK(i), i);
    for (uintptr_t i = 1; i <= 1000; i++)
        if (i % 10)
            CHECK_INT(take(i), 1);
    CHECK_INT(take(1), 0);
    CHECK_END(0, 10 * (100 * 101 / 2), 100);
    CHECK_INT(*pit__leak_watch, 0);
    CHECK(pit__alloc_self.owner == NULL);
}

TEST(what_an_inner_level_leaves_is_the_outer_ones)
{
    CHECK_INT(pit__leaks_begin(), 0);
    pit__leak_add(BLOCK(1), 1);
    CHECK_INT(pit__leaks_begin(), 1);
    pit__leak_add(BLOCK(2), 20);
    pit__leak_add(BLOCK(3), 300);
    CHECK_INT(take(1), 1); /* the outer level's block, freed while the inner one is open */
    CHECK_END(1, 320, 2);
    CHECK_INT(take(3), 1); /* the inner level's block, freed after its end */
    CHECK_INT(pit__leaks_begin(), 1);
    pit__leak_add(BLOCK(4), 4000);
    CHECK_END(1, 4000, 1);
    CHECK_END(0, 4020, 2);
}

TEST(the_end_of_a_level_ends_those_inside_it)
{
    CHECK_INT(pit__leaks_begin(), 0);
    CHECK_INT(pit__leaks_begin(), 1);
    CHECK_INT(pit__leaks_begin(), 2);
    pit__leak_add(BLOCK(1), 7);
    CHECK_END(1, 7, 1);
    CHECK_NOT_OPEN(2);
    CHECK_NOT_OPEN(1);
    CHECK_END(0, 7, 1);
    CHECK_NOT_OPEN(0);
    CHECK_NOT_OPEN(-1);
}

TEST(blocks_left_by_an_ended_level_are_nobodys)
{
    CHECK_INT(pit__leaks_begin(), 0);
    pit__leak_add(BLOCK(1), 10);
    pit__leak_add(BLOCK(2), 10);
    CHECK_END(0, 20, 2);
    CHECK_INT(pit__leaks_begin(), 0);
    CHECK_INT(take(1), 1);      /* still in the table, but no longer counted */
    pit__leak_add(BLOCK(2), 5); /* freed while nothing was counted, and allocated again */
    CHECK_END(0, 5, 1);
}

TEST(a_block_that_was_freed_past_the_hooks_counts_once)
{
    CHECK_INT(pit__leaks_begin(), 0);
    pit__leak_add(BLOCK(1), 10);
    pit__leak_add(BLOCK(1), 30);
    CHECK_END(0, 30, 1);
}

TEST(a_block_put_back_counts_where_it_did)
{
    struct pit__leak_entry entry;
    CHECK_INT(pit__leaks_begin(), 0);
    pit__leak_add(BLOCK(1), 10);
    CHECK_INT(pit__leaks_begin(), 1);
    CHECK_INT(pit__leak_take(BLOCK(1), &entry), 1);
    pit__leak_put_back(&entry);
    CHECK_END(1, 0, 0);
    CHECK_END(0, 10, 1);
}

TEST(levels_end_at_the_depth_limit_of_spans)
{
    for (int i = 0; i < (int)LEVELS; i++)
        CHECK_INT(pit__leaks_begin(), i);
    CHECK_INT(pit__leaks_begin(), -1);
    pit__leak_add(BLOCK(1), 3);
    CHECK_END((int)LEVELS - 1, 3, 1);
    CHECK_END(0, 3, 1);
}

TEST(errno_is_left_alone)
{
    errno = 77;
    CHECK_INT(pit__leaks_begin(), 0);
    for (uintptr_t i = 1; i <= 100000; i++)
        pit__leak_add(BLOCK(i), 1);
    take(1);
    CHECK_END(0, 99999, 99999);
    CHECK_INT(errno, 77);
}

/* ---- threads and processes ----------------------------------------------------------------- */

static void *take_five(void *unused)
{
    (void)unused;
    for (uintptr_t i = 1; i <= 5; i++)
        CHECK_INT(take(i), 1);
    CHECK_NOT_OPEN(0); /* the other thread's level does not belong to this one */
    return NULL;
}

TEST(a_block_freed_by_another_thread_is_freed)
{
    CHECK_INT(pit__leaks_begin(), 0);
    for (uintptr_t i = 1; i <= 8; i++)
        pit__leak_add(BLOCK(i), 10);
    in_thread(take_five, NULL);
    CHECK_END(0, 30, 3);
}

static void *begin_and_end(void *argument)
{
    struct pit__leak_entry *entry = argument;
    CHECK_INT(pit__leaks_begin(), 0);
    const struct pit__leak_owner *owner = pit__alloc_self.owner;
    REQUIRE(owner);
    pit__leak_add(BLOCK(1), 10);
    entry->owner = (uint32_t)(owner - the_set->owners);
    entry->sequence = owner->sequence;
    CHECK_INT(is_stale(entry), 0);
    CHECK_END(0, 10, 1);
    return NULL;
}

TEST(what_an_ended_thread_left_is_stale_while_others_go_on)
{
    struct pit__leak_entry entry = {0};
    CHECK_INT(pit__leaks_begin(), 0);
    in_thread(begin_and_end, &entry);
    CHECK_INT(is_stale(&entry), 1);
    CHECK_END(0, 0, 0);
}

static void *begin_and_exit(void *argument)
{
    CHECK_INT(pit__leaks_begin(), 0);
    CHECK_INT(pit__leaks_begin(), 1);
    pit__leak_add(BLOCK(*(uintptr_t *)argument), 10);
    return NULL;
}

TEST(the_exit_of_a_thread_ends_its_levels)
{
    pit__leaks_start();
    for (uintptr_t i = 1; i <= 2 * OWNERS; i++)
        in_thread(begin_and_exit, &i);
    CHECK_INT(*pit__leak_watch, 0);
    CHECK_INT(the_set->owner_count, 1);
}

TEST(a_child_of_fork_starts_with_nothing_followed)
{
    CHECK_INT(pit__leaks_begin(), 0);
    pit__leak_add(BLOCK(1), 10);
    pit__leak_lock_take(&the_set->shards[0].lock); /* as another thread could have just done */
    pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        CHECK_INT(*pit__leak_watch, 0);
        CHECK_NOT_OPEN(0);
        uintptr_t other = 3;
        in_thread(begin_and_exit, &other); /* uses the entry that was this thread's */
        pit__leak_add(BLOCK(2), 10);
        CHECK_INT(pit__leaks_begin(), 0);
        for (uintptr_t i = 1; i <= 1000; i++)
            pit__leak_add(BLOCK(i), 2);
        CHECK_END(0, 2000, 1000);
        fflush(stdout);
        _exit(check_failures != 0);
    }
    pit__leak_lock_give(&the_set->shards[0].lock);
    int status = -1;
    waitpid(pid, &status, 0);
    CHECK_INT(status, 0);
    CHECK_END(0, 10, 1);
}

/* Every thread adds blocks in its own level; half are passed to the next thread, which takes them, a
 * quarter it takes itself, a quarter stays. */
enum { CROWD = 6, ROUNDS = 20, EACH = 400 };

static uint32_t handed[CROWD][ROUNDS];

static void *crowd(void *argument)
{
    uintptr_t me = (uintptr_t)argument, next = (me + 1) % CROWD;
    for (uintptr_t round = 0; round < ROUNDS; round++) {
        uintptr_t mine = (me * ROUNDS + round) * EACH, theirs = (next * ROUNDS + round) * EACH;
        CHECK_INT(pit__leaks_begin(), 0);
        for (uintptr_t i = 0; i < EACH; i++)
            pit__leak_add(BLOCK(mine + i), 10);
        PIT_STORE_ORDERED(handed[me][round], 1);
        for (uintptr_t i = 0; i < EACH; i += 4)
            CHECK_INT(take(mine + i), 1);
        while (!PIT_LOAD_ACQUIRE(handed[next][round]))
            sched_yield();
        for (uintptr_t i = 1; i < EACH; i += 2)
            CHECK_INT(take(theirs + i), 1);
        PIT_STORE_ORDERED(handed[next][round], 2);
        while (PIT_LOAD_ACQUIRE(handed[me][round]) != 2)
            sched_yield();
        CHECK_END(0, 10 * EACH / 4, EACH / 4);
    }
    return NULL;
}

TEST(levels_are_exact_while_threads_free_one_anothers_blocks)
{
    pthread_t threads[CROWD];
    for (uintptr_t i = 0; i < CROWD; i++)
        REQUIRE(pthread_create(&threads[i], NULL, crowd, (void *)i) == 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(*pit__leak_watch, 0);
    CHECK(the_set->owner_count <= CROWD);
}
