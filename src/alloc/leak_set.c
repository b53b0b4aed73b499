/* See leak_set.h.
 *
 * Locks: a shard's for its table, an owner's for its levels, the set's for the list of owners. Taken
 * in the order shard, owner; the set's is never held together with another. All data they guard
 * is in memory that a child of fork finds zeroed, so all zeros is a set in which nothing is
 * followed.
 */
#include "leak_set.h"

#include "leak_memory.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define LEVELS 256u  /* the depth limit of spans */
#define OWNERS 1024u /* threads that have levels open at one time */
#define SHARD_BITS 6
#define SHARDS (1u << SHARD_BITS)
#define NOTHING UINT64_MAX

struct level {
    uint64_t begin;         /* the first sequence number in it */
    uint64_t bytes, blocks; /* live, and not in an inner level */
    uint64_t lost;          /* allocations for which there was no memory */
};

/* One thread's levels. Only its owner opens and closes levels; the lock guards the sums, which
 * other threads decrease, and `depth` for them. */
struct pit__leak_owner {
    struct pit__leak_lock lock;
    uint32_t depth;
    uint64_t sequence;  /* continues from owner to owner: no old entry matches a new level */
    uint64_t floor;     /* entries below it are stale; read without the lock */
    uint64_t tenancy;   /* number of the tenant; written under the lock */
    uint32_t next_free; /* index + 1; guarded by the set's lock */
    struct level levels[LEVELS];
};

struct shard {
    struct pit__leak_lock lock;
    struct pit__leak_table table;
} __attribute__((aligned(64)));

struct leak_set {
    uint32_t watch;  /* threads with a level open */
    uint32_t canary; /* 1 as long as nothing wiped it */
    struct pit__leak_lock lock;
    uint32_t first_free; /* index + 1 */
    uint32_t owner_count;
    struct shard shards[SHARDS];
    struct pit__leak_owner owners[OWNERS];
};

__thread struct pit__alloc_self pit__alloc_self
    __attribute__((tls_model("initial-exec"), visibility("hidden"), aligned(64)));

static const uint32_t nobody_watches;
const uint32_t *pit__leak_watch = &nobody_watches;

static struct leak_set *the_set; /* created once, never freed */
static uint64_t tenancies;       /* given out so far; a child continues from its parent's */
static pthread_key_t exit_key;
static int has_exit_key;

/* ---- creating the set ---------------------------------------------------------------------- */

static void end_at_exit(void *unused)
{
    uint64_t bytes, blocks;
    (void)unused;
    pit__leaks_end(0, &bytes, &blocks);
}

void pit__leaks_start(void)
{
    has_exit_key = pthread_key_create(&exit_key, end_at_exit) == 0;
}

/* In a child of fork(). Kernels before 4.14 do not wipe, and emulators may falsely claim to: the
 * canary shows it. */
static void wipe_in_child(void)
{
    struct leak_set *set = the_set;
    if (set->canary) {
        memset(set->owners, 0, set->owner_count * sizeof set->owners[0]);
        memset(set, 0, offsetof(struct leak_set, owners));
    }
    set->canary = 1; /* for the child's own children */
}

