/* table_layout.h: how a table's columns share the width there is. */
#ifndef PIT_TABLE_LAYOUT_H
#define PIT_TABLE_LAYOUT_H

#include "table.h"

#define PIT__TABLE_GAP 2 /* spaces between columns */

/* widths holds what each column would like (0: hidden) and gets what it is given. Text columns
 * are narrowed down to their min_width, then columns that may go are hidden, the highest `drop`
 * first, then text columns are narrowed on, down to 1. */
void pit__table_lay_out(const struct pit__column *columns, size_t count, size_t *widths,
                        int available);

#endif
