/* cpp_name.h: simple C++ names made readable. */
#ifndef PIT_CPP_NAME_H
#define PIT_CPP_NAME_H

#include <stddef.h>

/* "_ZN3net5Layer7forwardEv" becomes "net::Layer::forward": no parameters, template arguments as <>.
 * 1; 0 where the name is none of C++ or not a simple one (a lambda, a rare operator), and `to` is
 * then not to be used. Uses no memory but `to`: it may run in a signal handler. */
int pit__cpp_name(const char *mangled, char *to, size_t room);

#endif
