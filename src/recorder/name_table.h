/* Names of spans and values, each identified by one small number in the whole process. */
#ifndef PIT_NAME_TABLE_H
#define PIT_NAME_TABLE_H

#include <stdint.h>

#define PIT__NAME_BYTES 4095u /* longer names are cut, at a character's end */

struct pit__name {
    uint32_t id; /* 1, 2, 3, … */
    uint32_t hash;
    uint32_t length;
    uint32_t is_comm; /* set by the first site with PIT_COMM: all nodes of this name communicate */
    char text[];
};

/* The entry for a name, created if it is new. Finding takes no lock. NULL when there is no room. */
const struct pit__name *pit__name_intern(const char *text);

/* Mark it as communication from now on. */
void pit__name_is_comm(const struct pit__name *name);

/* The entry of an id that pit__name_intern gave. */
const struct pit__name *pit__name_of(uint32_t id);

#endif
