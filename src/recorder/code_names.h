/* code_names.h: the function that contains an address of code, and the file that the code is from.
 *
 * Used by the sampler's thread only. Takes no lock of the loader, because a fork at that moment would
 * leave it locked in the child forever: modules are found by /proc/thread-self/maps.
 */
#ifndef PIT_CODE_NAMES_H
#define PIT_CODE_NAMES_H

#include <link.h>
#include <stdint.h>

#define PIT__CODE_FUNCTIONS 512u /* known at once; further ones replace others */
#define PIT__CODE_NAME 96u
#define PIT__CODE_FILE 64u
#define PIT__CODE_SYMBOLS 512u /* read at once */
#define PIT__CODE_WANTED 256u  /* addresses that are looked up at once */

/* A function between two addresses. */
struct pit__code_function {
    char name[PIT__CODE_NAME]; /* "module+0x1a2b" (its begin) if it has no symbol */
    char file[PIT__CODE_FILE]; /* without folders */
};

struct pit__code_names {
    uint64_t low[PIT__CODE_FUNCTIONS], high[PIT__CODE_FUNCTIONS]; /* high 0: no function here */
    struct pit__code_function functions[PIT__CODE_FUNCTIONS];
    uint32_t next;                        /* the next one to be replaced */
    ElfW(Sym) symbols[PIT__CODE_SYMBOLS]; /* being read */
};

/* The known function that contains the address, or NULL. */
const struct pit__code_function *pit__code_known(const struct pit__code_names *names,
                                                 uint64_t address);

/* Look these addresses up, at most PIT__CODE_WANTED: afterwards they are known, except those whose
 * functions were replaced by others of them. Reads each module's symbols once: some milliseconds
 * for a hundred thousand symbols. */
void pit__code_look_up(struct pit__code_names *names, const uint64_t *addresses, uint32_t count);

/* Has it a symbol? Otherwise its name only tells where in its file it begins, or nothing. */
int pit__code_has_name(const struct pit__code_function *function);

/* Forget functions in this range: other code is mapped there now. */
void pit__code_forget(struct pit__code_names *names, uint64_t low, uint64_t high);

#endif
