/* A program that prints views, for test_views.py.
 *
 *   golden NAME FORM       a sample of tests/golden, from its figures
 *   hostile VIEW FORM      a view of rows whose names try everything
 *   names                  those names in hex, one per line
 *   time COUNT             every view in every form with COUNT rows; prints the seconds of the slowest
 *   time-run PATH          the same for a run, also tree, flat and memory
 *   run PATH COUNT         record a run of COUNT nodes, three levels deep
 *   odd-run PATH           record a run with those names
 *   sweep PATH KEY VALUE MS  record a run with a label that takes MS
 *
 * FORM is text, json, csv, markdown or ascii. The status is the view's code, made positive.
 */
#include "pitwall_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the samples --------------------------------------------------------------------------- */

/* The percentages in the document refer to another total than the one it prints; the golden text has the
 * correct ones. */
static const pit_row timing[] = {{.name = "MLP training", .seconds = 125.45},
                                 {.name = "SIREN training", .seconds = 89.32},
                                 {.name = "KAN training", .seconds = 102.67}};
static const pit_row speedup[] = {{.name = "MLP", .seconds = 120},
                                  {.name = "SIREN", .seconds = 90},
                                  {.name = "KAN", .seconds = 150}};
static const pit_row breakdown[] = {{.name = "data_loading", .seconds = 1.76},
                                    {.name = "forward_pass", .seconds = 8.34},
                                    {.name = "backward_pass", .seconds = 12.45}};
/* 426.3 samples a second need this mean; the sample shows it as 2.345. */
static const pit_row inference[] = {{.name = "KAN",
                                     .seconds = 0.2345495,
                                     .count = 100,
                                     .min_seconds = 0.002123,
                                     .max_seconds = 0.003456}};

#define OPERATION(name_, seconds_, cpu_, gpu_, peak_)                                              \
    {                                                                                              \
        .name = name_, .seconds = seconds_, .has_memory = 1, .cpu_delta_mb = cpu_,                 \
        .has_device = 1, .gpu_delta_mb = gpu_, .gpu_peak_mb = peak_                                \
    }

/* The TOTAL of 2.758 needs the digits that the rows do not show. */
static const pit_row physical[] = {OPERATION("load_ground_truth", 0.3964, 76.9, 0.8, 1.7),
                                   OPERATION("optimization", 2.3614, 40.9, 0, 5.9)};
static const pit_row detailed[] = {OPERATION("data loading", 0.45, 523.1, 0, 0),
                                   OPERATION("preprocessing", 0.12, 128.5, 0, 0),
                                   OPERATION("model forward", 0.85, 45.2, 1250.3, 2880.5)};
static const pit_row aggregate[] = {{.name = "batch_forward",
                                     .seconds = 15.234,
                                     .count = 150,
                                     .min_seconds = 0.085,
                                     .max_seconds = 0.425},
                                    {.name = "batch_backward",
                                     .seconds = 8.451,
                                     .count = 150,
                                     .min_seconds = 0.048,
                                     .max_seconds = 0.112}};
static const pit_row profiling[] = {
    {.name = "data_batch_production", .seconds = 2.34, .count = 100},
    {.name = "loss_fn_computation", .seconds = 4.56, .count = 100},
    {.name = "make_step_total", .seconds = 7.89, .count = 100}};
static const pit_row sweep[] = {{.name = "batch_size_8", .seconds = 2.5},
                                {.name = "batch_size_16", .seconds = 1.5},
                                {.name = "batch_size_32", .seconds = 1.234},
                                {.name = "batch_size_64", .seconds = 1.75}};

#define SAMPLE(rows_) .data = {.rows = rows_, .row_count = sizeof rows_ / sizeof rows_[0]}

static const struct sample {
    const char *name, *view;
    pit_data data;
    pit_report_options options;
} samples[] = {
    {"timing-summary", "timing-summary", SAMPLE(timing), {.title = "Section 1.1", .datasets = 9}},
    {"speedup", "speedup", SAMPLE(speedup), {.baseline = "KAN"}},
    {"breakdown", "breakdown", SAMPLE(breakdown), {.title = "Training"}},
    {"inference", "inference", SAMPLE(inference), {0}},
    {"performance-physical", "performance", SAMPLE(physical), {0}},
    {"performance-detailed", "performance", SAMPLE(detailed), {0}},
    {"aggregate", "aggregate", SAMPLE(aggregate), {0}},
    {"profiling", "profiling", SAMPLE(profiling), {0}},
    {"sweep", "sweep", SAMPLE(sweep), {0}},
};

