/* libpitwall-openmp.so with gcc's libgomp: parallel regions by a trampoline.
 *
 *   program ──▶ GOMP_parallel here ──▶ GOMP_parallel of libgomp ──▶ on each thread: run_part here
 *                                                                      └──▶ the region's function
 *
 * For code of gcc 4.9 and later; regions of older compilers (GOMP_parallel_start), and regions with a
 * reduction over tasks, are not seen. If libomp replaces libgomp, ompt_tool.c sees its regions. */
#include "gomp_library.h"
#include "omp_region.h"
#include "ompt_tool.h"

#include <string.h>

struct part {
    void (*function)(void *data);
    void *data;
    struct pit__region region;
};

static __thread struct pit__work *innermost; /* of the calling thread */

static void run_part(void *data)
{
    struct part *part = data;
    struct pit__work work, *outer = innermost;
    innermost = &work;
    pit__work_begin(&work, &part->region);
    part->function(part->data);
    pit__work_pause(&work);
    innermost = outer;
}

static int is_wanted(void)
{
    return !pit__ompt_is_on() && pit__region_wanted();
}

/* `plain_`: the original argument; `seen_`: the argument passed on if the region is measured and libgomp
 * calls run_part. */
#define REGION(name_, declared_, plain_, seen_)                                                    \
    PIT_API void name_ declared_;                                                                  \
    PIT_API void name_ declared_                                                                   \
    {                                                                                              \
        void(*next) declared_;                                                                     \
        void *found = pit__gomp_next(#name_, __builtin_return_address(0));                         \
        memcpy(&next, &found, sizeof next);                                                        \
        if (!is_wanted()) {                                                                        \
            next plain_;                                                                           \
            return;                                                                                \
        }                                                                                          \
        struct part part = {.function = function, .data = data};                                   \
        pit__region_begin(&part.region);                                                           \
        next seen_;                                                                                \
        pit__region_end(&part.region);                                                             \
    }

/* clang-format off */
#define LOOP(name_)                                                                                \
    REGION(name_,                                                                                  \
           (void (*function)(void *), void *data, unsigned threads, long start, long end,          \
            long step, long chunk, unsigned flags),                                                \
           (function, data, threads, start, end, step, chunk, flags),                              \
           (run_part, &part, threads, start, end, step, chunk, flags))
#define LOOP_AT_RUN_TIME(name_)                                                                    \
    REGION(name_,                                                                                  \
           (void (*function)(void *), void *data, unsigned threads, long start, long end,          \
            long step, unsigned flags),                                                            \
           (function, data, threads, start, end, step, flags),                                     \
           (run_part, &part, threads, start, end, step, flags))

REGION(GOMP_parallel, (void (*function)(void *), void *data, unsigned threads, unsigned flags),
       (function, data, threads, flags), (run_part, &part, threads, flags))
REGION(GOMP_parallel_sections,
       (void (*function)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
       (function, data, threads, count, flags), (run_part, &part, threads, count, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
/* clang-format on */

/* ---- waiting inside a region ------------------------------------------------------------------ */

#define WAIT(name_)                                                                                \
    PIT_API void name_(void);                                                                      \
    PIT_API void name_(void)                                                                       \
    {                                                                                              \
        void (*next)(void);                                                                        \
        void *found = pit__gomp_next(#name_, __builtin_return_address(0));                         \
        struct pit__work *work = innermost;                                                        \
        memcpy(&next, &found, sizeof next);                                                        \
        if (work)                                                                                  \
            pit__work_pause(work);                                                                 \
        next();                                                                                    \
        if (work)                                                                                  \
            pit__work_resume(work);                                                                \
    }

WAIT(GOMP_barrier)
WAIT(GOMP_loop_end)
WAIT(GOMP_sections_end)
