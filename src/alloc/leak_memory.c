/* See leak_memory.h. */
#include "leak_memory.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void pit__leak_lock_take(struct pit__leak_lock *lock)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&lock->word, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void pit__leak_lock_give(struct pit__leak_lock *lock)
{
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
        syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void *pit__leak_map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, bytes, MADV_WIPEONFORK); /* leak_set.c detects a kernel that does not wipe */
    return memory;
}

void pit__leak_unmap(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
