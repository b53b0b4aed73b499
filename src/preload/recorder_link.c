/* See recorder_link.h. The recorder in a stripped program with libpitwall.a cannot be found: a second one is
 * then loaded, and functions are recorded in a separate run next to the program's. */
#include "recorder_link.h"

#include "base/recorder_symbols.h"

#include <string.h>

struct pit__recorder_link pit__link;

/* Stores the address of a symbol as a function pointer: ISO C does not convert between the two. */
#define TAKE(to, from) memcpy(&(to), &(from), sizeof(to))

/* Replaces begin_call if the recorder is older than it. */
static pit_token begin_plain(pit_site *site, uint32_t group, const void *caller, uint32_t to,
                             uint64_t bytes)
{
    (void)caller;
    (void)to;
    return pit__link.collective_begin(site, group, bytes);
}

static void count_bytes(uint32_t to, uint64_t bytes)
{
    (void)to;
    pit__link.count(1, bytes);
}

int pit__link_find(void)
{
    static const char *const names[] = {
        "pit__enabled",   "pit__begin",      "pit__end",
        "pit_cancel",     "pit__count",      "pit__collective_begin",
        "pit_group_open", "pit_group_close", "pit_group_calls",
        "pit_position",   "pit_add_team",    "pit_begin_call",
        "pit_message",    "pit_end_call"};
    enum { NEEDED = 4, ALL = sizeof names / sizeof names[0] };
    void *found[ALL];
    if (!pit__recorder_symbols(names, found, NEEDED, ALL))
        return 0;
    pit__link.enabled = found[0];
    TAKE(pit__link.begin, found[1]);
    TAKE(pit__link.end, found[2]);
    TAKE(pit__link.drop, found[3]);
    if (found[4] && found[5] && found[6] && found[7] && found[8]) {
        TAKE(pit__link.count, found[4]);
        TAKE(pit__link.collective_begin, found[5]);
        TAKE(pit__link.group_open, found[6]);
        TAKE(pit__link.group_close, found[7]);
        TAKE(pit__link.group_calls, found[8]);
    }
    if (found[9] && found[10]) {
        TAKE(pit__link.place, found[9]);
        TAKE(pit__link.team, found[10]);
    }
    pit__link.begin_call = begin_plain;
    pit__link.message = count_bytes;
    pit__link.end_call = pit__link.end;
    if (found[11] && found[12] && found[13]) {
        TAKE(pit__link.begin_call, found[11]);
        TAKE(pit__link.message, found[12]);
        TAKE(pit__link.end_call, found[13]);
    }
    return 1;
}
