/* See tree_lines.h. */
#include "tree_lines.h"

void pit__tree_lines(struct pit__text *text, const unsigned char *is_last, size_t count, int ascii)
{
    static const char *const unicode[] = {"\xe2\x94\x9c\xe2\x94\x80 ", "\xe2\x94\x94\xe2\x94\x80 ",
                                          "\xe2\x94\x82  ", "   "};
    static const char *const plain[] = {"|- ", "`- ", "|  ", "   "};
    const char *const *line = ascii ? plain : unicode;
    for (size_t i = count; i-- > 0;)
        pit__text_puts(text, line[(i == 0 ? 0 : 2) + (is_last[i] != 0)]);
}
