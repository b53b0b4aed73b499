/* The library stays in the process: its thread, the ends of threads and its exit handlers call into it. The
 * shared library is linked so. The static one may be part of a plugin that the program unloads. */
#include "place.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#define FIRST_PAGE 4096u /* a program's headers are in it */

static int is_program(uintptr_t base)
{
    uintptr_t headers = getauxval(AT_PHDR);
    return headers >= base && headers - base < FIRST_PAGE;
}

void pit__stay_loaded(void)
{
    static const int here;
    Dl_info own;
    if (dladdr(&here, &own) && own.dli_fname && !is_program((uintptr_t)own.dli_fbase))
        (void)dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
