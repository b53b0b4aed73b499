/* pitwall_bench.h: benchmarks, profiles, comparisons, scaling: which program is faster.
 *
 *   pit_bench           time a function until its figures are stable
 *   pit_bench_models    time several models in turn, for a verdict on them
 *   pit_profile         a model's training, inference, memory, throughput and complexity, as JSON
 *   pit_race            run any callback for several sides in turn until there is a verdict
 *   pit_compare_arrays  a verdict on two sides of runs; pit_compare_runs: on run files, per node
 *   pit_scale           how a function's cost grows with its size
 *
 * If several threads use one object, the caller must lock it. Every object has a free function that accepts
 * NULL. docs/statistics.md has the rules for a verdict and the reasons for them. */
#ifndef PITWALL_BENCH_H
#define PITWALL_BENCH_H

#include "pitwall_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a function ---------------------------------------------------------------------------- */

/* Keep the optimiser from removing the computation of a value (PIT_USE) or from keeping memory in
 * registers. */
#define PIT_USE(value_) __asm__ volatile("" : : "g"(value_) : "memory")
#define PIT_CLOBBER() __asm__ volatile("" : : : "memory")

#define PIT_BENCH_NONE UINT64_MAX

/* Set all members to zero for the defaults. */
typedef struct pit_bench_options {
    const char *name; /* of the span that gets the results; NULL: "benchmark" */
    uint64_t warmup;  /* trials that are not counted; 0: 10; PIT_BENCH_NONE: none */
    uint64_t trials;  /* 0: 100 */
    /* continue beyond `trials` until this much was timed; 0: 0.1; negative: do not */
    double min_seconds;
    double max_seconds; /* begin no trial after this much in total; 0: 30 */
    /* calls per trial; 0: enough to fill 10 us, at least 1; with a setup: 1, because a call may use up what
     * was set up */
    uint64_t iterations;
    uint64_t batch;                   /* samples processed by one call, for the throughput; 0: 1 */
    void (*setup)(void *argument);    /* before each trial, not timed; NULL: none */
    void (*teardown)(void *argument); /* after each trial, not timed */
    /* 1: wait for the device (pit_set_device) before each clock reading; -1: do not; 0: as pit_set_wait
     * says */
    int wait;
} pit_bench_options;

typedef struct pit_bench_result {                 /* seconds of one call */
    double mean, std, min, max, median, p95, p99; /* of the trials; std: of the population */
    double total;                                 /* of all calls that were timed */
    double cpu_mean;             /* processor time of one call, of this thread; NaN: not known */
    double process_cpu_mean;     /* the same for all threads of the process; NaN: not known */
    double samples_per_second;   /* from the mean; with at_resolution: a lower bound */
    uint64_t trials, iterations; /* iterations: calls per trial */
    /* trials under 1 ms that lost the core to another program: repeated, not counted here; their spans are
     * in the run */
    uint64_t interrupted;
    /* time of an empty call with clock and loop, already subtracted; shorter times cannot be measured */
    double resolution;
    int at_resolution; /* the median is not above the resolution: print "at or below the resolution" */
    int too_few;       /* fewer than 50 trials, or fewer than 100 of less than 1 ms */
    uint64_t session; /* the number of the pit_bench_models call, else 0 */
    /* with a session: the number of blocks, of trials / blocks trials each, the remainder in the first */
    uint64_t blocks;
    double *times; /* seconds per call, for each of the trials; freed by pit_bench_free */
} pit_bench_result;

/* Time function(argument). If a recorder is open, each trial is a span with the benchmark's name and calls
 * times batch as its items, and the figures are a "benchmark" entry of the journal. Returns 0;
 * PIT_BAD_ARGUMENT: no function or no result, or a negative max_seconds; PIT_NO_MEMORY. options may be
 * NULL. */
PIT_API int pit_bench(void (*function)(void *argument), void *argument,
                      const pit_bench_options *options, pit_bench_result *result);
PIT_API void pit_bench_free(pit_bench_result *result);

