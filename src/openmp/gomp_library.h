/* gomp_library.h: the function of libgomp that a call was meant for. */
#ifndef PIT_GOMP_LIBRARY_H
#define PIT_GOMP_LIBRARY_H

/* The function that `name` would have been for the code at `caller` without this library. A process may have
 * several libgomp, as Python's wheels contain their own, each with separate teams. Ends the process if there
 * is none: the program could not have been linked that way. */
void *pit__gomp_next(const char *name, const void *caller);

#endif
