/* code_variants.h: functions of libc and libm that have variants for different processors. */
#ifndef PIT_CODE_VARIANTS_H
#define PIT_CODE_VARIANTS_H

#include <stdint.h>

/* The name under which programs call the function that begins at this address, or NULL. */
const char *pit__code_variant(uint64_t address);

#endif
