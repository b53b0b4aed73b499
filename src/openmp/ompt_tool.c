/* libpitwall-openmp.so with LLVM's libomp, and other runtimes with OMPT: the runtime reports parallel regions,
 * each thread's part in them, and waits at barriers. Threads other than the first leave the barrier at
 * the end of a region only when they are needed again: the region is gone by then, and the
 * runtime does not name it any more. */
#include "ompt_tool.h"

#include "omp_region.h"
#include "ompt_api.h"

#include <string.h>

#define MOST_DEEP 32u /* regions inside regions, of one thread */

/* A thread's regions and parts, the innermost last. */
static __thread struct pit__region regions[MOST_DEEP];
static __thread uint32_t region_count;
static __thread struct pit__work works[MOST_DEEP];
static __thread uint32_t work_count;

static int is_on;

int pit__ompt_is_on(void)
{
    return __atomic_load_n(&is_on, __ATOMIC_RELAXED);
}

static void parallel_begin(union pit__ompt_data *around, const void *frame,
                           union pit__ompt_data *parallel, unsigned asked, int flags,
                           const void *code)
{
    (void)around, (void)frame, (void)asked, (void)flags, (void)code;
    parallel->ptr = NULL;
    if (region_count == MOST_DEEP || !pit__region_wanted())
        return;
    parallel->ptr = &regions[region_count++];
    pit__region_begin(parallel->ptr);
}

static void parallel_end(union pit__ompt_data *parallel, union pit__ompt_data *around, int flags,
                         const void *code)
{
    (void)around, (void)flags, (void)code;
    if (!parallel->ptr)
        return;
    pit__region_end(parallel->ptr);
    region_count--;
}

static void implicit_task(int scope, union pit__ompt_data *parallel, union pit__ompt_data *data,
                          unsigned threads, unsigned index, int flags)
{
    (void)threads;
    if (!(flags & PIT__OMPT_TASK_IMPLICIT))
        return;
    if (scope == PIT__OMPT_SCOPE_BEGIN) {
        data->ptr = NULL;
        if (work_count == MOST_DEEP || !parallel || !parallel->ptr)
            return;
        data->ptr = &works[work_count++];
        pit__work_begin(data->ptr, parallel->ptr);
    } else if (scope == PIT__OMPT_SCOPE_END && data->ptr) {
        if (index == 0) /* a team of one, which has no barrier at its end */
            pit__work_pause(data->ptr);
        data->ptr = NULL;
        work_count--;
    }
}

static void sync_wait(int kind, int scope, union pit__ompt_data *parallel,
                      union pit__ompt_data *data, const void *code)
{
    struct pit__work *work = data ? data->ptr : NULL;
    (void)code;
    if (kind >= PIT__OMPT_TASKWAIT && kind <= PIT__OMPT_REDUCTION)
        return; /* the thread runs tasks meanwhile, or combines results */
    if (work_count == 0 || work != &works[work_count - 1])
        return; /* an explicit task, or not measured */
    if (scope == PIT__OMPT_SCOPE_BEGIN)
        pit__work_pause(work);
    else if (scope == PIT__OMPT_SCOPE_END && parallel && kind != PIT__OMPT_BARRIER_AT_END)
        pit__work_resume(work);
}

/* ---- entry points for the runtime ---------------------------------------------------------------- */

/* By memcpy: ISO C does not convert between these function types without a warning. */
#define SET(set_, event_, function_)                                                               \
    do {                                                                                           \
        pit__ompt_function callback_;                                                              \
        void *address_ = NULL;                                                                     \
        __typeof__(&(function_)) typed_ = function_;                                               \
        memcpy(&address_, &typed_, sizeof address_);                                               \
        memcpy(&callback_, &address_, sizeof callback_);                                           \
        set_(event_, callback_);                                                                   \
    } while (0)

static int initialize(pit__ompt_lookup lookup, int device, union pit__ompt_data *data)
{
    pit__ompt_function found = lookup("ompt_set_callback");
    pit__ompt_set_callback set;
    (void)device, (void)data;
    if (!found)
        return 0;
    memcpy(&set, &found, sizeof set);
    SET(set, PIT__OMPT_PARALLEL_BEGIN, parallel_begin);
    SET(set, PIT__OMPT_PARALLEL_END, parallel_end);
    SET(set, PIT__OMPT_IMPLICIT_TASK, implicit_task);
    SET(set, PIT__OMPT_SYNC_REGION_WAIT, sync_wait);
    __atomic_store_n(&is_on, 1, __ATOMIC_RELAXED);
    return 1; /* keep the tool */
}

static void finalize(union pit__ompt_data *data)
{
    (void)data;
    __atomic_store_n(&is_on, 0, __ATOMIC_RELAXED);
}

/* The runtime looks for this name when it starts. */
PIT_API struct pit__ompt_result *ompt_start_tool(unsigned version, const char *runtime);
PIT_API struct pit__ompt_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct pit__ompt_result result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return pit__region_wanted() ? &result : NULL;
}
