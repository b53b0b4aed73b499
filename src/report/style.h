/* style.h: terminal colours, if enabled. */
#ifndef PIT_STYLE_H
#define PIT_STYLE_H

#include "table.h"

/* The escape code that starts a style, and the code that ends any style; "" if colour is off. */
const char *pit__style_on(enum pit__style style, int colour);
const char *pit__style_off(enum pit__style style, int colour);

#endif
