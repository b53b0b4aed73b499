/* advice_device_rules.c: why a device is idle. These rules use measured device work only. The summed run time of
 * all pieces is never less than the time that the device was busy, so the device was idle for at least the
 * rest. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define IDLE_LEAST 0.3      /* share of the repeated part */
#define CULPRIT_LEAST 0.2   /* share of it, for a part that submits no device work */
#define CULPRIT_DEVICE 0.05 /* share of its own time that the device may run meanwhile */
#define LAUNCHES 100        /* fewest pieces of work for a finding about launching */
#define LAUNCH_RATIO 1.5    /* ratio of host to device time per piece */
#define WAITS 10            /* fewest waiting calls for a finding */
#define WAITS_LEAST 0.25    /* their share of the span around them */
#define DEVICE_FULL 0.8     /* share of device time from which on a wait is normal */

static int is_around(const struct pit__case *all, size_t outer, size_t part)
{
    while (part != PIT__NO_PART && part != outer)
        part = all->parts[part].parent;
    return part == outer;
}

/* Is it a call in which the host waits for a device, by the names that libraries use? */
static int is_wait(const char *name)
{
    static const char *const names[] = {"clFinish",
                                        "clWaitForEvents",
                                        "clEnqueueReadBuffer",
                                        "clEnqueueWriteBuffer",
                                        "clEnqueueMapBuffer",
                                        "clEnqueueReadImage",
                                        "clEnqueueWriteImage",
                                        "item",
                                        ".item()",
                                        "block_until_ready",
                                        NULL};
    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    /* torch.cuda.synchronize, cudaStreamSynchronize, … */
    return strstr(name, "ynchronize") != NULL;
}

/* The repeated part if it has device work; else the largest part that has. */
static size_t device_base(const struct pit__case *all)
{
    size_t best = PIT__NO_PART;
    if (all->unit != PIT__NO_PART && all->parts[all->unit].device_count > 0)
        return all->unit;
    for (size_t i = 0; i < all->part_count; i++)
        if (!all->parts[i].apart && all->parts[i].device_count > 0 &&
            (best == PIT__NO_PART || all->parts[i].seconds > all->parts[best].seconds))
            best = i;
    return best;
}

/* The largest part inside the base that does not use the device. */
static size_t find_culprit(const struct pit__case *all, size_t base)
{
    size_t best = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *part = &all->parts[i];
        if (i == base || part->apart || is_wait(part->name) || !is_around(all, base, i) ||
            part->device_seconds > CULPRIT_DEVICE * part->seconds)
            continue;
        if (best == PIT__NO_PART || part->seconds > all->parts[best].seconds)
            best = i;
    }
    return best;
}

/* Figures: idle share of the base, its device time, its time, the culprit's share, the culprit's time. */
static void find_gpu_idle(const struct pit__case *all, struct pit__finds *finds)
{
    size_t base = device_base(all);
    if (base == PIT__NO_PART || all->is_short)
        return;
    const struct pit__part *around = &all->parts[base];
    size_t culprit = find_culprit(all, base);
    double idle = 1 - around->device_seconds / around->seconds;
    if (culprit == PIT__NO_PART || around->device_count < PIT__ADVICE_PASSES ||
        !(idle > IDLE_LEAST) || !(all->parts[culprit].seconds > CULPRIT_LEAST * around->seconds))
        return;
    struct pit__match match = pit__match_of(culprit);
    match.base = base;
    match.share = match.figures[0] = idle;
    match.figures[1] = around->device_seconds;
    match.figures[2] = around->seconds;
    match.figures[3] = all->parts[culprit].seconds / around->seconds;
    match.figures[4] = all->parts[culprit].seconds;
    match.texts[0] = around->name;
    match.stake = fmin(around->seconds - around->device_seconds, all->parts[culprit].seconds);
    match.severity = pit__severity_of(match.share);
    match.headline =
        "GPU-IDLE: the device had nothing to do for {p0} of {s0}; {name} alone takes {p3}";
    match.evidence = "{t1} of device work in {t2} of {s0}; {t4} in {name}, which gives it no work";
    match.remedy =
        "do {name} while the device works: ahead of the step, in other threads or processes";
    pit__find_add(finds, &match);
}

