/* live_fields.h: a node of a live tree as a row of fields. */
#ifndef PIT_LIVE_FIELDS_H
#define PIT_LIVE_FIELDS_H

#include "fields.h"

struct pit__live;

struct pit__live_figures {
    pit_node node; /* first, because node fields read it; members that a live run lacks are zero */
    /* between the last two refreshes; NaN before the second */
    double now_per_s, now_share, now_ns, now_self_ns, now_self_share, now_mean_ns, now_items_per_s;
};

/* The current figures of node `index`; its path is written into `path`, which may be NULL. */
void pit__live_figures(const struct pit__live *live, uint32_t index, char *path, size_t path_bytes,
                       struct pit__live_figures *row);

/* Fields of the time between the last two refreshes. */
extern const struct pit__field_table pit__live_fields;

/* One of these fields, or a field of nodes. */
const struct pit__field *pit__live_field(const char *key);

/* Write all fields of a live run into the open JSON object. */
void pit__json_live_fields(struct pit__json *json, const struct pit__live_figures *row);

#endif