/* ---- names that try everything -------------------------------------------------------------- */

static char long_name[4001];

#define CHINESE                                                                                    \
    "\xe6\xa8\xa1\xe5\x9e\x8b\xe8\xae\xad\xe7\xbb\x83 \xe5\xb7\xb2\xe5\xae\x8c\xe6\x88\x90"

static const char *const hostile[] = {
    "plain",
    "quoted \"twice\"",
    "comma, semicolon; tab\there",
    "two\nlines",
    "carriage\rreturn",
    "\xf0\x9f\x9a\x80 rocket",
    CHINESE,
    "e\xcc\x81te\xcc\x81 combining",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2-2",
    "@SUM(A1)",
    "\ttab first",
    "\rreturn first",
    "'=already marked",
    "''+twice",
    "'tis",
    " blank at both ends ",
    "pipe | tick ` star * under_score <b>bold</b> [link](x) \\ back",
    "\u202eturned",
    "invalid \xff\xfe bytes",
    "",
    long_name,
};
#define HOSTILE (sizeof hostile / sizeof hostile[0])

static void make_long_name(void)
{
    memset(long_name, 'x', sizeof long_name - 1);
    memcpy(long_name, "long ", 5);
}

#define NAME_BYTES 32

static pit_row *make_rows(size_t count)
{
    pit_row *rows = calloc(count, sizeof *rows);
    char *names = count == HOSTILE ? NULL : calloc(count, NAME_BYTES);
    if (!rows || (count != HOSTILE && !names))
        abort();
    for (size_t i = 0; i < count; i++) {
        if (names)
            snprintf(names + NAME_BYTES * i, NAME_BYTES, "node_%zu", i);
        rows[i] = (pit_row){.name = names ? names + NAME_BYTES * i : hostile[i],
                            .seconds = 0.1 + (double)i / 3,
                            .count = 2 + i,
                            .min_seconds = 0.01 / 3,
                            .max_seconds = 0.02,
                            .items = 32,
                            .has_memory = i % 2 == 0,
                            .cpu_delta_mb = 1.0 / 3};
    }
    return rows;
}

static enum pit_form form_of(const char *name)
{
    return strcmp(name, "json") == 0       ? PIT_JSON
           : strcmp(name, "csv") == 0      ? PIT_CSV
           : strcmp(name, "markdown") == 0 ? PIT_MARKDOWN
                                           : PIT_TEXT;
}

static int print(FILE *out, const char *view, const pit_data *data, const char *form,
                 pit_report_options options)
{
    options.form = form_of(form);
    options.ascii = strcmp(form, "ascii") == 0;
    return -pit_view_print(out, view, data, &options);
}

static int print_golden(const char *name, const char *form)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (strcmp(samples[i].name, name) == 0)
            return print(stdout, samples[i].view, &samples[i].data, form, samples[i].options);
    return 99;
}

static int print_hostile(const char *view, const char *form)
{
    pit_row *rows = make_rows(HOSTILE);
    pit_data data = {.title = hostile[8], .rows = rows, .row_count = HOSTILE};
    int code = print(stdout, view, &data, form, (pit_report_options){.percentiles = 1});
    free(rows);
    return code;
}

static int print_names(void)
{
    for (size_t i = 0; i < HOSTILE; i++) {
        for (const char *c = hostile[i]; *c; c++)
            printf("%02x", (unsigned)(unsigned char)*c);
        putchar('\n');
    }
    return 0;
}

