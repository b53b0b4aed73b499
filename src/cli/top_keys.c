/* top_keys.c: handles keys. */
#define NCURSES_NOMACROS 1

#include "top.h"

#include <ncurses.h>
#include <string.h>

enum { ESCAPE = 27, ERASE = 127, CONTROL_C = 3, CONTROL_H = 8, CONTROL_L = 12, CONTROL_U = 21 };

size_t top_marked_row(const struct top_run *run, struct top_choice *choice)
{
    size_t count = run->rows.count, row = 0;
    for (size_t i = 0; i < count; i++)
        if (run->rows.rows[i].node == choice->node)
            row = i;
    size_t page = choice->page ? choice->page : 1;
    if (row < choice->first)
        choice->first = row;
    if (row >= choice->first + page)
        choice->first = row - page + 1;
    if (choice->first + page > count)
        choice->first = count > page ? count - page : 0;
    return row;
}

/* Move the mark down by this many rows. */
static void mark_by(const struct top_run *run, struct top_choice *choice, long by)
{
    long row = (long)top_marked_row(run, choice) + by, last = (long)run->rows.count - 1;
    row = row > last ? last : row;
    row = row < 0 ? 0 : row;
    if (last >= 0)
        choice->node = run->rows.rows[row].node;
    top_marked_row(run, choice);
}

static void fold(struct top_run *run, struct top_choice *choice, int how)
{
    if (run->rows.count == 0)
        return;
    const struct pit__live_row *row = &run->rows.rows[top_marked_row(run, choice)];
    struct pit__live_node *node = &run->live.nodes[row->node];
    int is_leaf = node->first_child == PIT_NO_NODE;
    choice->node = row->node;
    /* nothing left to fold: go to the parent */
    if (how == KEY_LEFT && (is_leaf || node->folded) && node->parent != PIT_NO_NODE)
        choice->node = node->parent;
    else if (!is_leaf)
        node->folded = how == KEY_LEFT ? 1 : how == KEY_RIGHT ? 0 : !node->folded;
}

static void fold_all(struct top_run *run, struct top_choice *choice, int folded)
{
    for (size_t i = 0; i < run->live.count; i++)
        run->live.nodes[i].folded = folded && run->live.nodes[i].first_child != PIT_NO_NODE;
    if (folded) /* the marked row may be hidden: mark its outermost parent */
        for (uint32_t i = choice->node; i < run->live.count; i = run->live.nodes[i].parent)
            choice->node = i;
}

static void turn_run(const struct top_runs *runs, struct top_choice *choice, size_t by)
{
    top_show_run(choice, (choice->run + by) % runs->count);
    choice->is_by_hand = 1;
}

/* Cycle through all threads, the first, the second, … */
static void turn_thread(const struct top_run *run, struct top_choice *choice, int forward)
{
    size_t count = pit_watch_run(run->watch)->thread_count;
    size_t place = choice->thread < count ? choice->thread + 1 : 0;
    place = (place + (forward ? 1 : count)) % (count + 1);
    choice->thread = place ? place - 1 : PIT__ALL_THREADS;
    choice->is_fresh = 1;
}

