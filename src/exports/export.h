/* export.h: what an export format is: one struct in a file of its own, and the list of them. */
#ifndef PIT_EXPORT_H
#define PIT_EXPORT_H

#include "pitwall_report.h"

/* A whole document of one or several runs. 0 or PIT_NO_MEMORY; trouble with the output is left to
 * ferror(out). A folder (told.is_folder) has write_folder in place of write: it makes the folder, and
 * returns PIT_CANNOT_WRITE with errno where it cannot. */
struct pit__export {
    pit_export_format told; /* name, help, endings; file or folder, text or binary */
    int (*write)(FILE *out, const pit_run *const *runs, size_t run_count);
    int (*write_folder)(const char *path, const pit_run *const *runs, size_t run_count);
};

/* The endings of file names that mean a format. */
#define PIT__ENDINGS(...)                                                                          \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

#endif
