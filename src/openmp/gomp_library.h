/* gomp_library.h: the function of libgomp that a call was meant for. */
#ifndef PIT_GOMP_LIBRARY_H
#define PIT_GOMP_LIBRARY_H

/* The function that `name` would be, for the code at `caller`, if this library were not loaded. A
 * process may have several copies of libgomp, each with its own teams: Python wheels bring their own.
 * Ends the process if there is none; the program could not have been linked then. */
void *pit__gomp_next(const char *name, const void *caller);

#endif
