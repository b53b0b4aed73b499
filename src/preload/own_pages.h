/* own_pages.h: memory directly from the kernel: code here may have interrupted malloc. */
#ifndef PIT_OWN_PAGES_H
#define PIT_OWN_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed; NULL without memory, or for 0 bytes. Pages that are not touched cost nothing. */
static inline void *pit__own_pages(size_t bytes)
{
    void *pages = bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                        : MAP_FAILED;
    return pages == MAP_FAILED ? NULL : pages;
}

#endif
