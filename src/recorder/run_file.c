/* The run's pages: one range of addresses, reserved at open, filled from the front.
 *
 * Disk space is reserved before it is mapped, so a store can never meet a full disk (SIGBUS), and
 * RLIMIT_FSIZE is checked before that, so the kernel never sends SIGXFSZ. If the file cannot grow any
 * more, the run continues in anonymous memory behind it, at the offsets the file would have had;
 * close tries again to write that part.
 */
#include "own_file.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u /* unit of growth; a multiple of the system's page where that is larger */
#define FIRST_BYTES ((uint64_t)256 * 1024)
#define LEAST_RESERVED ((uint64_t)4 * 1024 * 1024)
#define SHARE_OF_ADDRESSES 16 /* if they are limited: the rest is for the program */

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) / to * to;
}

static uint64_t page_bytes(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > (long)PAGE ? (uint64_t)size : PAGE;
}

/* On failure the file keeps its length: some filesystems keep a partial extension. */
int pit__reserve(int fd, uint64_t from, uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        from + bytes > limit.rlim_cur)
        return EFBIG;
    int error;
    do {
        error = posix_fallocate(fd, (off_t)from, (off_t)bytes);
    } while (error == EINTR);
    struct stat found;
    if (error && fstat(fd, &found) == 0 && (uint64_t)found.st_size > from &&
        ftruncate(fd, (off_t)from) != 0)
        return errno;
    return error;
}

/* Make the next `bytes` usable: from the file if it can grow, else from memory. 0 or an errno. */
static int extend(pit_recorder *rec, uint64_t bytes)
{
    unsigned char *at = rec->base + rec->mapped_bytes;
    int was_in_file = (rec->fd >= 0 || rec->inode) && rec->file_bytes == rec->mapped_bytes;
    int fd = was_in_file ? pit__own_descriptor(rec) : -1, in_file = fd >= 0;
    if (was_in_file && !in_file && pit__has_own_table)
        return EBADF; /* the sampler cannot open it, but the program still has it */
    if (was_in_file && !in_file) {
        rec->code = PIT_DISK_FULL;
        rec->system_errno = EBADF;
        PIT_STORE(rec->header->growth_errno, (uint32_t)EBADF);
    }
    if (in_file) {
        int error = pit__reserve(fd, rec->mapped_bytes, bytes);
        if (error == 0 && mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                               (off_t)rec->mapped_bytes) == MAP_FAILED)
            error = errno;
        if (error == 0) {
            PIT_STORE(rec->mapped_bytes, rec->mapped_bytes + bytes);
            rec->file_bytes = rec->mapped_bytes;
            return 0;
        }
        if (rec->mapped_bytes == 0)
            return error; /* the caller puts the whole run elsewhere */
        rec->code = PIT_DISK_FULL;
        rec->system_errno = error;
        PIT_STORE(rec->header->growth_errno, (uint32_t)error);
    }
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        return errno;
    PIT_STORE(rec->mapped_bytes, rec->mapped_bytes + bytes);
    return 0;
}

/* How many addresses to reserve. They cost nothing, unless the program has a limit. */
static uint64_t wanted_bytes(uint64_t max_bytes)
{
    struct rlimit limit;
    uint64_t want = max_bytes;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur / SHARE_OF_ADDRESSES < want)
        want = limit.rlim_cur / SHARE_OF_ADDRESSES;
    return round_up(want < LEAST_RESERVED ? LEAST_RESERVED : want, page_bytes());
}

