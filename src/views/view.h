/* view.h: definition of a view, helpers shared by all views, and the list of views.
 *
 * A view is one struct in its own file: name, help line, options and print function. Most views
 * print plain data (pit_data). For runs, `gather` first makes that data, so the output does not
 * depend on where the figures come from. Views without `gather` read the runs themselves
 * (call->gathered); report_view.h declares what the parts of the report share.
 */
#ifndef PIT_VIEW_H
#define PIT_VIEW_H

#include "pitwall_report.h"

#include "model/gather.h"
#include "report/prose.h"

#include <stddef.h>

/* One call of a view. */
struct pit__view_call {
    FILE *out;
    const struct pit__view *view;
    const pit_data *data;
    const struct pit__gathered *gathered; /* the runs behind the data; NULL over plain data */
    const pit_report_options *options;    /* never NULL */
    const char *title; /* never NULL: from the options, else from the data, else "" */
    struct pit__look look;
    struct pit__prose *prose; /* sentences to `out`; its lack of memory fails the call */
    pit_error *error;         /* never NULL: set for PIT_NOTHING and PIT_BAD_ARGUMENT */
};

struct pit__view {
    pit_view told;                                   /* name, help, options */
    int (*gather)(struct pit__gathered *gathered);   /* 0, PIT_NOTHING, PIT_NO_MEMORY, … */
    int (*print)(const struct pit__view_call *call); /* 0, PIT_NOTHING, PIT_BAD_ARGUMENT, … */
    int needs_runs;                                  /* does not support plain data */
};

/* Printed if no view is requested. */
extern const struct pit__view pit__report_view;

/* NULL if there is no view of that name. For a NULL name: the report. */
const struct pit__view *pit__view_find(const char *name);

/* ---- options, view_options.c ----------------------------------------------------------------- */

/* Where an option is stored. */
#define PIT__STORED(member) .offset = offsetof(pit_report_options, member)

/* A view's options: &a, &b, … An option of a single view is defined in the file of that view. */
#define PIT__OPTIONS(...)                                                                          \
    (const pit_option *const[])                                                                    \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* Options that several views share. */
extern const pit_option pit__sort_option, pit__depth_option, pit__min_share_option,
    pit__title_option, pit__node_option;

/* All sort keys, in the order of enum pit__sort_key; the first is only for the memory view. */
extern const char *const pit__sort_words[];

/* Are all options of the view within their kinds' ranges? 0, or PIT_BAD_ARGUMENT and *error. */
int pit__options_check(const pit_view *view, const pit_report_options *options, pit_error *error);

/* Print the reason why there is nothing to show instead of the view. Returns PIT_NOTHING. */
int pit__print_nothing(const struct pit__view_call *call, const char *why);

#endif
