/* view.h: what a view is, what all views share, and the list of them.
 *
 * A view is one struct in a file of its own: what it is called, one line of help, its own options, and
 * how it is printed. Most print plain data (pit_data): over runs their `gather` first makes that data, so
 * that the same figures read the same wherever they come from. Those without a gather look at the runs
 * themselves (call->gathered); report_view.h is what the parts of the report share.
 */
#ifndef PIT_VIEW_H
#define PIT_VIEW_H

#include "pitwall_report.h"

#include "model/gather.h"
#include "report/prose.h"

#include <stddef.h>

/* One printing. */
struct pit__view_call {
    FILE *out;
    const struct pit__view *view;
    const pit_data *data;
    const struct pit__gathered *gathered; /* the runs behind the data; NULL over plain data */
    const pit_report_options *options;    /* never NULL */
    const char *title;                    /* never NULL: the options', else the data's, else "" */
    struct pit__look look;
    struct pit__prose *prose; /* words of the view to `out`; its lack of memory is the printing's */
    pit_error *error;         /* never NULL: gets the reason of PIT_NOTHING and PIT_BAD_ARGUMENT */
};

struct pit__view {
    pit_view told;                                   /* name, help, options */
    int (*gather)(struct pit__gathered *gathered);   /* 0, PIT_NOTHING, PIT_NO_MEMORY, … */
    int (*print)(const struct pit__view_call *call); /* 0, PIT_NOTHING, PIT_BAD_ARGUMENT, … */
    int needs_runs;                                  /* has nothing to say of plain data */
};

/* What is printed where no view is asked for. */
extern const struct pit__view pit__report_view;

/* NULL: there is none of that name. Of NULL the report. */
const struct pit__view *pit__view_find(const char *name);

/* ---- options, view_options.c ----------------------------------------------------------------- */

/* Where an option is stored. */
#define PIT__STORED(member) .offset = offsetof(pit_report_options, member)

/* A view's options: &a, &b, … An option of one view alone stands in the view's own file. */
#define PIT__OPTIONS(...)                                                                          \
    (const pit_option *const[])                                                                    \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* Those that several views have. */
extern const pit_option pit__sort_option, pit__depth_option, pit__min_share_option,
    pit__title_option, pit__node_option;

/* All that spans can be sorted by, in the order of enum pit__sort_key; the first is of the memory view
 * alone. */
extern const char *const pit__sort_words[];

/* Are all options of the view within their kinds' ranges? 0, or PIT_BAD_ARGUMENT and *error. */
int pit__options_check(const pit_view *view, const pit_report_options *options, pit_error *error);

/* Why there is nothing to show, in place of the view. Returns PIT_NOTHING. */
int pit__print_nothing(const struct pit__view_call *call, const char *why);

#endif
