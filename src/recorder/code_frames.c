/* See code_frames.h.
 *
 *   .eh_frame_hdr ──▶ the function's entry (FDE) ──▶ what entries have in common (CIA)
 *                                    └─▶ instructions that say how to find the caller, up to an address
 *
 * Of these instructions, those are understood that compilers use for ordinary functions. A function with any
 * other has no caller.
 */
#include "code_frames.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRY_BYTES 1024u /* longer entries are not read */
#define MOST_SEGMENTS 32u
#define MOST_STATES 8u
#define RELATIVE 0x1b /* an encoded address: 32 bits, relative to itself */

enum { BP = 6, SP = 7, RETURN = 16 }; /* numbers of registers in the tables */

long pit__memory_open(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
}

void pit__memory_close(long memory)
{
    if (memory >= 0)
        syscall(SYS_close, memory);
}

/* As many bytes as there are. */
static size_t read_some(long memory, uint64_t address, void *to, size_t bytes)
{
    long got = syscall(SYS_pread64, memory, to, bytes, address);
    return got > 0 ? (size_t)got : 0;
}

static int read_all(long memory, uint64_t address, void *to, size_t bytes)
{
    return read_some(memory, address, to, bytes) == bytes;
}

/* ---- the table ----------------------------------------------------------------------------- */

struct pit__frame_table pit__frame_table_of(long memory, uint64_t first)
{
    struct pit__frame_table none = {0, 0};
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[MOST_SEGMENTS];
    struct {
        unsigned char version, pointer, count, table;
        int32_t frames;
        uint32_t entries;
    } found;
    uint64_t lowest = UINT64_MAX, value = 0;
    if (!read_all(memory, first, &header, sizeof header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > MOST_SEGMENTS ||
        header.e_phentsize != sizeof segments[0] ||
        !read_all(memory, first + header.e_phoff, segments, header.e_phnum * sizeof segments[0]))
        return none;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr < lowest)
            lowest = segments[i].p_vaddr;
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            value = segments[i].p_vaddr;
    }
    uint64_t base = first - lowest + value;
    if (!value || !read_all(memory, base, &found, sizeof found) || found.version != 1 ||
        found.pointer != RELATIVE || found.count != 0x03 || found.table != 0x3b)
        return none;
    return (struct pit__frame_table){base, found.entries};
}

/* The address of the entry of the function that contains ip; 0: none. */
static uint64_t entry_of(long memory, const struct pit__frame_table *table, uint64_t ip)
{
    uint32_t first = 0, last = table->entries; /* finds the first function that begins after ip */
    int32_t pair[2];
    while (first < last) {
        uint32_t middle = first + (last - first) / 2;
        if (!read_all(memory, table->base + 12 + middle * sizeof pair, pair, sizeof pair))
            return 0;
        if (table->base + (uint64_t)(int64_t)pair[0] <= ip)
            first = middle + 1;
        else
            last = middle;
    }
    if (first == 0 ||
        !read_all(memory, table->base + 12 + (first - 1) * sizeof pair, pair, sizeof pair))
        return 0;
    return table->base + (uint64_t)(int64_t)pair[1];
}

/* ---- bytes of an entry --------------------------------------------------------------------- */

struct bytes {
    unsigned char room[ENTRY_BYTES];
    size_t at, end;
    int is_short; /* something was read beyond the end */
};

static unsigned char byte_of(struct bytes *b)
{
    if (b->at < b->end)
        return b->room[b->at++];
    b->is_short = 1;
    return 0;
}

static uint64_t number_of(struct bytes *b, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)byte_of(b) << (8 * i);
    return number;
}

/* Seven bits a byte, the lowest first; the highest bit of a byte says that more follow. */
static uint64_t uleb_of(struct bytes *b)
{
    uint64_t number = 0, byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && shift < 64 && !b->is_short; shift += 7) {
        byte = byte_of(b);
        number |= (byte & 0x7f) << shift;
    }
    return number;
}

