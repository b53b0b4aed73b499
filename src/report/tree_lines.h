/* tree_lines.h: the lines drawn before a row of a tree. Independent of runs. */
#ifndef PIT_TREE_LINES_H
#define PIT_TREE_LINES_H

#include "text.h"

#define PIT__TREE_LEVELS 30 /* levels drawn; of a deeper tree, the innermost ones */

/* Add "│  ├─ ": one level for each of `count`. is_last[0] is about the row itself, is_last[1]
 * about its parent, and so on: 1 if no sibling follows. */
void pit__tree_lines(struct pit__text *text, const unsigned char *is_last, size_t count, int ascii);

#endif