/* Print "NAME Inference Benchmark:" in the layout of the view `inference`, optionally with median, p95 and
 * p99. Times below 0.1 ms are in us or ns; a time at the resolution is a text. JSON has all figures. Returns
 * 0, PIT_BAD_ARGUMENT, PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
PIT_API int pit_bench_print(FILE *out, const char *name, const pit_bench_result *result,
                            int percentiles, enum pit_form form);

/* Single steps and whole trajectories of a forecast: forecast(argument, steps). */
typedef struct pit_forecast_options {
    const char *name; /* of the spans: "NAME single step", "NAME trajectory"; NULL: forecast */
    uint64_t steps;   /* of a trajectory; 0: 100 */
    uint64_t trials;  /* exact number; 0: 50 */
    uint64_t warmup_trials; /* 0: 5; PIT_BENCH_NONE: none */
    int wait;               /* as in pit_bench_options */
    uint64_t seed;          /* pit_bench_models: of the random order; 0: another one each time */
} pit_forecast_options;

/* As pit_bench, twice; options may be NULL. Free both results. */
PIT_API int pit_bench_forecast(void (*forecast)(void *argument, uint64_t steps), void *argument,
                               const pit_forecast_options *options, pit_bench_result *single_step,
                               pit_bench_result *full_trajectory);

typedef struct pit_bench_model {
    const char *name; /* of its spans: "NAME single step", "NAME trajectory" */
    void (*forecast)(void *argument, uint64_t steps);
    void *argument;
} pit_bench_model;

/* Time the forecasts of several models for a comparison. In each round every model runs one block of
 * trials, in random order, so that all models see the same state of the machine. pit_profiles_compare gives
 * a verdict on profiles built from the results of one call; it gives none on models timed one after the
 * other. Both arrays have `count` results; free each. options may be NULL; its name is not used. Returns 0;
 * PIT_BAD_ARGUMENT: no models, or one without name or forecast; PIT_NO_MEMORY. On an error there is nothing
 * to free. */
PIT_API int pit_bench_models(const pit_bench_model *models, size_t count,
                             const pit_forecast_options *options, pit_bench_result *single_steps,
                             pit_bench_result *full_trajectories);

/* ---- a model's profile ---------------------------------------------------------------------- */

#define PIT_NO_OUTPUT_LAYER UINT64_MAX

/* The structure of a model; members that do not apply to its kind are 0. */
typedef struct pit_model {
    const char *name; /* contains its kind as a word (MVAR-p5, lstm_2layer), unless `kind` is set */
    /* MVAR, LSTM, GRU, MLP, SIREN, KAN, CNN, Attention, Transformer, LLM, GPM, in any case; NULL: from the
     * name. If the name has no such word, or two, only the two basic figures are computed */
    const char *kind;
    uint64_t parameters; /* as counted in the model; 0: by the formula */
    uint64_t latent_dim; /* d: dimension of the state, the input or the model */
    uint64_t lag;        /* MVAR: order p */
    /* h: LSTM, GRU, MLP, SIREN, KAN; Transformer, LLM: of the linear layers, 0: 4 d; GPM: of the language
     * model behind it */
    uint64_t hidden_dim;
    uint64_t layers;     /* L; for MLP, SIREN and KAN the hidden layers; 0: 1 */
    uint64_t output_dim; /* 0: latent_dim, for Transformer and LLM none; PIT_NO_OUTPUT_LAYER */
    uint64_t sequence;   /* T: length; LSTM, GRU: inputs read for one step, 0: 1 */
    uint64_t heads;      /* affects no figure, but must divide latent_dim */
    uint64_t kernel, channels_in, channels_out, height, width; /* CNN; of the output */
    uint64_t grid, order;                                      /* KAN: intervals, spline order */
    double patterns, pattern_size, nodes, degree; /* GPM; means, which need not be whole */
    uint64_t batch;                               /* samples per step; 0: 1 */
    const pit_figure *extras; /* additional figures to keep in the profile; extra_count of them */
    size_t extra_count;
} pit_model;

typedef struct pit_complexity {
    uint64_t total_parameters, latent_dimension;
    uint64_t expected_parameters;  /* by the formula; 0: not known */
    uint64_t parameters_per_lag;   /* MVAR */
    uint64_t parameters_per_layer; /* of the first layer, biases included; 0: no layers */
    uint64_t flops_per_step; /* of one inference step: two for each weight used; 0: not known */
    const char *training, *inference; /* "O(p * d²)"; NULL: not known. Constants */
    /* gpm: patterns × size × nodes × degree; llm: layers × length² × hidden; total */
    double components[3];
    const char *component_names[3];
    size_t component_count;
} pit_complexity;

