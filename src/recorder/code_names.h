/* code_names.h: which function an address of code is in, and which file the code is from.
 *
 * Owned by the sampler's thread. Takes no lock of the loader, which a fork at that moment would leave
 * locked in the child for good: modules are found by /proc/thread-self/maps.
 */
#ifndef PIT_CODE_NAMES_H
#define PIT_CODE_NAMES_H

#include <link.h>
#include <stdint.h>

#define PIT__CODE_FUNCTIONS 512u /* known at once; further ones take the places of others */
#define PIT__CODE_NAME 96u
#define PIT__CODE_FILE 64u
#define PIT__CODE_SYMBOLS 512u /* read at once */
#define PIT__CODE_WANTED 256u  /* addresses that are looked up at once */

/* A function between two addresses. */
struct pit__code_function {
    char name[PIT__CODE_NAME]; /* "module+0x1a2b", its beginning, where there is no symbol for it */
    char file[PIT__CODE_FILE]; /* without folders */
};

struct pit__code_names {
    uint64_t low[PIT__CODE_FUNCTIONS], high[PIT__CODE_FUNCTIONS]; /* high 0: no function here */
    struct pit__code_function functions[PIT__CODE_FUNCTIONS];
    uint32_t next;                        /* the one that gives way */
    ElfW(Sym) symbols[PIT__CODE_SYMBOLS]; /* being read */
};

/* The function that is known to hold the address, or NULL. */
const struct pit__code_function *pit__code_known(const struct pit__code_names *names,
                                                 uint64_t address);

/* Look these addresses up, PIT__CODE_WANTED at most: afterwards they are known, but those whose
 * functions have given way to others of them. Reads each module's symbols once: a millisecond or several
 * where it has a hundred thousand of them. */
void pit__code_look_up(struct pit__code_names *names, const uint64_t *addresses, uint32_t count);

/* Other code is mapped there now. */
void pit__code_forget(struct pit__code_names *names, uint64_t low, uint64_t high);

#endif