static void *set_aside(uint64_t bytes)
{
    return mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* 0 or an errno. */
static int reserve_addresses(pit_recorder *rec, uint64_t max_bytes)
{
    uint64_t want = wanted_bytes(max_bytes), all = want;
    void *base = MAP_FAILED;
    if (rec->guarded && wanted_bytes(PIT__GUARD_BYTES) >= PIT__GUARD_BYTES) {
        all = want < PIT__GUARD_BYTES ? PIT__GUARD_BYTES : want;
        base = set_aside(all);
    }
    while (base == MAP_FAILED && want >= LEAST_RESERVED) {
        all = want;
        base = set_aside(all);
        if (base == MAP_FAILED)
            want /= 2; /* an address-space limit: a smaller run is better than none */
    }
    if (base == MAP_FAILED)
        return ENOMEM;
    rec->base = base;
    rec->reserved_bytes = want;
    rec->address_bytes = all;
    return 0;
}

int pit__run_map(pit_recorder *rec, int fd, uint64_t max_bytes)
{
    if (reserve_addresses(rec, max_bytes) != 0)
        return ENOMEM;
    rec->fd = fd;
    rec->mapped_bytes = 0;
    rec->file_bytes = 0;
    int error = extend(rec, round_up(FIRST_BYTES, page_bytes()));
    if (error) {
        munmap(rec->base, rec->address_bytes);
        rec->base = NULL;
        rec->fd = -1;
        return error;
    }
    rec->header = (struct pit_fmt_header *)rec->base;
    rec->used_bytes = PIT_FMT_HEADER_BYTES;
    rec->header->max_bytes = rec->reserved_bytes;
    rec->header->used_bytes = rec->used_bytes;
    rec->header->file_bytes = rec->file_bytes;
    return 0;
}

/* Called with the lock held. After close the run does not grow, but an end that was running may
 * still need mapped room. */
static int have_room(pit_recorder *rec, uint64_t end)
{
    if (end <= rec->mapped_bytes)
        return 1;
    if (rec->closed || end > rec->reserved_bytes)
        return 0;
    uint64_t page = page_bytes();
    uint64_t step = rec->mapped_bytes / 4;
    if (step < FIRST_BYTES)
        step = FIRST_BYTES;
    if (rec->mapped_bytes + step < end)
        step = end - rec->mapped_bytes;
    step = round_up(step, page);
    if (rec->mapped_bytes + step > rec->reserved_bytes)
        step = rec->reserved_bytes - rec->mapped_bytes;
    if (extend(rec, step) != 0)
        return 0;
    PIT_STORE(rec->header->file_bytes, rec->file_bytes);
    return 1;
}

void *pit__block_new(pit_recorder *rec, enum pit_fmt_block_type type, uint32_t thread,
                     uint64_t bytes, int locked)
{
    bytes = round_up(bytes, PIT_FMT_ALIGN);
    if (!locked && !pit__lock_take(&rec->control->lock))
        return NULL;
    struct pit_fmt_block *block = NULL;
    uint64_t at = rec->used_bytes;
    if (have_room(rec, at + bytes)) {
        block = (struct pit_fmt_block *)(rec->base + at);
        PIT_STORE_ORDERED(block->thread, thread);
        PIT_STORE_ORDERED(block->bytes, bytes);
        PIT_STORE_ORDERED(block->type, (uint32_t)type);
        PIT_STORE(rec->used_bytes, at + bytes);
        PIT_STORE_ORDERED(rec->header->used_bytes, at + bytes);
    }
    if (!locked)
        pit__lock_give(&rec->control->lock);
    return block;
}

int pit__run_save(pit_recorder *rec)
{
    uint64_t used = rec->used_bytes, done = rec->file_bytes;
    if (done >= used)
        return 0;
    if (pit__own_descriptor(rec) < 0)
        return rec->in_memory ? 0 : EBADF;
    int error = pit__reserve(rec->fd, done, used - done);
    uint32_t grown = rec->header->growth_errno;
    PIT_STORE(rec->header->file_bytes, used); /* the header may be part of what is written now */
    PIT_STORE(rec->header->growth_errno, 0);
    while (!error && done < used) {
        ssize_t wrote = pwrite(rec->fd, rec->base + done, used - done, (off_t)done);
        if (wrote < 0 && errno != EINTR)
            error = errno;
        else if (wrote > 0)
            done += (uint64_t)wrote;
    }
    if (error) {
        PIT_STORE(rec->header->file_bytes, rec->file_bytes);
        PIT_STORE(rec->header->growth_errno, grown);
    } else {
        rec->file_bytes = used;
    }
    return error;
}

/* ---- texts --------------------------------------------------------------------------------- */

#define NAMES_BYTES 4096u

/* Make room in the index of name offsets; with the lock held. */
static int name_index(pit_recorder *rec, uint32_t id)
{
    if (id < rec->name_room)
        return 1;
    uint32_t room = rec->name_room ? rec->name_room : 256;
    while (room <= id)
        room *= 2;
    uint64_t *bigger = mmap(NULL, room * sizeof *bigger, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bigger == MAP_FAILED)
        return 0;
    if (rec->name_offsets) {
        memcpy(bigger, rec->name_offsets, rec->name_room * sizeof *bigger);
        munmap(rec->name_offsets, rec->name_room * sizeof *bigger);
    }
    rec->name_offsets = bigger;
    rec->name_room = room;
    return 1;
}

static uint64_t name_write(pit_recorder *rec, const struct pit__name *name)
{
    uint64_t bytes = round_up(sizeof name->length + name->length + 1, 4);
    struct pit_fmt_block *block = rec->names;
    if (!block || rec->names_used + bytes > rec->names_room) {
        uint64_t least = sizeof *block + bytes;
        uint64_t room = round_up(least > NAMES_BYTES ? least : NAMES_BYTES, PIT_FMT_ALIGN);
        block = pit__block_new(rec, PIT_FMT_NAMES, PIT_FMT_NO_THREAD, room, 1);
        if (!block)
            return 0;
        rec->names = block;
        rec->names_used = 0;
        rec->names_room = room - sizeof *block;
    }
    unsigned char *at = (unsigned char *)(block + 1) + rec->names_used;
    memcpy(at, &name->length, sizeof name->length);
    memcpy(at + sizeof name->length, name->text, name->length);
    rec->names_used += bytes;
    PIT_STORE_ORDERED(block->used, rec->names_used);
    return (uint64_t)(at - rec->base);
}

uint64_t pit__name_offset(pit_recorder *rec, const struct pit__name *name)
{
    if (!name)
        return 0;
    uint64_t offset = 0;
    if (!pit__lock_take(&rec->control->lock))
        return 0;
    if (name_index(rec, name->id)) {
        offset = rec->name_offsets[name->id];
        if (!offset)
            offset = rec->name_offsets[name->id] = name_write(rec, name);
    }
    pit__lock_give(&rec->control->lock);
    return offset;
}

int pit__fact_add(pit_recorder *rec, const char *key, const char *value)
{
    size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    struct pit_fmt_block *block = pit__block_new(rec, PIT_FMT_FACTS, PIT_FMT_NO_THREAD,
                                                 sizeof *block + key_bytes + value_bytes, 0);
    if (!block)
        return PIT_NO_MEMORY;
    memcpy(block + 1, key, key_bytes);
    memcpy((char *)(block + 1) + key_bytes, value, value_bytes);
    PIT_STORE_ORDERED(block->used, key_bytes + value_bytes);
    return PIT_OK;
}
