/* export_list.c: the list of export formats, and functions that write a file completely or not
 * at all. */
#include "export.h"

#include "report/whole_file.h"

#include <errno.h>
#include <string.h>

/* A new format needs its own file, and its name here. */
#define EXPORTS(X) X(csv) X(json) X(markdown) X(chrome_trace) X(speedscope) X(prometheus) X(html)

#define DECLARE(name_) extern const struct pit__export pit__##name_##_export;
#define ENTRY(name_) &pit__##name_##_export,

EXPORTS(DECLARE)

static const struct pit__export *const exports[] = {EXPORTS(ENTRY)};

#define EXPORT_COUNT (sizeof exports / sizeof exports[0])

PIT_API const pit_export_format *pit_export_at(size_t index)
{
    return index < EXPORT_COUNT ? &exports[index]->told : NULL;
}

static const struct pit__export *find(const char *format)
{
    for (size_t i = 0; format && i < EXPORT_COUNT; i++)
        if (strcmp(exports[i]->told.name, format) == 0)
            return exports[i];
    return NULL;
}

static int write_export(FILE *out, const struct pit__export *export, const pit_run *const *runs,
                        size_t run_count)
{
    errno = 0;
    int code = export->write(out, runs, run_count);
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = PIT_CANNOT_WRITE;
    return code;
}

PIT_API int pit_export(FILE *out, const char *format, const pit_run *const *runs, size_t run_count)
{
    const struct pit__export *export = find(format);
    if (!out || !export || !export->write || !runs || run_count == 0)
        return PIT_BAD_ARGUMENT;
    return write_export(out, export, runs, run_count);
}

struct export_call {
    const struct pit__export *export;
    const pit_run *const *runs;
    size_t run_count;
};

static int write_call(FILE *out, void *arg)
{
    const struct export_call *call = arg;
    return write_export(out, call->export, call->runs, call->run_count);
}

PIT_API int pit_export_file(const char *path, const char *format, const pit_run *const *runs,
                            size_t run_count)
{
    struct export_call call = {find(format), runs, run_count};
    if (!call.export || !runs || run_count == 0)
        return PIT_BAD_ARGUMENT;
    if (call.export->write_folder)
        return path ? call.export->write_folder(path, runs, run_count) : PIT_BAD_ARGUMENT;
    return pit_save(path, write_call, &call);
}

PIT_API int pit_save(const char *path, int (*write)(FILE *out, void *arg), void *arg)
{
    if (!path || !write)
        return PIT_BAD_ARGUMENT;
    int code = pit__whole_file(path, write, arg);
    return code == PIT__FILE_NOT_WRITTEN ? PIT_CANNOT_WRITE : code;
}
