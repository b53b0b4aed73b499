/* top_plain.c: output without a terminal: one snapshot as text, or one line of JSON per interval. */
#include "top.h"

#include "model/live_fields.h"
#include "model/run_gpu.h"
#include "report/json_writer.h"
#include "report/table.h"
#include "report/text.h"
#include "report/units.h"
#include "views/list_view.h"
#include "views/report_view.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define SCHEMA_VERSION 1
#define WAIT_PAUSE 0.1 /* seconds */

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {
    }
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static int has_spans_or_ended(struct top_runs *runs)
{
    int is_live = 0;
    for (size_t i = 0; i < runs->count; i++) {
        top_run_look(runs->list[i], PIT__ALL_THREADS);
        if (runs->list[i]->live.count > 0)
            return 1;
        is_live |= !runs->list[i]->has_ended && !*runs->list[i]->problem;
    }
    return runs->count > 0 && !is_live;
}

void top_wait_for_span(struct top_runs *runs)
{
    if (runs->count == 0 && runs->wait != TOP_NO_WAIT)
        fprintf(stderr, "pitwall: waiting for a run\n");
    while (runs->count == 0 && runs->wait != TOP_NO_WAIT) {
        pause_for(WAIT_PAUSE);
        top_runs_find_more(runs);
    }
    while (runs->wait == TOP_WAIT && !has_spans_or_ended(runs))
        pause_for(WAIT_PAUSE);
}

/* ---- text --------------------------------------------------------------------------------------- */

enum { NAME, COUNT, RATE, MEAN, MAX, TOTAL, NOW, RUN, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "span", .key = "name", .kind = PIT__TEXT, .min_width = 12},
    [COUNT] = {.title = "spans", .key = "count", .kind = PIT__COUNT, .drop = 2},
    [RATE] = {.title = "spans/s", .key = "now_per_s", .kind = PIT__RATE},
    [MEAN] = {.title = "mean", .key = "now_mean_ns", .kind = PIT__DURATION, .drop = 1},
    [MAX] = {.title = "max", .key = "max_ns", .kind = PIT__DURATION, .drop = 4},
    [TOTAL] = {.title = "total", .key = "total_ns", .kind = PIT__DURATION, .drop = 3},
    [NOW] = {.title = "now", .key = "now_share", .kind = PIT__PERCENT, .optional = 1},
    [RUN] = {.title = "run", .key = "share", .kind = PIT__PERCENT},
};

static void add_row(struct pit__table *table, const struct top_run *top, size_t row,
                    const char *lines)
{
    const struct pit__live *live = &top->live;
    struct pit__live_figures figures;
    struct pit__cell cells[COLUMNS];
    pit__live_figures(live, top->rows.rows[row].node, NULL, 0, &figures);
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = pit__field_cell(pit__live_field(columns[i].key), &figures);
    cells[NAME].before = lines;
    /* no span ended in the last interval: use the whole run */
    if (cells[RATE].content == PIT__NOT_AVAILABLE)
        cells[RATE] = pit__cell_real((double)figures.node.count / (live->at_ns / 1e9));
    if (cells[MEAN].content == PIT__NOT_AVAILABLE)
        cells[MEAN] = pit__cell_real(figures.node.mean_ns);
    if (isnan(figures.now_ns))
        cells[NOW] = pit__cell_empty();
    pit__table_row(table, cells);
}

static int print_tree(const struct top_run *top, const struct top_look *look)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__text lines = {0};
    struct pit__look how = {output_width(), 0, look->colour, look->ascii};
    for (size_t i = 0; table && i < top->rows.count; i++) {
        lines.length = 0;
        pit__text_add(&lines, "", 0);
        pit__live_lines(&top->rows, i, look->ascii, &lines);
        add_row(table, top, i, pit__text_string(&lines));
    }
    int failed = !table || lines.failed || pit__table_print(table, stdout, &how) != 0;
    pit__text_free(&lines);
    pit__table_free(table);
    return failed ? PIT_NO_MEMORY : 0;
}

