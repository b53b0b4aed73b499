/* pitwall_bench.h: benchmarks, profiles, comparisons, scaling: which one is really faster.
 *
 *   pit_bench           a function timed until its figures hold
 *   pit_bench_models    several models timed in turn, for a verdict on them
 *   pit_profile         a model's training, inference, memory, throughput and complexity, as JSON
 *   pit_race            whatever a callback runs, in turn until there is a verdict
 *   pit_compare_arrays  a verdict on two sides of runs; pit_compare_runs: on run files, per node
 *   pit_scale           how a function's cost grows with its size
 *
 * Objects are not shared between threads without a lock of the caller's. Every create has a free
 * that takes NULL. docs/statistics.md says by which rules a verdict is given, and why those.
 */
#ifndef PITWALL_BENCH_H
#define PITWALL_BENCH_H

#include "pitwall_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a function ---------------------------------------------------------------------------- */

/* Keep the optimiser from removing what led to a value, or from keeping memory in registers. */
#define PIT_USE(value_) __asm__ volatile("" : : "g"(value_) : "memory")
#define PIT_CLOBBER() __asm__ volatile("" : : : "memory")

#define PIT_BENCH_NONE UINT64_MAX

/* Zeroed means defaults. */
typedef struct pit_bench_options {
    const char *name;    /* of the span the results land in; NULL: "benchmark" */
    uint64_t warmup;     /* trials that are not counted; 0: 10; PIT_BENCH_NONE: none */
    uint64_t trials;     /* 0: 100 */
    double min_seconds;  /* go on past `trials` until this much was timed; 0: 0.1; negative: no */
    double max_seconds;  /* begin no trial after this much in all; 0: 30 */
    uint64_t iterations; /* calls a trial; 0: as many as a trial of 10 us takes, at least 1; with a
                                 setup: 1, for a call may use up what was set up */
    uint64_t batch;      /* samples done by one call, for the throughput; 0: 1 */
    void (*setup)(void *argument);    /* before each trial, outside the clock; NULL: none */
    void (*teardown)(void *argument); /* after each trial, likewise */
    int wait; /* 1: the device (pit_set_device) is waited for before each reading of the clock; -1: it
                 is not; 0: as pit_set_wait says */
} pit_bench_options;

typedef struct pit_bench_result {                 /* seconds of one call */
    double mean, std, min, max, median, p95, p99; /* of the trials; std: of the population */
    double total;                                 /* of all calls that were timed */
    double cpu_mean;             /* processor time of one call, of this thread; NaN: not known */
    double process_cpu_mean;     /* the same of all threads of the process; NaN: not known */
    double samples_per_second;   /* by the mean; at_resolution: at least so many */
    uint64_t trials, iterations; /* iterations: calls a trial */
    uint64_t interrupted; /* trials under 1 ms that lost the core to another program: repeated, not
                             counted here; their spans are in the run */
    double resolution;    /* what a call of nothing takes here, clock and loop: taken off. Below it
                                    nothing can be told */
    int at_resolution;    /* the median is not above it: read "at or below the resolution" */
    int too_few;          /* fewer than 50 trials, or fewer than 100 of under 1 ms */
    uint64_t session;     /* of pit_bench_models: the number of that call, else 0 */
    uint64_t blocks; /* with a session: the trials were made in so many blocks, of trials / blocks
                             each, what is over in the first */
    double *times;   /* of each trial, a call; trials of them; freed by pit_bench_free */
} pit_bench_result;

/* Time function(argument). Where a recorder is open each trial is a span called as the benchmark,
 * with calls times batch as its items, and the figures are an entry "benchmark" of the journal.
 * 0; PIT_BAD_ARGUMENT: no function or no result, or a negative max_seconds; PIT_NO_MEMORY. options
 * may be NULL. */
PIT_API int pit_bench(void (*function)(void *argument), void *argument,
                      const pit_bench_options *options, pit_bench_result *result);
