/* The list of views: a new one is a file of its own and its two lines here. */
#include "view.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
static const struct pit__view *const views[] = {
    &pit__timing_summary_view,
    &pit__speedup_view,
    &pit__breakdown_view,
    &pit__performance_view,
    &pit__aggregate_view,
    &pit__profiling_view,
    &pit__inference_view,
    &pit__sweep_view,
    &pit__epochs_view,
    &pit__stages_view,
    &pit__windows_view,
    &pit__warmup_view,
    &pit__convergence_view,
    &pit__bottlenecks_view,
    &pit__profile_view,
    NULL,
};

/* The report's own first: they look at runs directly. */
static const char *const names[] = {
    "tree",
    "flat",
    "memory",
    "timing-summary",
    "speedup",
    "breakdown",
    "performance",
    "aggregate",
    "profiling",
    "inference",
    "sweep",
    "epochs",
    "stages",
    "windows",
    "warmup",
    "convergence",
    "bottlenecks",
    "profile",
    NULL,
};
/* clang-format on */

const char *const *pit_view_names(void)
{
    return names;
}

const struct pit__view *pit__view_find(const char *name)
{
    for (size_t i = 0; views[i]; i++)
        if (strcmp(views[i]->name, name) == 0)
            return views[i];
    return NULL;
}