static int64_t sleb_of(struct bytes *b)
{
    uint64_t number = 0, byte = 0x80;
    unsigned shift = 0;
    for (; byte & 0x80 && shift < 64 && !b->is_short; shift += 7) {
        byte = byte_of(b);
        number |= (byte & 0x7f) << shift;
    }
    if (shift < 64 && byte & 0x40)
        number |= ~(uint64_t)0 << shift;
    return (int64_t)number;
}

/* Reads an entry without its length. */
static int read_entry(long memory, uint64_t address, struct bytes *b)
{
    uint32_t length = 0;
    b->at = b->end = 0;
    b->is_short = 0;
    if (!read_all(memory, address, &length, sizeof length) || length < 8 || length > ENTRY_BYTES)
        return 0;
    b->end = read_some(memory, address + sizeof length, b->room, length);
    return b->end == length;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Where the caller's registers are, counted from the canonical address: that of the stack before the call. */
struct rules {
    uint64_t base; /* register that the canonical address counts from: BP or SP */
    int64_t offset;
    int64_t bp_at, return_at;
    int is_bp_kept; /* the caller's BP is still in BP */
};

struct program {
    uint64_t code_unit;
    int64_t data_unit;
    struct rules now, initial, kept[MOST_STATES];
    unsigned kept_count;
    int is_unknown; /* an instruction is not understood */
};

static void keep_at(struct program *p, uint64_t reg, int64_t at)
{
    if (reg == BP) {
        p->now.bp_at = at;
        p->now.is_bp_kept = 0;
    } else if (reg == RETURN) {
        p->now.return_at = at;
    }
}

static void restore(struct program *p, uint64_t reg)
{
    if (reg == BP) {
        p->now.bp_at = p->initial.bp_at;
        p->now.is_bp_kept = p->initial.is_bp_kept;
    } else if (reg == RETURN) {
        p->now.return_at = p->initial.return_at;
    }
}

static void push_state(struct program *p)
{
    if (p->kept_count < MOST_STATES)
        p->kept[p->kept_count++] = p->now;
    else
        p->is_unknown = 1;
}

static void pop_state(struct program *p)
{
    if (p->kept_count > 0)
        p->now = p->kept[--p->kept_count];
    else
        p->is_unknown = 1;
}

/* An instruction whose number takes a whole byte; returns by how much it moves the address on. */
static uint64_t run_long(struct program *p, struct bytes *b, unsigned code)
{
    uint64_t reg;
    switch (code) {
    case 0x00: /* nop */
        return 0;
    case 0x02: /* advance by 1, 2 or 4 bytes */
    case 0x03:
    case 0x04:
        return number_of(b, 1u << (code - 0x02)) * p->code_unit;
    case 0x07: /* undefined, same value */
    case 0x08:
        p->is_unknown |= uleb_of(b) == RETURN; /* the outermost function */
        return 0;
    case 0x05: /* offset of a register */
        reg = uleb_of(b);
        keep_at(p, reg, (int64_t)uleb_of(b) * p->data_unit);
        return 0;
    case 0x06:
        restore(p, uleb_of(b));
        return 0;
    case 0x0a:
        push_state(p);
        return 0;
    case 0x0b:
        pop_state(p);
        return 0;
    case 0x0c: /* canonical address: register and offset */
        p->now.base = uleb_of(b);
        p->now.offset = (int64_t)uleb_of(b);
        return 0;
    case 0x0d:
        p->now.base = uleb_of(b);
        return 0;
    case 0x0e:
        p->now.offset = (int64_t)uleb_of(b);
        return 0;
    case 0x11: /* offset of a register, signed */
        reg = uleb_of(b);
        keep_at(p, reg, sleb_of(b) * p->data_unit);
        return 0;
    case 0x2e: /* size of arguments */
        uleb_of(b);
        return 0;
    default: /* expressions, and what newer compilers add */
        p->is_unknown = 1;
        return 0;
    }
}

/* Run the instructions from `begin` on, up to the address. */
static void run(struct program *p, struct bytes *b, uint64_t begin, uint64_t address)
{
    uint64_t at = begin;
    while (b->at < b->end && !p->is_unknown && !b->is_short) {
        unsigned code = byte_of(b), low = code & 0x3f;
        uint64_t step = 0;
        switch (code >> 6) {
        case 1:
            step = low * p->code_unit;
            break;
        case 2:
            keep_at(p, low, (int64_t)uleb_of(b) * p->data_unit);
            break;
        case 3:
            restore(p, low);
            break;
        default:
            step = run_long(p, b, code);
        }
        at += step;
        if (step && at > address)
            return;
    }
}

/* ---- entries ------------------------------------------------------------------------------- */

/* What entries have in common. The text says what follows: "zR" for most functions; z, how long it is, and
 * R, how addresses are encoded. Returns 0 if the kind is not known. */
static int read_common(struct program *p, struct bytes *b)
{
    char text[8] = "";
    size_t length = 0;
    number_of(b, 4); /* 0: not an entry of a function */
    unsigned version = byte_of(b);
    while (length < sizeof text - 1 && (text[length] = (char)byte_of(b)))
        length++;
    p->code_unit = uleb_of(b);
    p->data_unit = sleb_of(b);
    uint64_t reg = version == 1 ? byte_of(b) : uleb_of(b);
    uint64_t more = uleb_of(b);
    size_t instructions = b->at + more;
    if (b->is_short || reg != RETURN || instructions > b->end)
        return 0;
    if (strcmp(text, "zR") == 0 || strcmp(text, "zLR") == 0) {
        b->at += strcmp(text, "zLR") == 0;
    } else if (strcmp(text, "zPLR") == 0) { /* with an address of 4 bytes */
        b->at += (byte_of(b) & 0x0f) == 0x0b ? 5 : b->end;
    } else {
        return 0;
    }
    if (b->at >= b->end || byte_of(b) != RELATIVE)
        return 0;
    b->at = instructions;
    return 1;
}

/* Find the rules at an address, from the entry of its function. */
static int rules_at(long memory, uint64_t entry, uint64_t ip, struct program *p)
{
    struct bytes common, own;
    if (!read_entry(memory, entry, &own))
        return 0;
    uint64_t back = number_of(&own, 4);
    if (back == 0 || !read_entry(memory, entry + 4 - back, &common) || !read_common(p, &common))
        return 0;
    run(p, &common, 0, UINT64_MAX);
    p->initial = p->now;
    uint64_t begin = entry + 4 + own.at + (uint64_t)(int64_t)(int32_t)number_of(&own, 4);
    uint64_t bytes = number_of(&own, 4), more = uleb_of(&own);
    if (own.is_short || ip < begin || ip - begin >= bytes || more > own.end - own.at)
        return 0;
    own.at += more;
    run(p, &own, begin, ip);
    return !p->is_unknown && !own.is_short && !common.is_short;
}

/* ---- the step ------------------------------------------------------------------------------ */

static int word_at(const struct pit__stack_copy *stack, uint64_t address, uint64_t *word)
{
    uint64_t at = (address - stack->address) / sizeof *word;
    if (address < stack->address || address % sizeof *word || at >= stack->count)
        return 0;
    *word = stack->words[at];
    return 1;
}

int pit__frame_up(long memory, const struct pit__frame_table *table,
                  const struct pit__stack_copy *stack, struct pit__frame *frame)
{
    struct program p = {.now = {.base = UINT64_MAX, .is_bp_kept = 1}};
    uint64_t back = 0, bp = frame->bp;
    uint64_t entry = table->entries ? entry_of(memory, table, frame->ip) : 0;
    if (!entry || !rules_at(memory, entry, frame->ip, &p) ||
        (p.now.base != SP && p.now.base != BP) || !p.now.return_at)
        return 0;
    uint64_t top = (p.now.base == SP ? frame->sp : frame->bp) + (uint64_t)p.now.offset;
    if (!word_at(stack, top + (uint64_t)p.now.return_at, &back) || back == 0 ||
        (!p.now.is_bp_kept && !word_at(stack, top + (uint64_t)p.now.bp_at, &bp)))
        return 0;
    *frame = (struct pit__frame){back - 1, top, bp};
    return 1;
}
