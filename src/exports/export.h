/* export.h: definition of an export format (one struct in its own file), and the list of
 * formats. */
#ifndef PIT_EXPORT_H
#define PIT_EXPORT_H

#include "pitwall_report.h"

/* `write` writes a whole document of one or several runs. Returns 0 or PIT_NO_MEMORY; write
 * errors are left to ferror(out). A format that is a folder (told.is_folder) has write_folder
 * instead: it creates the folder, or returns PIT_CANNOT_WRITE with errno. */
struct pit__export {
    pit_export_format told; /* name, help, endings; file or folder, text or binary */
    int (*write)(FILE *out, const pit_run *const *runs, size_t run_count);
    int (*write_folder)(const char *path, const pit_run *const *runs, size_t run_count);
};

/* The file name endings that select a format. */
#define PIT__ENDINGS(...)                                                                          \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

#endif
