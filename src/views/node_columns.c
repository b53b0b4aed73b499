/* node_columns.c: a table of nodes, one column per field, shared by the call tree and the flat
 * list. */
#include "report_view.h"

#include "model/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pit__table *pit__node_table_new(void)
{
    return pit__field_table_new(&pit__node_fields);
}

static const char *mark_of(const pit_node *node)
{
    static const char *const marks[] = {
        [PIT_NOT_DETACHED] = NULL, [PIT_DETACHED] = " [detached]", [PIT_ON_DEVICE] = " [device]"};
    if (node->open > 0)
        return node->detached ? " [detached, open]" : " [open]";
    return marks[node->detached];
}

void pit__set_name_cell(struct pit__cell *cell, const pit_node *node, const char *tree_lines)
{
    *cell = pit__cell_text(*node->name ? node->name : "\"\"");
    cell->raw = node->name;
    cell->before = tree_lines && *tree_lines ? tree_lines : NULL;
    cell->after = mark_of(node);
}

void pit__node_table_row(struct pit__table *table, const pit_node *node, const char *tree_lines)
{
    struct pit__cell cells[PIT__NODE_FIELDS_MOST];
    for (size_t i = 0; i < pit__node_fields.count; i++)
        cells[i] = pit__field_cell(pit__field_entry(&pit__node_fields, i), node);
    pit__set_name_cell(&cells[PIT__NODE_NAME], node, tree_lines);
    pit__table_row(table, cells);
}

static double key_of(const pit_node *node, enum pit__sort_key key)
{
    int some = node->count > 0;
    switch (key) {
    case PIT__SORT_SELF:
        return node->self_ns;
    case PIT__SORT_COUNT:
        return (double)node->count;
    case PIT__SORT_MEAN:
        return some ? node->mean_ns : NAN;
    case PIT__SORT_P50:
        return node->p50_ns;
    case PIT__SORT_P95:
        return node->p95_ns;
    case PIT__SORT_P99:
        return node->p99_ns;
    case PIT__SORT_MAX:
        return some ? node->max_ns : NAN;
    case PIT__SORT_NAME:
        return 0;
    case PIT__SORT_MEMORY:
        return (node->memory ? (double)node->memory->peak_max : 0) +
               (node->alloc ? (double)node->alloc->peak_max : 0);
    case PIT__SORT_TOTAL:
        break;
    }
    return node->total_ns;
}

/* Largest first, unavailable figures last, then by name. */
int pit__node_order(const pit_node *a, const pit_node *b, enum pit__sort_key key)
{
    double x = key_of(a, key), y = key_of(b, key);
    if (isnan(x) || isnan(y)) {
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
    } else if (x != y) {
        return x > y ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}
