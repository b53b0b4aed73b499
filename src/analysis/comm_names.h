/* comm_names.h: span names that suggest communication. Pure functions: no I/O, no runs. */
#ifndef PIT_COMM_NAMES_H
#define PIT_COMM_NAMES_H

/* Does a span of this name wait for other processes, as far as a name can tell? */
int pit__is_comm_name(const char *name);

#endif