PIT_API void pit_bench_free(pit_bench_result *result);

/* "NAME Inference Benchmark:", the layout of the view `inference`, with median, p95 and p99 where
 * asked for. Below 0.1 ms in us or ns; at the resolution it says so in words. JSON has all
 * figures. 0, PIT_BAD_ARGUMENT, PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
PIT_API int pit_bench_print(FILE *out, const char *name, const pit_bench_result *result,
                            int percentiles, enum pit_form form);

/* Single steps and whole trajectories of a forecast: forecast(argument, steps). */
typedef struct pit_forecast_options {
    const char *name; /* of the spans: "NAME single step", "NAME trajectory"; NULL: forecast */
    uint64_t steps;   /* of a trajectory; 0: 100 */
    uint64_t trials;  /* exactly so many; 0: 50 */
    uint64_t warmup_trials; /* 0: 5; PIT_BENCH_NONE: none */
    int wait;               /* as in pit_bench_options */
    uint64_t seed;          /* pit_bench_models: of the order; 0: another one each time */
} pit_forecast_options;

/* As pit_bench, twice; options may be NULL. Both results are to be freed. */
PIT_API int pit_bench_forecast(void (*forecast)(void *argument, uint64_t steps), void *argument,
                               const pit_forecast_options *options, pit_bench_result *single_step,
                               pit_bench_result *full_trajectory);

typedef struct pit_bench_model {
    const char *name; /* of its spans: "NAME single step", "NAME trajectory" */
    void (*forecast)(void *argument, uint64_t steps);
    void *argument;
} pit_bench_model;

/* The forecasts of several models, for a comparison: in rounds, in each of which every model has a
 * block of trials, in random order, so that all of them meet the same machine. Profiles built from the
 * results of one call get a verdict from pit_profiles_compare; models that were timed one after the
 * other do not. Both arrays have `count` results, which are to be freed. options may be NULL, its name
 * is not used. 0; PIT_BAD_ARGUMENT: no models, or one without name or forecast; PIT_NO_MEMORY; then
 * there is nothing to free. */
PIT_API int pit_bench_models(const pit_bench_model *models, size_t count,
                             const pit_forecast_options *options, pit_bench_result *single_steps,
                             pit_bench_result *full_trajectories);

/* ---- a model's profile ---------------------------------------------------------------------- */

#define PIT_NO_OUTPUT_LAYER UINT64_MAX

/* What a model is made of; a member that does not matter to its kind is 0. */
typedef struct pit_model {
    const char *name; /* its kind is a word of it, MVAR-p5, lstm_2layer, unless `kind` says it */
    const char *kind; /* MVAR, LSTM, GRU, MLP, SIREN, KAN, CNN, Attention, Transformer, LLM, GPM, in
                         any case; NULL: by the name. Of a name without one of them, or with two, the
                         two basic figures are given */
    uint64_t parameters; /* as counted in the model; 0: by the formula */
    uint64_t latent_dim; /* d: of the state, the input or the model */
    uint64_t lag;        /* MVAR: order p */
    uint64_t hidden_dim; /* h: LSTM, GRU, MLP, SIREN, KAN; Transformer, LLM: of the linear layers,
                                    0: 4 d; GPM: of the language model behind it */
    uint64_t layers;     /* L, of MLP, SIREN and KAN the hidden ones; 0: 1 */
    uint64_t output_dim; /* 0: latent_dim, of Transformer and LLM none; PIT_NO_OUTPUT_LAYER */
    uint64_t sequence;   /* T: length; LSTM, GRU: inputs read for one step, 0: 1 */
    uint64_t heads;      /* changes no figure, but must divide latent_dim */
    uint64_t kernel, channels_in, channels_out, height, width; /* CNN; of the output */
    uint64_t grid, order;                                      /* KAN: intervals, spline order */
    double patterns, pattern_size, nodes, degree; /* GPM; means, which need not be whole */
    uint64_t batch;                               /* samples a step; 0: 1 */
    const pit_figure *extras; /* figures of your own, kept in the profile; extra_count of them */
    size_t extra_count;
} pit_model;

