/* The process-wide table of names: an open hash of pointers to entries that never move.
 *
 * A reader needs no lock: an entry is complete before its pointer is published, a larger table is
 * filled before it replaces the smaller one, and neither is ever freed. A child of fork
 * inherits a table that is valid at every instant.
 */
#include "name_table.h"

#include "format/ordered.h"
#include "private_memory.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_SLOTS 512u
#define MAX_NAMES (1u << 20)

struct slots {
    uint32_t mask;
    uint32_t spare;
    const struct pit__name *slot[];
};

static struct slots *table;            /* replaced when it fills */
static const struct pit__name **by_id; /* index: id; room for every name */
static uint32_t name_count;

/* FNV-1a: names are short, and it needs no table. */
static uint32_t hash_of(const char *text, uint32_t length)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static uint32_t length_of(const char *text)
{
    uint32_t length = (uint32_t)strnlen(text, PIT__NAME_BYTES + 1);
    if (length <= PIT__NAME_BYTES)
        return length;
    length = PIT__NAME_BYTES;
    while (length > PIT__NAME_BYTES - 4 && ((unsigned char)text[length] & 0xc0u) == 0x80u)
        length--;
    return length;
}

static const struct pit__name *find(const struct slots *slots, const char *text, uint32_t length,
                                    uint32_t hash)
{
    if (!slots)
        return NULL;
    for (uint32_t i = hash & slots->mask;; i = (i + 1) & slots->mask) {
        const struct pit__name *name = PIT_LOAD_ACQUIRE(slots->slot[i]);
        if (!name)
            return NULL;
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            return name;
    }
}

static void put(struct slots *slots, const struct pit__name *name)
{
    uint32_t i = name->hash & slots->mask;
    while (slots->slot[i])
        i = (i + 1) & slots->mask;
    PIT_STORE_ORDERED(slots->slot[i], name);
}

/* With the lock held: room for one more at no more than half full. */
static struct slots *grown(void)
{
    struct slots *old = table;
    if (old && (name_count + 1) * 2 <= old->mask)
        return old;
    uint32_t count = old ? (old->mask + 1) * 2 : FIRST_SLOTS;
    size_t bytes = sizeof *old + count * sizeof old->slot[0];
    struct slots *new_slots =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (new_slots == MAP_FAILED)
        return NULL;
    new_slots->mask = count - 1;
    for (uint32_t id = 1; id <= name_count; id++)
        put(new_slots, by_id[id]);
    PIT_STORE_ORDERED(table, new_slots);
    return new_slots;
}

/* With the lock held. Pages of by_id that are never reached cost nothing. */
static int have_index(void)
{
    if (by_id)
        return 1;
    void *index = mmap(NULL, (MAX_NAMES + 1) * sizeof *by_id, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (index == MAP_FAILED)
        return 0;
    PIT_STORE_ORDERED(by_id, (const struct pit__name **)index);
    return 1;
}

static const struct pit__name *add(struct pit__name *entry)
{
    const struct pit__name *known = find(table, entry->text, entry->length, entry->hash);
    if (known)
        return known;
    struct slots *slots = name_count < MAX_NAMES && have_index() ? grown() : NULL;
    if (!slots)
        return NULL;
    entry->id = name_count + 1;
    PIT_STORE_ORDERED(by_id[entry->id], entry);
    name_count++;
    put(slots, entry);
    return entry;
}

const struct pit__name *pit__name_intern(const char *text)
{
    if (!text)
        text = "(null)";
    uint32_t length = length_of(text), hash = hash_of(text, length);
    const struct pit__name *name = find(PIT_LOAD_ACQUIRE(table), text, length, hash);
    if (name)
        return name;
    struct pit__name *entry = pit__private_alloc(sizeof *entry + length + 1);
    if (!entry)
        return NULL;
    entry->hash = hash;
    entry->length = length;
    memcpy(entry->text, text, length);
    struct pit__lock *lock = pit__process_lock();
    if (!pit__lock_take(lock))
        return NULL;
    name = add(entry);
    pit__lock_give(lock);
    return name;
}

void pit__name_is_comm(const struct pit__name *name)
{
    struct pit__name *entry = (struct pit__name *)(uintptr_t)name; /* all else in it is fixed */
    PIT_STORE(entry->is_comm, 1);
}

const struct pit__name *pit__name_of(uint32_t id)
{
    const struct pit__name **index = PIT_LOAD_ACQUIRE(by_id);
    return index && id <= MAX_NAMES ? PIT_LOAD_ACQUIRE(index[id]) : NULL;
}
