/* parent_end.c: a worker that was ended by its parent did not die.
 *
 * A pool ends its workers with SIGTERM or lets them call _exit, so their runs have no close. No file says
 * which process sent a signal, so three conditions decide: the worker was between two spans, its parent
 * lived longer, and the parent itself did not die. A worker that ended inside a span has died.
 */
#include "run_files.h"

#include <string.h>

static int is_between_spans(const pit_run *run)
{
    for (size_t t = 0; t < run->thread_count; t++)
        if (run->threads[t].open_count > 0)
            return 0;
    return 1;
}

int pit__is_child_of(const pit_run *run, const pit_run *parent)
{
    static const unsigned char none[sizeof run->run_id];
    return memcmp(run->parent_run_id, none, sizeof none) != 0 &&
           memcmp(run->parent_run_id, parent->run_id, sizeof none) == 0;
}

int pit__was_ended_by(const pit_run *run, const pit_run *parent)
{
    double end = (double)run->start_wall_ns + run->duration_ns;
    double parents_end = (double)parent->start_wall_ns + parent->duration_ns;
    return run->state == PIT_RUN_DIED && pit__is_child_of(run, parent) &&
           (parent->state == PIT_RUN_LIVE ||
            (parent->state == PIT_RUN_CLOSED && end <= parents_end)) &&
           is_between_spans(run);
}

pit_run *pit__judge_end(pit_run *sub, const pit_run *run, pit_run *const *below, size_t count)
{
    sub->ended_by_parent = pit__was_ended_by(sub, run);
    for (size_t i = 0; i < count && !sub->ended_by_parent; i++)
        sub->ended_by_parent = pit__was_ended_by(sub, below[i]);
    return sub;
}

static int may_be_ended(const pit_run *run)
{
    static const unsigned char none[sizeof run->run_id];
    return run->state == PIT_RUN_DIED && !run->ended_by_parent &&
           memcmp(run->parent_run_id, none, sizeof none) != 0;
}

void pit__judge_by_files(pit_run *run, const struct pit__run_files *files)
{
    struct pit__rank_head head;
    pit__rank_head_of(run, &head);
    const struct pit__run_file *file = may_be_ended(run) && !pit__is_own_rank(files, &head)
                                           ? pit__run_file_of(files, run->parent_run_id)
                                           : NULL;
    pit_run *parent = file ? pit_run_peek(file->path, NULL) : NULL;
    run->ended_by_parent |= parent && pit__was_ended_by(run, parent);
    pit_run_free(parent);
}

pit_run *pit__judge_alone(pit_run *run)
{
    struct pit__run_files files = {0};
    if (run && may_be_ended(run) && pit__run_files_find(&files, &run, 1) == 0)
        pit__judge_by_files(run, &files);
    pit__run_files_free(&files);
    return run;
}
