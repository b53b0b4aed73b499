/* See code_variants.h.
 *
 * A stripped libc has a symbol for memcpy, which chooses, and none for the chosen variant that runs. But the
 * loader has put that variant's address into our table of addresses, as into the program's. Functions
 * with several names (memcpy is often memmove) get the first one of this list.
 */
#include "code_variants.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* clang-format off */
#define VARIANTS(X)                                                                                \
    X(memcpy) X(memmove) X(memset) X(memcmp) X(memchr) X(strlen) X(strcmp) X(strncmp) X(strchr)    \
    X(strrchr) X(strcpy) X(strstr)                                                                 \
    X(exp) X(log) X(pow) X(sin) X(cos) X(tan) X(atan) X(atan2) X(exp2) X(log2) X(floor) X(ceil)    \
    X(rint) X(fma) X(tanh)                                                                         \
    X(expf) X(logf) X(powf) X(sinf) X(cosf) X(exp2f) X(log2f) X(floorf) X(ceilf) X(rintf) X(fmaf)  \
    X(tanhf)
/* clang-format on */

#define IS_IT(name_)                                                                               \
    if (address == (uint64_t)(uintptr_t)(name_))                                                   \
        return #name_;

const char *pit__code_variant(uint64_t address)
{
    VARIANTS(IS_IT)
    return NULL;
}