/* By the formulas of docs/profile.md. Returns 0, or PIT_BAD_ARGUMENT: sizes that overflow, heads that do
 * not divide the dimension, a kind that is not known. */
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
    /* of this machine; the caller may set it to pit_machine_flops(); 0: not set */
    double peak_flops;
} pit_profile;

/* Compute a profile from the model, the timings and a memory reading; name and times are copied. A timing
 * may be NULL. Throughput is computed from the trajectory of `steps` steps (0: 100), else from the single
 * step. parameter_bytes: size of one parameter, 0: 8. Returns 0, PIT_BAD_ARGUMENT (no model, no name, sizes
 * that overflow), PIT_NO_MEMORY. On an error there is nothing to free. */
PIT_API int pit_profile_build(pit_profile *profile, const pit_model *model, double training_seconds,
                              const pit_bench_result *single_step,
                              const pit_bench_result *full_trajectory, uint64_t steps,
                              uint64_t parameter_bytes);
/* Benchmark the forecast and build the profile. */
PIT_API int pit_profile_quick(pit_profile *profile, const pit_model *model, double training_seconds,
                              void (*forecast)(void *argument, uint64_t steps), void *argument,
                              const pit_forecast_options *options);
/* Frees its members, not the struct itself. */
PIT_API void pit_profile_free(pit_profile *profile);

/* JSON: model_name, training, inference, memory, throughput, complexity; our own figures under "pitwall"
 * with a schema version. Unknown figures are null. Returns 0, PIT_BAD_ARGUMENT, PIT_CANNOT_WRITE; _save:
 * the file appears whole or not at all, missing folders are created. */
PIT_API int pit_profile_print(FILE *out, const pit_profile *profile);
PIT_API int pit_profile_save(const char *path, const pit_profile *profile);
/* Ratios to the first profile, and winners; under "pitwall", whether each difference is real: only for
 * models that pit_bench_models timed in turn. Others get no verdict: "measured one after the other".
 * Also returns PIT_NO_MEMORY. */
PIT_API int pit_profiles_compare(FILE *out, const pit_profile *profiles, size_t count);
PIT_API int pit_profiles_compare_save(const char *path, const pit_profile *profiles, size_t count);
/* Merge {"experiment_name", "runtime_analysis": {"profiles", "comparison"}} into the file
 * (pit_save_members): its other keys stay. */
PIT_API int pit_summary_save(const char *path, const char *experiment, const pit_profile *profiles,
                             size_t count);

/* Merge the members of a JSON object, given as text, into the object in a file: a member of both gets the
 * new value, two objects are merged one level down, the rest stays unchanged. The file appears whole or not
 * at all; a missing or empty file is created. Returns 0; PIT_BAD_ARGUMENT: no path, or the text is not an
 * object; PIT_CANNOT_READ: the file does not contain an object, and was not changed; PIT_NO_MEMORY,
 * PIT_CANNOT_WRITE. */
PIT_API int pit_save_members(const char *path, const char *members);

/* Double-precision floating-point operations per second of one core, measured by a loop of independent
 * multiply-adds. The first call takes some milliseconds, the result is cached. */
PIT_API double pit_machine_flops(void);

/* ---- two sides ------------------------------------------------------------------------------- */

/* B compared with A. For memory, faster means less and slower more. */
enum pit_verdict { PIT_NO_VERDICT, PIT_FASTER, PIT_SLOWER, PIT_SAME };

/* Set all members to zero for the defaults. */
typedef struct pit_compare_options {
    double level;  /* probability of a false alarm; 0: 0.05 */
    double effect; /* the smallest that matters, 0.02 is 2 %; 0: 0.02 */
    /* the runs of the sides were made in turn: 1 yes, 2 detected from start times, 0 detect it if the start
     * times are known; else the figures are advisory */
    int interleaved;
    const char *node;         /* only this path; NULL: all paths that both sides have */
    const char *const *gates; /* limits, as pit_gate_check accepts them; gate_count of them */
    size_t gate_count;
    int trust; /* advisory figures may fail a gate too */
    /* number of rounds, if figure i of every side was made in round i in random order: items with one
     * figure per run are then judged by pairs. 0: no, or detect it from start times */
    size_t pairs;
} pit_compare_options;

