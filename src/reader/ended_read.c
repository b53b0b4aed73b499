/* ended_read.c: how the run's process ended, if its parent recorded that. */
#include "reader.h"

#include <limits.h>

/* A process ends with a status or by a signal. Other bytes are damage, and then no member is believed. */
static int is_recorded(const struct pit_fmt_ended *e)
{
    int by_signal = e->exit_status == UINT64_MAX && e->exit_signal > 0 && e->exit_signal <= 127;
    int with_status = e->exit_status <= 255 && e->exit_signal == 0;
    return e->is_there == 1 && (by_signal || with_status) && e->dumped_core <= 1 &&
           e->pid <= INT_MAX && e->start_wall_ns <= INT64_MAX && e->duration_ns <= PIT__LONGEST_NS;
}

void pit__ended_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run)
{
    const struct pit_fmt_ended *e = &image->header.ended;
    pit_ended *ended = is_recorded(e) ? pit__arena_array(arena, 1, sizeof *ended) : NULL;
    if (!ended)
        return;
    int by_signal = e->exit_signal > 0;
    *ended = (pit_ended){
        .pid = (long)e->pid,
        .start_wall_ns = e->start_wall_ns,
        .duration_ns = e->duration_ns,
        .exit_status = by_signal ? -1 : (int)e->exit_status,
        .exit_signal = by_signal ? (int)e->exit_signal : 0,
        .dumped_core = e->dumped_core == 1,
        .user_ns = e->user_ns,
        .system_ns = e->system_ns,
        .rss_peak = e->rss_peak,
        .minor_faults = e->minor_faults,
        .major_faults = e->major_faults,
        .switches = e->switches,
        .forced_switches = e->forced_switches,
        .read_bytes = e->read_bytes,
        .write_bytes = e->write_bytes,
        .read_chars = e->read_chars,
        .write_chars = e->write_chars,
        .children = e->children,
        .oom_kills = e->oom_kills,
    };
    run->ended = ended;
}