static struct leak_set *get_set(void)
{
    struct leak_set *set = PIT_LOAD_ACQUIRE(the_set), *seen = NULL;
    if (set || !(set = pit__leak_map(sizeof *set)))
        return set;
    set->canary = 1;
    if (!__atomic_compare_exchange_n(&the_set, &seen, set, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        pit__leak_unmap(set, sizeof *set); /* another thread was first */
        return seen;
    }
    /* Do not count what the registration of the handler allocates. */
    struct pit__alloc_counters kept = pit__alloc_self.counters;
    pthread_atfork(NULL, NULL, wipe_in_child);
    pit__alloc_self.counters = kept;
    return set;
}

/* ---- owners -------------------------------------------------------------------------------- */

static struct pit__leak_owner *take_owner(struct leak_set *set)
{
    struct pit__leak_owner *owner = NULL;
    pit__leak_lock_take(&set->lock);
    if (set->first_free) {
        owner = &set->owners[set->first_free - 1];
        set->first_free = owner->next_free;
    } else if (set->owner_count < OWNERS) {
        owner = &set->owners[set->owner_count++];
    }
    pit__leak_lock_give(&set->lock);
    return owner;
}

static void give_owner(struct leak_set *set, struct pit__leak_owner *owner)
{
    pit__leak_lock_take(&set->lock);
    owner->next_free = set->first_free;
    set->first_free = (uint32_t)(owner - set->owners) + 1;
    pit__leak_lock_give(&set->lock);
}

/* This thread's levels, or NULL. After a fork the pointer is the parent's; the number shows that. */
static struct pit__leak_owner *own(void)
{
    struct pit__alloc_self *self = &pit__alloc_self;
    if (self->owner && PIT_LOAD(self->owner->tenancy) != self->tenancy)
        self->owner = NULL;
    return self->owner;
}

static int is_stale(const struct pit__leak_entry *entry)
{
    return entry->sequence < PIT_LOAD(the_set->owners[entry->owner].floor);
}

/* The level that an entry is in now, or NULL if that has ended. Call with the owner's lock held. */
static struct level *level_of(struct pit__leak_owner *owner, uint64_t sequence)
{
    uint32_t i = owner->depth;
    while (i > 0 && owner->levels[i - 1].begin > sequence)
        i--;
    return i > 0 ? &owner->levels[i - 1] : NULL;
}

/* Subtract an entry that was removed from its table. */
static void uncount(struct leak_set *set, const struct pit__leak_entry *entry)
{
    struct pit__leak_owner *owner = &set->owners[entry->owner];
    pit__leak_lock_take(&owner->lock);
    struct level *level = level_of(owner, entry->sequence);
    if (level) {
        level->bytes -= entry->bytes;
        level->blocks--;
    }
    pit__leak_lock_give(&owner->lock);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static struct shard *shard_of(struct leak_set *set, uintptr_t block)
{
    return &set->shards[pit__leak_hash(block) >> (64 - SHARD_BITS)];
}

static void put(struct leak_set *set, const struct pit__leak_entry *entry)
{
    int kept_errno = errno; /* a successful allocation must not change it */
    struct shard *shard = shard_of(set, entry->block);
    struct pit__leak_owner *owner = &set->owners[entry->owner];
    struct pit__leak_entry before;

    pit__leak_lock_take(&shard->lock);
    int result = pit__leak_table_put(&shard->table, entry, &before, is_stale);
    if (result > 0) /* a block of a level that ended long ago, or freed without our hooks */
        uncount(set, &before);
    pit__leak_lock_take(&owner->lock);
    struct level *level = level_of(owner, entry->sequence);
    if (level && result < 0) {
        level->lost++;
    } else if (level) {
        level->bytes += entry->bytes;
        level->blocks++;
    }
    pit__leak_lock_give(&owner->lock);
    pit__leak_lock_give(&shard->lock);
    errno = kept_errno;
}

void pit__leak_add(const void *block, size_t bytes)
{
    struct pit__leak_owner *owner = own();
    if (!owner)
        return;
    struct pit__leak_entry entry = {
        .block = (uintptr_t)block,
        .bytes = bytes,
        .sequence = ++owner->sequence,
        .owner = (uint32_t)(owner - the_set->owners),
    };
    put(the_set, &entry);
}

int pit__leak_take(const void *block, struct pit__leak_entry *entry)
{
    struct leak_set *set = PIT_LOAD_ACQUIRE(the_set);
    int kept_errno = errno; /* free must not change it */
    struct shard *shard = shard_of(set, (uintptr_t)block);
    pit__leak_lock_take(&shard->lock);
    int found = pit__leak_table_take(&shard->table, (uintptr_t)block, entry);
    if (found)
        uncount(set, entry);
    pit__leak_lock_give(&shard->lock);
    errno = kept_errno;
    return found;
}

void pit__leak_put_back(const struct pit__leak_entry *entry)
{
    put(the_set, entry);
}

/* ---- levels -------------------------------------------------------------------------------- */

/* The first level of a thread: it gets an owner, and free begins to look up blocks. */
static struct pit__leak_owner *begin_owner(void)
{
    struct leak_set *set = get_set();
    struct pit__leak_owner *owner = set ? take_owner(set) : NULL;
    if (!owner)
        return NULL;
    if (has_exit_key)
        pthread_setspecific(exit_key, owner);
    uint64_t tenancy = __atomic_add_fetch(&tenancies, 1, __ATOMIC_RELAXED);
    pit__leak_lock_take(&owner->lock);
    PIT_STORE(owner->tenancy, tenancy);
    PIT_STORE(owner->floor, owner->sequence + 1);
    pit__leak_lock_give(&owner->lock);
    __atomic_add_fetch(&set->watch, 1, __ATOMIC_RELAXED);
    PIT_STORE_ORDERED(pit__leak_watch, &set->watch);
    pit__alloc_self.tenancy = tenancy;
    pit__alloc_self.owner = owner;
    return owner;
}

int pit__leaks_begin(void)
{
    int kept_errno = errno;
    struct pit__leak_owner *owner = own();
    if (!owner)
        owner = begin_owner();
    errno = kept_errno;
    if (!owner || owner->depth == LEVELS)
        return -1;
    pit__leak_lock_take(&owner->lock);
    int level = (int)owner->depth++;
    owner->levels[level] = (struct level){.begin = owner->sequence + 1};
    pit__leak_lock_give(&owner->lock);
    return level;
}

static void end_owner(struct pit__leak_owner *owner)
{
    struct leak_set *set = the_set;
    pit__alloc_self.owner = NULL;
    __atomic_sub_fetch(&set->watch, 1, __ATOMIC_RELAXED);
    give_owner(set, owner);
}

int pit__leaks_end(int level, uint64_t *bytes, uint64_t *blocks)
{
    struct pit__leak_owner *owner = own();
    *bytes = *blocks = 0;
    if (!owner || level < 0 || (uint32_t)level >= owner->depth)
        return -1;

    struct level sum = {0};
    int kept_errno = errno;
    pit__leak_lock_take(&owner->lock);
    for (uint32_t i = (uint32_t)level; i < owner->depth; i++) {
        sum.bytes += owner->levels[i].bytes;
        sum.blocks += owner->levels[i].blocks;
        sum.lost += owner->levels[i].lost;
    }
    owner->depth = (uint32_t)level;
    if (level > 0) { /* live blocks now belong to the level around it */
        struct level *around = &owner->levels[level - 1];
        around->bytes += sum.bytes;
        around->blocks += sum.blocks;
        around->lost += sum.lost;
    } else {
        PIT_STORE(owner->floor, NOTHING);
    }
    pit__leak_lock_give(&owner->lock);
    if (level == 0)
        end_owner(owner);
    errno = kept_errno;
    if (sum.lost)
        return -1;
    *bytes = sum.bytes;
    *blocks = sum.blocks;
    return 0;
}
