/* journal_view.h: shared by the views of the journal. Each view shows entries of some kinds: as
 * text the lines that were printed live, in other forms a table of their figures. */
#ifndef PIT_JOURNAL_VIEW_H
#define PIT_JOURNAL_VIEW_H

#include "view.h"

struct pit__journal_part {
    const char *nothing;      /* message if there is no such entry */
    const char *heading;      /* over the table in Markdown */
    const char *const *kinds; /* ended by NULL */
    const struct pit__column *columns;
    size_t column_count; /* at most PIT__JOURNAL_COLUMNS */
    void (*add)(
        struct pit__table *table, const struct pit__journal_part *part,
        const pit_entry *entry); /* adds the rows of an entry; NULL: one row, figures by key */
};

#define PIT__JOURNAL_COLUMNS 16

int pit__journal_print(const struct pit__view_call *call, const struct pit__journal_part *part);

#endif
