/* recorder_link.h: the recorder of this process, found at the first function that is called. */
#ifndef PIT_RECORDER_LINK_H
#define PIT_RECORDER_LINK_H

#include "pitwall.h"

/* The half of the public API that pit_begin and its kin stand on. */
struct pit__recorder_link {
    int *enabled;
    pit_token (*begin)(pit_site *site);
    void (*end)(pit_token token);
    void (*drop)(pit_token token);
};

extern struct pit__recorder_link pit__link;

/* Fill pit__link. 1: there is a recorder; 0: none is wanted here, or none can be had. Not to be called
 * twice at once. It may load libpitwall, and so allocate. */
int pit__link_find(void);

#endif
