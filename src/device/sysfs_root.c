/* See sysfs_root.h. */
#include "sysfs_root.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pit__sysfs_fake(void)
{
    const char *root = secure_getenv("PITWALL_SYSFS");
    return root && *root ? root : NULL;
}

int pit__sysfs_path(char *out, size_t room, const char *format, ...)
{
    const char *root = pit__sysfs_fake();
    int used = snprintf(out, room, "%s/", root ? root : "/sys");
    if (used < 0 || (size_t)used >= room)
        return 0;
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(out + used, room - (size_t)used, format, arguments);
    va_end(arguments);
    return more >= 0 && (size_t)more < room - (size_t)used;
}