typedef struct pit_complexity {
    uint64_t total_parameters, latent_dimension;
    uint64_t expected_parameters;  /* by the formula; 0: not known */
    uint64_t parameters_per_lag;   /* MVAR */
    uint64_t parameters_per_layer; /* of the first layer, biases included; 0: no layers */
    uint64_t flops_per_step; /* of one inference step: two for each weight used; 0: not known */
    const char *training, *inference; /* "O(p * d²)"; NULL: not known. Constants */
    double components[3]; /* gpm: patterns × size × nodes × degree; llm: layers × length² × hidden;
                                    total */
    const char *component_names[3];
    size_t component_count;
} pit_complexity;

/* By the formulas of docs/profile.md. 0, or PIT_BAD_ARGUMENT: sizes that overflow, heads that do not
 * divide the dimension, a kind that is not known. */
PIT_API int pit_model_complexity(const pit_model *model, pit_complexity *complexity);

typedef struct pit_profile {
    const char *model_name;
    double training_seconds;                       /* NaN: not known */
    pit_bench_result single_step, full_trajectory; /* trials 0: not known */
    double peak_mb, current_mb;                    /* of the process; NaN: not known */
    uint64_t model_parameters;
    double parameter_memory_mb; /* MB is 2^20 bytes */
    double steps_per_second, predictions_per_second, seconds_per_step, microseconds_per_step;
    pit_model model;
    pit_complexity complexity;
    double flops_per_second; /* achieved; NaN: not known */
    double
        peak_flops; /* of this machine, set by the caller to pit_machine_flops(); 0: not asked for */
} pit_profile;

/* Fill all that follows from model, timings and a reading of memory; name and times are copied. A
 * timing may be NULL. Throughput is by the trajectory of `steps` steps (0: 100), else by the single
 * step. parameter_bytes: of one parameter, 0: 8. 0, PIT_BAD_ARGUMENT (no model, no name, sizes that
 * overflow), PIT_NO_MEMORY; then there is nothing to free. */
PIT_API int pit_profile_build(pit_profile *profile, const pit_model *model, double training_seconds,
                              const pit_bench_result *single_step,
                              const pit_bench_result *full_trajectory, uint64_t steps,
                              uint64_t parameter_bytes);
/* All in one: benchmark the forecast and build. */
PIT_API int pit_profile_quick(pit_profile *profile, const pit_model *model, double training_seconds,
                              void (*forecast)(void *argument, uint64_t steps), void *argument,
                              const pit_forecast_options *options);
/* Frees what it holds, not itself. */
PIT_API void pit_profile_free(pit_profile *profile);

/* JSON: model_name, training, inference, memory, throughput, complexity; our own figures under
 * "pitwall" with a schema version. What is not known is null. 0, PIT_BAD_ARGUMENT,
 * PIT_CANNOT_WRITE; _save: the file appears whole or not at all, missing folders are made. */
PIT_API int pit_profile_print(FILE *out, const pit_profile *profile);
PIT_API int pit_profile_save(const char *path, const pit_profile *profile);
/* Ratios against the first profile, winners; whether each difference is real under "pitwall": of
 * models that pit_bench_models timed in turn. Others get no verdict: "measured one after the other".
 * PIT_NO_MEMORY too. */
PIT_API int pit_profiles_compare(FILE *out, const pit_profile *profiles, size_t count);
PIT_API int pit_profiles_compare_save(const char *path, const pit_profile *profiles, size_t count);
/* {"experiment_name", "runtime_analysis": {"profiles", "comparison"}}, put into what is in the file
 * already (pit_save_members): keys of yours stay. */
