/* made_view.h: a view of plain data as a string. */
#ifndef PIT_MADE_VIEW_H
#define PIT_MADE_VIEW_H

#include "kept.h"
#include "pitwall_report.h"

static inline char *made_view(const char *view, const pit_data *data,
                              const pit_report_options *options, int *code)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int result = pit_view_print(out, view, data, options);
    fclose(out);
    if (code)
        *code = result;
    return keep(text);
}

#endif
