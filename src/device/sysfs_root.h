/* sysfs_root.h: where the kernel's /sys is. PITWALL_SYSFS names another folder in its place, for tests
 * on machines without the hardware; every report of a run made that way says so. */
#ifndef PIT_SYSFS_ROOT_H
#define PIT_SYSFS_ROOT_H

#include <stddef.h>

#define PIT__SYSFS_BYTES 512 /* room for a path */

/* The folder of PITWALL_SYSFS, or NULL: the kernel's own is used. */
const char *pit__sysfs_fake(void);

/* `path` without its /sys, below the root. 0: it does not fit. */
int pit__sysfs_path(char *out, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
