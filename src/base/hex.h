/* hex.h: the ids of runs as text. */
#ifndef PIT_HEX_H
#define PIT_HEX_H

#include <stddef.h>

/* Write two digits per byte into text, which has room for 2 * count + 1. Returns 0 if all bytes are 0,
 * which is not an id, else 1. */
int pit__hex(const unsigned char *bytes, size_t count, char *text);

#endif
