/* advice_wait_rules.c: parts and programs that wait, and what they wait for. */
#include "advice_rules.h"
#include "comm_names.h"

#include <math.h>

#define WAITS_MOST 0.95   /* of the time: largest assumed wait for a processor */
#define WAITS_LEAST 0.5   /* of the total: time in the waiting part */
#define WAITS_SURELY 0.5  /* of its time: the part that was certainly waiting */
#define WAITS_EVENLY 0.1  /* of its calls take half of its time; fewer are another rule's finding */
#define PROGRAM_LEAST 1.0 /* seconds of a program without spans */
#define WAITS_FOR "find out what it waits for: a lock, a network, a sleep, a disk, another process"
#define WAITS_SEEN 5         /* looks that found the main thread waiting */
#define WAITS_ALIKE 0.7      /* share of those that found the same kind */
#define CHILDREN_MOST 0.5    /* of the processor time: that of the children */
#define ONE_WORKS 0.5        /* looks at threads with work, per look at a main thread that waits */
#define SEVERAL_WORK 1.5     /* the same: a team, for which it waits */
#define STORAGE_SEEN 8       /* looks that found it waiting for storage */
#define STORAGE_LEAST 0.2    /* of the time */
#define WAITS_MOSTLY 0.85    /* of these waits that a part has room for */
#define PIPES_SEEN 3         /* looks at threads that waited for a pipe */
#define CHILDREN_LEAST 0.05  /* of the processor time: that of the children */
#define COPIES_LEAST 0.15    /* of the processor time: that of threads that copy */
#define COPIES_MUCH 0.2      /* of the children's processor time, the same */
#define CHILDREN_MAIN 0.2    /* of the time: the main thread runs */
#define CHILDREN_BUSY 0.3    /* processors; less is waiting for something else */
#define CHILDREN_EVEN 0.75   /* of the processors that they could use */
#define FREE_LEAST 0.25      /* processors that no program of the machine used */
#define MOVED_LEAST 5e6      /* bytes per second */
#define MOVES_LEAST 2000.0   /* messages per second */
#define MOVES_MANY 20000.0   /* more than programs read and write files */
#define SMALL_MESSAGE 4096   /* bytes */
#define CHILDREN_WORK 0.4    /* of the waits: processor time of the children */
#define CHILDREN_PRESSED 0.1 /* the same, if some thread of the machine waits for a processor */
#define CHILDREN_LITTLE 0.25 /* of the processor time: that of the children */
#define KERNEL_LEAST 0.35    /* of the processor time, in the kernel */
#define KERNEL_SECONDS 0.4   /* starting a program takes less */
#define MOVES_FEW 1000.0     /* reads and writes a second; with fewer, other calls take that time */
#define PAGES_SECONDS 0.1    /* the same, of a program with this many new pages: */
#define PAGES_MANY 1e5       /* importing a framework takes fewer */
#define PAGE_MOST 12e-6      /* seconds in the kernel per new page, on a slow virtual machine */
#define OUTSIDE_MOST 0.3 /* of the run: time before and after the spans, whose share is not known */
#define OTHERS_MANY 1.5  /* processors that its other threads use: then it waits for its own work */
#define OTHERS_SHARE 0.7 /* the same as a share of all processors */

/* Lower bound of the main thread's wait in a part: assumes that it waited all the time elsewhere. */
static double waited_least(const struct pit__case *all, const struct pit__part *p)
{
    double between = all->between > 0 ? all->between : 0;
    return pit__part_waited(all, p) - (all->total + between - p->self_seconds);
}

/* Upper bound: it waited nowhere else. If the readings cover only a part of the run, by its processor time. */
static double waited_most(const struct pit__case *all, const struct pit__part *p)
{
    double delayed = all->around.delayed > 0 ? fmin(all->around.delayed, 1) : 0;
    double waited =
        isnan(all->idle) ? all->wall * (1 - delayed) - all->used : pit__part_waited(all, p);
    return fmax(waited_least(all, p), fmin(p->self_seconds, waited));
}

