/* tree_view.c: the call tree as a table. */
#include "report_view.h"
#include "view.h"

#include "model/fields.h"
#include "model/unmarked.h"
#include "report/json_writer.h"
#include "report/style.h"
#include "report/tree_lines.h"
#include "report/units.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const pit_node *of;
    enum pit__sort_key key; /* in each row, because qsort passes no argument */
    uint32_t node, parent;
    uint32_t first_child, next_sibling; /* rows, by their sorted order; PIT_NO_NODE for none */
};

static int by_parent_and_key(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = pit__node_order(x->of, y->of, x->key);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Is the node shown? Nodes below a hidden node are hidden too. An open span is always shown: the
 * program is inside it, or died there. */
static int is_shown(const struct pit__report *report, uint32_t i, const unsigned char *shown)
{
    const pit_node *node = &report->tree->nodes[i];
    if (node->parent != PIT_NO_NODE && !shown[node->parent])
        return 0;
    if (report->options->depth > 0 && node->depth >= report->options->depth)
        return 0;
    return node->open > 0 || node->total_ns >= report->options->min_share * report->tree->total_ns;
}

/* Link the shown rows, siblings in order; returns the first root, or PIT_NO_NODE. */
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

/* The tree lines of a row: for each level, whether a sibling follows. */
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
        row(arg, rows[at].of, pit__text_string(lines));
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

/* The number of hidden rows, printed below a table; nothing for 0. */
static void print_left_out(const struct pit__report *report, size_t count, const char *what)
{
    if (count == 0 || report->options->form == PIT_CSV || report->options->form == PIT_JSON)
        return;
    char number[PIT__UNIT_BYTES];
    if (report->options->form == PIT_MARKDOWN)
        putc('\n', report->out);
    fprintf(report->out, "%s%s %s%s not shown: below the requested share or depth%s\n",
            pit__style_on(PIT__DIM, report->look.colour), pit__unit_count(number, count), what,
            count == 1 ? "" : "s", pit__style_off(PIT__DIM, report->look.colour));
}

/* How long device work waited, shown in the row of that work. */
static int is_in_a_column(const struct pit__report *report, uint32_t i)
{
    const pit_node *nodes = report->tree->nodes;
    uint32_t parent = nodes[i].parent;
    return (report->options->form == PIT_TEXT || report->options->form == PIT_MARKDOWN) &&
           nodes[i].detached == PIT_ON_DEVICE && parent != PIT_NO_NODE &&
           nodes[parent].detached == PIT_ON_DEVICE;
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
        if ((keep && !keep[i]) || is_in_a_column(report, i))
            continue;
        rows[i].of = &report->tree->nodes[i];
        rows[i].key = report->sort;
        shown[i] = (unsigned char)is_shown(report, i, shown);
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

static void add_row(void *table, const pit_node *node, const char *lines)
{
    pit__node_table_row(table, node, lines);
}

static int print_json(const struct pit__report *report, struct pit__table *table, size_t left_out)
{
    struct pit__json json;
    pit__json_init(&json, report->out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "view", report->options->view);
    pit__json_string(&json, "title", pit_run_fact(report->runs[0], "program"));
    int code = pit__table_json(table, &json, "rows");
    pit__json_uint(&json, "left_out", left_out);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return code;
}

int pit__print_table(const struct pit__report *report, struct pit__table *table, size_t left_out,
                     const char *what)
{
    int code;
    if (report->options->form == PIT_CSV) {
        code = pit__table_csv(table, report->out);
    } else if (report->options->form == PIT_JSON) {
        code = print_json(report, table, left_out);
    } else {
        putc('\n', report->out);
        code = report->options->form == PIT_MARKDOWN
                   ? pit__table_markdown(table, report->out, &report->look)
                   : pit__table_print(table, report->out, &report->look);
    }
    print_left_out(report, left_out, what);
    return code ? PIT_NO_MEMORY : 0;
}

/* ---- time outside of all spans --------------------------------------------------------------- */

/* One row of it: only total and share. */
static int add_unmarked(struct pit__table *table, const pit_tree *tree, const char *name, double ns)
{
    struct pit__cell cells[PIT__NODE_FIELDS_MOST] = {0};
    if (!pit__is_unmarked_much(tree, ns))
        return 0;
    for (size_t i = 0; i < pit__node_fields.count; i++) {
        const char *key = pit__field_entry(&pit__node_fields, i)->field.key;
        if (strcmp(key, "total_ns") == 0)
            cells[i] = pit__cell_real(ns);
        else if (strcmp(key, "share") == 0)
            cells[i] = pit__cell_real(ns / tree->wall_ns);
    }
    cells[PIT__NODE_NAME] = pit__cell_text(name);
    pit__table_foot(table, cells);
    return 1;
}

static int add_all_unmarked(struct pit__table *table, const pit_tree *tree)
{
    return add_unmarked(table, tree, "(before the first span)", tree->before_ns) +
           add_unmarked(table, tree, "(between parts)", tree->between_ns) +
           add_unmarked(table, tree, "(after the last)", tree->after_ns);
}

/* Their shares have a different base than those of spans. */
static void print_unmarked_note(const struct pit__report *report)
{
    char wall[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    pit__text_printf(
        &words, "in brackets: outside of all spans of the main thread, shares of the wall time, %s",
        pit__unit_duration(wall, report->tree->wall_ns, report->look.ascii));
    pit__prose_words(report->prose, &words, 0, PIT__DIM);
    pit__text_free(&words);
}

int pit__print_tree(const struct pit__report *report)
{
    size_t left_out = 0;
    if (report->tree->node_count == 0 && report->options->form == PIT_TEXT)
        return 0;
    struct pit__table *table = pit__node_table_new();
    int code = table ? pit__each_tree_row(report, NULL, add_row, table, &left_out) : PIT_NO_MEMORY;
    int is_text = report->options->form == PIT_TEXT; /* other forms have a row for each node */
    int unmarked = !code && is_text ? add_all_unmarked(table, report->tree) : 0;
    if (!code)
        code = pit__print_table(report, table, left_out, "node");
    if (unmarked > 0)
        print_unmarked_note(report);
    pit__table_free(table);
    return code;
}

static pit__print_part *const text_parts[] = {pit__print_tree, NULL};

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_TOTAL, text_parts, pit__print_tree,
                                                   pit__headline};
    return pit__print_parts(call, &parts);
}

const struct pit__view pit__tree_view = {
    .told = {.name = "tree",
             .help = "where did the time go in the call tree?",
             .is_of_tree = 1,
             .options =
                 PIT__OPTIONS(&pit__sort_option, &pit__depth_option, &pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
