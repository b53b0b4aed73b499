/* A thread gets a table at its first span and gives it back when it ends.
 *
 * Tables are never reset: the next thread continues counting in it, so there are as many tables as
 * threads were alive at once, and a reader never sees one vanish. A thread prefers a table whose last
 * owner had its name, so that pools keep their figures together.
 */
#include "forked_inside.h"
#include "main_leaves.h"
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_key_t key; /* value: the thread's tables, linked by next_of_thread */
static int key_made;

/* pit__tls while the thread is getting a table or opening a recorder: a signal handler's span then
 * finds it busy. Its counts are added to the run later. */
static struct pit_fmt_thread guard_table;
static struct pit__thread guard = {.open = 1, .held = 1, .file = &guard_table};

/* The value of pit__tls before the outermost guard, to restore it if the guard was left behind. */
static __thread struct pit__thread *behind_guard __attribute__((tls_model("initial-exec")));

struct pit__guard pit__guard_enter_open(void)
{
    struct pit__guard before = {pit__tls, pit__enter()};
    if (before.tls != &guard)
        behind_guard = before.tls;
    PIT_SIGNAL_FENCE();
    pit__tls = &guard;
    PIT_SIGNAL_FENCE();
    return before;
}

void pit__guard_leave_open(struct pit__guard before)
{
    PIT_SIGNAL_FENCE();
    pit__tls = before.tls;
    pit__leave(before.outer);
}

struct pit__guard pit__guard_enter(void)
{
    pit__signals_off();
    return pit__guard_enter_open();
}

void pit__guard_leave(struct pit__guard before)
{
    pit__guard_leave_open(before);
    pit__signals_on();
}

/* The code that was inside the recorder on this thread is gone: release everything it held. */
static void leave_behind(void)
{
    struct pit__lock *process = pit__process_lock(), *open = pit__open_lock();
    if (pit__tls == &guard)
        pit__tls = behind_guard ? behind_guard : &pit__nobody;
    if (process)
        pit__lock_break(process);
    if (open)
        pit__lock_break(open);
    pit__watch_mend();
    pit__signals_forget();
    pit__leave(0);
}

/* ---- a thread without a table ends inside the recorder --------------------------------------- */

static uint32_t exit_key; /* the key whose destructor runs then, plus 1; 0: not created */
static __thread int is_noted __attribute__((tls_model("initial-exec")));

/* A handler that interrupted a reading has ended its thread. */
static void noted_ends(void *unused)
{
    (void)unused;
    is_noted = 0;
    pit__signals_off();
    leave_behind();
    pit__signals_on();
}

