/* signal_name.c: the names of signals. The libc function for this is missing in older versions
 * that we support. */
#include "signal_name.h"

#include <signal.h>
#include <stddef.h>

#define NAMED(name_) [name_] = #name_

static const char *const names[] = {
    NAMED(SIGHUP),  NAMED(SIGINT),   NAMED(SIGQUIT), NAMED(SIGILL),  NAMED(SIGTRAP),
    NAMED(SIGABRT), NAMED(SIGBUS),   NAMED(SIGFPE),  NAMED(SIGKILL), NAMED(SIGUSR1),
    NAMED(SIGSEGV), NAMED(SIGUSR2),  NAMED(SIGPIPE), NAMED(SIGALRM), NAMED(SIGTERM),
    NAMED(SIGCHLD), NAMED(SIGCONT),  NAMED(SIGSTOP), NAMED(SIGTSTP), NAMED(SIGTTIN),
    NAMED(SIGTTOU), NAMED(SIGURG),   NAMED(SIGXCPU), NAMED(SIGXFSZ), NAMED(SIGVTALRM),
    NAMED(SIGPROF), NAMED(SIGWINCH), NAMED(SIGPOLL), NAMED(SIGSYS),
};

const char *pit__signal_name(int number)
{
    return number > 0 && (size_t)number < sizeof names / sizeof names[0] ? names[number] : NULL;
}
