/* serve_series.c: the durations of one node over the run; the page's document has only the largest nodes. */
#include "serve.h"

#include "exports/page_export.h"
#include "model/node_series.h"

#include <string.h>

struct series_call {
    const char *node;
    const pit_run *run;
    int is_known; /* the node exists */
};

#define SERIES_CELL(name_, call_, figure_)                                                         \
    static void name_(struct pit__json *json, const void *arg, size_t row)                         \
    {                                                                                              \
        call_(json, NULL, ((const struct pit__stretch *)arg)[row].figure_);                        \
    }
SERIES_CELL(start_ns, pit__json_milli, start_ns)
SERIES_CELL(width_ns, pit__json_milli, width_ns)
SERIES_CELL(count, pit__json_uint, count)
SERIES_CELL(total_ns, pit__json_milli, total_ns)
SERIES_CELL(min_ns, pit__json_milli, min_ns)
SERIES_CELL(max_ns, pit__json_milli, max_ns)

static int write_stretches(struct pit__json *json, const struct pit__stretch *first, size_t length)
{
    struct pit__page_columns columns = {.json = json};
    pit__page_column(&columns, "start_ns", length, start_ns, first);
    pit__page_column(&columns, "width_ns", length, width_ns, first);
    pit__page_column(&columns, "count", length, count, first);
    pit__page_column(&columns, "total_ns", length, total_ns, first);
    pit__page_column(&columns, "min_ns", length, min_ns, first);
    pit__page_column(&columns, "max_ns", length, max_ns, first);
    return pit__page_columns_end(&columns);
}

static int write_node(FILE *out, const struct series_call *call, const pit_tree *tree, size_t node)
{
    struct pit__node_series series = {0};
    struct pit__json json;
    int code = pit__node_series_make(tree, &call->run, 1, &series);
    if (!code) {
        size_t first = series.first[node], length = series.first[node + 1] - first;
        pit__json_init_brief(&json, out);
        pit__json_object(&json, NULL);
        pit__json_string(&json, "kind", "series");
        pit__json_string(&json, "node", call->node);
        pit__json_uint(&json, "length", length);
        code = write_stretches(&json, series.stretches + first, length);
        pit__json_object_end(&json);
        pit__json_finish(&json);
    }
    pit__node_series_free(&series);
    return code;
}

static int write_series(FILE *out, void *arg)
{
    struct series_call *call = arg;
    pit_tree *tree = pit_tree_build(&call->run, 1);
    int code = PIT_NO_MEMORY;
    for (size_t i = 0; tree && i < tree->node_count && !call->is_known; i++)
        if (strcmp(tree->nodes[i].path, call->node) == 0) {
            call->is_known = 1;
            code = write_node(out, call, tree, i);
        }
    pit_tree_free(tree);
    return code;
}

struct serve_bytes *serve_series_document(struct serve_runs *runs, struct served_run *run,
                                          const char *node, unsigned *status)
{
    struct series_call call = {.node = node ? node : ""};
    pit_run *whole = serve_run_open(runs, run, NULL);
    call.run = whole;
    *status = 410;
    struct serve_bytes *bytes = whole ? serve_bytes_printed(write_series, &call) : NULL;
    if (whole)
        *status = call.is_known ? 500 : 404;
    pit_run_free(whole);
    return bytes;
}
