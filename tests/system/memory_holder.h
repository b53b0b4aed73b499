/* memory_holder.h: hold an exact number of resident pages, and release them.
 *
 * It uses bare system calls and a loop without sanitizer checks: a sanitizer's shadow memory would be
 * resident too and change the figures.
 */
#ifndef PIT_MEMORY_HOLDER_H
#define PIT_MEMORY_HOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOLDER_ROOM 64

struct holder {
    unsigned char *at[HOLDER_ROOM];
    size_t bytes[HOLDER_ROOM];
    int count;
};

__attribute__((no_sanitize("address", "thread", "undefined"), noinline)) static void
touch_pages(volatile unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
}

static inline void hold(struct holder *h, size_t bytes)
{
    long at =
        syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    if (at == -1 || h->count == HOLDER_ROOM)
        abort();
    h->at[h->count] = (unsigned char *)(intptr_t)at;
    h->bytes[h->count] = bytes;
    touch_pages(h->at[h->count++], bytes);
}

static inline void let_go(struct holder *h)
{
    if (h->count == 0)
        abort();
    h->count--;
    syscall(SYS_munmap, h->at[h->count], h->bytes[h->count]);
}

#endif