PIT_API int pit_summary_save(const char *path, const char *experiment, const pit_profile *profiles,
                             size_t count);

/* Put the members of a JSON object, given as text, into the object in a file: a member of both gets the
 * new value, two objects are merged one level down, all else stays as it stands there. The file appears
 * whole or not at all; one that is missing or empty is made. 0; PIT_BAD_ARGUMENT: no path, or the text
 * is no object; PIT_CANNOT_READ: what is in the file is no object, it was left alone; PIT_NO_MEMORY,
 * PIT_CANNOT_WRITE. */
PIT_API int pit_save_members(const char *path, const char *members);

/* Floating-point operations a second of one core in double precision, measured by a loop of
 * independent multiply-adds; some milliseconds at the first call, cached then. */
PIT_API double pit_machine_flops(void);

/* ---- two sides ------------------------------------------------------------------------------- */

/* B against A. Of memory: less, more. */
enum pit_verdict { PIT_NO_VERDICT, PIT_FASTER, PIT_SLOWER, PIT_SAME };

/* Zeroed means defaults. */
typedef struct pit_compare_options {
    double level;  /* of a false alarm; 0: 0.05 */
    double effect; /* the smallest that matters, 0.02 is 2 %; 0: 0.02 */
    int interleaved; /* the runs of the sides were made in turn; 2: that was found by their start times.
                         0: looked for by the start times of runs where there are any; else the figures
                         are advisory */
    const char *node;         /* only this path; NULL: all that both have */
    const char *const *gates; /* what must not be, as pit_gate_check takes it; gate_count of them */
    size_t gate_count;
    int trust;    /* advisory figures may fail a gate too */
    size_t pairs; /* figure i of every side was made in round i, so many rounds, the order in each
                     random: what has one figure a run is then judged by pairs. 0: not so, or found by
                     the start times of runs */
} pit_compare_options;

/* Which figure decided: what change, a and b are of. */
enum pit_decided_by {
    PIT_BY_FIGURE,       /* the only one; median of all differences */
    PIT_BY_P10,          /* of the calls of each run; `other` is of the medians */
    PIT_BY_MEDIAN,       /* and `other` of the p10s */
    PIT_BY_LOWEST_THIRD, /* of whole runs in pairs: mean of the lowest third; `other` is of the means */
    PIT_BY_MEAN          /* of all, by their logarithms; and `other` of the lowest thirds */
};

/* A figure that stands beside the verdict and is no part of it. Tested by itself: it differs where
 * the interval leaves out 0. NaN: not to be had. */
typedef struct pit_change {
    double change, low, high;
} pit_change;

typedef struct pit_comparison {
    const char *what; /* a node's path, "wall time", "peak memory", "energy", "items/s" */
    int is_memory;    /* an amount, of which less is better: bytes; else seconds */
    int is_energy;    /* of such an amount: joules, not bytes */
    int is_whole;     /* of whole runs, not of a part */
    size_t side;      /* which side is B here: 1, 2, ... */
    enum pit_verdict verdict;
    double change;    /* B against A: -0.041 is 4.1 % less; NaN: not to be had */
    double low, high; /* its interval */
    double p;
    enum pit_decided_by decided_by;
    double other, other_low, other_high; /* NaN where there is one figure a run */
    int is_real;                         /* with PIT_SAME: it differs, by less than what matters */
    double a, b;                         /* of the deciding figure: change is b / a - 1 */
    double a_total, b_total;             /* a run's, all calls together; 0: not known */
    size_t a_runs, b_runs;
    int is_series;  /* those are blocks of the calls of one process, not runs */
    int is_in_turn; /* such blocks, made in turn: of one session of pit_bench_models */
    size_t
        more_runs; /* about how many more a side it takes, at most ten times of what there is; 0: not
                         known, or more */
    int is_too_noisy; /* it takes more: more runs are no advice */
    pit_change mean, p90, p99;
    char reason[128]; /* why there is no verdict; "" */
    int is_rate; /* "items/s", of which more is better: a, b and change are of items a second */
    int is_indicative; /* one run a side, judged by blocks of its iterations: two processes of one binary
                          differ too, so it is no verdict and fails no gate (docs/statistics.md) */
} pit_comparison;