/* Which figure decided; `change`, `a` and `b` are values of that figure. */
enum pit_decided_by {
    PIT_BY_FIGURE, /* the only one; median of all differences */
    PIT_BY_P10,    /* of the calls of each run; `other` is of the medians */
    PIT_BY_MEDIAN, /* of the calls of each run; `other` is of the p10s */
    PIT_BY_LOWEST_THIRD, /* of whole runs in pairs: mean of the lowest third; `other` is the mean of all */
    PIT_BY_MEAN /* mean of all, by their logarithms; `other` is the mean of the lowest third */
};

/* An additional figure that does not affect the verdict. It is tested separately: it differs if the
 * interval excludes 0. NaN: not available. */
typedef struct pit_change {
    double change, low, high;
} pit_change;

typedef struct pit_comparison {
    const char *what; /* a node's path, "wall time", "peak memory", "energy", "items/s" */
    int is_memory;    /* less is better: bytes (is_energy: joules); else seconds */
    int is_energy;    /* with is_memory: joules, not bytes */
    int is_whole;     /* of whole runs, not of a part */
    size_t side;      /* which side is B here: 1, 2, ... */
    enum pit_verdict verdict;
    double change;    /* B compared with A: -0.041 is 4.1 % less; NaN: not available */
    double low, high; /* its interval */
    double p;
    enum pit_decided_by decided_by;
    double other, other_low, other_high; /* NaN if there is one figure per run */
    int is_real;                         /* with PIT_SAME: it differs, but by less than matters */
    double a, b;                         /* of the deciding figure: change is b / a - 1 */
    double a_total, b_total;             /* per run, all calls together; 0: not known */
    size_t a_runs, b_runs;
    int is_series;  /* the figures are blocks of the calls of one process, not runs */
    int is_in_turn; /* blocks made in turn, in one call of pit_bench_models */
    /* about how many more runs per side are needed; 0: not known, or over ten times the present number */
    size_t more_runs;
    int is_too_noisy; /* over ten times as many are needed: do not recommend more runs */
    pit_change mean, p90, p99;
    char reason[128]; /* why there is no verdict; "" */
    int is_rate;      /* "items/s", where more is better: a, b and change are of items per second */
    /* one run per side, judged by blocks of its iterations: two processes of one binary differ too, so it
     * is no verdict and fails no gate (docs/statistics.md) */
    int is_indicative;
} pit_comparison;

/* Compare one figure per run and side, over 0: p10s and, if not NULL, medians of the calls of each run.
 * Returns 0, PIT_BAD_ARGUMENT, PIT_NO_MEMORY. */
PIT_API int pit_compare_arrays(const double *a_values, const double *a_medians, size_t a_count,
                               const double *b_values, const double *b_medians, size_t b_count,
                               const pit_compare_options *options, pit_comparison *comparison);
/* Compare the calls of one process per side, in their order. They are first cut into blocks longer than
 * their autocorrelation time. How much two processes of one program differ is not known, so the result is
 * always advisory. */
PIT_API int pit_compare_series(const double *a, size_t a_count, const double *b, size_t b_count,
                               const pit_compare_options *options, pit_comparison *comparison);

/* The calls of one run in one node, in their order, without warm-up. */
typedef struct pit_call_times {
    double p10, median, mean, p90, p99, total;
    size_t warmup; /* how many were left out */
} pit_call_times;
/* Returns 0; PIT_NOTHING: no calls; PIT_NO_MEMORY. */
PIT_API int pit_find_call_times(const double *seconds, size_t count, pit_call_times *calls);

/* The figures of one side about one node, whole runs, or memory. */
typedef struct pit_figures {
    const char *what;
    int is_memory;         /* bytes (is_energy: joules); else seconds */
    int is_energy;         /* with is_memory: joules, not bytes */
    int is_whole;          /* of whole runs: listed first */
    int is_series;         /* `values` are calls of one process in their order; the others NULL */
    size_t count;          /* of `values`, and of the other arrays that are not NULL */
    const double *values;  /* one per run: the p10 of its calls, or its only figure */
    const double *medians; /* medians; NULL: there is one figure per run */
    const double *mean, *p90, *p99; /* may be NULL */
    double total;                   /* of all calls of a run, for the order; 0: not known */
    double error;                   /* error bound of each figure; 0: none */
    /* 0: the figures are runs. Else they are blocks of one process, comparable only within one session
     * (pit_bench_models), or with PIT_NOT_COMPARABLE not at all */
    uint64_t session;
    int is_rate; /* `values` are seconds per item; shown as items per second */
    /* if the side is one run: the iterations it kept, in order; or NULL */
    const double *iterations;
    size_t iteration_count;
} pit_figures;
#define PIT_NOT_COMPARABLE UINT64_MAX

