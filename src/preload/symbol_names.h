/* symbol_names.h: the name of a function, by its address. */
#ifndef PIT_SYMBOL_NAMES_H
#define PIT_SYMBOL_NAMES_H

#include <stddef.h>

/* The name of the function that begins at `address`, in readable form where it is C++'s; where the
 * symbol table has none, "module+0x1a2b". Always something. The function's bytes come back, 0 where
 * they are not known. Takes no lock of its own and allocates by mmap alone: it may run in a signal
 * handler. */
size_t pit__symbol_name(const void *address, char *name, size_t room);

#endif