/* Figures: share of the total, host and device time per piece, number of pieces, both times in total. */
static void find_launch_bound(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *part = &all->parts[i];
        double pieces = (double)part->own_launches;
        if (part->apart || part->own_launches < LAUNCHES || part->device_waits == 0)
            continue;
        double host = part->self_seconds / pieces, device = part->launched_seconds / pieces;
        double waited = part->device_wait_seconds / (double)part->device_waits;
        if (!(host > LAUNCH_RATIO * device) || !(waited < host) ||
            !(part->self_seconds > PIT__MATTERS * all->total))
            continue;
        struct pit__match match = pit__match_of(i);
        match.share = match.figures[0] = part->self_seconds / all->total;
        match.figures[1] = host;
        match.figures[2] = device;
        match.figures[3] = pieces;
        match.figures[4] = part->self_seconds;
        match.figures[5] = part->launched_seconds;
        match.stake = part->self_seconds - part->launched_seconds;
        match.severity = pit__severity_of(match.share);
        match.headline = "LAUNCH-BOUND: {name} spends {t1} on each launch, for {t2} of device work";
        match.evidence =
            "{n3} launches: {t4} on the host, {t5} on the device, which waits for them";
        match.remedy =
            all->told.framework
                ? "launch larger pieces of work: larger batches, fused kernels, recorded graphs"
                : "launch larger pieces of work: more items for each kernel, kernels joined to one";
        pit__find_add(finds, &match);
    }
}

/* Figures: share of the base, waiting time, time of the base, calls, device share of the base. */
static void find_sync_bound(const struct pit__case *all, struct pit__finds *finds)
{
    size_t largest = PIT__NO_PART;
    double waited = 0, calls = 0;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *part = &all->parts[i];
        if (part->apart || !is_wait(part->name))
            continue;
        waited += part->seconds;
        calls += (double)part->count;
        if (largest == PIT__NO_PART || part->seconds > all->parts[largest].seconds)
            largest = i;
    }
    size_t base = device_base(all);
    if (largest == PIT__NO_PART || base == PIT__NO_PART || calls < WAITS)
        return;
    double total = all->total, device = 0;
    for (size_t i = 0; i < all->part_count; i++)
        if (all->parts[i].parent == PIT__NO_PART)
            device += all->parts[i].device_seconds;
    if (!(waited > WAITS_LEAST * total) || !(device > 0) || !(device < DEVICE_FULL * total))
        return;
    struct pit__match match = pit__match_of(largest);
    match.share = match.figures[0] = waited / total;
    match.figures[1] = waited;
    match.figures[2] = total;
    match.figures[3] = calls;
    match.figures[4] = device / total;
    match.stake = fmin(waited, total - device);
    match.severity = pit__severity_of(match.share);
    match.headline =
        "SYNC-BOUND: the host waits for the device {p0} of the time, most of it in {name}";
    match.evidence = "{t1} of {t2} in {c3}, though the device works {p4} of that time";
    match.remedy = all->told.framework
                       ? "wait less often: no .item(), blocking read or synchronize inside the loop"
                       : "wait less often: no blocking read or finish inside the loop";
    pit__find_add(finds, &match);
}

const struct pit__rule pit__gpu_idle_rule = {
    .key = "gpu_idle", .kind = PIT__KIND_STAKE, .find = find_gpu_idle};
const struct pit__rule pit__launch_bound_rule = {
    .key = "launch_bound", .kind = PIT__KIND_STAKE, .find = find_launch_bound};
const struct pit__rule pit__sync_bound_rule = {
    .key = "sync_bound", .kind = PIT__KIND_STAKE, .find = find_sync_bound};
