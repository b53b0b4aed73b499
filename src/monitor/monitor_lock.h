/* monitor_lock.h: a lock under which its thread is not cancelled: a line that is printed below it is a
 * cancellation point, and a lock of a thread that is gone would stop all others for good. */
#ifndef PIT_MONITOR_LOCK_H
#define PIT_MONITOR_LOCK_H

#include <pthread.h>

struct pit__monitor_lock {
    pthread_mutex_t mutex;
    int cancel; /* how the holder could be cancelled before */
};

#define PIT__MONITOR_LOCK_FREE                                                                     \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }

static inline void pit__monitor_lock_take(struct pit__monitor_lock *lock)
{
    int cancel = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&lock->mutex);
    lock->cancel = cancel;
}

static inline void pit__monitor_lock_give(struct pit__monitor_lock *lock)
{
    int cancel = lock->cancel;
    pthread_mutex_unlock(&lock->mutex);
    pthread_setcancelstate(cancel, NULL);
}

#endif
