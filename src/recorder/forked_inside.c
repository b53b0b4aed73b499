/* See forked_inside.h.
 *
 * In the child the interrupted call goes on, with pointers to the thread's tables, which were wiped, and into
 * the pages of the parent's run. So the tables are kept across the fork, and in the child the pages become
 * private: the call comes to its end there and changes nothing else. Later spans of the child open a run as
 * in any child. A call that has only read its table's address cannot be told from the program's own code, so
 * this is done at every fork of a thread that has a table: some microseconds.
 *
 * A raw clone and _Fork call no handlers: there the child of such a handler must not return.
 */
#include "forked_inside.h"

#include "own_file.h"
#include "recorder.h"

#include <errno.h>
#include <sys/mman.h>

struct kept_table {
    struct pit__thread *at;
    struct pit__thread copy;
};

/* Of the thread that forks. */
static __thread struct kept_table *kept __attribute__((tls_model("initial-exec")));
static __thread size_t kept_count __attribute__((tls_model("initial-exec")));

static void drop_kept(void)
{
    if (kept)
        munmap(kept, kept_count * sizeof *kept);
    kept = NULL;
}

static void before_fork(void)
{
    size_t count = 0;
    for (const struct pit__thread *t = pit__tables_of_thread(); t; t = t->next_of_thread)
        count++;
    kept = count ? pit__map_pages(count * sizeof *kept) : NULL;
    kept_count = count;
    if (!kept)
        return;
    struct kept_table *to = kept;
    for (struct pit__thread *t = pit__tables_of_thread(); t; t = t->next_of_thread)
        *to++ = (struct kept_table){t, *t};
}

/* Private pages with the same content, in the place of those that are shared with the parent. 0: failed. */
static int leave_pages(pit_recorder *rec)
{
    uint64_t bytes = rec->inode ? rec->file_bytes : 0;
    if (bytes &&
        (!pit__has_descriptor(rec) || mmap(rec->base, bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_FIXED, rec->fd, 0) == MAP_FAILED))
        return 0;
    rec->fd = -1; /* the parent's file does not grow from here */
    rec->inode = 0;
    return 1;
}

/* After private_memory.c has wiped what the kernel has not. */
static void in_child(void)
{
    int why = errno;
    if (!kept)
        return;
    for (size_t i = 0; i < kept_count; i++) {
        struct pit__thread *t = kept[i].at;
        pit_recorder *rec = kept[i].copy.recorder;
        if (!rec || !leave_pages(rec))
            continue;
        *t = kept[i].copy;
        t->open = 0;
        if (pit__tls == t)
            pit__tls = &pit__nobody;
    }
    drop_kept();
    errno = why;
}

void pit__expect_forks(void)
{
    static int is_registered;
    if (!is_registered)
        is_registered = pthread_atfork(before_fork, drop_kept, in_child) == 0;
}
