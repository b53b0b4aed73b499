/* view_arguments.h: the options of views on a command line, as defined by the views. */
#ifndef PIT_VIEW_ARGUMENTS_H
#define PIT_VIEW_ARGUMENTS_H

#include "pitwall_report.h"

struct option;

#define VIEW_ARGUMENTS_MOST 64

/* Options as given, until the view is known: the text of each ("" for a flag), or NULL. */
struct view_arguments {
    const char *texts[VIEW_ARGUMENTS_MOST];
};

/* The options of the report and of all views, each name once, for getopt_long; ended by zeros. Their values
 * are `first` and up, with VIEW_ARGUMENTS_MOST entries for spellings. */
void view_arguments_table(struct option *table, int first);
void view_argument_keep(struct view_arguments *given, size_t index, const char *text);

/* Store the given options for options->view. Returns 0, or an exit status after the message. */
int view_arguments_set(const struct view_arguments *given, pit_report_options *options);

/* Lines of a help text: all options, with the name of the view if only one has it. */
void view_options_help(void);

/* --view help, and the help of one view. Returns -1 after printing, or an exit status if there is no such
 * view. */
int view_list(void);
int view_help(const char *name);
int view_unknown(const char *name);

#endif
