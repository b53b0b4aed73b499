/* csv_export.c: the merged tree as one CSV table, one row per node, one column per field;
 * identical to `pitwall report --csv`. */
#include "export.h"

static int write_csv(FILE *out, const pit_run *const *runs, size_t run_count)
{
    static const pit_report_options options = {.form = PIT_CSV};
    return pit_report_print(out, runs, run_count, &options);
}

const struct pit__export pit__csv_export = {
    .told = {.name = "csv",
             .help = "one row per span of the merged call tree; nanoseconds",
             .endings = PIT__ENDINGS(".csv")},
    .write = write_csv,
};