/* One figure a run and side, over 0: p10s and medians of its calls; a_late and b_late may be
 * NULL. 0, PIT_BAD_ARGUMENT, PIT_NO_MEMORY. */
PIT_API int pit_compare_arrays(const double *a_early, const double *a_late, size_t a_count,
                               const double *b_early, const double *b_late, size_t b_count,
                               const pit_compare_options *options, pit_comparison *comparison);
/* Calls of one process a side, in their order: cut into blocks longer than their autocorrelation
 * time first. What the two processes themselves differ by cannot be told: it is always advisory. */
PIT_API int pit_compare_series(const double *a, size_t a_count, const double *b, size_t b_count,
                               const pit_compare_options *options, pit_comparison *comparison);

/* The calls of one run in one node, in their order, warm-up left out. */
typedef struct pit_call_times {
    double p10, median, mean, p90, p99, total;
    size_t warmup; /* how many were left out */
} pit_call_times;
/* 0; PIT_NOTHING without any; PIT_NO_MEMORY. */
PIT_API int pit_find_call_times(const double *seconds, size_t count, pit_call_times *calls);

/* What a side knows of one node, of whole runs, of memory. */
typedef struct pit_figures {
    const char *what;
    int is_memory;       /* an amount: bytes; else seconds */
    int is_energy;       /* of such an amount: joules, not bytes */
    int is_whole;        /* of whole runs: it stands first */
    int is_series;       /* `early` are calls of one process in their order; the others NULL */
    size_t count;        /* of early, and of the others that are there */
    const double *early; /* one a run: the p10 of its calls, or the only figure it has */
    const double *late;  /* medians; NULL: there is one figure a run */
    const double *mean, *p90, *p99; /* may be NULL */
    double total;                   /* of all calls of a run, for the order; 0: not known */
    double error;                   /* bound of each figure; 0: none */
    uint64_t
        session; /* not 0: the figures are blocks of one process, and comparable only with those
                         of the same session, which were made in turn with them (pit_bench_models);
                         PIT_ALONE: with no others. 0: the figures are runs */
    int is_rate; /* `early` are seconds an item; shown as items a second */
    const double
        *iterations; /* of a side of one run: the iterations it kept, in their order; or NULL */
    size_t iteration_count;
} pit_figures;
#define PIT_ALONE UINT64_MAX

typedef struct pit_side {
    const char *name;
    const pit_figures *figures;
    size_t figure_count;
    size_t runs;
} pit_side;

/* Per node, warm-up left out where the run kept every call; figures in the order in which the runs
 * started; wall time and peak memory of runs
 * that ended cleanly. NULL only without memory. Runs must outlive the call, not the side. */
PIT_API pit_side *pit_side_of_runs(const pit_run *const *runs, size_t count, const char *name);
PIT_API void pit_side_free(pit_side *side);

typedef struct pit_unmatched { /* what one side has and another has not */
    const char *what;
    int is_memory;  /* or energy */
    size_t side;    /* that has it */
    size_t missing; /* that has it not */
} pit_unmatched;

enum pit_gate_state { PIT_GATE_PASSED = 0, PIT_GATE_FAILED = 1, PIT_GATE_NO_VERDICT = 2 };
typedef struct pit_gate {
    const char *spec;
    enum pit_gate_state state;
    char why[192];
} pit_gate;

