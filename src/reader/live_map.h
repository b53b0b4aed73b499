/* live_map.h: the pages of a live run, mapped so that truncating the file does not kill the reader.
 *
 * Reading a page past the end of its file raises SIGBUS. A library must not install signal handlers for its
 * program, so the tool's handler (cli/main.c) calls pit__live_mend, which maps zeros in place of the
 * missing pages. The reader checks all data anyway, and asks afterwards whether pages were missing. */
#ifndef PIT_LIVE_MAP_H
#define PIT_LIVE_MAP_H

#include <stdint.h>

/* Map the first bytes of a file read-only; returns NULL with errno on failure. */
const unsigned char *pit__live_map(int fd, uint64_t bytes);
void pit__live_unmap(const unsigned char *base, uint64_t bytes);
/* Were pages missing when it was read? */
int pit__live_was_cut(const unsigned char *base);
/* Called by a handler of SIGBUS with the address that could not be read. Returns 1: repaired, read it
 * again; 0: not one of these maps. */
int pit__live_mend(const void *address);

#endif