/* Processor time of the child processes, as far as they have ended; NaN: not known. */
static double children_seconds(const struct pit__case *all)
{
    return all->used - all->around.cpu * all->around.seconds;
}

/* Waiting for its own threads, which work or are ready to: they may have to wait for a processor. */
static int threads_work(const struct pit__case *all, double least)
{
    const struct pit__looks *looks = &all->around.looks;
    double others = looks->sleep + looks->transfer + looks->disk + looks->sync + looks->child;
    return looks->lock > others && looks->working >= WAITS_SEEN &&
           looks->working > least * looks->lock;
}

/* ---- what it waits for ------------------------------------------------------------------------- */

struct wait {
    const char *what, *remedy;
    int is_storage; /* nothing else is done meanwhile */
    int is_child;
    double looks;
};
enum { KINDS = 6 };

/* What the main thread was seen waiting for, and how often; returns the sum. */
static double waits_of(const struct pit__looks *looks, struct wait waits[KINDS])
{
    const struct wait all[KINDS] = {
        {"for a lock or another thread",
         "find out which thread it waits for, and what that one does meanwhile", 0, 0, looks->lock},
        {"in a sleep", "wait for the event itself instead of a fixed time, or sleep for less", 0, 0,
         looks->sleep},
        {"for a network or a pipe", "ask for several things at once, or do other work meanwhile", 0,
         0, looks->transfer},
        {"for data from the disk",
         "read larger pieces in order, or ahead in another thread; keep in memory what is used "
         "again",
         1, 0, looks->disk},
        {"until data is on the disk",
         "collect several writes and bring them to the disk (fsync, O_SYNC) at once, or in another "
         "thread",
         1, 0, looks->sync},
        {"for a child process", "start fewer and larger ones, or several at once", 0, 1,
         looks->child},
    };
    double sum = 0;
    for (size_t i = 0; i < KINDS; i++) {
        waits[i] = all[i];
        sum += all[i].looks;
    }
    return sum;
}

/* What the main thread was seen waiting for nearly always. Returns 0 if it is one of several things, or not
 * known. A pipe to children that work meanwhile is a wait for these. */
static int wait_of(const struct pit__case *of, struct wait *wait)
{
    struct wait waits[KINDS];
    struct pit__looks looks = of->around.looks;
    /* on a busy machine they wait for a processor too */
    double least = of->pressed > PIT__PRESSED_LEAST ? CHILDREN_PRESSED : CHILDREN_WORK;
    if (looks.transfer > 0 && children_seconds(of) > least * pit__waited(of)) {
        looks.child += looks.transfer;
        looks.transfer = 0;
    }
    double all = waits_of(&looks, waits);
    for (size_t i = 0; i < KINDS; i++)
        if (waits[i].looks >= WAITS_SEEN && waits[i].looks > WAITS_ALIKE * all) {
            *wait = waits[i];
            return 1;
        }
    return 0;
}

const char *pit__waits_for(const struct pit__case *all)
{
    struct wait wait;
    return wait_of(all, &wait) ? wait.what : NULL;
}

const char *pit__part_waits_for(const struct pit__case *all, const struct pit__part *part)
{
    return pit__is_elsewhere(part) ? NULL : pit__waits_for(all);
}

/* The remedy, and as the second text what the main thread waits for. Returns 0 if that is not known. */
static int name_wait(const struct pit__case *all, struct wait *wait, struct pit__match *match)
{
    match->remedy = WAITS_FOR;
    if (!wait_of(all, wait))
        return 0;
    match->texts[1] = wait->what;
    match->remedy = wait->remedy;
    return 1;
}

/* Child processes work, on a machine where some thread had to wait for a processor: they may have to. If the
 * main thread waits for them to end, that is the finding whether they work or wait. */
static int children_work(const struct pit__case *all)
{
    struct wait wait;
    return all->pressed > PIT__PRESSED_LEAST && children_seconds(all) > CHILDREN_MOST * all->used &&
           !(wait_of(all, &wait) && wait.is_child);
}

