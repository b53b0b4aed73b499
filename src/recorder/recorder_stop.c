/* Closing a recorder: its threads stop, the run is marked as closed, and data that is not in its file
 * yet is written. Nothing here waits for code that the calling thread itself interrupted.
 */
#include "messages.h"
#include "own_file.h"
#include "place.h"
#include "recorder.h"
#include "sample_source.h"

#include <errno.h>
#include <unistd.h>

/* A thread that is inside a begin or end at this moment opens its gate again; the second call, a
 * little later, closes it for good. */
void pit__threads_stop(const pit_recorder *rec)
{
    for (struct pit__thread *t = rec->threads; t; t = t->next_in_recorder) {
        PIT_STORE(t->open, 0);
        PIT_STORE(t->gate, 0);
    }
}

/* If the run's file could not be created at open, try again now. */
static int save_from_memory(pit_recorder *rec)
{
    rec->fd = pit__create_beside(rec->path, rec->file_mode);
    if (rec->fd < 0)
        return errno;
    int error = pit__run_save(rec);
    if (error)
        unlink(rec->path);
    return error;
}

/* 0 or an errno. */
static int save(pit_recorder *rec)
{
    if (rec->is_mirrored) {
        int error = pit__mirror(rec, 1);
        if (!error && rec->live_path[0])
            unlink(rec->live_path);
        return error;
    }
    if (rec->was_cut)
        return EIO;
    if (rec->fd < 0 && !rec->inode && !rec->path[0])
        return rec->code == PIT_NO_FILE ? rec->system_errno : 0; /* it never had a name */
    if (rec->fd < 0 && !rec->inode)
        return rec->in_memory ? 0 : save_from_memory(rec);
    return pit__run_save(rec);
}

/* Write data that is not in the file yet. `has_room`: the stack is large enough for it. */
static int finish_file(pit_recorder *rec, int has_room)
{
    struct pit__lock *lock = &rec->control->lock;
    int is_held = pit__lock_take(lock); /* an end that is still running may need a block */
    int is_short = !has_room && (rec->is_mirrored || rec->fd < 0);
    int error = is_short ? EBUSY : save(rec);
    if (is_held)
        pit__lock_give(lock);
    if (error) {
        rec->code = PIT_NOT_SAVED;
        rec->system_errno = error;
    }
    if (pit__own_descriptor(rec) >= 0) {
        pit__file_rest(rec);
        close(rec->fd);
    }
    rec->fd = -1;
    rec->inode = 0;
    return error ? PIT_NOT_SAVED : PIT_OK;
}

/* If the lock cannot be taken (the program ends in a handler that interrupted its holder, or the holder is
 * stopped), continue without it: the run has to be closed. */
static int recorder_stop(pit_recorder *rec, int has_room)
{
    struct pit__lock *lock = &rec->control->lock;
    int is_held = pit__lock_take(lock);
    int was_open = pit__is_alive(rec);
    if (was_open)
        PIT_STORE(rec->control->stopper, pit__thread_self());
    PIT_STORE(rec->closed, 1);
    PIT_STORE_ORDERED(rec->control->alive, 0);
    pit__threads_stop(rec);
    if (is_held)
        pit__lock_give(lock);
    if (!was_open)
        return PIT_NOT_OPEN;
    pit__sampler_stop(rec);
    if (has_room && !rec->sampler_killed) { /* else the same system calls would kill this thread */
        pit__samples_add(rec);
        pit__callers_name(rec);
    } else {
        pit__peak_leave(rec);
    }
    pit__clock_mark(rec);
    pit__threads_stop(rec);
    PIT_STORE_ORDERED(rec->header->state, PIT_FMT_CLOSED);
    int code = finish_file(rec, has_room);
    PIT_STORE_ORDERED(rec->control->stopper, 0);
    pit__wake(&rec->control->stopper);
    return code;
}

#define LONGEST_CLOSE_S 60 /* of a copy to slow storage */

void pit__await_stop(pit_recorder *rec)
{
    uint32_t *stopper = &rec->control->stopper;
    for (int i = 0; i < LONGEST_CLOSE_S; i++) {
        uint32_t by = PIT_LOAD_ACQUIRE(*stopper);
        if (!by || by == pit__thread_self())
            return;
        pit__wait_while(stopper, by, (uint64_t)1000000000u);
    }
}

struct stopped {
    pit_recorder *rec;
    int code;
};

static void stop_with_room(void *arg)
{
    struct stopped *stop = arg;
    stop->code = recorder_stop(stop->rec, 1);
}

/* A handler's span must not meet a lock that this thread holds. */
int pit__recorder_stop(pit_recorder *rec)
{
    pit__resume();
    struct pit__guard before = pit__guard_enter();
    struct stopped stop = {rec, PIT_NOT_OPEN};
    if (!pit__with_room(stop_with_room, &stop))
        stop.code = recorder_stop(rec, 0);
    pit__guard_leave(before);
    return stop.code;
}

/* ---- discarding a run ------------------------------------------------------------------------ */

static int has_nodes(pit_recorder *rec)
{
    int has = 1; /* if it cannot be known */
    struct pit__guard before = pit__guard_enter();
    if (pit__lock_take(&rec->control->lock)) {
        const struct pit__thread *t = rec->threads;
        while (t && !PIT_LOAD(t->slab))
            t = t->next_in_recorder;
        has = t != NULL;
        pit__lock_give(&rec->control->lock);
    }
    pit__guard_leave(before);
    return has;
}

int pit_discard_run(void)
{
    pit_recorder *rec = pit_default_recorder();
    if (!pit__is_alive(rec))
        return PIT_NOT_OPEN;
    pit__resume();
    if (has_nodes(rec))
        return PIT_BAD_ARGUMENT;
    int is_in_file = rec->path[0] && (rec->fd >= 0 || rec->is_mirrored);
    pit_close();
    if (is_in_file && pit__path_is_ours(rec))
        unlink(rec->path);
    pit__give_id(rec->header->run_id);
    return PIT_OK;
}
