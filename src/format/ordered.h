/* Loads and stores that another thread or process may watch.
 *
 * The recorder never takes a lock on the hot path: it stores in an order that makes every state a
 * reader can meet, live or after a kill, one that the reader's rules complete. On x86 a release
 * store is a plain store that the compiler keeps in its place; on ARM it is a real barrier.
 */
#ifndef PIT_ORDERED_H
#define PIT_ORDERED_H

#define PIT_LOAD(x_) __atomic_load_n(&(x_), __ATOMIC_RELAXED)
#define PIT_LOAD_ACQUIRE(x_) __atomic_load_n(&(x_), __ATOMIC_ACQUIRE)
#define PIT_STORE(x_, v_) __atomic_store_n(&(x_), (v_), __ATOMIC_RELAXED)
#define PIT_STORE_ORDERED(x_, v_) __atomic_store_n(&(x_), (v_), __ATOMIC_RELEASE)

/* Keeps the compiler from moving stores past what a signal handler of this thread may see. */
#define PIT_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define PIT_LIKELY(x_) (__builtin_expect(!!(x_), 1) != 0)
#define PIT_UNLIKELY(x_) (__builtin_expect(!!(x_), 0) != 0)

#endif