/* Waiting for one's own compute threads, a device, loader workers or other ranks means that work is being
 * done meanwhile. */
static int waits_for_work(const struct pit__case *all)
{
    double others = all->around.cpu - all->around.main_cpu;
    return all->ranks || all->told.workers > 0 || all->parts[0].device_count > 0 ||
           threads_work(all, SEVERAL_WORK) || children_work(all) || others > OTHERS_MANY ||
           others > OTHERS_SHARE * all->around.processors;
}

/* A program without spans. Figures: share, seconds, of the run, processor time. */
static void find_waiting_program(const struct pit__case *all, struct pit__finds *finds)
{
    double delayed = all->around.delayed > 0 ? fmin(all->around.delayed, 1) : 0;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.severity = 0;
    match.figures[2] = all->wall;
    match.figures[3] = all->used;
    match.stake = match.figures[1] = all->wall * (1 - delayed) - all->used;
    match.share = match.figures[0] = match.figures[1] / all->wall;
    match.texts[0] = all->place;
    match.headline = all->place ? "WAITING: the program waited for {p0} of the run, most at {s0}"
                                : "WAITING: the program waited for {p0} of the run";
    match.evidence = "{t1} of {t2}; it used {t3} of processor time, with its children";
    struct wait wait = {0};
    if (name_wait(all, &wait, &match))
        match.headline = all->place
                             ? "WAITING: the program waited for {p0} of the run, {s1}, most at {s0}"
                             : "WAITING: the program waited for {p0} of the run, {s1}";
    if (wait.is_storage)
        match.severity = pit__severity_of(match.share);
    if (all->wall > PROGRAM_LEAST && match.share > WAITS_LEAST && !threads_work(all, ONE_WORKS) &&
        !children_work(all))
        pit__find_add(finds, &match);
}

/* Does it overlap, or do the tasks that began in it? */
static int has_overlap(const struct pit__case *all, size_t part)
{
    for (size_t i = part; i < all->part_count; i++) {
        size_t above = i;
        while (above != part && above != PIT__NO_PART)
            above = all->parts[above].parent;
        if (above == part && pit__overlaps(all, &all->parts[i]))
            return 1;
    }
    return 0;
}

/* A part that waits, but not for data. Figures: share, seconds, of the total, calls, waited at least. */
static void find_waiting_part(const struct pit__case *all, struct pit__finds *finds)
{
    size_t part = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++)
        if (!all->parts[i].apart && all->parts[i].children == 0 &&
            (part == PIT__NO_PART || all->parts[i].self_seconds > all->parts[part].self_seconds))
            part = i;
    if (part == PIT__NO_PART || all->parts[part].role == PIT__ROLE_DATA || waits_for_work(all) ||
        pit__is_comm_name(all->parts[part].name))
        return;
    const struct pit__part *p = &all->parts[part];
    struct pit__match match = pit__match_of(part);
    match.share = match.figures[0] = p->self_seconds / all->total;
    match.figures[1] = p->self_seconds;
    match.figures[2] = all->total;
    match.figures[3] = (double)p->count;
    double waited = match.figures[4] = waited_least(all, p);
    match.stake = waited_most(all, p);
    match.texts[0] = p->place;
    match.severity = 0; /* it may be waiting for useful work of its own child processes */
    match.headline = p->place
                         ? "WAITING: {name} is {p0} of the total, waiting, not computing, at {s0}"
                         : "WAITING: {name} is {p0} of the total, waiting, not computing";
    match.evidence = "{t1} of {t2} in {c3}; the main thread waited for at least {t4} of that";
    struct wait wait = {0};
    int is_known = !pit__is_elsewhere(p) && name_wait(all, &wait, &match);
    if (!is_known)
        match.remedy = WAITS_FOR;
    if (has_overlap(all, part))
        match.remedy = PIT__MORE_AT_ONCE;
    if (is_known)
        match.headline = p->place ? "WAITING: {name} is {p0} of the total, waiting {s1}, at {s0}"
                                  : "WAITING: {name} is {p0} of the total, waiting {s1}";
    /* beside other programs it waits for a processor too, after what it was seen waiting for */
    double delayed =
        is_known && finds->has_cause && all->around.delayed > 0 ? all->around.delayed : 0;
    double surely = WAITS_SURELY * p->self_seconds * (1 - fmin(delayed, WAITS_MOST));
    if (wait.is_storage)
        match.severity = pit__severity_of(waited / all->total);
    if (waited > surely && match.share > WAITS_LEAST &&
        (double)p->half_calls > WAITS_EVENLY * (double)p->count)
        pit__find_add(finds, &match);
}

