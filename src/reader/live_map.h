/* live_map.h: the pages of a live run, mapped so that a file which somebody cuts does not kill the reader.
 *
 * A page that is past the end of its file raises SIGBUS when it is read. A library does not take signals
 * from its program: the tool's own handler (cli/main.c) calls pit__live_mend, which puts zeros in the
 * place of what is gone. The reader trusts no page anyway, and asks afterwards whether that happened.
 */
#ifndef PIT_LIVE_MAP_H
#define PIT_LIVE_MAP_H

#include <stdint.h>

/* All of a file's first bytes, read-only; NULL with errno. */
const unsigned char *pit__live_map(int fd, uint64_t bytes);
void pit__live_unmap(const unsigned char *base, uint64_t bytes);
/* Was a part of it gone when it was read? */
int pit__live_was_cut(const unsigned char *base);
/* From a handler of SIGBUS, with the address that could not be read: 1: mended, read it again;
 * 0: it is none of ours. */
int pit__live_mend(const void *address);

#endif