void pit__note_thread(void)
{
    uint32_t known = PIT_LOAD_ACQUIRE(exit_key);
    pthread_key_t fresh;
    if (is_noted)
        return;
    if (!known) {
        if (pthread_key_create(&fresh, noted_ends) != 0)
            return; /* others would wait for it, for a bounded time */
        if (__atomic_compare_exchange_n(&exit_key, &known, fresh + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            known = fresh + 1;
        else
            pthread_key_delete(fresh);
    }
    is_noted = pthread_setspecific(known - 1, &is_noted) == 0;
}

struct pit__thread *pit__tables_of_thread(void)
{
    return key_made ? pthread_getspecific(key) : NULL;
}

void pit__resume_rare(void)
{
    uintptr_t at = PIT_LOAD(pit__inside);
    if (at ? !pit__is_gone(at) : !pit__is_gone((uintptr_t)PIT_LOAD(pit__tls->gate)))
        return;
    pit__signals_off();
    leave_behind();
    for (struct pit__thread *t = pit__tables_of_thread(); t; t = t->next_of_thread)
        if (pit__is_entered(t) && pit__is_gone((uintptr_t)PIT_LOAD(t->gate)))
            pit__mend(t);
    pit__signals_on();
}

/* A call that a signal handler made while the recorder was at work on its thread. */
void pit__count_refused(void)
{
    pit_recorder *rec = pit_default_recorder();
    int is_alive = pit__is_alive(rec);
    __atomic_fetch_add(is_alive ? &rec->header->counters[PIT_FMT_IN_SIGNAL]
                                : &guard_table.counters[PIT_FMT_SIGNAL],
                       1, __ATOMIC_RELAXED);
}

void pit__count_null(pit_recorder *recorder)
{
    pit_recorder *rec = recorder ? recorder : pit_default_recorder();
    if (pit__is_alive(rec))
        __atomic_fetch_add(&rec->header->counters[PIT_FMT_NULL_ARGUMENT], 1, __ATOMIC_RELAXED);
}

pit_token pit__null(void)
{
    pit__count_null(NULL);
    return 0;
}

static void pass_on_guard_counts(pit_recorder *rec)
{
    uint64_t *seen = &guard_table.counters[PIT_FMT_SIGNAL];
    if (PIT_LOAD(*seen))
        __atomic_fetch_add(&rec->header->counters[PIT_FMT_IN_SIGNAL],
                           __atomic_exchange_n(seen, 0, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

/* ---- the thread ends ----------------------------------------------------------------------- */

/* Tables of freed recorders; linked by next_of_thread, guarded by the process lock. In a child the list
 * ends after its first element, which was wiped. */
static struct pit__thread *spare_tables;

/* No thread and no recorder uses it any more. */
static void make_spare(struct pit__thread *t)
{
    struct pit__lock *lock = pit__process_lock();
    if (!pit__lock_take(lock))
        return; /* the table is not in use any more */
    t->next_of_thread = spare_tables;
    spare_tables = t;
    pit__lock_give(lock);
}

static void give_back(struct pit__thread *t)
{
    pit_recorder *rec = t->recorder;
    if (!rec) { /* freed, or wiped by a fork */
        make_spare(t);
        return;
    }
    if (PIT_LOAD(rec->control->alive)) {
        pit__end_phases(t);
        pit__drop_all(t);
        PIT_STORE(t->file->frames[0].where, 0);
        PIT_STORE_ORDERED(t->file->block.used, 0);
    }
    t->next_of_thread = NULL;
    if (!pit__lock_take(&rec->control->lock))
        return;
    t->in_use = 0;
    pit__lock_give(&rec->control->lock);
}

static void thread_ends(void *list)
{
    (void)pit__guard_enter(); /* the tables are returned whatever the result */
    pit__watch_mend();
    struct pit__thread *t = list;
    while (t) {
        struct pit__thread *next = t->next_of_thread;
        if (t->recorder && pit__is_entered(t)) /* cancelled, or ended by a handler, in a span */
            pit__mend(t);
        PIT_STORE(t->gate, 0);
        PIT_STORE(t->held, 1); /* until the next owner comes */
        give_back(t);
        t = next;
    }
    pit__guard_leave((struct pit__guard){&pit__nobody, 0});
}

int pit__threads_init(void)
{
    if (!key_made)
        key_made = pthread_key_create(&key, thread_ends) == 0;
    pit__expect_forks();
    return key_made ? 0 : PIT_NO_MEMORY;
}

/* ---- the thread gets a table --------------------------------------------------------------- */

struct pit__thread *pit__attached(const pit_recorder *rec)
{
    struct pit__thread *t = pthread_getspecific(key);
    while (t && t->recorder != rec)
        t = t->next_of_thread;
    return t;
}

/* With the recorder's lock held. */
static struct pit__thread *pick_free(const pit_recorder *rec, const char *name)
{
    struct pit__thread *any = NULL;
    for (struct pit__thread *t = rec->threads; t; t = t->next_in_recorder) {
        if (t->in_use)
            continue;
        if (strncmp(t->file->name, name, sizeof t->file->name) == 0)
            return t;
        any = t;
    }
    return any;
}

/* A reused table keeps its room for memory figures. */
static struct pit__thread *table_alloc(void)
{
    struct pit__lock *lock = pit__process_lock();
    if (!lock)
        return NULL;
    if (!pit__lock_take(lock))
        return NULL;
    struct pit__thread *t = spare_tables;
    if (t)
        spare_tables = t->next_of_thread;
    pit__lock_give(lock);
    if (!t)
        return pit__wiped_alloc(sizeof *t);
    struct pit__measured *measured = t->special ? NULL : t->measured; /* not used by a span */
    *t = (struct pit__thread){.measured = measured};
    return t;
}

static struct pit__thread *table_new(pit_recorder *rec)
{
    struct pit__thread *t = table_alloc();
    struct pit_fmt_thread *file =
        t ? pit__block_new(rec, PIT_FMT_THREAD, rec->thread_count, sizeof *file, 1) : NULL;
    if (!file)
        return NULL;
    t->file = file;
    t->base = rec->base;
    t->top = file->frames;
    t->cache = t->near_cache;
    t->cache_mask = PIT__NEAR_CACHE - 1;
    t->cache[0].key = PIT__NO_KEY;
    t->counter = pit__clock_is_counter(rec->clock);
    t->always_slow = !t->counter || rec->span_flags != 0;
    t->recorder = rec;
    t->index = rec->thread_count++;
    t->token_base = rec->generation << PIT__TOKEN_GENERATION_SHIFT | (uint64_t)t->index
                                                                         << PIT__TOKEN_THREAD_SHIFT;
    t->next_in_recorder = rec->threads;
    PIT_STORE_ORDERED(rec->threads, t); /* the sampler walks the list without the lock */
    return t;
}

static void write_name(struct pit_fmt_thread *file, const char *name)
{
    size_t length = strnlen(name, sizeof file->name - 1);
    for (size_t i = 0; i < sizeof file->name; i++) /* readers may read it meanwhile */
        PIT_STORE(file->name[i], i < length ? name[i] : 0);
}

static struct pit__thread *take_table(pit_recorder *rec)
{
    char name[64] = "";
    prctl(PR_GET_NAME, name);
    struct pit__thread *t = NULL;
    if (!pit__lock_take(&rec->control->lock))
        return NULL;
    if (!rec->closed)
        t = pick_free(rec, name);
    if (!rec->closed && !t)
        t = table_new(rec);
    if (t) {
        t->in_use = 1;
        PIT_STORE(t->open, 1); /* under the lock, so that close cannot miss it */
    }
    pit__lock_give(&rec->control->lock);
    if (!t)
        return NULL;
    struct pit_fmt_block *block = &t->file->block;
    if (strcmp(t->file->name, name) != 0)
        write_name(t->file, name);
    PIT_STORE(block->a, (uint64_t)syscall(SYS_gettid));
    PIT_STORE(block->b, block->b + 1);
    PIT_STORE(block->c, pit__clock_read(t->counter));
    PIT_STORE_ORDERED(block->used, 1);
    return t;
}

/* Unlink the calling thread's tables of freed recorders, and those that a fork has wiped. The one that
 * pit__tls points to has to stay. */
static struct pit__thread *swept(const struct pit__thread *in_tls)
{
    struct pit__thread *list = pthread_getspecific(key), **at = &list;
    while (*at && in_tls != &guard) { /* with the guard in pit__tls, that table is not known */
        struct pit__thread *t = *at;
        if (t->recorder || t == in_tls) {
            at = &t->next_of_thread;
        } else {
            *at = t->next_of_thread;
            make_spare(t);
        }
    }
    return list;
}

static void forget(struct pit__thread *t)
{
    if (t->hash)
        munmap(t->hash, ((size_t)t->hash_mask + 1) * sizeof *t->hash);
    if (t->cache_mask >= PIT__NEAR_CACHE)
        munmap(t->cache, ((size_t)t->cache_mask + 1) * sizeof *t->cache);
    pit__values_free(t);
    t->recorder = NULL;
    t->file = NULL;
    t->open = 0;
    t->gate = 0;
    if (!t->in_use) /* its thread has ended: it is in no thread's list */
        make_spare(t);
}

void pit__threads_forget(pit_recorder *rec)
{
    struct pit__guard before = pit__guard_enter();
    for (struct pit__thread *t = rec->threads; t;) {
        struct pit__thread *next = t->next_in_recorder;
        if (t->recorder == rec) /* not wiped by a fork */
            forget(t);
        t = next;
    }
    if (key_made) /* else the recorder never recorded: only the file of a run was created */
        pthread_setspecific(key, swept(before.tls));
    pit__guard_leave(before);
}

struct pit__thread *pit__attach(pit_recorder *rec)
{
    struct pit__guard before = pit__guard_enter();
    pit__watch_main();
    pass_on_guard_counts(rec);
    struct pit__thread *t = take_table(rec), *list = swept(before.tls);
    if (t) {
        t->next_of_thread = list;
        if (pthread_setspecific(key, t) != 0) {
            give_back(t);
            t = NULL;
        }
    }
    if (t) {
        pit__hold(t); /* the caller releases it as always */
        pit__release(t);
    } else if (PIT_LOAD(rec->control->alive)) {
        __atomic_fetch_add(&rec->header->counters[PIT_FMT_NO_TABLE], 1, __ATOMIC_RELAXED);
    }
    int is_default = rec == pit_default_recorder();
    if (is_default)
        before.tls = t ? t : &pit__nobody;
    pit__guard_leave(before);
    pass_on_guard_counts(rec);
    return t;
}

struct pit__thread *pit__thread_ready(void)
{
    pit__resume();
    struct pit__thread *t = pit__tls;
    if (PIT_LOAD(pit__inside) || pit__is_entered(t)) {
        pit__count_refused();
        return NULL;
    }
    if (pit__is_free(t))
        return t;
    pit_recorder *rec = pit__default_recorder();
    return rec ? pit__attach(rec) : NULL;
}

void pit_thread_name(const char *name)
{
    struct pit__thread *t = name && PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (t)
        write_name(t->file, name);
}