/* The only part without parts that is long enough for these waits; PIT__NO_PART: there are several. */
static size_t waits_in(const struct pit__case *all, double seconds)
{
    size_t found = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        if (p->apart || p->self_seconds < WAITS_MOSTLY * seconds)
            continue;
        if (found != PIT__NO_PART)
            return PIT__NO_PART;
        found = i;
    }
    return found;
}

/* Less than half of the time, but for storage: nothing is done meanwhile. Figures: share, seconds, of all,
 * looks that found it, looks that found the main thread waiting. */
static void find_storage_wait(const struct pit__case *all, struct pit__finds *finds)
{
    struct wait waits[KINDS];
    double between = all->between > 0 ? all->between : 0;
    double whole = all->part_count > 0 ? all->total + between : all->wall;
    double looks = waits_of(&all->around.looks, waits);
    for (size_t i = 0; i < KINDS; i++) {
        struct pit__match match = pit__match_of(PIT__NO_PART);
        match.stake = match.figures[1] = pit__waited(all) * waits[i].looks / looks;
        match.share = match.figures[0] = match.stake / whole;
        match.figures[2] = whole;
        match.figures[3] = waits[i].looks;
        match.figures[4] = looks;
        if (!waits[i].is_storage || waits[i].looks < STORAGE_SEEN || !(match.share > STORAGE_LEAST))
            continue;
        match.part = waits_in(all, match.stake);
        match.texts[0] = waits[i].what;
        match.remedy = waits[i].remedy;
        match.severity = pit__severity_of(match.share);
        match.headline = match.part == PIT__NO_PART
                             ? "WAITING: {p0} of the time is waiting {s0}"
                             : "WAITING: {p0} of the time is waiting {s0}, in {name}";
        match.evidence = "{t1} of {t2}; found in {n3} of {n4} looks at the waiting main thread";
        pit__find_add(finds, &match);
    }
}

/* Is time that could be saved already explained, by getting data, saving or writing? */
static int is_explained(const struct pit__finds *finds, double stake)
{
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].rule->kind == PIT__KIND_STAKE &&
            finds->found[i].match.stake > WAITS_SURELY * stake)
            return 1;
    return 0;
}

static void find_waiting(const struct pit__case *all, struct pit__finds *finds)
{
    size_t before = finds->count;
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].rule == &pit__copying_rule ||
            finds->found[i].rule == &pit__uneven_children_rule)
            return; /* that is what it waits for */
    if (all->part_count == 0)
        find_waiting_program(all, finds);
    else
        find_waiting_part(all, finds);
    if (finds->count == before && !is_explained(finds, pit__waited(all)))
        find_storage_wait(all, finds);
}

/* ---- the kernel -------------------------------------------------------------------------------- */

/* The kernel's time for child processes is not told from that for the program. */
int pit__is_in_kernel(const struct pit__case *all)
{
    double pages = all->around.new_pages * all->around.seconds;
    return all->kernel > KERNEL_LEAST * all->used &&
           all->kernel > (pages > PAGES_MANY ? PAGES_SECONDS : KERNEL_SECONDS) &&
           !(children_seconds(all) > CHILDREN_LITTLE * all->used);
}

/* Waits for locks, messages to child processes, reading, copying are system calls too: if anything else was
 * found, that is the cause. Figures: share of the processor time, seconds, of all, new pages a second, reads
 * and writes a second. */
