/* libpitwall-openmp.so with gcc's libgomp: parallel regions by a trampoline.
 *
 *   program ──▶ GOMP_parallel here ──▶ GOMP_parallel of libgomp ──▶ on each thread: run_part here
 *                                                                      └──▶ the region's function
 *
 * Code of gcc 4.9 and later; what older compilers made (GOMP_parallel_start) goes by unseen, and so do
 * regions with a reduction over tasks. Where libomp stands in for libgomp, ompt_tool.c sees its regions. */
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

/* Function, data and then more: what libgomp calls is run_part, where the region is measured. */
#define REGION(name_, declared_, passed_)                                                          \
    PIT_API void name_(void (*function)(void *), void *data, unsigned threads,                     \
                       PIT__LIST declared_ unsigned flags);                                        \
    PIT_API void name_(void (*function)(void *), void *data, unsigned threads,                     \
                       PIT__LIST declared_ unsigned flags)                                         \
    {                                                                                              \
        void (*next)(void (*)(void *), void *, unsigned, PIT__LIST declared_ unsigned);            \
        void *found = pit__gomp_next(#name_, __builtin_return_address(0));                         \
        memcpy(&next, &found, sizeof next);                                                        \
        if (!is_wanted()) {                                                                        \
            next(function, data, threads, PIT__LIST passed_ flags);                                \
            return;                                                                                \
        }                                                                                          \
        struct part part = {.function = function, .data = data};                                   \
        pit__region_begin(&part.region);                                                           \
        next(run_part, &part, threads, PIT__LIST passed_ flags);                                   \
        pit__region_end(&part.region);                                                             \
    }
#define PIT__LIST(...) __VA_ARGS__

#define LOOP(name_)                                                                                \
    REGION(name_, (long start, long end, long step, long chunk, ), (start, end, step, chunk, ))
#define LOOP_AT_RUN_TIME(name_)                                                                    \
    REGION(name_, (long start, long end, long step, ), (start, end, step, ))

/* clang-format off */
REGION(GOMP_parallel, (), ())
REGION(GOMP_parallel_sections, (unsigned count, ), (count, ))
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