typedef struct pit_side {
    const char *name;
    const pit_figures *figures;
    size_t figure_count;
    size_t runs;
} pit_side;

/* Build a side from runs: per node, without warm-up if the run kept every call; runs ordered by their
 * start; wall time and peak memory of runs that ended cleanly. Returns NULL only if memory is exhausted.
 * The runs may be freed after the call. */
PIT_API pit_side *pit_side_of_runs(const pit_run *const *runs, size_t count, const char *name);
PIT_API void pit_side_free(pit_side *side);

typedef struct pit_unmatched { /* an item that one side has and another does not */
    const char *what;
    int is_memory;  /* or energy */
    size_t side;    /* the side that has it */
    size_t missing; /* the side that lacks it */
} pit_unmatched;

enum pit_gate_state { PIT_GATE_PASSED = 0, PIT_GATE_FAILED = 1, PIT_GATE_NO_VERDICT = 2 };
typedef struct pit_gate {
    const char *spec;
    enum pit_gate_state state;
    char why[192];
} pit_gate;

typedef struct pit_comparisons {
    /* per side: the whole run, then nodes by their time, then memory */
    const pit_comparison *items;
    size_t count;
    const pit_unmatched *unmatched;
    size_t unmatched_count;
    const char *const *names; /* of the sides; the others are compared with the first */
    const size_t *runs;
    const size_t *ranking; /* sides, the fastest first */
    size_t side_count;
    int advisory;
    int interleaved; /* 1 as given, 2 detected from the start times */
    int indicative;  /* the headline is about one run per side */
    double level, effect;
    const pit_gate *gates;
    size_t gate_count;
    int status; /* 0 good, 1 a gate failed, 2 no verdict; from the gates, else from the headline */
    char headline[256]; /* B is 4.1 % faster [3.6, 4.7] in epoch/batch (20 runs a side) */
} pit_comparisons;

/* Compare all sides with the first, matched by `what`; several comparisons are judged together (Holm).
 * Strings of the sides are copied. Returns NULL and sets *error (may be NULL): PIT_BAD_ARGUMENT (fewer than
 * two sides, or an invalid level or gate), PIT_NO_MEMORY. */
PIT_API pit_comparisons *pit_compare_sides(const pit_side *const *sides, size_t count,
                                           const pit_compare_options *options, pit_error *error);
/* Compare two sides of runs. Names may be NULL: "A" and "B". */
PIT_API pit_comparisons *pit_compare_runs(const pit_run *const *a, size_t a_count,
                                          const pit_run *const *b, size_t b_count,
                                          const char *a_name, const char *b_name,
                                          const pit_compare_options *options, pit_error *error);
/* 1 if these runs were made in turn, pair by pair, in any order within a pair (ABAB, ABBA, random), by
 * their start times; there must be at least two pairs. */
PIT_API int pit_runs_interleaved(const pit_run *const *a, size_t a_count, const pit_run *const *b,
                                 size_t b_count);
PIT_API void pit_comparisons_free(pit_comparisons *comparisons);

/* Print in any form. options may be NULL; it uses form, width, colour, ascii. Returns 0, PIT_BAD_ARGUMENT,
 * PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
PIT_API int pit_comparisons_print(FILE *out, const pit_comparisons *comparisons,
                                  const pit_report_options *options);

/* Check the text of a gate: slower:5% (the whole run, or any node that took 1 % of it),
 * slower:5%@epoch/batch or epoch/batch:slower:5% (that node), slower:5%@* (every node), memory:10% in the
 * same forms; with a floor below which a change is ignored: slower:5%:2ms, memory:10%:64MB. Returns 0, or
 * PIT_BAD_ARGUMENT. */
PIT_API int pit_gate_check(const char *spec);

/* ---- races ----------------------------------------------------------------------------------- */

/* Find out which of several sides is faster, in rounds in which every side runs once, in random order. The
 * callback runs a side; the library decides on the order, the interim tests, the budget and the verdict. */

/* Runs side `side` once and fills options.figure_count figures, all over 0; the first one decides. round is
 * 0 for a warm-up, whose figures are not kept, then 1, 2, ... Returns 0; PIT_STOP to end the race without
 * this round; any other value ends the race, and pit_race returns it. */
