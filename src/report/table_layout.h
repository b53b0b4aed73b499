/* table_layout.h: divides the available width among the columns of a table. */
#ifndef PIT_TABLE_LAYOUT_H
#define PIT_TABLE_LAYOUT_H

#include "table.h"

#define PIT__TABLE_GAP 2 /* spaces between columns */

/* On entry, widths holds the wanted width of each column (0: hidden); on return, the assigned
 * one. First, text columns are narrowed down to their min_width. Then columns with a `drop` are
 * hidden, the highest first. Then text columns are narrowed further, down to 1. */
void pit__table_lay_out(const struct pit__column *columns, size_t count, size_t *widths,
                        int available);

#endif
