/* See span_walk.h. Every call into the library is between two stores to the truth: that it is about to
 * happen, and that it has happened. */
#include "span_walk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ADD(x_, n_) __atomic_fetch_add(&(x_), (n_), __ATOMIC_SEQ_CST)
#define SET(x_, v_) __atomic_store_n(&(x_), (v_), __ATOMIC_SEQ_CST)
#define GET(x_) __atomic_load_n(&(x_), __ATOMIC_SEQ_CST)

static pit_site sites[] = {PIT_SITE("a"), PIT_SITE("b"), PIT_SITE("c"), PIT_SITE("d")};
static pit_site phases[] = {PIT_SITE("p0"), PIT_SITE("p1")};
static struct walk_object *mailbox[8]; /* objects that any thread may end */

struct walk_truth *walk_truth_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, (off_t)sizeof(struct walk_truth)) != 0)
        return NULL;
    struct walk_truth *truth = mmap(NULL, sizeof *truth, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (truth == MAP_FAILED)
        return NULL;
    truth->area_bytes = sizeof(struct walk_area);
    truth->slot_bytes = sizeof(struct walk_slot);
    return truth;
}

uint64_t walk_random(struct walk *walk)
{
    uint64_t x = walk->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    walk->random = x;
    return x * 0x2545f4914f6cdd1du >> 16;
}

/* ---- slots --------------------------------------------------------------------------------- */

static uint32_t *hash_place(struct walk *walk, uint32_t parent, const char *name)
{
    uint32_t hash = 2166136261u ^ parent * 2654435761u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (uint32_t i = hash;; i++) {
        uint32_t *place = &walk->hash[i % (4 * WALK_SLOTS)];
        const struct walk_slot *slot = &walk->area->slots[*place];
        if (!*place || (slot->parent == parent && strcmp(slot->name, name) == 0))
            return place;
    }
}

/* The slot of a path below another; 0: there is no room for more. */
static uint32_t slot_of(struct walk *walk, uint32_t parent, const char *name, uint32_t detached)
{
    struct walk_area *area = walk->area;
    uint32_t *place = hash_place(walk, parent, name);
    if (*place || area->slots_used >= WALK_SLOTS)
        return *place;
    uint32_t index = (uint32_t)area->slots_used;
    struct walk_slot *slot = &area->slots[index];
    slot->parent = parent;
    slot->detached = detached;
    snprintf(slot->name, sizeof slot->name, "%s", name);
    *place = index;
    SET(area->slots_used, index + 1u);
    return index;
}

