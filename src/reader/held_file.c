/* See held_file.h. */
#include "held_file.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel sends a signal when a process waits for the file. It is directed to this thread, where it is
 * blocked, and is consumed afterwards: the program never sees it. */
#define TOLD_BY SIGURG

static void told_by(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, TOLD_BY);
}

int pit__hold_begin(struct pit__hold *hold, int fd)
{
    struct f_owner_ex here = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    sigset_t told;
    told_by(&told);
    hold->fd = fd;
    if (fcntl(fd, F_SETOWN_EX, &here) != 0 || fcntl(fd, F_SETSIG, TOLD_BY) != 0)
        return 0;
    pthread_sigmask(SIG_BLOCK, &told, &hold->mask);
    sigset_t waiting;
    sigpending(&waiting);
    hold->has_one_of_its = sigismember(&waiting, TOLD_BY);
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
        return 1;
    pthread_sigmask(SIG_SETMASK, &hold->mask, NULL);
    return 0;
}

void pit__hold_end(struct pit__hold *hold)
{
    static const struct timespec at_once;
    siginfo_t info;
    sigset_t told;
    told_by(&told);
    fcntl(hold->fd, F_SETLEASE, F_UNLCK); /* after this no signal is sent any more */
    if (!hold->has_one_of_its && sigtimedwait(&told, &info, &at_once) == TOLD_BY &&
        info.si_code <= 0) /* sent by a process, not by the kernel */
        raise(TOLD_BY);
    pthread_sigmask(SIG_SETMASK, &hold->mask, NULL);
}
