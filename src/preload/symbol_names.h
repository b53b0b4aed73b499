/* symbol_names.h: the name of a function, by its address. */
#ifndef PIT_SYMBOL_NAMES_H
#define PIT_SYMBOL_NAMES_H

#include <stddef.h>

/* Writes the name of the function that begins at `address`, readable if it is C++, or "module+0x1a2b" if
 * no symbol table has it. Returns the size of the function, or 0 if it is not known. Takes no lock and
 * allocates only by mmap, because it may run in a signal handler. */
size_t pit__symbol_name(const void *address, char *name, size_t room);

#endif
