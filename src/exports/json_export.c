/* json_export.c: the whole document of `report --json`. */
#include "export.h"

static int write_json(FILE *out, const pit_run *const *runs, size_t run_count)
{
    static const pit_report_options options = {.form = PIT_JSON};
    return pit_report_print(out, runs, run_count, &options);
}

const struct pit__export pit__json_export = {
    .told = {.name = "json",
             .help = "the complete JSON of the report",
             .endings = PIT__ENDINGS(".json")},
    .write = write_json,
};
