/* live_map.h: the pages of a live run, mapped so that truncating the file does not kill the reader.
 *
 * Reading a page past the end of its file raises SIGBUS. A library must not install signal handlers for
 * its program, so the tool's handler (cli/main.c) calls pit__live_mend, which maps zeros in place of
 * the missing pages. The reader trusts no page anyway, and checks afterwards whether that happened.
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
