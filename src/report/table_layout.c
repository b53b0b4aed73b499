/* table_layout.c: divides the available width among the columns of a table. */
#include "table_layout.h"

/* By how much the table exceeds the width; 0 or less: it fits. */
static long excess(const size_t *widths, size_t count, int available)
{
    long used = 0;
    for (size_t c = 0; c < count; c++)
        if (widths[c] > 0)
            used += (long)widths[c] + (used > 0 ? PIT__TABLE_GAP : 0);
    return used - available;
}

/* How far a text column can be narrowed. */
static size_t floor_of(const struct pit__column *column, int hard)
{
    return hard || column->min_width <= 0 ? 1 : (size_t)column->min_width;
}

/* The width that narrowing all text columns would save. */
static long slack(const struct pit__column *columns, const size_t *widths, size_t count)
{
    long win = 0;
    for (size_t c = 0; c < count; c++)
        if (columns[c].kind == PIT__TEXT && widths[c] > floor_of(&columns[c], 0))
            win += (long)(widths[c] - floor_of(&columns[c], 0));
    return win;
}

/* Narrow the widest text column by one, until it fits. */
static void narrow(const struct pit__column *columns, size_t *widths, size_t count, int available,
                   int hard)
{
    for (long over = excess(widths, count, available); over > 0; over--) {
        size_t widest = count;
        for (size_t c = 0; c < count; c++)
            if (columns[c].kind == PIT__TEXT && widths[c] > floor_of(&columns[c], hard) &&
                (widest == count || widths[c] > widths[widest]))
                widest = c;
        if (widest == count)
            return;
        widths[widest]--;
    }
}

void pit__table_lay_out(const struct pit__column *columns, size_t count, size_t *widths,
                        int available)
{
    while (excess(widths, count, available) > slack(columns, widths, count)) {
        size_t victim = count;
        for (size_t c = 0; c < count; c++)
            if (widths[c] > 0 && columns[c].drop > 0 &&
                (victim == count || columns[c].drop > columns[victim].drop))
                victim = c;
        if (victim == count)
            break;
        widths[victim] = 0;
    }
    narrow(columns, widths, count, available, 0);
    narrow(columns, widths, count, available, 1);
}
