/* See code_callers.h. */
#include "code_callers.h"

#include "code_maps.h"

#include <string.h>

#define MOST_STEPS 16 /* inside a library */

int pit__is_runtime(const char *path)
{
    static const char *const names[] = {"libc.",    "libc-",      "libm.",       "libm-",
                                        "libmvec",  "libpthread", "ld-linux",    "ld-musl",
                                        "libgcc_s", "libstdc++.", "libquadmath", "libatomic.",
                                        "libasan.", "libtsan.",   "libubsan.",   "[vdso]"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

void pit__code_callers_forget(struct pit__code_callers *callers)
{
    callers->is_read = 0;
}

static void read_ranges(struct pit__code_callers *callers)
{
    struct pit__code_maps maps;
    struct pit__code_map map;
    callers->count = 0;
    pit__code_maps_open(&maps);
    while (callers->count < PIT__CODE_RANGES && pit__code_maps_next(&maps, &map))
        callers->ranges[callers->count++] =
            (struct pit__code_range){.low = map.low,
                                     .high = map.high,
                                     .first = map.low - map.offset,
                                     .is_runtime = pit__is_runtime(map.path)};
    pit__code_maps_close(&maps);
    callers->is_read = 1;
}

static struct pit__code_range *range_of(struct pit__code_callers *callers, uint64_t address)
{
    for (uint32_t i = 0; i < callers->count; i++)
        if (address >= callers->ranges[i].low && address < callers->ranges[i].high)
            return &callers->ranges[i];
    return NULL;
}

uint64_t pit__code_caller(struct pit__code_callers *callers, struct pit__frame frame,
                          const struct pit__stack_copy *stack, uint64_t *called)
{
    if (stack->count == 0)
        return 0;
    if (!callers->is_read)
        read_ranges(callers);
    struct pit__code_range *range = range_of(callers, frame.ip);
    if (!range || !range->is_runtime)
        return 0;
    long memory = pit__memory_open();
    for (int steps = 0; range && range->is_runtime && steps < MOST_STEPS; steps++) {
        if (!range->is_searched)
            range->table = pit__frame_table_of(memory, range->first);
        range->is_searched = 1;
        *called = frame.ip;
        if (!pit__frame_up(memory, &range->table, stack, &frame))
            break;
        range = range_of(callers, frame.ip);
    }
    pit__memory_close(memory);
    return range && !range->is_runtime ? frame.ip : 0;
}
