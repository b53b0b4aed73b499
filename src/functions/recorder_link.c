/* See recorder_link.h. A program with libpitwall.a that is stripped hides its recorder: a second one is brought
 * along then, and functions go to a run of their own beside the program's. */
#include "recorder_link.h"

#include "base/recorder_symbols.h"

#include <string.h>

struct pit__recorder_link pit__link;

/* What stands at a symbol, as a pointer to a function: ISO C has no conversion for it. */
#define TAKE(to, from) memcpy(&(to), &(from), sizeof(to))

int pit__link_find(void)
{
    static const char *const names[] = {"pit__enabled", "pit__begin", "pit__end", "pit_drop"};
    void *found[4];
    if (!pit__recorder_symbols(names, found, 4))
        return 0;
    pit__link.enabled = found[0];
    TAKE(pit__link.begin, found[1]);
    TAKE(pit__link.end, found[2]);
    TAKE(pit__link.drop, found[3]);
    return 1;
}