static void find_kernel(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    double share = all->kernel / all->used;
    double seconds = fmin(all->kernel, share * fmax(all->wall, all->total));
    double outside = all->part_count > 0 ? all->before + all->after : 0;
    if (!pit__is_in_kernel(all) || is_explained(finds, 0) || outside > OUTSIDE_MOST * all->wall)
        return;
    struct pit__match match = pit__match_of(waits_in(all, seconds));
    match.share = match.figures[0] = share;
    match.stake = seconds;
    match.figures[1] = all->kernel;
    match.figures[2] = all->used;
    match.figures[3] = around->new_pages;
    match.figures[4] = around->moves;
    match.texts[0] = all->part_count == 0 ? all->place : NULL;
    match.severity = pit__severity_of(match.stake / fmax(all->wall, all->total));
    match.evidence = "{t1} of {t2}; {n3} new pages, {n4} reads and writes a second";
    if (all->kernel < PAGE_MOST * around->new_pages * around->seconds) {
        match.headline = match.part != PIT__NO_PART
                             ? "PAGE FAULTS: {p0} of the processor time is in the kernel, which "
                               "provides {n3} new pages a second, in {name}"
                         : match.texts[0]
                             ? "PAGE FAULTS: {p0} of the processor time is in the kernel, which "
                               "provides {n3} new pages a second, most at {s0}"
                             : "PAGE FAULTS: {p0} of the processor time is in the kernel, which "
                               "provides {n3} new pages a second";
        match.remedy = "keep large buffers and use them again instead of allocating new ones";
        match.more = "; in NumPy out=, in C a larger M_TRIM_THRESHOLD and M_MMAP_THRESHOLD";
    } else if (around->moves < MOVES_FEW) { /* huge pages, and calls that are not counted */
        match.headline = match.part != PIT__NO_PART
                             ? "KERNEL: {p0} of the processor time is in the kernel, in {name}"
                         : match.texts[0]
                             ? "KERNEL: {p0} of the processor time is in the kernel, most at {s0}"
                             : "KERNEL: {p0} of the processor time is in the kernel";
        match.remedy = "use large buffers again instead of allocating new ones, and look for calls "
                       "made again and again (strace -c -f)";
    } else {
        match.headline =
            match.part != PIT__NO_PART
                ? "SYSTEM CALLS: {p0} of the processor time is in the kernel, in {name}"
            : match.texts[0]
                ? "SYSTEM CALLS: {p0} of the processor time is in the kernel, most at {s0}"
                : "SYSTEM CALLS: {p0} of the processor time is in the kernel";
        match.remedy = "make fewer calls: keep what was opened or asked for, read and write larger "
                       "pieces";
    }
    pit__find_add(finds, &match);
}

/* ---- child processes --------------------------------------------------------------------------- */

/* Do threads of the program exchange data with child processes, while the main thread waits for them? */
static int is_copying(const struct pit__case *all, double seconds)
{
    const struct pit__around *around = &all->around;
    struct wait wait;
    double children = children_seconds(all);
    int has_pipes = around->looks.pipes >= PIPES_SEEN || around->moves > MOVES_MANY;
    return !all->ranks && !(all->told.workers > 0) && has_pipes && wait_of(all, &wait) &&
           wait.looks == around->looks.lock && children > CHILDREN_LEAST * all->used &&
           seconds > COPIES_LEAST * all->used && seconds > COPIES_MUCH * children &&
           (around->moved > MOVED_LEAST || around->moves > MOVES_LEAST);
}

/* The arguments and results of a pool are copied. Figures: bytes a second, messages a second, bytes of one,
 * share of the run, seconds, seconds of the children. */
