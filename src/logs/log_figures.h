/* log_figures.h: sums of the entries of a log: stages, and items of windows. */
#ifndef PIT_LOG_FIGURES_H
#define PIT_LOG_FIGURES_H

#include "pitwall_report.h"

struct pit__log_stage {
    const char *name;
    uint64_t count;
    double seconds; /* all together */
};

struct pit__log_item {                     /* of windows of one tag */
    const char *tag, *label, *unit, *call; /* call: "graphs" */
    uint64_t windows;
    double calls;
    double sum; /* of the windows' means, each times its calls */
    double min, max;
};

/* Open addressing over indices + 1 of an array; 0 is free. At most half full. */
struct pit__log_index {
    uint32_t *slots;
    size_t room; /* a power of two */
};

struct pit__log_figures {
    struct pit__log_stage *stages; /* as they came */
    size_t stage_count;
    struct pit__log_index stage_index, item_index;
    double seconds;      /* of all stages */
    double said_seconds; /* the last TOTAL printed in the log; below 0: none */
    struct pit__log_item *items;
    size_t item_count;
};

/* Names are owned by the log. Stages without a [TIMING] line are taken from the summary. 0 or
 * PIT_NO_MEMORY. */
int pit__log_figures_make(const pit_log *log, struct pit__log_figures *figures);
void pit__log_figures_free(struct pit__log_figures *figures);

/* NULL: there is none. */
const struct pit__log_stage *pit__log_stage_find(const struct pit__log_figures *figures,
                                                 const char *name);
/* Of the same tag, label and unit. */
const struct pit__log_item *pit__log_item_find(const struct pit__log_figures *figures,
                                               const struct pit__log_item *like);

#endif