static void print_gpus(const pit_run *run, const char *between)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    struct pit__run_gpu gpu;
    for (size_t i = 0; pit__run_gpu_of(run, i, &gpu); i++)
        if (!isnan(gpu.memory))
            printf("%sgpu%zu %s of %s", between, i, pit__unit_bytes_words(a, gpu.memory),
                   pit__unit_bytes_words(b, gpu.memory_total));
}

static void print_figures(const struct top_run *top, const pit_run *run)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    uint64_t limit = pit__live_limit(run);
    const char *between = "";
    if (run->state == PIT_RUN_LIVE) {
        printf("CPU %s", pit__unit_percent_words(a, top->live.cores));
        between = ", ";
    }
    if (!run->has_samples && run->ended)
        printf("%speak RSS %s", between, pit__unit_bytes_words(a, (double)run->ended->rss_peak));
    else
        printf("%sRSS %s", between, pit__unit_bytes_words(a, pit__live_newest(run, "rss_bytes")));
    print_gpus(run, between);
    if (run->has_samples && limit != PIT_UNKNOWN)
        printf(" of %s", pit__unit_bytes_words(a, (double)limit));
    double rate =
        isnan(top->live.rate) ? (double)top->live.spans / (run->duration_ns / 1e9) : top->live.rate;
    printf(", %s spans/s, %s spans", pit__unit_rate(a, rate), pit__unit_count(b, top->live.spans));
    printf(" on %s thread%s", pit__unit_count(a, top->live.busy_threads),
           top->live.busy_threads == 1 ? "" : "s");
    if (run->state == PIT_RUN_LIVE && top->live.waited > PIT__LIVE_WAITED_MUCH)
        printf(", no processor %s of the time", pit__unit_percent_words(a, top->live.waited));
    putchar('\n');
}

static int print_run(struct top_run *top, const struct top_look *look)
{
    const pit_run *run = pit_watch_run(top->watch);
    struct pit__text head = {0};
    char time[PIT__UNIT_BYTES];
    pit__add_command(&head, run, 1);
    printf("%s: %s, %s\n", head.length > 0 ? pit__text_string(&head) : "n/a", pit__list_state(run),
           pit__unit_duration(time, run->duration_ns, look->ascii));
    head.length = 0;
    pit__text_add_visible(&head, top->path);
    if (pit_run_fact(run, "rank"))
        pit__text_printf(&head, ", rank %s", pit_run_fact(run, "rank"));
    printf("%s, pid %u\n", pit__text_string(&head), run->pid);
    pit__text_free(&head);
    print_figures(top, run);
    puts(*top->problem ? top->problem : top->verdict ? top->verdict : "n/a");
    putchar('\n');
    int code = pit__live_rows(&top->live, PIT__LIVE_BY_RUN, NULL, &top->rows);
    if (!code && top->rows.count == 0)
        puts(run->state == PIT_RUN_LIVE ? "no spans yet" : "no spans");
    else if (!code)
        code = print_tree(top, look);
    return code ? fail(EXIT_CANNOT_READ, "cannot print the run", top->path, pit_strerror(code)) : 0;
}

/* Live runs are read twice, an interval apart, to get rates. */
static void look_twice(struct top_runs *runs, const struct top_look *look)
{
    int is_live = 0;
    for (size_t i = 0; i < runs->count; i++) {
        top_run_look(runs->list[i], PIT__ALL_THREADS);
        is_live |= !runs->list[i]->has_ended;
    }
    if (is_live)
        pause_for(look->interval);
    for (size_t i = 0; is_live && i < runs->count; i++)
        top_run_look(runs->list[i], PIT__ALL_THREADS);
}

int top_print_once(struct top_runs *runs, const struct top_look *look)
{
    int status = EXIT_GOOD;
    look_twice(runs, look);
    const char *ranks = top_ranks_text(runs, look, output_width());
    if (ranks)
        printf("%s\n", ranks);
    if (runs->count > 1 && top_print_overview(runs, look) != 0)
        return fail(EXIT_CANNOT_READ, "cannot print the runs", NULL, pit_strerror(PIT_NO_MEMORY));
    for (size_t i = 0; i < runs->count && status == EXIT_GOOD; i++) {
        top_run_judge(runs->list[i], look->ascii);
        if (runs->count > 1)
            putchar('\n');
        status = print_run(runs->list[i], look);
    }
    return status;
}

