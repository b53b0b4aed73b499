/* tree_lines.h: the lines that lead to a row of a tree. Knows nothing of runs. */
#ifndef PIT_TREE_LINES_H
#define PIT_TREE_LINES_H

#include "text.h"

#define PIT__TREE_LEVELS 30 /* that are drawn; of a deeper tree, the innermost ones */

/* Add "│  ├─ ": a level for each of `count`, is_last[0] of the row itself, the next of its parent, and
 * so on: no sibling follows further down. */
void pit__tree_lines(struct pit__text *text, const unsigned char *is_last, size_t count, int ascii);

#endif
