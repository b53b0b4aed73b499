/* The list of views: a new view needs its own file, and a line here. */
#include "view.h"

#include <string.h>

/* clang-format off */
#define VIEWS(X)          \
    X(tree)               \
    X(flat)               \
    X(memory)             \
    X(energy)             \
    X(timing_summary)     \
    X(speedup)            \
    X(breakdown)          \
    X(performance)        \
    X(aggregate)          \
    X(profiling)          \
    X(inference)          \
    X(sweep)              \
    X(epochs)             \
    X(stages)             \
    X(windows)            \
    X(warmup)             \
    X(convergence)        \
    X(bottlenecks)        \
    X(ranks)              \
    X(messages)           \
    X(places)             \
    X(profile)
/* clang-format on */

#define DECLARE(name_) extern const struct pit__view pit__##name_##_view;
#define ENTRY(name_) &pit__##name_##_view,

VIEWS(DECLARE)

static const struct pit__view *const views[] = {VIEWS(ENTRY)};

#define VIEW_COUNT (sizeof views / sizeof views[0])

PIT_API const pit_view *pit_view_at(size_t index)
{
    return index < VIEW_COUNT ? &views[index]->told : NULL;
}

const struct pit__view *pit__view_find(const char *name)
{
    if (!name)
        return &pit__report_view;
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (strcmp(views[i]->told.name, name) == 0)
            return views[i];
    return NULL;
}

PIT_API const pit_view *pit_view_find(const char *name)
{
    const struct pit__view *view = pit__view_find(name);
    return view ? &view->told : NULL;
}
