/* export_list.c: the list of export formats, and the ways to a file: whole or not at all. */
#include "export.h"

#include "report/whole_file.h"
#include "report_view.h"

#include <errno.h>
#include <string.h>

static int write_json(FILE *out, const pit_run *const *runs, size_t run_count)
{
    pit_report_options options = {.form = PIT_JSON};
    return pit__report_print(out, runs, run_count, &options);
}

const struct pit__export pit__json_export = {"json", write_json};

/* A new format is a file of its own, its line here and its name below. */
static const struct pit__export *const exports[] = {
    &pit__csv_export,          &pit__json_export,       &pit__markdown_export,
    &pit__chrome_trace_export, &pit__speedscope_export,
};

static const char *const names[] = {
    "csv", "json", "markdown", "chrome-trace", "speedscope", NULL,
};

#define EXPORT_COUNT (sizeof exports / sizeof exports[0])
_Static_assert(sizeof names / sizeof names[0] == EXPORT_COUNT + 1, "each format has its name");

PIT_API const char *const *pit_export_names(void)
{
    return names;
}

static const struct pit__export *find(const char *format)
{
    for (size_t i = 0; format && i < EXPORT_COUNT; i++)
        if (strcmp(exports[i]->name, format) == 0)
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
    if (!out || !export || !runs || run_count == 0)
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
    return pit_save(path, write_call, &call);
}

PIT_API int pit_save(const char *path, int (*write)(FILE *out, void *arg), void *arg)
{
    if (!path || !write)
        return PIT_BAD_ARGUMENT;
    int code = pit__whole_file(path, write, arg);
    return code == PIT__FILE_NOT_WRITTEN ? PIT_CANNOT_WRITE : code;
}