static void find_copying(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    double seconds = (around->cpu - around->main_cpu) * around->seconds;
    if (!is_copying(all, seconds))
        return;
    struct pit__match match = pit__match_of(waits_in(all, pit__waited(all)));
    match.figures[0] = around->moved;
    match.figures[1] = around->moves;
    match.figures[2] = around->moved / around->moves;
    match.stake = fmin(seconds, pit__waited(all));
    match.share = match.figures[3] = match.stake / all->wall;
    match.figures[4] = seconds;
    match.figures[5] = children_seconds(all);
    match.texts[0] = all->part_count == 0 ? all->place : NULL;
    match.severity = pit__severity_of(match.share);
    int is_small = match.figures[2] < SMALL_MESSAGE;
    match.headline = is_small ? "COPYING: for {p3} of the run threads copy {n1} small messages a "
                                "second to and from child processes"
                     : match.part != PIT__NO_PART
                         ? "COPYING: for {p3} of the run threads copy {b0} a second to and from "
                           "child processes, in {name}"
                     : match.texts[0] ? "COPYING: for {p3} of the run threads copy {b0} a second "
                                        "to and from child processes, at {s0}"
                                      : "COPYING: for {p3} of the run threads copy {b0} a second "
                                        "to and from child processes";
    match.evidence = "{t4} of processor time beside the main thread, which waits for it; {t5} in "
                     "the children; {b2} a message";
    match.remedy = is_small
                       ? "give each task more work (chunksize), so that fewer messages are sent"
                       : "send less: let the children read or make their data and return only "
                         "results, or share memory (multiprocessing.shared_memory)";
    pit__find_add(finds, &match);
}

/* Child processes that do not use the processors, which are free, while the main thread waits for them: some
 * have less work than others, or there is too little at a time. Figures: processors that they use, that they
 * could use, children, seconds, of the run, share. */
static void find_uneven(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct wait wait;
    double could = fmin(all->children, around->processors),
           used = children_seconds(all) / all->wall;
    struct pit__match match = pit__match_of(waits_in(all, pit__waited(all)));
    match.figures[0] = used;
    match.figures[1] = could;
    match.figures[2] = all->children;
    match.stake = match.figures[3] = all->wall * (1 - used / could);
    match.figures[4] = all->wall;
    match.share = 1 - used / could;
    match.texts[0] = all->part_count == 0 ? all->place : NULL;
    match.severity = pit__severity_of(match.share);
    match.headline =
        match.part != PIT__NO_PART
            ? "IMBALANCE: the {n2} child processes used {o0} of {n1} processors, while the "
              "program waited for them in {name}"
        : match.texts[0]
            ? "IMBALANCE: the {n2} child processes used {o0} of {n1} processors, while the "
              "program waited for them at {s0}"
            : "IMBALANCE: the {n2} child processes used {o0} of {n1} processors, while the "
              "program waited for them";
    match.evidence = "{t3} of {t4} with equal shares of the work; the processors were free";
    match.remedy = "give them smaller tasks one at a time (chunksize=1), the longest first";
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].rule == &pit__copying_rule)
            return; /* they wait for their data */
    if (all->ranks || all->told.workers > 0 || finds->has_cause || !(could > 1) ||
        !(around->main_cpu < CHILDREN_MAIN) || !wait_of(all, &wait) ||
        wait.looks != around->looks.lock || /* not a pool, but one child after another */
        !(used > CHILDREN_BUSY && used < CHILDREN_EVEN * could) ||
        !(around->processors - around->busy > FREE_LEAST))
        return;
    pit__find_add(finds, &match);
}

const struct pit__rule pit__kernel_rule = {
    .key = "kernel", .kind = PIT__KIND_STAKE, .find = find_kernel};
const struct pit__rule pit__copying_rule = {
    .key = "copying", .kind = PIT__KIND_STAKE, .wants_around = 1, .find = find_copying};
const struct pit__rule pit__uneven_children_rule = {
    .key = "uneven_children", .kind = PIT__KIND_STAKE, .wants_around = 1, .find = find_uneven};
const struct pit__rule pit__waiting_rule = {
    .key = "waiting", .kind = PIT__KIND_STAKE, .wants_around = 1, .find = find_waiting};
