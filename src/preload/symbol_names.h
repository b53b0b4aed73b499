/* symbol_names.h: the name of a function, by its address. */
#ifndef PIT_SYMBOL_NAMES_H
#define PIT_SYMBOL_NAMES_H

#include <stddef.h>

/* The name of the function that begins at `address`, readable if it is C++; if the symbol table has none,
 * "module+0x1a2b". There is always a text. Returns the size of the function, 0 if not known. Takes no
 * lock and allocates only by mmap: it may run in a signal
 * handler. */
size_t pit__symbol_name(const void *address, char *name, size_t room);

#endif