void walk_start(struct walk *walk, struct walk_truth *truth, uint32_t index, uint64_t seed,
                enum walk_mode mode)
{
    memset(walk, 0, sizeof *walk);
    walk->truth = truth;
    walk->area = &truth->areas[index];
    walk->random = seed * 0x9e3779b97f4a7c15u + index + 1;
    walk->mode = mode;
    walk->descending = 1;
    struct walk_area *area = walk->area;
    if (!area->slots_used)
        area->slots_used = 1;
    for (uint32_t i = 1; i < area->slots_used; i++)
        *hash_place(walk, area->slots[i].parent, area->slots[i].name) = i;
    SET(area->now, 0);
    SET(area->mid, 0);
    SET(area->next, 0);
    SET(area->tid, (uint64_t)syscall(SYS_gettid));
    uint64_t used = GET(truth->areas_used);
    while (used < index + 1u && !__atomic_compare_exchange_n(&truth->areas_used, &used, index + 1u,
                                                             0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
}

/* ---- where the walk stands ----------------------------------------------------------------- */

static uint32_t top_slot(const struct walk *walk)
{
    return walk->depth ? walk->stack[walk->depth - 1].slot : 0;
}

static int top_is_phase(const struct walk *walk)
{
    return walk->depth && walk->stack[walk->depth - 1].is_phase;
}

static void about_to(struct walk *walk, uint32_t mid, uint32_t next)
{
    SET(walk->area->mid, mid);
    SET(walk->area->next, next);
}

static void arrived(struct walk *walk)
{
    uint32_t slot = top_slot(walk);
    SET(walk->area->now, slot);
    about_to(walk, slot, slot);
}

static void ending(struct walk *walk, uint32_t slot)
{
    ADD(walk->area->slots[slot].ending, 1);
}

/* An end that came back before exit was called has been recorded. */
static void ended(struct walk *walk, uint32_t slot)
{
    if (!GET(walk->truth->exiting))
        ADD(walk->area->slots[slot].ended, 1);
}

/* ---- spans --------------------------------------------------------------------------------- */

static void push(struct walk *walk, pit_token token, uint32_t slot, int is_phase)
{
    walk->stack[walk->depth++] = (struct walk_open){token, slot, is_phase};
}

static void begin_with(struct walk *walk, pit_site *site, const char *name)
{
    uint32_t slot = slot_of(walk, top_slot(walk), name, 0);
    if (!slot || walk->depth == WALK_STACK)
        return;
    about_to(walk, slot, slot);
    pit_token token = site ? pit_begin(site) : pit_begin_name(name);
    if (token)
        push(walk, token, slot, 0);
    else
        SET(walk->area->failed, walk->area->failed + 1);
    arrived(walk);
}

void walk_begin(struct walk *walk, const char *name)
{
    begin_with(walk, NULL, name);
}

/* The span around an open phase ends both. */
void walk_end(struct walk *walk)
{
    uint32_t inner = top_is_phase(walk) && walk->depth > 1 ? top_slot(walk) : 0;
    uint32_t above = inner ? 2 : 1;
    if (walk->depth < above)
        return;
    uint32_t at = walk->depth - above, slot = walk->stack[at].slot;
    uint32_t below = at ? walk->stack[at - 1].slot : 0;
    about_to(walk, inner ? slot : below, below);
    if (inner)
        ending(walk, inner);
    ending(walk, slot);
    pit_end(walk->stack[at].token);
    ended(walk, slot);
    if (inner)
        ended(walk, inner);
    walk->depth = at;
    arrived(walk);
}

void walk_span(struct walk *walk, const char *name)
{
    uint32_t before = walk->depth;
    walk_begin(walk, name);
    if (walk->depth > before)
        walk_end(walk);
}

static void phase(struct walk *walk)
{
    pit_site *site = &phases[walk_random(walk) % 2];
    int follows = top_is_phase(walk) && walk->depth > 1;
    uint32_t old = follows ? top_slot(walk) : 0;
    uint32_t below = follows ? walk->stack[walk->depth - 2].slot : top_slot(walk);
    uint32_t slot = slot_of(walk, below, site->name, 0);
    about_to(walk, below, slot);
    if (old)
        ending(walk, old);
    pit_phase(site);
    if (old) {
        ended(walk, old);
        walk->depth--;
    }
    push(walk, 0, slot, 1);
    arrived(walk);
}

static void phase_end(struct walk *walk)
{
    uint32_t old = top_slot(walk), below = walk->depth > 1 ? walk->stack[walk->depth - 2].slot : 0;
    about_to(walk, below, below);
    ending(walk, old);
    pit_phase_end();
    ended(walk, old);
    walk->depth--;
    arrived(walk);
}

void walk_unwind(struct walk *walk)
{
    while (walk->depth)
        walk_end(walk);
}

/* ---- objects, items, values ---------------------------------------------------------------- */

static void object_end(struct walk *walk, struct walk_object *open)
{
    ADD(open->slot->ending, 1);
    pit_object_end(&open->object);
    if (!GET(walk->truth->exiting))
        ADD(open->slot->ended, 1);
    open->slot = NULL;
}

static int object_begin(struct walk *walk, struct walk_object *open)
{
    static const char *const names[] = {"o0", "o1"};
    const char *name = names[walk_random(walk) % 2];
    uint32_t slot = slot_of(walk, top_slot(walk), name, 1);
    open->slot = &walk->area->slots[slot];
    ADD(open->slot->beginning, 1);
    open->object = pit_object_begin_name(name);
    if (open->object.begin)
        ADD(open->slot->begun, 1);
    else
        open->slot = NULL;
    return open->slot != NULL;
}

/* Put an object into a shared slot for any other thread, and end the object that was in the slot. */
static void object_hand_over(struct walk *walk)
{
    struct walk_object *mine = calloc(1, sizeof *mine);
    if (!mine || !object_begin(walk, mine)) {
        free(mine);
        return;
    }
    struct walk_object **place = &mailbox[walk_random(walk) % 8];
    struct walk_object *other = __atomic_exchange_n(place, mine, __ATOMIC_ACQ_REL);
    if (other)
        object_end(walk, other);
    free(other);
}

static void object(struct walk *walk)
{
    uint64_t which = walk_random(walk) % 8;
    if (which >= 4)
        object_hand_over(walk);
    else if (walk->objects[which].slot)
        object_end(walk, &walk->objects[which]);
    else
        object_begin(walk, &walk->objects[which]);
}

static void items(struct walk *walk)
{
    struct walk_slot *slot = &walk->area->slots[top_slot(walk)];
    ADD(slot->items_before, 3);
    pit_items(3);
    if (!GET(walk->truth->exiting))
        ADD(slot->items_after, 3);
}

/* The n-th value is n, so that every mean is known. */
static void value(struct walk *walk)
{
    uint64_t n = ADD(walk->area->value_before, 1);
    pit_value("loss", (double)n);
    ADD(walk->area->value_after, 1);
}

/* ---- steps --------------------------------------------------------------------------------- */

static void work(struct walk *walk)
{
    uint64_t n = (uint64_t)1 << walk_random(walk) % 14;
    for (volatile uint64_t i = 0; i < n; i++)
        continue;
}

static void burst(struct walk *walk)
{
    if (walk->depth > 4)
        return;
    for (int i = 0; i < 200; i++) {
        begin_with(walk, &sites[0], sites[0].name);
        if (top_slot(walk) && walk->depth)
            walk_end(walk);
    }
}

static void step_many_names(struct walk *walk)
{
    char name[32];
    uint64_t r = walk_random(walk);
    snprintf(name, sizeof name, "name %u", (unsigned)(r % 3800));
    walk_span(walk, name);
    if (r % 64 == 0)
        work(walk);
}

/* Down past the depth limit, and back up. */
static void step_deep(struct walk *walk)
{
    if (walk->descending)
        begin_with(walk, NULL, "r");
    else if (walk->depth)
        walk_end(walk);
    if (walk->area->failed % 5 == 4 || walk_random(walk) % 100 == 0)
        walk->descending = !walk->descending;
    if (walk->area->failed % 5 == 4)
        SET(walk->area->failed, walk->area->failed + 1);
}

static void step_mixed(struct walk *walk)
{
    uint64_t r = walk_random(walk) % 100;
    uint32_t limit = 4;
    if (r < 36 && walk->depth < limit) {
        pit_site *site = &sites[walk_random(walk) % (walk->depth > 1 ? 1 : walk->depth ? 2 : 4)];
        begin_with(walk, r % 2 ? site : NULL, site->name);
    } else if (r < 68 && walk->depth) {
        walk_end(walk);
    } else if (r >= 68 && r < 75 &&
               (walk->depth == 1 || (walk->depth == 2 && top_is_phase(walk)))) {
        phase(walk);
    } else if (r == 75 && top_is_phase(walk)) {
        phase_end(walk);
    } else if (r >= 76 && r < 80 && walk->depth) {
        items(walk);
    } else if (r >= 80 && r < 84) {
        value(walk);
    } else if (r >= 84 && r < 88 && walk->depth < 2) {
        object(walk);
    } else if (walk->mode == WALK_BUSY) {
        return;
    } else if (r == 88) {
        burst(walk);
    } else if (r > 88) {
        work(walk);
    }
}

/* Only spans: threads that start and end can count those exactly. */
static void step_spans(struct walk *walk)
{
    uint64_t r = walk_random(walk) % 8;
    if (r < 4 && walk->depth < 4)
        begin_with(walk, &sites[r % 2], sites[r % 2].name);
    else if (walk->depth)
        walk_end(walk);
    if (r == 7)
        work(walk);
}

void walk_step(struct walk *walk)
{
    switch (walk->mode) {
    case WALK_DEEP:
        step_deep(walk);
        break;
    case WALK_MANY_NAMES:
        step_many_names(walk);
        break;
    case WALK_SPANS_ONLY:
        step_spans(walk);
        break;
    default:
        step_mixed(walk);
    }
}
