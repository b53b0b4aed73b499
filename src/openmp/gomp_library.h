/* gomp_library.h: the function of libgomp that a call was meant for. */
#ifndef PIT_GOMP_LIBRARY_H
#define PIT_GOMP_LIBRARY_H

/* What `name` would have been for the code that returns to `caller`, had this library not been there. A process
 * may have several libgomp, as Python's wheels bring their own, and each has teams of its own. Ends the
 * process if there is none: the program could not have been linked so. */
void *pit__gomp_next(const char *name, const void *caller);

#endif
