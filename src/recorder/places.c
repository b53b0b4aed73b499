/* Places in the code with their numbers of samples, in the run.
 *
 * An entry is written before `used` or its own `samples` makes it valid. The room is limited; when it is
 * full, a new place replaces the one with the fewest samples, which from then on count as "elsewhere in
 * its span", in an entry without texts for which some room is kept. So a place that becomes hot late in a
 * run is found too, and the sum of a span's samples stays right.
 *
 * The data needed to find a place again is kept outside the run, where no other process can write.
 */
#include "places.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTRIES (PIT_FMT_PLACE_BLOCKS * PIT_FMT_PLACES_PER_BLOCK)
#define KEPT_FOR_REST (ENTRIES / 8) /* entries that only count samples without a place */
#define NO_ENTRY UINT32_MAX

/* Guarded by the recorder's lock, in private memory. */
struct pit__places {
    struct pit_fmt_places *blocks[PIT_FMT_PLACE_BLOCKS];
    uint32_t block_count;
    uint32_t count;            /* entries in use */
    uint32_t next;             /* where to begin looking for one to replace */
    uint64_t hashes[ENTRIES];  /* of the place and span */
    uint64_t samples[ENTRIES]; /* as in the run */
    uint64_t rest_of[ENTRIES]; /* hash of the entry that gets its samples when it is replaced; 0: it
                                   is such an entry itself and stays */
    uint64_t taken[PIT_FMT_PLACE_KINDS], dropped[PIT_FMT_PLACE_KINDS];
};

/* ---- identity of a place ------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *from, size_t bytes)
{
    const unsigned char *at = from;
    for (size_t i = 0; i < bytes; i++) /* the analyzer does not follow bytes of larger numbers */
        hash = (hash ^ at[i]) * 0x100000001b3u; /* NOLINT(clang-analyzer-core.*) */
    return hash;
}

static uint64_t hash_of(const struct pit_fmt_hot_place *place)
{
    const uint32_t numbers[] = {place->kind, place->thread, place->node, place->line};
    uint64_t hash = mix(0xcbf29ce484222325u, numbers, sizeof numbers);
    hash = mix(hash, place->function, sizeof place->function);
    hash = mix(hash, place->file, sizeof place->file);
    return hash ? hash : 1;
}

/* A byte in the middle of a character. */
static int is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Cut a text to fit: keep the beginning of a name, the end of a path. */
static void fill_text(char *to, size_t room, const char *from, int keeps_end)
{
    size_t length = from ? strlen(from) : 0;
    if (length >= room && keeps_end) {
        from += length - (room - 1);
        length = room - 1;
        while (length && is_inside(*from)) {
            from++;
            length--;
        }
    } else if (length >= room) {
        length = room - 1;
        while (length && is_inside(from[length]))
            length--;
    }
    if (length)
        memcpy(to, from, length);
}

/* ---- entries ------------------------------------------------------------------------------- */

static struct pit_fmt_hot_place *entry_at(const struct pit__places *places, uint32_t i)
{
    return &places->blocks[i / PIT_FMT_PLACES_PER_BLOCK]->entries[i % PIT_FMT_PLACES_PER_BLOCK];
}

static struct pit_fmt_places *add_block(pit_recorder *rec)
{
    struct pit__places *places = rec->places;
    struct pit_fmt_places *block = NULL;
    if (places->block_count < PIT_FMT_PLACE_BLOCKS)
        block = pit__block_new(rec, PIT_FMT_PLACES, PIT_FMT_NO_THREAD, sizeof *block, 1);
    if (block)
        places->blocks[places->block_count++] = block;
    return block;
}