typedef struct pit_comparisons {
    const pit_comparison *items; /* of each side the whole first, then nodes by what they took, then
                                    memory */
    size_t count;
    const pit_unmatched *unmatched;
    size_t unmatched_count;
    const char *const *names; /* of the sides; the first is what the others are compared with */
    const size_t *runs;
    const size_t *ranking; /* sides, the fastest first */
    size_t side_count;
    int advisory;
    int interleaved; /* 1 told, 2 found by the start times */
    int indicative;  /* the headline is of one run a side */
    double level, effect;
    const pit_gate *gates;
    size_t gate_count;
    int status; /* 0 good, 1 a gate failed, 2 no verdict: of the gates, else of the headline */
    char headline[256]; /* B is 4.1 % faster [3.6, 4.7] in epoch/batch (20 runs a side) */
} pit_comparisons;

/* All sides against the first, matched by `what`; several comparisons are judged together (Holm).
 * Strings of the sides are copied. NULL and *error (may be NULL): PIT_BAD_ARGUMENT (fewer than two
 * sides, a level or gate that is none), PIT_NO_MEMORY. */
PIT_API pit_comparisons *pit_compare_sides(const pit_side *const *sides, size_t count,
                                           const pit_compare_options *options, pit_error *error);
/* Two sides of runs. Names may be NULL: "A" and "B". */
PIT_API pit_comparisons *pit_compare_runs(const pit_run *const *a, size_t a_count,
                                          const pit_run *const *b, size_t b_count,
                                          const char *a_name, const char *b_name,
                                          const pit_compare_options *options, pit_error *error);
/* Were these runs made in turn, pair by pair, in any order within a pair (ABAB, ABBA, random)? By their
 * start times; at least two pairs. */
PIT_API int pit_runs_interleaved(const pit_run *const *a, size_t a_count, const pit_run *const *b,
                                 size_t b_count);
PIT_API void pit_comparisons_free(pit_comparisons *comparisons);

/* In any form. options may be NULL; it uses form, width, colour, ascii. 0, PIT_BAD_ARGUMENT,
 * PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
PIT_API int pit_comparisons_print(FILE *out, const pit_comparisons *comparisons,
                                  const pit_report_options *options);

/* Is it a gate? slower:5% (the whole run, or any node that took 1 % of it), slower:5%@epoch/batch or
 * epoch/batch:slower:5% (that node), slower:5%@* (every node), memory:10% and so on likewise; with a
 * floor below which it does not matter: slower:5%:2ms, memory:10%:64MB. 0, or PIT_BAD_ARGUMENT. */
PIT_API int pit_gate_check(const char *spec);

/* ---- races ----------------------------------------------------------------------------------- */

/* Which of several things is faster, run in turn: rounds in which every side runs once, in random order.
 * The engine runs whatever the callback runs; it has the order, the looks, the budget and the verdict. */

/* Runs side `side` once and fills the figures, options.figure_count of them; all over 0, the first
 * decides. round is 0 for a warm-up, whose figures are not kept, then 1, 2, ... Returns 0; PIT_STOP to
 * end the race, the round left out; anything else ends it as a failure and is what pit_race returns. */
typedef int (*pit_race_run)(void *argument, size_t side, size_t round, double *figures);
#define PIT_STOP 0x7fffffff

/* Where a race stands: before each round. */
typedef struct pit_race_progress {
    size_t round;         /* that begins */
    size_t next_look;     /* the round after which it is judged next */
    double seconds;       /* since the beginning */
    double budget;        /* seconds; INFINITY: none */
    const double *change; /* of sides 1, 2, ... against the first, so far; NaN: not known yet */
    size_t side_count;
} pit_race_progress;

