/* program_start.c: records a program that does not use Pitwall from its start on, so that the sampler sees
 * its memory, its processor time and its hottest functions.
 *
 * `pitwall run` sets PITWALL_START for such a program, and PITWALL_RUN_PID to its pid. Other processes
 * inherit both variables, but not the pid; a program that replaces this one finds PITWALL_START unset. */
#include "base/recorder_symbols.h"
#include "pitwall.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_wanted(void)
{
    const char *start = secure_getenv("PITWALL_START"), *pid = secure_getenv("PITWALL_RUN_PID");
    return start && *start && pid && strtol(pid, NULL, 10) == (long)getpid();
}

/* If one of the program's libraries is linked with Pitwall, that library opens the run when it wants. */
__attribute__((constructor)) static void start(void)
{
    static const char *const names[] = {"pit_open"};
    int (*open_run)(const char *path, const pit_options *options);
    void *found[1];
    if (!is_wanted())
        return;
    unsetenv("PITWALL_START");
    if (dlsym(RTLD_DEFAULT, names[0]) || !pit__recorder_symbols(names, found, 1, 1))
        return;
    memcpy(&open_run, &found[0], sizeof open_run);
    open_run(NULL, NULL);
}
