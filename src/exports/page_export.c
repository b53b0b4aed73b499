/* page_export.c: the JSON documents of the page: runs and comparison. */
#include "page_export.h"

#include "compare/compare.h"
#include "model/advice_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The repeated node of a step, as used by advice; null if nothing is repeated. */
static int write_step(struct pit__page *page)
{
    struct pit__part *parts = pit__parts_of(page->report.tree);
    if (!parts)
        return PIT_NO_MEMORY;
    size_t unit = pit__find_unit(parts, page->report.tree->node_count);
    free(parts);
    page->step = unit;
    if (unit == PIT__NO_PART)
        pit__json_null(&page->json, "step");
    else
        pit__json_uint(&page->json, "step", unit);
    return 0;
}

static int write_summary(struct pit__page *page)
{
    struct pit__json *json = &page->json;
    const struct pit__report *report = &page->report;
    struct pit__text headline = {0}, lost = {0}, none = {0};
    size_t threads;
    double cost_share = pit__cost_share(report->runs, report->run_count, &threads);
    pit__headline(report, &headline);
    pit__losses_words(&report->tree->losses, &lost);
    pit__no_spans(report, &none);
    pit__json_object(json, "summary");
    pit__json_string(json, "headline", pit__text_string(&headline));
    pit__json_milli(json, "wall_ns", report->tree->wall_ns);
    pit__json_milli(json, "advice_wall_ns", page->advised.wall_ns);
    pit__json_milli(json, "advice_in_spans_ns", page->advised.in_spans_ns);
    pit__json_milli(json, "in_spans_ns", report->tree->total_ns);
    pit__json_milli(json, "finished_ns", report->tree->finished_ns);
    pit__json_uint(json, "busy_threads", report->busy_threads);
    pit__json_unmarked(json, report->tree);
    pit__json_uint(json, "spans", report->tree->spans);
    pit__json_double(json, "cost_share", cost_share);
    pit__json_losses(json, &report->tree->losses);
    pit__json_string(json, "losses_words", lost.length > 0 ? pit__text_string(&lost) : NULL);
    pit__json_string(json, "no_spans", pit__text_string(&none));
    int code = headline.failed || lost.failed || none.failed ? PIT_NO_MEMORY : write_step(page);
    pit__json_object_end(json);
    pit__text_free(&headline);
    pit__text_free(&lost);
    pit__text_free(&none);
    return code;
}

static void write_title(struct pit__page *page)
{
    const pit_run *run = page->report.runs[0];
    const char *program = pit_run_fact(run, "program"),
               *slash = program ? strrchr(program, '/') : 0;
    pit__json_string(&page->json, "title", slash ? slash + 1 : program ? program : run->path);
}

static int write_document(struct pit__page *page)
{
    struct pit__json *json = &page->json;
    pit__json_object(json, NULL);
    pit__json_string(json, "kind", "run");
    pit__json_uint(json, "page_version", PIT__PAGE_VERSION);
    pit__json_string(json, "pitwall_version", PITWALL_VERSION);
    write_title(page);
    int code = write_summary(page);
    pit__json_advice(json, page->report.advice);
    if (!code)
        code = pit__page_nodes(page);
    if (!code)
        code = pit__page_events(page);
    if (!code)
        code = pit__page_ranks(page, page->step);
    if (!code)
        code = pit__json_energy(json, &page->report);
    pit__json_places(json, page->report.tree);
    if (!code)
        code = pit__page_runs(page);
    pit__json_object_end(json);
    pit__json_finish(json);
    return code;
}

int pit__page_document(FILE *out, const pit_run *const *runs, size_t run_count,
                       struct pit__page_advice *kept)
{
    int is_known = kept && kept->advice;
    static const pit_report_options options = {0};
    struct pit__page page = {.report = {.out = out,
                                        .runs = runs,
                                        .run_count = run_count,
                                        .options = &options,
                                        .advice = kept ? kept->advice : NULL}};
    pit__json_init_brief(&page.json, out);
    int code = pit__report_make(&page.report);
    if (!code) {
        const pit_tree *tree = page.report.tree;
        page.advised = is_known ? *kept
                                : (struct pit__page_advice){.wall_ns = tree->wall_ns,
                                                            .in_spans_ns = tree->total_ns};
        code = write_document(&page);
    }
    if (kept) {
        *kept = page.advised;
        kept->advice = page.report.advice;
        page.report.advice = NULL;
    }
    pit__report_free(&page.report);
    return code;
}

int pit__page_comparison(FILE *out, const pit_run *const *a, size_t a_count,
                         const pit_run *const *b, size_t b_count, const char *a_name,
                         const char *b_name)
{
    pit_error error = {0};
    pit_comparisons *all = pit_compare_runs(a, a_count, b, b_count, a_name, b_name, NULL, &error);
    if (!all)
        return error.code ? error.code : PIT_NO_MEMORY;
    int code = pit__comparisons_json(out, all);
    pit_comparisons_free(all);
    return code;
}