static void type(struct top_choice *choice, int key)
{
    size_t length = strlen(choice->filter);
    if (key == '\r' || key == '\n' || key == KEY_ENTER) {
        choice->is_typing = 0;
    } else if (key == ESCAPE || key == CONTROL_C) {
        choice->is_typing = 0;
        choice->filter[0] = '\0';
    } else if (key == CONTROL_U) {
        choice->filter[0] = '\0';
    } else if (key == KEY_BACKSPACE || key == ERASE || key == CONTROL_H) {
        /* all bytes of a character */
        while (length > 0 && (choice->filter[length - 1] & 0xc0) == 0x80)
            length--;
        choice->filter[length > 0 ? length - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 256 && length + 1 < sizeof choice->filter) {
        choice->filter[length] = (char)key;
        choice->filter[length + 1] = '\0';
    }
    choice->first = 0;
}

static void sort(struct top_choice *choice, int by)
{
    int next = ((int)choice->sort + by + PIT__LIVE_SORTS) % PIT__LIVE_SORTS;
    choice->sort = (enum pit__live_sort)next;
    choice->first = 0;
    choice->node = PIT_NO_NODE;
}

/* Keys that move through the rows; returns 0 for other keys. */
static int move_key(struct top_run *run, struct top_choice *choice, int key)
{
    long page = (long)(choice->page ? choice->page : 1), all = (long)run->rows.count;
    long by = key == KEY_UP || key == 'k'     ? -1
              : key == KEY_DOWN || key == 'j' ? 1
              : key == KEY_PPAGE              ? -page
              : key == KEY_NPAGE              ? page
              : key == KEY_HOME || key == 'g' ? -all
              : key == KEY_END || key == 'G'  ? all
                                              : 0;
    if (by)
        mark_by(run, choice, by);
    return by != 0;
}

static void toggle_overview(struct top_choice *choice)
{
    choice->is_overview = !choice->is_overview;
    choice->is_fresh = 1;
}

/* In the overview the runs are the rows. */
static void overview_key(const struct top_runs *runs, struct top_choice *choice, int key)
{
    if (key == 'q' || key == 'Q' || key == CONTROL_C)
        choice->is_leaving = 1;
    else if (key == 'o' || key == ESCAPE || key == '\r' || key == '\n' || key == KEY_ENTER)
        toggle_overview(choice);
    else if (key == KEY_DOWN || key == 'j' || key == '\t' || key == 'n')
        turn_run(runs, choice, 1);
    else if (key == KEY_UP || key == 'k' || key == KEY_BTAB || key == 'N')
        turn_run(runs, choice, runs->count - 1);
    else if (key == 'p')
        choice->is_paused = !choice->is_paused;
    else if (key == '?' || key == 'h')
        choice->is_help = 1;
    else if (key == CONTROL_L)
        clearok(curscr, TRUE);
}

static void command(struct top_runs *runs, struct top_choice *choice, int key)
{
    struct top_run *run = runs->list[choice->run];
    if (key == 'q' || key == 'Q' || key == CONTROL_C)
        choice->is_leaving = 1;
    else if (key == '?' || key == 'h' || key == KEY_F(1))
        choice->is_help = 1;
    else if (key == '/')
        choice->is_typing = 1;
    else if (key == ESCAPE)
        choice->filter[0] = '\0';
    else if (key == 's' || key == 'S')
        sort(choice, key == 's' ? 1 : -1);
    else if (key == ' ' || key == '\r' || key == '\n' || key == KEY_LEFT || key == KEY_RIGHT)
        fold(run, choice, key);
    else if (key == '-' || key == '+')
        fold_all(run, choice, key == '-');
    else if (key == 't' || key == 'T')
        turn_thread(run, choice, key == 't');
    else if (key == 'a')
        choice->thread = PIT__ALL_THREADS, choice->is_fresh = 1;
    else if (key == '\t' || key == 'n')
        turn_run(runs, choice, 1);
    else if (key == KEY_BTAB || key == 'N')
        turn_run(runs, choice, runs->count - 1);
    else if (key == 'o')
        toggle_overview(choice);
    else if (key == 'p')
        choice->is_paused = !choice->is_paused;
    else if (key == CONTROL_L)
        clearok(curscr, TRUE);
}

/* While there is no run. */
static void waiting_key(struct top_choice *choice, int key)
{
    if (key == 'q' || key == 'Q' || key == CONTROL_C)
        choice->is_leaving = 1;
    else
        choice->is_help = !choice->is_help && (key == '?' || key == 'h' || key == KEY_F(1));
}

void top_key(struct top_runs *runs, struct top_choice *choice, int key)
{
    /* redrawn at once in the new size */
    if (key == KEY_RESIZE)
        return;
    choice->notice.length = 0;
    if (runs->count == 0)
        waiting_key(choice, key);
    else if (choice->is_help)
        choice->is_help = 0;
    else if (choice->is_typing)
        type(choice, key);
    else if (choice->is_overview)
        overview_key(runs, choice, key);
    else if (!move_key(runs->list[choice->run], choice, key))
        command(runs, choice, key);
}