/* The table with its first block; NULL: no room for it. With the lock held. */
static struct pit__places *table_of(pit_recorder *rec)
{
    if (!rec->places) {
        void *made = mmap(NULL, sizeof *rec->places, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        rec->places = made == MAP_FAILED ? NULL : made;
    }
    return rec->places && (rec->places->block_count || add_block(rec)) ? rec->places : NULL;
}

static uint32_t find(const struct pit__places *places, uint64_t hash)
{
    for (uint32_t i = 0; i < places->count; i++)
        if (places->hashes[i] == hash)
            return i;
    return NO_ENTRY;
}

static void add_samples(struct pit__places *places, uint32_t i, uint64_t samples)
{
    places->samples[i] += samples;
    PIT_STORE_ORDERED(entry_at(places, i)->samples, places->samples[i]);
}

/* Stored in words, except seq and samples: another process may be reading the live run. */
static void store_place(struct pit_fmt_hot_place *to, const struct pit_fmt_hot_place *from)
{
    PIT_STORE(to->kind, from->kind);
    PIT_STORE(to->thread, from->thread);
    PIT_STORE(to->node, from->node);
    PIT_STORE(to->line, from->line);
    for (size_t i = 0; i < sizeof to->function; i++)
        PIT_STORE(to->function[i], from->function[i]);
    for (size_t i = 0; i < sizeof to->file; i++)
        PIT_STORE(to->file[i], from->file[i]);
}

/* A new entry without samples; NO_ENTRY: no room. */
static uint32_t append(pit_recorder *rec, const struct pit_fmt_hot_place *place, uint64_t hash,
                       uint64_t rest_of)
{
    struct pit__places *places = rec->places;
    uint32_t i = places->count, most = rest_of ? ENTRIES - KEPT_FOR_REST : ENTRIES;
    if (i >= most || (i == places->block_count * PIT_FMT_PLACES_PER_BLOCK && !add_block(rec)))
        return NO_ENTRY;
    store_place(entry_at(places, i), place);
    places->hashes[i] = hash;
    places->rest_of[i] = rest_of;
    places->samples[i] = 0;
    places->count = i + 1;
    struct pit_fmt_block *block = &places->blocks[places->block_count - 1]->block;
    PIT_STORE_ORDERED(block->used, (uint64_t)i % PIT_FMT_PLACES_PER_BLOCK + 1);
    return i;
}

/* The entry for samples of the same span that have no own entry. */
static struct pit_fmt_hot_place rest_like(const struct pit_fmt_hot_place *place)
{
    return (struct pit_fmt_hot_place){
        .kind = place->kind, .thread = place->thread, .node = place->node};
}

static void add_dropped(struct pit__places *places, uint32_t kind, uint64_t samples)
{
    places->dropped[kind] += samples;
    PIT_STORE_ORDERED(places->blocks[0]->sources[kind].dropped, places->dropped[kind]);
}

/* Count samples that have no entry: for their span if that has room, else as dropped. */
static void add_to_rest(pit_recorder *rec, const struct pit_fmt_hot_place *place, uint64_t samples)
{
    struct pit__places *places = rec->places;
    struct pit_fmt_hot_place rest = rest_like(place);
    uint64_t hash = hash_of(&rest);
    uint32_t i = find(places, hash);
    if (i == NO_ENTRY)
        i = append(rec, &rest, hash, 0);
    if (i != NO_ENTRY) {
        add_samples(places, i, samples);
        return;
    }
    add_dropped(places, place->kind, samples);
}

/* The entry with the fewest samples that may be replaced; of several, the one checked longest ago. */
static uint32_t find_least(struct pit__places *places)
{
    uint32_t least = NO_ENTRY;
    for (uint32_t n = 0; n < places->count; n++) {
        uint32_t i = (places->next + n) % places->count;
        if (places->rest_of[i] &&
            (least == NO_ENTRY || places->samples[i] < places->samples[least]))
            least = i;
    }
    places->next = least == NO_ENTRY ? 0 : least + 1;
    return least;
}

/* Replace a place by another one. */
static uint32_t replace_least(pit_recorder *rec, const struct pit_fmt_hot_place *place,
                              uint64_t hash, uint64_t rest_of)
{
    struct pit__places *places = rec->places;
    uint32_t i = find_least(places);
    if (i == NO_ENTRY)
        return NO_ENTRY;
    struct pit_fmt_hot_place *entry = entry_at(places, i);
    struct pit_fmt_hot_place gone = {.kind = PIT_LOAD(entry->kind) %
                                             /* other processes can write to the file */
                                             PIT_FMT_PLACE_KINDS,
                                     .thread = PIT_LOAD(entry->thread),
                                     .node = PIT_LOAD(entry->node)};
    uint64_t samples = places->samples[i];
    uint32_t seq = PIT_LOAD(entry->seq) | 1u;
    PIT_STORE_ORDERED(entry->seq, seq);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    PIT_STORE_ORDERED(entry->samples, 0);
    store_place(entry, place);
    places->hashes[i] = hash;
    places->rest_of[i] = rest_of;
    places->samples[i] = 0;
    PIT_STORE_ORDERED(entry->seq, seq + 1);
    add_to_rest(rec, &gone, samples);
    return i;
}

static void add_taken(struct pit__places *places, uint32_t kind, uint64_t samples)
{
    places->taken[kind] += samples;
    PIT_STORE_ORDERED(places->blocks[0]->sources[kind].samples, places->taken[kind]);
}

/* Call with the lock held. */
static void note(pit_recorder *rec, const struct pit_fmt_hot_place *place, uint64_t samples)
{
    struct pit__places *places = table_of(rec);
    if (!places)
        return;
    uint64_t hash = hash_of(place);
    struct pit_fmt_hot_place rest = rest_like(place);
    uint64_t rest_of = hash_of(&rest);
    if (rest_of == hash)
        rest_of = 0;
    uint32_t i = find(places, hash);
    if (i == NO_ENTRY)
        i = append(rec, place, hash, rest_of);
    if (i == NO_ENTRY && rest_of)
        i = replace_least(rec, place, hash, rest_of);
    if (i != NO_ENTRY)
        add_samples(places, i, samples);
    else
        add_to_rest(rec, place, samples);
    add_taken(places, place->kind, samples);
}

/* ---- the calls ----------------------------------------------------------------------------- */

/* It records, or it is closing and its sampler writes the last places. */
static int takes_notes(const pit_recorder *rec)
{
    return pit__is_alive(rec) || (rec && PIT_LOAD(rec->control->sampler_notes));
}

void pit__place_note(pit_recorder *rec, uint32_t thread, uint32_t node, uint32_t kind,
                     const char *function, const char *file, uint32_t line, uint64_t samples)
{
    if (!takes_notes(rec) || kind >= PIT_FMT_PLACE_KINDS || !samples)
        return;
    struct pit_fmt_hot_place place = {.kind = kind, .thread = thread, .node = node, .line = line};
    fill_text(place.function, sizeof place.function, function, 0);
    fill_text(place.file, sizeof place.file, file, 1);
    if (!pit__lock_take(&rec->control->lock))
        return;
    if (takes_notes(rec))
        note(rec, &place, samples);
    pit__lock_give(&rec->control->lock);
}

void pit__places_lost(pit_recorder *rec, uint32_t kind, uint64_t samples)
{
    if (!takes_notes(rec) || kind >= PIT_FMT_PLACE_KINDS || !samples)
        return;
    if (!pit__lock_take(&rec->control->lock))
        return;
    struct pit__places *places = takes_notes(rec) ? table_of(rec) : NULL;
    if (places) {
        add_taken(places, kind, samples);
        add_dropped(places, kind, samples);
    }
    pit__lock_give(&rec->control->lock);
}

void pit__places_source(pit_recorder *rec, uint32_t kind, double hz, const char *reason)
{
    if (!takes_notes(rec) || kind >= PIT_FMT_PLACE_KINDS)
        return;
    struct pit_fmt_place_source said = {.millihertz = hz > 0 ? (uint64_t)(hz * 1000) : 0};
    fill_text(said.reason, sizeof said.reason, hz > 0 ? NULL : reason, 0);
    if (!pit__lock_take(&rec->control->lock))
        return;
    struct pit__places *places = takes_notes(rec) ? table_of(rec) : NULL;
    if (places) {
        struct pit_fmt_place_source *source = &places->blocks[0]->sources[kind];
        for (size_t i = 0; i < sizeof source->reason; i++)
            PIT_STORE(source->reason[i], said.reason[i]);
        PIT_STORE_ORDERED(source->millihertz, said.millihertz);
    }
    pit__lock_give(&rec->control->lock);
}

uint64_t pit__places_samples(pit_recorder *rec)
{
    uint64_t samples = 0;
    if (!pit__lock_take(&rec->control->lock))
        return 0;
    for (uint32_t kind = 0; rec->places && kind < PIT_FMT_PLACE_KINDS; kind++)
        samples += rec->places->taken[kind];
    pit__lock_give(&rec->control->lock);
    return samples;
}

/* Frames that ended while frames above them are open do not count. */
static uint32_t innermost(const struct pit_fmt_thread *file)
{
    uint32_t depth = PIT_LOAD_ACQUIRE(file->depth) % PIT_FMT_FRAMES;
    uint64_t where = PIT_LOAD(file->frames[depth].where);
    while (depth && where & PIT_FMT_WHERE_ENDED)
        where = PIT_LOAD(file->frames[--depth].where);
    return pit_fmt_ref_of(where) & ~PIT__BELOW_BIT;
}

uint32_t pit__main_place(pit_recorder *rec, uint32_t *node)
{
    uint32_t thread = PIT_FMT_NO_THREAD;
    uint64_t main_thread = (uint64_t)getpid();
    *node = 0;
    if (!pit__is_alive(rec) || !pit__lock_take(&rec->control->lock))
        return thread;
    const struct pit__thread *t = pit__is_alive(rec) ? rec->threads : NULL;
    while (t && !(t->in_use && PIT_LOAD(t->file->block.a) == main_thread))
        t = t->next_in_recorder;
    if (t) {
        *node = innermost(t->file);
        thread = t->index;
    }
    pit__lock_give(&rec->control->lock);
    return thread;
}

void pit__places_free(pit_recorder *rec)
{
    if (rec->places)
        munmap(rec->places, sizeof *rec->places);
    rec->places = NULL;
}

/* ---- public -------------------------------------------------------------------------------- */

int pit_note_place(enum pit_place_kind kind, const char *function, const char *file, uint32_t line,
                   uint64_t samples)
{
    pit_recorder *rec = pit_default_recorder();
    if ((unsigned)kind >= PIT_FMT_PLACE_KINDS || !samples)
        return PIT_BAD_ARGUMENT;
    if (!pit__is_alive(rec))
        return PIT_NOT_OPEN;
    uint32_t node, thread = pit__main_place(rec, &node);
    pit__place_note(rec, thread, node, (uint32_t)kind, function, file, line, samples);
    return PIT_OK;
}

int pit_note_sampling(enum pit_place_kind kind, double hz, const char *reason)
{
    pit_recorder *rec = pit_default_recorder();
    if ((unsigned)kind >= PIT_FMT_PLACE_KINDS)
        return PIT_BAD_ARGUMENT;
    if (!pit__is_alive(rec))
        return PIT_NOT_OPEN;
    pit__places_source(rec, (uint32_t)kind, hz, reason);
    return PIT_OK;
}
