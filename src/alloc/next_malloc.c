/* See next_malloc.h.
 *
 * dlsym finds the real functions, and dlsym may itself allocate. During a lookup, such requests are served
 * from a small static buffer. If that ever happened, the functions that take a block are wrapped by ones
 * that recognise the buffer; else they are called directly.
 */
#include "next_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

/* ---- blocks for dlsym ---------------------------------------------------------------------- */

#define EARLY_BYTES ((size_t)32 * 1024)
#define EARLY_ALIGN ((size_t)16)

/* Allocated from its start and never freed; each block has its size before it. */
static unsigned char early[EARLY_BYTES] __attribute__((aligned(16)));
static size_t early_used;

static int is_early(const void *block)
{
    return (uintptr_t)block - (uintptr_t)early < EARLY_BYTES;
}

static size_t early_size(const void *block)
{
    size_t bytes;
    memcpy(&bytes, (const unsigned char *)block - EARLY_ALIGN, sizeof bytes);
    return bytes;
}

/* Zeroed, since the buffer is used once. */
static void *early_block(size_t alignment, size_t bytes)
{
    if (alignment < EARLY_ALIGN)
        alignment = EARLY_ALIGN;
    if (alignment < EARLY_BYTES && bytes < EARLY_BYTES) {
        bytes = (bytes + EARLY_ALIGN - 1) & ~(EARLY_ALIGN - 1);
        size_t whole = bytes + alignment + EARLY_ALIGN;
        size_t start = __atomic_fetch_add(&early_used, whole, __ATOMIC_RELAXED);
        if (start <= EARLY_BYTES && whole <= EARLY_BYTES - start) {
            uintptr_t place = (uintptr_t)early + start + EARLY_ALIGN;
            place = (place + alignment - 1) & ~(uintptr_t)(alignment - 1);
            unsigned char *block = early + (place - (uintptr_t)early);
            memcpy(block - EARLY_ALIGN, &bytes, sizeof bytes);
            return block;
        }
    }
    errno = ENOMEM;
    return NULL;
}

/* ---- the real functions -------------------------------------------------------------------- */

static struct pit__next_malloc real; /* NULL where there is no such function */
static __thread int finding __attribute__((tls_model("initial-exec")));

static void early_free(void *block)
{
    if (!is_early(block))
        real.free(block);
}

static size_t early_usable(void *block)
{
    return is_early(block) ? early_size(block) : real.usable(block);
}

static void *early_realloc(void *block, size_t bytes)
{
    if (!is_early(block))
        return real.realloc(block, bytes);
    void *moved = real.malloc(bytes);
    if (moved)
        memcpy(moved, block, early_size(block) < bytes ? early_size(block) : bytes);
    return moved;
}

/* A function pointer may not be stored through a pointer to data, so copy its bytes. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

#define USE(name_)                                                                                 \
    do {                                                                                           \
        if (real.name_)                                                                            \
            PIT_STORE(pit__next_malloc.name_, real.name_);                                         \
    } while (0)

static void use_found(void)
{
    USE(free);
    USE(usable);
    USE(realloc);
    if (PIT_LOAD(early_used)) {
        PIT_STORE(pit__next_malloc.free, early_free);
        PIT_STORE(pit__next_malloc.usable, early_usable);
        PIT_STORE(pit__next_malloc.realloc, early_realloc);
    }
    USE(calloc);
    USE(memalign);
    USE(aligned_alloc);
    USE(posix_memalign);
    USE(valloc);
    USE(pvalloc);
    USE(malloc); /* last: a thread that finds it finds all */
}

/* 1: the real functions are known. 0: this thread is inside a lookup. */
static int find_all(void)
{
    if (finding)
        return 0;
    if (real.malloc && PIT_LOAD(pit__next_malloc.malloc) == real.malloc)
        return 1;
    int kept_errno = errno;
    finding = 1;
    find(&real.malloc, "malloc");
    find(&real.free, "free");
    find(&real.usable, "malloc_usable_size");
    find(&real.calloc, "calloc");
    find(&real.realloc, "realloc");
    find(&real.memalign, "memalign");
    find(&real.aligned_alloc, "aligned_alloc");
    find(&real.posix_memalign, "posix_memalign");
    find(&real.valloc, "valloc");
    find(&real.pvalloc, "pvalloc");
    use_found();
    finding = 0;
    errno = kept_errno;
    return 1;
}

void pit__next_malloc_find(void)
{
    find_all();
}

/* ---- the first call of each ---------------------------------------------------------------- */

/* Without the real function: during the lookup a block of the buffer, after it an error. */
static void *instead(size_t alignment, size_t bytes)
{
    if (finding)
        return early_block(alignment, bytes);
    errno = ENOMEM;
    return NULL;
}

static void *first_malloc(size_t bytes)
{
    return find_all() && real.malloc ? real.malloc(bytes) : instead(0, bytes);
}

static void first_free(void *block)
{
    /* Inside a lookup only blocks of the buffer can come back. */
    if (find_all() && !is_early(block) && real.free)
        real.free(block);
}

static size_t first_usable(void *block)
{
    if (is_early(block))
        return early_size(block);
    return find_all() && real.usable ? real.usable(block) : 0;
}

static void *first_calloc(size_t count, size_t bytes)
{
    if (find_all() && real.calloc)
        return real.calloc(count, bytes);
    size_t whole;
    if (__builtin_mul_overflow(count, bytes, &whole))
        whole = SIZE_MAX;
    return instead(0, whole);
}

static void *first_realloc(void *block, size_t bytes)
{
    if (find_all() && real.realloc)
        return is_early(block) ? early_realloc(block, bytes) : real.realloc(block, bytes);
    void *moved = instead(0, bytes);
    if (moved && is_early(block))
        memcpy(moved, block, early_size(block) < bytes ? early_size(block) : bytes);
    return moved;
}

static void *first_memalign(size_t alignment, size_t bytes)
{
    return find_all() && real.memalign ? real.memalign(alignment, bytes)
                                       : instead(alignment, bytes);
}

static void *first_aligned_alloc(size_t alignment, size_t bytes)
{
    return find_all() && real.aligned_alloc ? real.aligned_alloc(alignment, bytes)
                                            : instead(alignment, bytes);
}

static int first_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (find_all() && real.posix_memalign)
        return real.posix_memalign(block, alignment, bytes);
    void *given = instead(alignment, bytes);
    if (!given)
        return ENOMEM;
    *block = given;
    return 0;
}

static void *first_valloc(size_t bytes)
{
    return find_all() && real.valloc ? real.valloc(bytes) : instead(4096, bytes);
}

static void *first_pvalloc(size_t bytes)
{
    return find_all() && real.pvalloc ? real.pvalloc(bytes) : instead(4096, bytes);
}

struct pit__next_malloc pit__next_malloc = {
    .malloc = first_malloc,
    .free = first_free,
    .usable = first_usable,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .memalign = first_memalign,
    .aligned_alloc = first_aligned_alloc,
    .posix_memalign = first_posix_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
};
