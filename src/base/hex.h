/* hex.h: the ids of runs as text. */
#ifndef PIT_HEX_H
#define PIT_HEX_H

#include <stddef.h>

/* Two digits a byte into text, which has room for 2 * count + 1. 1; or 0 if all bytes are 0, which is
 * no id. */
int pit__hex(const unsigned char *bytes, size_t count, char *text);

#endif
