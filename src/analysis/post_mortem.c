/* post_mortem.c: rules in order of certainty; the first that holds is the verdict.
 *
 * The exit state that the parent saw comes before memory figures, except for SIGKILL: both the
 * kernel, when memory is short, and users send it.
 */
#include "post_mortem.h"

#include <math.h>
#include <stddef.h>

#define NEAR_LIMIT 0.90   /* share of the limit in use */
#define MACHINE_LEFT 0.05 /* share of the machine's memory available */
#define OWN_SHARE 0.50    /* share of the limit that is the process's own */
#define PRESSED 0.10      /* share of time in which some process waited for memory */
#define DEVICE_FULL 0.95  /* share of a GPU's memory in use */
#define ABORT 6           /* SIGABRT: usually an uncaught error */
#define KILL 9            /* SIGKILL on every Linux */

/* Comparisons with NaN are false, so no rule applies if its figure is unknown. */

static int was_counted(const struct pit__last_figures *f)
{
    return f->oom_kills > 0 && !(f->exit_signal != KILL && f->exit_signal > 0) &&
           !(f->exit_status >= 0);
}

/* A program whose GPU is full ends by itself: with an error, or by an uncaught exception. */
static int had_full_device(const struct pit__last_figures *f)
{
    return f->device_used >= DEVICE_FULL * f->device_total && f->device_total > 0 &&
           (f->exit_signal == ABORT || f->exit_status > 0);
}

static int had_signal(const struct pit__last_figures *f)
{
    return f->exit_signal > 0 && f->exit_signal != KILL;
}

static int had_status(const struct pit__last_figures *f)
{
    return f->exit_status >= 0 && !(f->exit_signal > 0);
}

/* A cgroup's figure includes the file cache, which often fills all memory and does no harm: it counts only
 * if the process itself has a good part of it, or if processes waited for memory. */
static double used_of(const struct pit__last_figures *f)
{
    /* fmax ignores NaN */
    if (f->rss >= OWN_SHARE * f->cgroup_limit || f->pressure >= PRESSED)
        return fmax(f->rss, f->cgroup_used);
    return f->rss;
}

static int is_near_limit(const struct pit__last_figures *f)
{
    return used_of(f) >= NEAR_LIMIT * f->cgroup_limit;
}

static int is_machine_full(const struct pit__last_figures *f)
{
    return f->available < MACHINE_LEFT * f->machine || f->rss >= NEAR_LIMIT * f->machine;
}

static int had_grown_to_it(const struct pit__last_figures *f)
{
    double more = f->growth_per_ns * f->unseen_ns;
    return more > 0 && (used_of(f) + more >= NEAR_LIMIT * f->cgroup_limit ||
                        f->available - more < MACHINE_LEFT * f->machine);
}

static int is_memory_known(const struct pit__last_figures *f)
{
    return f->rss >= 0 && pit__memory_limit(f) > 0;
}

static int was_killed(const struct pit__last_figures *f)
{
    return f->exit_signal == KILL;
}

static int was_killed_with_room(const struct pit__last_figures *f)
{
    return was_killed(f) && is_memory_known(f);
}

static int always(const struct pit__last_figures *f)
{
    (void)f;
    return 1;
}

double pit__memory_limit(const struct pit__last_figures *figures)
{
    return fmin(figures->cgroup_limit, figures->machine); /* fmin ignores NaN */
}

enum number { NO_NUMBER, SIGNAL, STATUS };

static const struct rule {
    int (*holds)(const struct pit__last_figures *figures);
    enum pit__cause cause;
    int is_memory, shows_memory, shows_device;
    enum number number;
    const char *key, *words, *after; /* text after a number */
} rules[] = {
    {was_counted, PIT__CAUSE_OOM_KILL, 1, 1, 0, NO_NUMBER, "oom_kill",
     "the kernel killed it for memory (oom_kill)", NULL},
    {had_full_device, PIT__CAUSE_DEVICE, 1, 0, 1, NO_NUMBER, "device",
     "ended by an error, most likely out of memory on the GPU", NULL},
    {had_signal, PIT__CAUSE_SIGNAL, 0, 0, 0, SIGNAL, "signal", "killed by ", ""},
    {had_status, PIT__CAUSE_STATUS, 0, 0, 0, STATUS, "status",
     "exited without closing its run, exit status ", ""},
    {is_near_limit, PIT__CAUSE_LIMIT, 1, 1, 0, NO_NUMBER, "limit", "killed, most likely for memory",
     NULL},
    {is_machine_full, PIT__CAUSE_MACHINE, 1, 1, 0, NO_NUMBER, "machine",
     "killed, most likely because the machine ran out of memory", NULL},
    {had_grown_to_it, PIT__CAUSE_GROWTH, 1, 1, 0, NO_NUMBER, "growth",
     "killed, most likely for memory, which was growing fast at the last reading", NULL},
    {was_killed_with_room, PIT__CAUSE_OTHER_KILL, 0, 1, 0, SIGNAL, "kill", "killed by ",
     "; memory was not the reason as far as can be seen"},
    {is_memory_known, PIT__CAUSE_OTHER, 0, 1, 0, NO_NUMBER, "not_memory",
     "ended without a close; memory was not the reason as far as can be seen", NULL},
    {was_killed, PIT__CAUSE_KILL, 0, 0, 0, SIGNAL, "kill_unexplained", "killed by ",
     "; the reason is not known, because its memory was not read"},
    {always, PIT__CAUSE_UNKNOWN, 0, 0, 0, NO_NUMBER, "unknown",
     "ended without a close; the reason is not known, because its memory was not read", NULL},
};

struct pit__verdict pit__post_mortem(const struct pit__last_figures *figures)
{
    const struct rule *rule = rules;
    while (!rule->holds(figures))
        rule++;
    double number = rule->number == SIGNAL   ? figures->exit_signal
                    : rule->number == STATUS ? figures->exit_status
                                             : 0;
    return (struct pit__verdict){.cause = rule->cause,
                                 .is_memory = rule->is_memory,
                                 .shows_memory = rule->shows_memory,
                                 .shows_device = rule->shows_device,
                                 .key = rule->key,
                                 .words = rule->words,
                                 .after = rule->after,
                                 .number = (int)number,
                                 .is_signal = rule->number == SIGNAL};
}
