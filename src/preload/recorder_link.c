/* See recorder_link.h. A process has one recorder, so it is looked for before one is brought along:
 *
 *   1. what the loader knows: the program, or a library of its, is linked with libpitwall.so
 *   2. the executable's own symbols: libpitwall.a is in it
 *   3. libpitwall.so.0 beside this library. If the process has it already, or loads it later (as the
 *      Python extension does), the loader gives both the same one, by its soname.
 *
 * A program with libpitwall.a that is stripped hides its recorder: 3 then brings a second one, and
 * functions go to a run of their own beside the program's.
 */
#include "recorder_link.h"

#include "symbol_names.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct pit__recorder_link pit__link;

/* What stands at a symbol, as a pointer to a function: ISO C has no conversion for it. */
#define TAKE(to, from) memcpy(&(to), &(from), sizeof(to))

static void *by_loader(const char *name, void *library)
{
    return dlsym(library, name);
}

static void *in_executable(const char *name, void *unused)
{
    (void)unused;
    return pit__symbol_in_executable(name);
}

/* All of them or none. */
static void take_groups(void *(*find)(const char *, void *), void *argument)
{
    void *count = find("pit__count", argument);
    void *begin = find("pit__collective_begin", argument);
    void *open = find("pit_group_open", argument);
    void *close = find("pit_group_close", argument);
    void *calls = find("pit_group_calls", argument);
    if (!count || !begin || !open || !close || !calls)
        return;
    TAKE(pit__link.count, count);
    TAKE(pit__link.collective_begin, begin);
    TAKE(pit__link.group_open, open);
    TAKE(pit__link.group_close, close);
    TAKE(pit__link.group_calls, calls);
}

static int take(void *(*find)(const char *, void *), void *argument)
{
    void *enabled = find("pit__enabled", argument);
    void *begin = enabled ? find("pit__begin", argument) : NULL;
    void *end = begin ? find("pit__end", argument) : NULL;
    void *drop = end ? find("pit_drop", argument) : NULL;
    if (!drop)
        return 0;
    pit__link.enabled = enabled;
    TAKE(pit__link.begin, begin);
    TAKE(pit__link.end, end);
    TAKE(pit__link.drop, drop);
    take_groups(find, argument);
    return 1;
}

static int is_asked_for(void)
{
    const char *on = secure_getenv("PITWALL"), *file = secure_getenv("PITWALL_FILE");
    if (on && (strcmp(on, "0") == 0 || strcmp(on, "off") == 0))
        return 0;
    return (on && *on) || (file && *file);
}

int pit__link_find(void)
{
    if (take(by_loader, RTLD_DEFAULT) || take(in_executable, NULL))
        return 1;
    void *library = is_asked_for() ? dlopen("libpitwall.so.0", RTLD_NOW | RTLD_LOCAL) : NULL;
    return library && take(by_loader, library);
}
