/* tree_view.c: the call tree as a table. */
#include "report_view.h"

#include "report/style.h"
#include "report/tree_lines.h"
#include "report/units.h"

#include <stdlib.h>
#include <string.h>

struct row {
    struct pit__figures figures;
    uint32_t node, parent;
    uint32_t first_child, next_sibling; /* rows, by their sorted order; PIT_NO_NODE for none */
};

static int by_parent_and_key(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = pit__figures_order(&x->figures, &y->figures);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Is it to be shown? What lies below a node that is not, is not either. A span that is open is
 * shown however short: it is where the program is, or died. */
static int is_shown(const struct pit__report *report, const struct row *rows, uint32_t i,
                    const unsigned char *shown)
{
    const pit_node *node = &report->tree->nodes[i];
    if (node->parent != PIT_NO_NODE && !shown[node->parent])
        return 0;
    if (report->options->depth > 0 && node->depth >= (uint32_t)report->options->depth)
        return 0;
    return !(report->options->min_share > 0 && rows[i].figures.share < report->options->min_share &&
             node->open == 0);
}

/* Link the rows that are shown, siblings in order; the first of the top, or PIT_NO_NODE. */
static uint32_t link_rows(struct row *rows, struct row **sorted, size_t count)
{
    uint32_t first = PIT_NO_NODE;
    qsort(sorted, count, sizeof *sorted, by_parent_and_key);
    for (size_t i = count; i-- > 0;) {
        struct row *row = sorted[i];
        int last = i + 1 == count || sorted[i + 1]->parent != row->parent;
        row->next_sibling = last ? PIT_NO_NODE : sorted[i + 1]->node;
        if (row->parent == PIT_NO_NODE)
            first = row->node;
        else
            rows[row->parent].first_child = row->node;
    }
    return first;
}

/* The lines that lead to a row: for each level whether a sibling follows further down. */
static void tree_lines(const struct row *rows, uint32_t at, int ascii, struct pit__text *text)
{
    unsigned char is_last[PIT__TREE_LEVELS];
    size_t count = 0;
    for (uint32_t i = at; rows[i].parent != PIT_NO_NODE && count < PIT__TREE_LEVELS;
         i = rows[i].parent)
        is_last[count++] = rows[i].next_sibling == PIT_NO_NODE;
    text->length = 0;
    pit__text_add(text, "", 0);
    pit__tree_lines(text, is_last, count, ascii);
}

static void walk_rows(const struct pit__report *report, const struct row *rows, uint32_t at,
                      struct pit__text *lines, pit__tree_row *row, void *arg)
{
    while (at != PIT_NO_NODE) {
        tree_lines(rows, at, report->look.ascii, lines);
        row(arg, at, &rows[at].figures, pit__text_string(lines));
        if (rows[at].first_child != PIT_NO_NODE) {
            at = rows[at].first_child;
            continue;
        }
        while (at != PIT_NO_NODE && rows[at].next_sibling == PIT_NO_NODE)
            at = rows[at].parent;
        if (at != PIT_NO_NODE)
            at = rows[at].next_sibling;
    }
}

void pit__print_left_out(const struct pit__report *report, size_t count, const char *what)
{
    if (count == 0 || report->options->form == PIT_CSV)
        return;
    char number[PIT__UNIT_BYTES];
    if (report->options->form == PIT_MARKDOWN)
        putc('\n', report->out);
    fprintf(report->out, "%s%s %s%s not shown: below the share or the depth asked for%s\n",
            pit__style_on(PIT__DIM, report->look.colour), pit__unit_count(number, count), what,
            count == 1 ? "" : "s", pit__style_off(PIT__DIM, report->look.colour));
}

/* The rows that are shown, linked; returns the first. */
static uint32_t choose_rows(const struct pit__report *report, const unsigned char *keep,
                            struct row *rows, struct row **sorted, unsigned char *shown,
                            size_t *left_out)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < report->tree->node_count; i++) {
        rows[i].node = i;
        rows[i].parent = report->tree->nodes[i].parent;
        rows[i].first_child = PIT_NO_NODE;
        if (keep && !keep[i])
            continue;
        pit__node_figures(report, i, &rows[i].figures);
        shown[i] = (unsigned char)is_shown(report, rows, i, shown);
        if (shown[i])
            sorted[kept++] = &rows[i];
        else
            ++*left_out;
    }
    return link_rows(rows, sorted, kept);
}

int pit__each_tree_row(const struct pit__report *report, const unsigned char *keep,
                       pit__tree_row *row, void *arg, size_t *left_out)
{
    size_t count = report->tree->node_count;
    struct row *rows = calloc(count + 1, sizeof *rows);
    struct row **sorted = calloc(count + 1, sizeof *sorted);
    unsigned char *shown = calloc(count + 1, 1);
    struct pit__text lines = {0};
    int code = PIT_NO_MEMORY;
    *left_out = 0;
    if (rows && sorted && shown) {
        uint32_t first = choose_rows(report, keep, rows, sorted, shown, left_out);
        walk_rows(report, rows, first, &lines, row, arg);
        code = lines.failed ? PIT_NO_MEMORY : 0;
    }
    pit__text_free(&lines);
    free(rows);
    free(sorted);
    free(shown);
    return code;
}

static void add_row(void *table, uint32_t node, const struct pit__figures *figures,
                    const char *lines)
{
    (void)node;
    pit__node_table_row(table, figures, lines);
}

int pit__print_table(const struct pit__report *report, struct pit__table *table)
{
    int code;
    if (report->options->form == PIT_CSV) {
        code = pit__table_csv(table, report->out);
    } else {
        putc('\n', report->out);
        code = report->options->form == PIT_MARKDOWN
                   ? pit__table_markdown(table, report->out, &report->look)
                   : pit__table_print(table, report->out, &report->look);
    }
    return code ? PIT_NO_MEMORY : 0;
}

int pit__print_tree(const struct pit__report *report)
{
    size_t left_out = 0;
    if (report->tree->node_count == 0 && report->options->form == PIT_TEXT)
        return 0;
    struct pit__table *table = pit__node_table_new();
    int code = table ? pit__each_tree_row(report, NULL, add_row, table, &left_out) : PIT_NO_MEMORY;
    if (!code)
        code = pit__print_table(report, table);
    if (!code)
        pit__print_left_out(report, left_out, "node");
    pit__table_free(table);
    return code;
}
