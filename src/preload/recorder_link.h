/* recorder_link.h: the recorder of this process, looked up at the first function call. */
#ifndef PIT_RECORDER_LINK_H
#define PIT_RECORDER_LINK_H

#include "pitwall.h"

/* The library functions behind pit_begin and the related inline functions. */
struct pit__recorder_link {
    int *enabled;
    pit_token (*begin)(pit_site *site);
    void (*end)(pit_token token);
    void (*drop)(pit_token token);
    /* All NULL if the recorder is too old to have them. */
    void (*count)(int which, uint64_t n);
    pit_token (*collective_begin)(pit_site *site, uint32_t group, uint64_t bytes);
    uint32_t (*group_open)(uint64_t id, uint32_t size, uint32_t rank);
    void (*group_close)(uint32_t group);
    uint64_t (*group_calls)(uint32_t group);
    /* Never NULL: an older recorder gets only the bytes, and a plain end. */
    pit_token (*begin_call)(pit_site *site, uint32_t group, const void *caller, uint32_t to,
                            uint64_t bytes);
    void (*message)(uint32_t to, uint64_t bytes);
    void (*end_call)(pit_token token);
    /* The same, both NULL. */
    uint64_t (*place)(void);
    int (*team)(uint32_t threads, uint64_t busy_ns, uint64_t slowest_ns, uint64_t elapsed_ns);
};

extern struct pit__recorder_link pit__link;

/* Fill pit__link. Returns 1 if there is a recorder, 0 if there is none or recording is off. Must not be
 * called by two threads at once. It may load libpitwall, and so allocate. */
int pit__link_find(void);

#endif
