/* live_fields.c: a node of a live tree as a row: the node fields of a live run, and the fields of the time
 * between the last two refreshes. */
#include "live_fields.h"

#include "live_tree.h"

#include <math.h>

#define NO_TWO_LOOKS "the run has not been read twice yet"

void pit__live_figures(const struct pit__live *live, uint32_t index, char *path, size_t path_bytes,
                       struct pit__live_figures *row)
{
    const struct pit__live_node *node = &live->nodes[index];
    double all_ns = live->in_spans_ns;
    if (path)
        pit__live_path(live, index, path, path_bytes);
    *row = (struct pit__live_figures){
        .node = {.name = node->name,
                 .path = path,
                 .parent = node->parent,
                 .depth = node->depth,
                 .detached = node->detached,
                 .is_comm = node->is_comm,
                 .count = node->count,
                 .total_ns = node->all_ns,
                 .self_ns = node->self_ns,
                 .finished_ns = node->total_ns,
                 .share = pit__live_share(live, node),
                 .self_share = all_ns > 0 ? node->self_ns / all_ns : NAN,
                 .mean_ns = node->count ? node->total_ns / (double)node->count : NAN,
                 .max_ns = node->max_ns,
                 .items = node->items,
                 .open = node->open,
                 .device = {.count = node->device_count,
                            .run_ns = node->device_ns,
                            .wait_count = node->device_wait_ns > 0,
                            .wait_ns = node->device_wait_ns}},
        .now_per_s = node->rate,
        .now_share = pit__live_now_share(live, node),
        .now_ns = node->now_ns,
        .now_self_ns = isnan(node->now_ns) ? NAN : node->now_self_ns,
        .now_self_share =
            live->now_in_spans_ns > 0 ? node->now_self_ns / live->now_in_spans_ns : NAN,
        .now_mean_ns = node->now_mean_ns,
        .now_items_per_s = node->item_rate,
    };
}

#define GETTER(name_)                                                                              \
    static void name_(const void *row, pit_field_value *value)                                     \
    {                                                                                              \
        pit__value_real(value, ((const struct pit__live_figures *)row)->name_);                    \
    }
GETTER(now_per_s)
GETTER(now_share)
GETTER(now_ns)
GETTER(now_self_ns)
GETTER(now_self_share)
GETTER(now_mean_ns)
GETTER(now_items_per_s)

#define FIELD(name_, title_, kind_, why_, help_)                                                   \
    {                                                                                              \
        .field = {#name_, title_, help_}, .kind = kind_, .get = name_, .why = why_, .shown = 1,    \
        .live = 1                                                                                  \
    }

static const struct pit__field fields[] = {
    FIELD(now_per_s, "spans/s", PIT__RATE, NO_TWO_LOOKS, "spans that ended, per second"),
    FIELD(now_share, "now", PIT__PERCENT, NO_TWO_LOOKS,
          "now_ns as a share of the time in all spans"),
    FIELD(now_ns, "time now", PIT__DURATION, NO_TWO_LOOKS, "growth of total_ns"),
    FIELD(now_self_ns, "self time now", PIT__DURATION, NO_TWO_LOOKS, "growth of self_ns"),
    FIELD(now_self_share, "self now", PIT__PERCENT, NO_TWO_LOOKS,
          "now_self_ns as a share of the time in all spans"),
    FIELD(now_mean_ns, "mean now", PIT__DURATION,
          "none of its spans ended between the last two readings",
          "mean duration of the spans that ended"),
    FIELD(now_items_per_s, "items/s", PIT__RATE, NO_TWO_LOOKS, "items counted, per second"),
};

const struct pit__field_table pit__live_fields = {fields, sizeof fields / sizeof fields[0],
                                                  sizeof fields[0]};

const struct pit__field *pit__live_field(const char *key)
{
    const struct pit__field *field = pit__field_named(&pit__live_fields, key);
    return field ? field : pit__field_named(&pit__node_fields, key);
}

void pit__json_live_fields(struct pit__json *json, const struct pit__live_figures *row)
{
    for (size_t i = 0; i < pit__node_fields.count; i++)
        if (pit__field_entry(&pit__node_fields, i)->live)
            pit__json_field(json, pit__field_entry(&pit__node_fields, i), row);
    pit__json_fields(json, &pit__live_fields, row);
}