/* Zeroed means defaults. */
typedef struct pit_race_options {
    size_t side_count;   /* 0: 2 */
    size_t figure_count; /* of a run; 0: 1 */
    int has_median; /* the first two figures of a run are the p10 and the median of its calls and
                            are judged as such; else the first is a whole run's and is judged by pairs */
    const char *const *names; /* of the sides; NULL: A, B, ... */
    const char *what;         /* the deciding figure is; NULL: "wall time" */
    size_t runs;              /* exactly so many rounds, and one look at them; 0: pit_race_looks */
    size_t warmup;            /* rounds before, not counted */
    double budget;        /* seconds: no round begins past it, but those up to the first look always
                                 do; 0: 60, or none with `runs`; INFINITY: none */
    double level, effect; /* as in pit_compare_options; the level is that of all looks together */
    uint64_t seed;        /* of the order in the rounds; 0: another each time */
    int (*progress)(void *argument,
                    const pit_race_progress *progress); /* not 0: stop. May be NULL */
    double (*clock)(void *argument); /* seconds, for the budget; NULL: the monotonic clock */
} pit_race_options;

/* Without `runs` a race is judged after these rounds and when its budget ends, at no other time. Each look
 * has its share of the level, the last one all that is left. The race ends at the first look at which all
 * sides have a verdict. */
PIT_API const size_t *pit_race_looks(size_t *count);

enum pit_race_end {
    PIT_RACE_DECIDED,
    PIT_RACE_ALL_RUNS, /* those asked for, or as many as there are looks */
    PIT_RACE_BUDGET,   /* the time was over */
    PIT_RACE_STOPPED   /* by PIT_STOP or by progress: judged with what there is */
};

typedef struct pit_race_result {
    enum pit_race_end end;
    size_t rounds;     /* whole ones */
    size_t look_count; /* how often it was judged */
    double level;      /* that the last look had */
    double seconds;    /* that it took */
    size_t side_count, figure_count;
    double *const *figures;       /* [side * figure_count + figure]: one a round */
    pit_comparisons *comparisons; /* of the deciding figure, at the last look */
} pit_race_result;

/* 0 and *result, to be freed by pit_race_free; what the callback returned; PIT_BAD_ARGUMENT,
 * PIT_NO_MEMORY. A race that is stopped before its first round ended gives a result of 0 rounds. After a
 * failure there is nothing to free. */
PIT_API int pit_race(pit_race_run run, void *argument, const pit_race_options *options,
                     pit_race_result *result);
PIT_API void pit_race_free(pit_race_result *result);

/* ---- growth ---------------------------------------------------------------------------------- */

typedef struct pit_scaling {
    char name[24];                    /* "n log n", "n^1.58" */
    double constant, factor;          /* cost = constant + factor * f(n) */
    double error;                     /* rms of the relative errors */
    char also[96];                    /* classes that fit nearly as well, by commas; "" */
    double tail, tail_low, tail_high; /* slope of log cost over log size at the larger sizes */
    int low_confidence;
    char warning[128]; /* too few sizes, too narrow a range; "" */
    uint64_t own[96];  /* for pit_scaling_predict */
} pit_scaling;

/* Sizes and costs, in any order, sizes may repeat (the least cost of each counts). 0,
 * PIT_NOTHING (under 3 sizes), PIT_BAD_ARGUMENT, PIT_NO_MEMORY. */
PIT_API int pit_find_scaling(const double *sizes, const double *costs, size_t count,
                             pit_scaling *scaling);
PIT_API double pit_scaling_predict(const pit_scaling *scaling, double size, double *low,
                                   double *high);

/* Measure a function in rounds, sizes in random order, and fit. rounds 0: 9. costs (count of them,
 * may be NULL) receives the least cost in seconds of each size. */
PIT_API int pit_scale(void (*function)(void *argument, uint64_t size), void *argument,
                      const uint64_t *sizes, size_t count, uint64_t rounds, double *costs,
                      pit_scaling *scaling);
/* unit: "seconds" (NULL) or "bytes". predict: sizes to tell the cost of, with an interval. */
PIT_API int pit_scaling_print(FILE *out, const pit_scaling *scaling, const double *sizes,
                              const double *costs, size_t count, const double *predict,
                              size_t predict_count, const char *unit,
                              const pit_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
