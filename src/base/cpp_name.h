/* cpp_name.h: simple C++ names made readable. */
#ifndef PIT_CPP_NAME_H
#define PIT_CPP_NAME_H

#include <stddef.h>

/* "_ZN3net5Layer7forwardEv" becomes "net::Layer::forward": no parameters, template arguments as <>.
 * 1; 0 if it is not a C++ name or not a simple one (a lambda, a rare operator): `to` is then
 * undefined. Uses no memory but `to`: it may run in a signal handler. */
int pit__cpp_name(const char *mangled, char *to, size_t room);

#endif
