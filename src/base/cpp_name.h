/* cpp_name.h: simple C++ names made readable. */
#ifndef PIT_CPP_NAME_H
#define PIT_CPP_NAME_H

#include <stddef.h>

/* "_ZN3net5Layer7forwardEv" becomes "net::Layer::forward": no parameters, template arguments as <>. Returns
 * 1, or 0 if the name is not a simple C++ name (a lambda, a rare operator): `to` is then undefined.
 * Allocates nothing: it may run in a signal handler. */
int pit__cpp_name(const char *mangled, char *to, size_t room);

#endif
