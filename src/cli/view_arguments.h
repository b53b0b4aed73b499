/* view_arguments.h: the options of views on a command line, as the views' own structs have them. */
#ifndef PIT_VIEW_ARGUMENTS_H
#define PIT_VIEW_ARGUMENTS_H

#include "pitwall_report.h"

struct option;

#define VIEW_ARGUMENTS_MOST 64

/* What was given, until the view is known: each option's text ("" for a flag), NULL where it was not. */
struct view_arguments {
    const char *texts[VIEW_ARGUMENTS_MOST];
};

/* The options of the report and of all views, each name once, for getopt_long; ended by zeros. Their
 * answers are `first` and up, with VIEW_ARGUMENTS_MOST places for spellings. */
void view_arguments_table(struct option *table, int first);
void view_argument_keep(struct view_arguments *given, size_t index, const char *text);

/* Put what was given into the options, as options->view takes it. 0, or an exit status after the message. */
int view_arguments_set(const struct view_arguments *given, pit_report_options *options);

/* Lines of a help text: all options, with the view that one belongs to where it is one alone. */
void view_options_help(void);

/* --view help, and of one view. -1: printed; or an exit status: there is no such view. */
int view_list(void);
int view_help(const char *name);
int view_unknown(const char *name);

#endif
