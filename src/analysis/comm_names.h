/* comm_names.h: span names that suggest communication. Pure functions: no I/O, no runs. */
#ifndef PIT_COMM_NAMES_H
#define PIT_COMM_NAMES_H

/* Does the name of a span suggest that it waits for other processes? */
int pit__is_comm_name(const char *name);

#endif
