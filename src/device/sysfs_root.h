/* sysfs_root.h: where /sys is. PITWALL_SYSFS names another folder instead, for tests on machines without
 * the hardware; every report of such a run says so. */
#ifndef PIT_SYSFS_ROOT_H
#define PIT_SYSFS_ROOT_H

#include <stddef.h>

#define PIT__SYSFS_BYTES 512 /* room for a path */

/* The folder of PITWALL_SYSFS, or NULL: /sys is used. */
const char *pit__sysfs_fake(void);

/* `path`, without its /sys, in that folder. 0: it does not fit. */
int pit__sysfs_path(char *out, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
