/* Loads and stores that another thread or process may observe.
 *
 * The recorder never takes a lock on the hot path: it stores in an order such that the reader's rules
 * complete every state that a reader can meet, live or after a kill. On x86 a release
 * store is a plain store that the compiler does not move; on ARM it is a real barrier.
 */
#ifndef PIT_ORDERED_H
#define PIT_ORDERED_H

#include <stdint.h>

#if defined(__has_feature) /* clang has __has_feature where gcc defines a macro */
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#define PIT_LOAD(x_) __atomic_load_n(&(x_), __ATOMIC_RELAXED)
#define PIT_LOAD_ACQUIRE(x_) __atomic_load_n(&(x_), __ATOMIC_ACQUIRE)
#define PIT_STORE(x_, v_) __atomic_store_n(&(x_), (v_), __ATOMIC_RELAXED)
#define PIT_STORE_ORDERED(x_, v_) __atomic_store_n(&(x_), (v_), __ATOMIC_RELEASE)

/* Add to a word that one thread writes and others may read: on x86 one instruction; elsewhere, and if the
 * thread sanitizer must see it, a load and an ordered store. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define PIT_ADD(x_, v_) __asm__ volatile("addq %1, %0" : "+m"(x_) : "er"(v_) : "cc", "memory")
#define PIT_ADD32(x_, v_) __asm__ volatile("addl %1, %0" : "+m"(x_) : "er"(v_) : "cc", "memory")
#define PIT_ADD128(lo_, hi_, vlo_, vhi_)                                                           \
    __asm__ volatile("addq %2, %0\n\tadcq %3, %1"                                                  \
                     : "+m"(lo_), "+m"(hi_)                                                        \
                     : "r"(vlo_), "r"(vhi_)                                                        \
                     : "cc", "memory")
#else
#define PIT_ADD(x_, v_) PIT_STORE_ORDERED(x_, PIT_LOAD(x_) + (v_))
#define PIT_ADD32(x_, v_) PIT_STORE_ORDERED(x_, PIT_LOAD(x_) + (v_))
#define PIT_ADD128(lo_, hi_, vlo_, vhi_)                                                           \
    do {                                                                                           \
        uint64_t pit__lo = PIT_LOAD(lo_), pit__sum = pit__lo + (vlo_);                             \
        PIT_STORE_ORDERED(lo_, pit__sum);                                                          \
        PIT_STORE_ORDERED(hi_, PIT_LOAD(hi_) + (vhi_) + (pit__sum < pit__lo));                     \
    } while (0)
#endif

/* Keeps the compiler from moving stores across a point that a signal handler of this thread may see. */
#define PIT_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define PIT_LIKELY(x_) (__builtin_expect(!!(x_), 1) != 0)
#define PIT_UNLIKELY(x_) (__builtin_expect(!!(x_), 0) != 0)

#endif
