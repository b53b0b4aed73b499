/* Finds blocks of memory by their address, in a shadow of the memory.
 *
 * Memory is divided into regions of 64 KiB. A region with at least one block has a shadow: an array with a
 * note for every address at which a block can begin. Neighbouring blocks have neighbouring notes, and a
 * lookup takes one access to a small directory and one to the shadow. Pages of a shadow without notes are
 * never touched.
 *
 * The shadows come from mmap: they must neither go through the allocators that we follow, nor be counted
 * by a library that follows malloc. They still are part of the process's resident memory;
 * pitpy_blocks_bytes returns their size.
 */
#include "pitpy.h"

#include <sys/mman.h>

enum {
    PLACE_BITS = 4, /* blocks begin at multiples of 16 */
    REGION_BITS = 16,
    PLACES = 1 << (REGION_BITS - PLACE_BITS),
    PAGE = 4096,
    SLAB = 64,              /* shadows mapped at a time */
    MOST_REGIONS = 1 << 20, /* blocks in further regions are not recorded */
};

struct note {
    size_t size_and_one; /* 0: no block begins here */
    uint32_t epoch, owner;
};

struct region {
    uintptr_t number; /* address >> REGION_BITS; 0: none */
    struct note *shadow;
    uint32_t touched; /* a bit for each page of the shadow */
};
_Static_assert(PLACES * sizeof(struct note) <= 32 * (size_t)PAGE, "a bit for each page");

static struct region *regions; /* by hash, open addressing */
static size_t room, used, touched_bytes;
static struct slab {
    struct slab *before;
} * slabs; /* at the end of each mapping, after its shadows */
static struct note *next_shadow;
static size_t shadows_left;

static const size_t slab_bytes = SLAB * PLACES * sizeof(struct note) + PAGE;

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_NOHUGEPAGE); /* otherwise one access would make all of it resident */
    return memory;
}

/* The region with that number, or the free entry where it belongs. There is always room. */
static struct region *find(uintptr_t number)
{
    size_t i = (size_t)(((uint64_t)number * 0x9E3779B97F4A7C15u) >> 32) & (room - 1);
    while (regions[i].number && regions[i].number != number)
        i = (i + 1) & (room - 1);
    return &regions[i];
}

/* Double the directory. Returns 0, or -1. */
static int grow(void)
{
    struct region *old = regions;
    size_t old_room = room, larger = room ? room * 2 : PAGE / sizeof *regions;
    while (larger & (larger - 1))
        larger &= larger - 1;
    struct region *more = map(larger * sizeof *more);
    if (!more)
        return -1;
    regions = more;
    room = larger;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].number)
            *find(old[i].number) = old[i];
    if (old)
        munmap(old, old_room * sizeof *old);
    return 0;
}

static struct note *new_shadow(void)
{
    if (shadows_left == 0) {
        char *memory = map(slab_bytes);
        if (!memory)
            return NULL;
        struct slab *slab = (void *)(memory + slab_bytes - PAGE);
        slab->before = slabs;
        slabs = slab;
        next_shadow = (void *)memory;
        shadows_left = SLAB;
    }
    struct note *shadow = next_shadow;
    next_shadow += PLACES;
    shadows_left--;
    return shadow;
}

static struct region *make(uintptr_t number)
{
    if (used >= MOST_REGIONS || (used * 2 >= room && grow() != 0))
        return NULL;
    struct note *shadow = new_shadow();
    struct region *region = find(number);
    if (!shadow)
        return NULL;
    *region = (struct region){number, shadow, 0};
    used++;
    return region;
}

static size_t place_of(uintptr_t address)
{
    return (address >> PLACE_BITS) & (PLACES - 1);
}

int pitpy_blocks_add(const pitpy_block *block, pitpy_block *before)
{
    uintptr_t number = block->address >> REGION_BITS;
    struct region *region = room ? find(number) : NULL;
    if (!region || region->number == 0)
        region = make(number);
    if (!region)
        return -1;
    size_t place = place_of(block->address);
    uint32_t bit = 1u << (place * sizeof(struct note) / PAGE);
    struct note *note = &region->shadow[place];
    int was_there = 0;
    if (!(region->touched & bit)) { /* not read first: that would cost another page fault */
        touched_bytes += PAGE;
        region->touched |= bit;
    } else if (note->size_and_one != 0) {
        *before = (pitpy_block){block->address, note->size_and_one - 1, note->epoch, note->owner};
        was_there = 1;
    }
    *note = (struct note){block->size + 1, block->epoch, block->owner};
    return was_there;
}

int pitpy_blocks_take(uintptr_t address, pitpy_block *block)
{
    if (room == 0)
        return 0;
    struct region *region = find(address >> REGION_BITS);
    size_t place = place_of(address);
    if (region->number == 0 || !(region->touched >> (place * sizeof(struct note) / PAGE) & 1))
        return 0;
    struct note *note = &region->shadow[place];
    if (note->size_and_one == 0)
        return 0;
    *block = (pitpy_block){address, note->size_and_one - 1, note->epoch, note->owner};
    note->size_and_one = 0;
    return 1;
}

size_t pitpy_blocks_bytes(void)
{
    return touched_bytes + room * sizeof *regions;
}

void pitpy_blocks_clear(void)
{
    while (slabs) {
        struct slab *before = slabs->before;
        munmap((char *)slabs - (slab_bytes - PAGE), slab_bytes);
        slabs = before;
    }
    if (regions)
        munmap(regions, room * sizeof *regions);
    regions = NULL;
    room = used = touched_bytes = shadows_left = 0;
}
