/* signal_name.h: the names of signals. */
#ifndef PIT_SIGNAL_NAME_H
#define PIT_SIGNAL_NAME_H

/* "SIGKILL"; NULL where there is none, as for real-time signals. */
const char *pit__signal_name(int number);

#endif