/* ---- JSON --------------------------------------------------------------------------------------- */

static void write_known(struct pit__json *json, const char *key, uint64_t figure)
{
    if (figure == PIT_UNKNOWN)
        pit__json_null(json, key);
    else
        pit__json_uint(json, key, figure);
}

static void write_node(struct pit__json *json, const struct pit__live *live, uint32_t number)
{
    struct pit__live_figures figures;
    char path[4096];
    pit__live_figures(live, number, path, sizeof path, &figures);
    pit__json_object(json, NULL);
    pit__json_live_fields(json, &figures);
    pit__json_object_end(json);
}

static void write_line(const struct top_run *top)
{
    const pit_run *run = pit_watch_run(top->watch);
    struct pit__json json;
    pit__json_init(&json, stdout);
    pit__json_flat_object(&json, NULL);
    pit__json_uint(&json, "schema_version", SCHEMA_VERSION);
    pit__json_string(&json, "path", top->path);
    pit__json_string(&json, "program", pit_run_fact(run, "program"));
    pit__json_string(&json, "job", pit_run_fact(run, "job"));
    pit__json_string(&json, "rank", pit_run_fact(run, "rank"));
    pit__json_uint(&json, "pid", run->pid);
    pit__json_string(&json, "state", pit__list_state(run));
    pit__json_milli(&json, "elapsed_ns", run->duration_ns);
    pit__json_milli(&json, "interval_ns", top->live.interval_ns);
    pit__json_double(&json, "cores", top->live.cores);
    double rss = pit__live_newest(run, "rss_bytes");
    write_known(&json, "rss_bytes", isnan(rss) ? PIT_UNKNOWN : (uint64_t)rss);
    write_known(&json, "limit_bytes", run->has_samples ? pit__live_limit(run) : PIT_UNKNOWN);
    pit__json_uint(&json, "threads", top->live.busy_threads);
    pit__json_uint(&json, "spans", top->live.spans);
    pit__json_double(&json, "spans_per_s", top->live.rate);
    if (run->has_samples)
        pit__json_sample(&json, "newest", run, &run->newest);
    else
        pit__json_null(&json, "newest");
    pit__json_string(&json, "verdict", top->verdict);
    pit__json_int(&json, "severity", top->severity);
    pit__json_string(&json, "error", *top->problem ? top->problem : NULL);
    pit__json_array(&json, "nodes");
    for (uint32_t i = 0; i < top->live.count; i++)
        write_node(&json, &top->live, i);
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
}

/* One line per live run, and one when it has ended; returns how many are live. */
static size_t print_lines(struct top_runs *runs, const struct top_look *look, int is_first)
{
    size_t live = 0;
    for (size_t i = 0; i < runs->count; i++) {
        struct top_run *top = runs->list[i];
        int had_ended = (top->has_ended && !is_first) || *top->problem;
        if (had_ended)
            continue;
        top_run_look(top, PIT__ALL_THREADS);
        top_run_judge(top, look->ascii);
        write_line(top);
        live += !top->has_ended && !*top->problem;
    }
    return live;
}

static int flush_lines(void)
{
    return fflush(stdout) == 0
               ? EXIT_GOOD
               : fail(EXIT_CANNOT_WRITE, "cannot write", "standard output", strerror(errno));
}

int top_print_json_once(struct top_runs *runs, const struct top_look *look)
{
    look_twice(runs, look);
    for (size_t i = 0; i < runs->count; i++) {
        top_run_judge(runs->list[i], look->ascii);
        write_line(runs->list[i]);
    }
    return flush_lines();
}

int top_print_json(struct top_runs *runs, const struct top_look *look)
{
    double due = top_now();
    for (int is_first = 1;; is_first = 0) {
        size_t live = print_lines(runs, look, is_first);
        int status = flush_lines();
        if (status != EXIT_GOOD || live == 0)
            return status;
        due += look->interval;
        double wait = due - top_now();
        if (wait > 0)
            pause_for(wait);
        else
            due = top_now();
        top_runs_find_more(runs);
    }
}
