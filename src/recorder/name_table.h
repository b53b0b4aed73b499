/* Names of spans and values, each known in the whole process by one small number. */
#ifndef PIT_NAME_TABLE_H
#define PIT_NAME_TABLE_H

#include <stdint.h>

#define PIT__NAME_BYTES 4095u /* longer names are cut, at a character's end */

struct pit__name {
    uint32_t id; /* 1, 2, 3, … */
    uint32_t hash;
    uint32_t length;
    uint32_t is_comm; /* of communication: once a site says so, nodes of this name are */
    char text[];
};

/* The entry for a name, made if it is new. Finding takes no lock. NULL when there is no room. */
const struct pit__name *pit__name_intern(const char *text);

/* It is one of communication from now on. */
void pit__name_is_comm(const struct pit__name *name);

/* The entry of an id that pit__name_intern gave. */
const struct pit__name *pit__name_of(uint32_t id);

#endif