/* Processor time in seconds: the time of other programs does not count for the view. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *const over_runs[] = {"tree",      "flat",      "memory",    "timing-summary",
                                        "speedup",   "breakdown", "aggregate", "performance",
                                        "profiling", "inference", "sweep"};

static int print_time(size_t count)
{
    static const char *const forms[] = {"text", "json", "csv", "markdown"};
    pit_data data = {.rows = make_rows(count), .row_count = count};
    FILE *out = fopen("/dev/null", "w");
    double most = 0;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        for (size_t f = 0; f < 4; f++) {
            double begin = now();
            int code = print(out, samples[i].view, &data, forms[f], (pit_report_options){0});
            double took = now() - begin;
            most = took > most ? took : most;
            if (code)
                return code;
        }
    fclose(out);
    free((void *)data.rows[0].name);
    free((void *)data.rows);
    printf("%.6f\n", most);
    return 0;
}

static int print_run_time(const char *path)
{
    pit_run *run = pit_run_open(path, NULL);
    FILE *out = fopen("/dev/null", "w");
    double most = 0;
    if (!run || !out)
        return 1;
    const pit_run *runs[] = {run};
    for (size_t i = 0; i < sizeof over_runs / sizeof over_runs[0]; i++)
        for (int form = PIT_TEXT; form <= PIT_MARKDOWN; form++) {
            pit_report_options options = {.view = over_runs[i], .form = (enum pit_form)form};
            double begin = now();
            int code = pit_report_print(out, runs, 1, &options);
            double took = now() - begin;
            most = took > most ? took : most;
            if (code) {
                fprintf(stderr, "%s: %s\n", over_runs[i], pit_strerror(code));
                return -code;
            }
        }
    fclose(out);
    pit_run_free(run);
    printf("%.6f\n", most);
    return 0;
}

/* ---- runs ---------------------------------------------------------------------------------- */

static int record_run(const char *path, size_t count)
{
    pit_options options = {.sample_hz = 0};
    char name[40];
    if (pit_open(path, &options) != 0)
        return 1;
    for (size_t made = 0; made < count;) {
        snprintf(name, sizeof name, "stage_%zu", made);
        pit_token stage = pit_begin_name(name);
        made++;
        for (size_t i = 0; i < 9 && made < count; i++) {
            snprintf(name, sizeof name, "part_%zu", made);
            pit_token part = pit_begin_name(name);
            made++;
            for (size_t k = 0; k < 9 && made < count; k++, made++) {
                snprintf(name, sizeof name, k < 7 ? "step_%zu" : "own_%zu", k < 7 ? k : made);
                pit_end(pit_begin_name(name));
                pit_end(pit_begin_name(name));
            }
            pit_end(part);
        }
        pit_end(stage);
    }
    return pit_close();
}

static int record_odd_run(const char *path)
{
    pit_options options = {.sample_hz = 0};
    if (pit_open(path, &options) != 0)
        return 1;
    for (size_t i = 0; i < HOSTILE; i++)
        for (size_t k = 0; k < 2; k++)
            pit_end(pit_begin_name(hostile[i]));
    return pit_close();
}

static int record_sweep(const char *path, const char *key, const char *value, unsigned ms)
{
    pit_options options = {.sample_hz = 0};
    if (pit_open(path, &options) != 0 || pit_label(key, value) != 0)
        return 1;
    pit_token token = pit_begin_name("work");
    usleep(ms * 1000);
    pit_end(token);
    return pit_close();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    make_long_name();
    if (strcmp(what, "golden") == 0 && argc == 4)
        return print_golden(argv[2], argv[3]);
    if (strcmp(what, "hostile") == 0 && argc == 4)
        return print_hostile(argv[2], argv[3]);
    if (strcmp(what, "names") == 0)
        return print_names();
    if (strcmp(what, "time") == 0 && argc == 3)
        return print_time(strtoul(argv[2], NULL, 10));
    if (strcmp(what, "time-run") == 0 && argc == 3)
        return print_run_time(argv[2]);
    if (strcmp(what, "run") == 0 && argc == 4)
        return record_run(argv[2], strtoul(argv[3], NULL, 10));
    if (strcmp(what, "odd-run") == 0 && argc == 3)
        return record_odd_run(argv[2]);
    if (strcmp(what, "sweep") == 0 && argc == 6)
        return record_sweep(argv[2], argv[3], argv[4], (unsigned)strtoul(argv[5], NULL, 10));
    return 98;
}