typedef int (*pit_race_run)(void *argument, size_t side, size_t round, double *figures);
#define PIT_STOP 0x7fffffff

/* The state of a race before each round. */
typedef struct pit_race_progress {
    size_t round;         /* the round about to begin */
    size_t next_test;     /* the round after which the next interim test is made */
    double seconds;       /* since the beginning */
    double budget;        /* seconds; INFINITY: none */
    const double *change; /* of sides 1, 2, ... compared with the first; NaN: not known yet */
    size_t side_count;
} pit_race_progress;

/* Set all members to zero for the defaults. */
typedef struct pit_race_options {
    size_t side_count;   /* 0: 2 */
    size_t figure_count; /* of a run; 0: 1 */
    /* the first two figures of a run are p10 and median of its calls; else the first is of a whole run and
     * judged by pairs */
    int has_median;
    const char *const *names; /* of the sides; NULL: A, B, ... */
    const char *what;         /* name of the deciding figure; NULL: "wall time" */
    size_t runs;              /* exact number of rounds, with one test; 0: see pit_race_tests */
    size_t warmup;            /* rounds before, not counted */
    /* seconds: no round begins after it, except before the first interim test; 0: 60, or none with `runs`;
     * INFINITY: none */
    double budget;
    double level, effect; /* as in pit_compare_options; the level holds for all tests together */
    uint64_t seed;        /* of the order in the rounds; 0: different each time */
    int (*progress)(void *argument,
                    const pit_race_progress *progress); /* not 0: stop. May be NULL */
    double (*clock)(void *argument); /* seconds, for the budget; NULL: the monotonic clock */
} pit_race_options;

/* The rounds after which a race without `runs` is tested; it is also tested when its budget ends. Each
 * interim test spends a part of the level, the last one the rest. The race ends at the first test that
 * gives a verdict on all sides. */
PIT_API const size_t *pit_race_tests(size_t *count);

enum pit_race_end {
    PIT_RACE_DECIDED,
    PIT_RACE_ALL_RUNS, /* all requested rounds, or the last interim test */
    PIT_RACE_BUDGET,   /* the budget was used up */
    PIT_RACE_STOPPED   /* by PIT_STOP or by progress: judged by the rounds so far */
};

typedef struct pit_race_result {
    enum pit_race_end end;
    size_t rounds;     /* complete rounds */
    size_t test_count; /* number of tests made */
    double level;      /* of the last test */
    double seconds;    /* duration of the race */
    size_t side_count, figure_count;
    double *const *figures;       /* [side * figure_count + figure]: one per round */
    pit_comparisons *comparisons; /* of the deciding figure, after the last test */
} pit_race_result;

/* Returns 0 and *result, freed by pit_race_free; the callback's failure value; PIT_BAD_ARGUMENT,
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
    char also[96];                    /* classes that fit nearly as well, comma-separated; "" */
    double tail, tail_low, tail_high; /* slope of log cost over log size at the larger sizes */
    int low_confidence;
    char warning[128]; /* too few sizes, too narrow a range; "" */
    uint64_t own[96];  /* for pit_scaling_predict */
} pit_scaling;

/* Fit costs over sizes, given in any order; sizes may repeat (the lowest cost of each counts). Returns 0,
 * PIT_NOTHING (under 3 sizes), PIT_BAD_ARGUMENT, PIT_NO_MEMORY. */
PIT_API int pit_find_scaling(const double *sizes, const double *costs, size_t count,
                             pit_scaling *scaling);
PIT_API double pit_scaling_predict(const pit_scaling *scaling, double size, double *low,
                                   double *high);

/* Measure a function in rounds, sizes in random order, and fit. rounds 0: 9. costs (count of them,
 * may be NULL) receives the lowest cost in seconds of each size. */
PIT_API int pit_scale(void (*function)(void *argument, uint64_t size), void *argument,
                      const uint64_t *sizes, size_t count, uint64_t rounds, double *costs,
                      pit_scaling *scaling);
/* unit: "seconds" (NULL) or "bytes". predict: sizes for which to print the cost, with an interval. */
PIT_API int pit_scaling_print(FILE *out, const pit_scaling *scaling, const double *sizes,
                              const double *costs, size_t count, const double *predict,
                              size_t predict_count, const char *unit,
                              const pit_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
