/* info_view.h: run files in detail, for `pitwall info`. */
#ifndef PIT_INFO_VIEW_H
#define PIT_INFO_VIEW_H

#include "pitwall_report.h"

/* Print all runs as text, or with options->form PIT_JSON as one document. Returns 0,
 * PIT_BAD_ARGUMENT (another form), PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
int pit__info_print(FILE *out, const pit_run *const *runs, size_t run_count,
                    const pit_report_options *options);

#endif
