/* advice_rules.h: the rules, one file per group. */
#ifndef PIT_ADVICE_RULES_H
#define PIT_ADVICE_RULES_H

#include "advice.h"

#define PIT__MATTERS 0.05     /* share of the total below which a part is not reported */
#define PIT__RUN_MATTERS 0.01 /* the same, as a share of the run with its start and end */

/* Processors that other programs of the machine used; NaN: not known. */
double pit__others(const struct pit__case *all);
/* Seconds of a call so long that it cannot be a short call on a busy machine. */
double pit__busy_call(const struct pit__case *all);
/* Seconds of the run spent on measuring. */
double pit__measuring(const struct pit__case *all);
/* Does the program train, by its framework or the names of its parts? */
int pit__is_training(const struct pit__case *all);
/* Does it have a framework's data loader, which could have workers? */
int pit__has_loader(const struct pit__case *all);
/* Is it forward, loss, backward or optimizer? */
int pit__is_step_role(enum pit__role role);
/* Is much of the run the compilation of one function again and again? */
int pit__recompiles(const struct pit__case *all);
#define PIT__PRESSED_LEAST                                                                         \
    0.3 /* share of the time in which some thread waits for a processor: it is busy */
/* Is much of the processor time in the kernel? */
int pit__is_in_kernel(const struct pit__case *all);
/* Does the main thread hardly run, although it has a processor? Then its samples show where it waits. */
int pit__main_hardly_runs(const struct pit__around *around);
/* What the main thread was seen waiting for nearly always, "for a network or a pipe"; NULL: not known. */
const char *pit__waits_for(const struct pit__case *all);
/* The same for a part; NULL too if it runs on other threads. */
const char *pit__part_waits_for(const struct pit__case *all, const struct pit__part *part);
/* The remedy for time outside of marked parts, whose hottest place is this, or NULL. */
const char *pit__look_at(const char *place);

/* advice_rank_rules.c */
extern const struct pit__rule pit__hang_rule, pit__straggler_rule, pit__rotating_rule,
    pit__comm_bound_rule, pit__starved_rank_rule, pit__ranks_oversubscribed_rule;
/* advice_machine_rules.c */
extern const struct pit__rule pit__stopped_rule, pit__throttled_rule, pit__swapping_rule,
    pit__oversubscribed_rule, pit__starved_rule, pit__device_memory_rule;
/* advice_input_rules.c */
extern const struct pit__rule pit__input_restarts_rule, pit__input_few_slow_rule,
    pit__input_few_workers_rule, pit__input_storage_rule, pit__input_waiting_rule,
    pit__input_processor_rule;
/* advice_part_rules.c */
extern const struct pit__rule pit__validation_rule, pit__checkpoint_rule, pit__logging_rule,
    pit__unmarked_rule, pit__optimizer_rule, pit__concentrated_rule;
/* advice_ratio_rules.c */
extern const struct pit__rule pit__odd_ratio_rule;
/* advice_thread_rules.c */
extern const struct pit__rule pit__mutex_rule, pit__python_lock_rule, pit__turns_rule,
    pit__imbalance_rule;
/* advice_tiny_rules.c */
extern const struct pit__rule pit__overhead_rule;
/* advice_wait_rules.c */
extern const struct pit__rule pit__copying_rule, pit__uneven_children_rule, pit__kernel_rule,
    pit__waiting_rule;
/* advice_code_rules.c */
extern const struct pit__rule pit__recompile_rule, pit__float64_rule, pit__debugging_rule;
/* advice_device_rules.c */
extern const struct pit__rule pit__gpu_idle_rule, pit__launch_bound_rule, pit__sync_bound_rule;
/* advice_course_rules.c */
extern const struct pit__rule pit__first_step_rule, pit__drift_rule, pit__slowdown_rule,
    pit__periodic_stall_rule, pit__high_variance_rule, pit__runs_vary_rule, pit__leak_rule,
    pit__cache_rule;
/* advice_rules.c */
extern const struct pit__rule pit__compute_rule, pit__nothing_rule;

#endif
