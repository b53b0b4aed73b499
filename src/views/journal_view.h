/* journal_view.h: what the views over the journal share. Each shows entries of some kinds: as text
 * the lines that were printed live, for machines a table of their figures. */
#ifndef PIT_JOURNAL_VIEW_H
#define PIT_JOURNAL_VIEW_H

#include "view.h"

struct pit__journal_part {
    const char *nothing;      /* what to say where there is no such entry */
    const char *heading;      /* over the table in Markdown */
    const char *const *kinds; /* ended by NULL */
    const struct pit__column *columns;
    size_t column_count; /* at most PIT__JOURNAL_COLUMNS */
    void (*add)(
        struct pit__table *table, const struct pit__journal_part *part,
        const pit_entry *entry); /* the rows of an entry; NULL: one, figures by their keys */
};

#define PIT__JOURNAL_COLUMNS 16

int pit__journal_print(const struct pit__view_call *call, const struct pit__journal_part *part);

#endif
