/* live_fields.h: a node of a live tree as a row of fields. */
#ifndef PIT_LIVE_FIELDS_H
#define PIT_LIVE_FIELDS_H

#include "fields.h"

struct pit__live;

struct pit__live_figures {
    pit_node node; /* first: the fields of nodes read it; what a live run does not have is zeroed */
    /* between the last two looks; NaN before there were two */
    double now_per_s, now_share, now_ns, now_self_ns, now_self_share, now_mean_ns, now_items_per_s;
};

/* Node number `index` as it is now; its path is written into `path`, which may be NULL. */
void pit__live_figures(const struct pit__live *live, uint32_t index, char *path, size_t path_bytes,
                       struct pit__live_figures *row);

/* Fields of the time between the last two looks. */
extern const struct pit__field_table pit__live_fields;

/* One of these, or of the fields of nodes. */
const struct pit__field *pit__live_field(const char *key);

/* All that a live run has, into an object that is open. */
void pit__json_live_fields(struct pit__json *json, const struct pit__live_figures *row);

#endif
