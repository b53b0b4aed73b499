/* Turns bytes into a checked list of blocks. Every size is checked against the file and the limits of its
 * block type before later bytes are used; the walk only goes forward.
 */
#include "reader.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int pit__fail(pit_error *error, int code, uint64_t offset, const char *format, ...)
{
    if (!error)
        return code;
    error->code = code;
    error->offset = offset;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

/* Copied word by word: the writer of a live run may be changing some words. */
static void copy_header(struct pit__image *image)
{
    const uint64_t *from = (const void *)image->base;
    uint64_t words[sizeof image->header / sizeof(uint64_t)] = {0};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        words[i] = PIT_LOAD_ACQUIRE(from[i]);
    memcpy(&image->header, words, sizeof words);
}

static int check_header(struct pit__image *image, pit_error *error)
{
    const struct pit_fmt_header *header = &image->header;
    if (memcmp(header->magic, PIT_FMT_MAGIC, sizeof header->magic) != 0)
        return pit__fail(error, PIT_NOT_A_RUN, 0, "not a Pitwall run (no magic)");
    if (header->endian != PIT_FMT_ENDIAN)
        return pit__fail(error, PIT_OTHER_ENDIAN, 16, "%s", pit_strerror(PIT_OTHER_ENDIAN));
    if (header->major > PIT_FMT_MAJOR || header->features != 0)
        return pit__fail(error, PIT_NEWER_FORMAT, 8,
                         "written by a newer version (format %u.%u, this reads %u)", header->major,
                         header->minor, PIT_FMT_MAJOR);
    if (header->header_bytes < PIT_FMT_HEADER_BYTES || header->header_bytes % PIT_FMT_ALIGN != 0 ||
        header->header_bytes > image->bytes)
        return pit__fail(error, PIT_DAMAGED, 12, "damaged header (header size %u)",
                         header->header_bytes);
    if (!image->alive && !pit__clock_is_sound(header))
        return pit__fail(error, PIT_DAMAGED, offsetof(struct pit_fmt_header, clock),
                         "damaged header (its clock)");
    return 0;
}

/* Is the size within the limits of its type? */
static int size_fits(const struct pit__block *block)
{
    uint64_t head = sizeof(struct pit_fmt_block), room = block->bytes - head;
    switch (block->type) {
    case PIT_FMT_THREAD:
        return block->bytes >= sizeof(struct pit_fmt_thread);
    case PIT_FMT_NODES:
        return block->a <= room / sizeof(struct pit_fmt_node) && block->used <= block->a;
    case PIT_FMT_SERIES:
        return block->bytes >= sizeof(struct pit_fmt_series);
    case PIT_FMT_OCTAVE:
        return block->bytes >= sizeof(struct pit_fmt_octave);
    case PIT_FMT_RING:
        return block->b <= room / sizeof(struct pit_fmt_event);
    case PIT_FMT_VALUE:
        return block->bytes >= sizeof(struct pit_fmt_value);
    case PIT_FMT_OBJECTS:
        return block->bytes >= sizeof(struct pit_fmt_objects);
    case PIT_FMT_MEMORY_OF:
        return block->bytes >= sizeof(struct pit_fmt_memory_of);
    case PIT_FMT_ALLOC_OF:
        return block->bytes >= sizeof(struct pit_fmt_alloc_of);
    case PIT_FMT_TEAMS:
        return block->bytes >= sizeof(struct pit_fmt_teams_of);
    case PIT_FMT_ENERGY_OF:
        return block->bytes >= sizeof(struct pit_fmt_energy_of);
    case PIT_FMT_RECORDS:
        return block->bytes >= sizeof(struct pit_fmt_records) && block->b <= PIT_FMT_RECORD_COUNT;
    case PIT_FMT_SAMPLES:
        return block->bytes >= sizeof(struct pit_fmt_samples);
    case PIT_FMT_CHANNELS:
        return block->a <= PIT_FMT_CHANNEL_MAX && block->bytes >= pit_fmt_channels_bytes(block->a);
    case PIT_FMT_PLACES:
        return block->bytes >= sizeof(struct pit_fmt_places) &&
               block->used <= PIT_FMT_PLACES_PER_BLOCK;
    case PIT_FMT_COLLECTIVES:
        return block->bytes >= sizeof(struct pit_fmt_collectives);
    case PIT_FMT_MESSAGES:
        return block->bytes >= sizeof(struct pit_fmt_messages);
    default: /* FACTS, NAMES, JOURNAL */
        return block->used <= room;
    }
}

static struct pit__block copy_block(const unsigned char *base, uint64_t offset)
{
    const struct pit_fmt_block *raw = (const void *)(base + offset);
    return (struct pit__block){.offset = offset,
                               .type = PIT_LOAD_ACQUIRE(raw->type),
                               .thread = PIT_LOAD(raw->thread),
                               .bytes = PIT_LOAD(raw->bytes),
                               .used = PIT_LOAD_ACQUIRE(raw->used),
                               .a = PIT_LOAD(raw->a),
                               .b = PIT_LOAD(raw->b),
                               .c = PIT_LOAD(raw->c)};
}

static int keep(struct pit__image *image, const struct pit__block *block)
{
    struct pit__block *blocks =
        pit__grow(image->blocks, &image->block_room, image->block_count + 1, sizeof *blocks, 256);
    if (!blocks)
        return PIT_NO_MEMORY;
    image->blocks = blocks;
    image->blocks[image->block_count++] = *block;
    return 0;
}

static int bring(struct pit__source *source, uint64_t offset, uint64_t bytes)
{
    return source ? source->read(source, offset, bytes) : 0;
}

void pit__let_go(const struct pit__image *image)
{
    if (image->is_mapped && image->bytes >= PIT__LET_GO_BYTES)
        madvise((void *)(uintptr_t)image->base, image->bytes, MADV_DONTNEED);
}

void pit__let_go_after(const struct pit__image *image, const struct pit__block *block,
                       uint64_t *read)
{
    *read += block->bytes;
    if (*read < PIT__LET_GO_BYTES)
        return;
    pit__let_go(image);
    *read = 0;
}

/* Walk from image->end on. A block that is damaged, or cut off by the end of the file, ends the walk;
 * the blocks before it are valid. */
static int walk_blocks(struct pit__image *image, struct pit__source *source, pit_error *error)
{
    uint64_t at = image->end, let_go_at = at + PIT__LET_GO_BYTES;
    while (image->bytes - at >= sizeof(struct pit_fmt_block)) {
        if (bring(source, at, sizeof(struct pit_fmt_block)) != 0)
            return pit__fail(error, PIT_CANNOT_READ, at, "cannot read");
        struct pit__block block = copy_block(image->base, at);
        if (block.type == PIT_FMT_END)
            break;
        int is_known = block.type < PIT_FMT_BLOCK_TYPES;
        if (block.bytes < sizeof(struct pit_fmt_block) || block.bytes % PIT_FMT_ALIGN != 0 ||
            (block.bytes <= image->bytes - at && is_known && !size_fits(&block))) {
            image->damaged_at = at;
            break;
        }
        if (block.bytes > image->bytes - at)
            break;
        int is_wanted = is_known && (!image->wanted || image->wanted >> block.type & 1);
        if (is_wanted && bring(source, at, block.bytes) != 0)
            return pit__fail(error, PIT_CANNOT_READ, at, "cannot read");
        if (is_wanted && keep(image, &block) != 0)
            return pit__fail(error, PIT_NO_MEMORY, at, "out of memory");
        image->skipped += !is_known;
        at += block.bytes;
        if (at >= let_go_at) {
            pit__let_go(image);
            let_go_at = at + PIT__LET_GO_BYTES;
        }
    }
    image->end = at;
    if (image->damaged_at && image->block_count == 0)
        return pit__fail(error, PIT_DAMAGED, at, "damaged from its first block on");
    return 0;
}

/* Walk only the part of the file that is in use. */
static void limit_to_used(struct pit__image *image)
{
    uint64_t used = image->header.used_bytes;
    if (used < image->bytes)
        image->bytes = used < image->header.header_bytes ? image->header.header_bytes : used;
}

int pit__walk_on(struct pit__image *image, pit_error *error)
{
    copy_header(image);
    limit_to_used(image);
    return image->damaged_at || image->bytes < image->end ? 0 : walk_blocks(image, NULL, error);
}

int pit__walk(struct pit__image *image, struct pit__source *source, pit_error *error)
{
    image->blocks = NULL;
    image->block_count = image->block_room = 0;
    image->skipped = image->damaged_at = 0;
    if (image->bytes < PIT_FMT_HEADER_BYTES) {
        int is_cut = image->bytes >= 8 && bring(source, 0, 8) == 0 &&
                     memcmp(image->base, PIT_FMT_MAGIC, 8) == 0;
        return is_cut ? pit__fail(error, PIT_TRUNCATED, image->bytes, "truncated in its header")
                      : pit__fail(error, PIT_NOT_A_RUN, 0, "not a Pitwall run (too short)");
    }
    if (bring(source, 0, PIT_FMT_HEADER_BYTES) != 0)
        return pit__fail(error, PIT_CANNOT_READ, 0, "cannot read");
    copy_header(image);
    int code = check_header(image, error);
    if (code)
        return code;
    limit_to_used(image);
    image->end = image->header.header_bytes;
    code = walk_blocks(image, source, error);
    if (code) {
        free(image->blocks);
        image->blocks = NULL;
    }
    return code;
}

/* The index of the last block that starts at or before offset, or block_count. */
static size_t block_before(const struct pit__image *image, uint64_t offset)
{
    size_t low = 0, high = image->block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (image->blocks[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : image->block_count;
}

const struct pit__block *pit__block_around(const struct pit__image *image, uint64_t offset,
                                           uint32_t type)
{
    size_t i = block_before(image, offset);
    if (i == image->block_count)
        return NULL;
    const struct pit__block *block = &image->blocks[i];
    return block->type == type && offset - block->offset < block->bytes ? block : NULL;
}

const struct pit__block *pit__block_at(const struct pit__image *image, uint64_t offset,
                                       uint32_t type)
{
    const struct pit__block *block = pit__block_around(image, offset, type);
    return block && block->offset == offset ? block : NULL;
}

#define LONGEST_NAME 4095u /* the recorder's limit; every node has a copy of its name */

const char *pit__name_at(const struct pit__image *image, struct pit__arena *arena, uint64_t offset)
{
    static const char *const unknown = "(name lost)";
    const struct pit__block *block = pit__block_around(image, offset, PIT_FMT_NAMES);
    uint64_t start = block ? block->offset + sizeof(struct pit_fmt_block) : 0;
    uint32_t length;
    /* A live run may have added the name after the walk, so the whole block is searched. */
    uint64_t used = block && image->alive ? block->bytes - sizeof(struct pit_fmt_block)
                    : block               ? block->used
                                          : 0;
    if (!block || offset < start || offset - start + sizeof length > used)
        return unknown;
    memcpy(&length, image->base + offset, sizeof length);
    if (length > LONGEST_NAME || length > used - (offset - start) - sizeof length)
        return unknown;
    return pit__arena_text(arena, (const char *)image->base + offset + sizeof length, length);
}
